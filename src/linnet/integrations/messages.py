"""Mentions that assistants send to the MCP server, and their links; the descriptions are what a model reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field

from linnet.types import Candidate, Link, Mention

__all__ = [
    "MOST_TEXT",
    "Annotation",
    "Found",
    "GivenMention",
    "LinkedMention",
    "LinkedMentions",
]

# Characters of one text. An abstract has 2,000; what is found in 20,000 still fits into an assistant's context.
MOST_TEXT = 20_000


class GivenMention(BaseModel):
    """A name as it stands in a text, to be linked."""

    model_config = ConfigDict(extra="forbid")

    text: Annotated[str, Field(min_length=1, max_length=1000, description="The name, e.g. 'heart attack'.")]
    left: Annotated[str, Field(max_length=MOST_TEXT, description="Text just before it, if known.")] = ""
    right: Annotated[str, Field(max_length=MOST_TEXT, description="Text just after it, if known.")] = ""
    document: Annotated[
        str,
        Field(max_length=200, description="Any id; mentions with the same one share abbreviations."),
    ] = ""
    type: Annotated[str, Field(max_length=200, description="What kind of thing it is, e.g. 'Disease'.")] = ""

    def mention(self) -> Mention:
        """The mention in a document of its context."""
        return Mention.alone(
            self.text, left=self.left, right=self.right, document=self.document, type=self.type
        )


class Proposed(BaseModel):
    """A concept that was considered."""

    concept: Annotated[str, Field(description="Id of the concept.")]
    name: Annotated[str, Field(description="The name of the concept that matched.")]
    score: Annotated[float, Field(description="Orders the candidates of one mention; not a probability.")]
    origin: Annotated[str, Field(description="How it was found.")]

    @classmethod
    def of(cls, candidates: Sequence[Candidate]) -> list[Self]:
        return [cls(concept=c.concept, name=c.name, score=c.score, origin=c.origin) for c in candidates]


class Part(BaseModel):
    """One of the names that a composite such as 'breast and ovarian cancer' is made of."""

    text: str
    concepts: list[str]
    name: str
    probability: float | None


class LinkedMention(BaseModel):
    """What a mention was linked to."""

    text: Annotated[str, Field(description="The mention.")]
    concepts: Annotated[
        list[str],
        Field(
            description="Concept ids. Empty if no concept fits (NIL); several if the mention names several things."
        ),
    ]
    name: Annotated[str, Field(description="Preferred name of the first concept, '' if none.")]
    probability: Annotated[
        float | None,
        Field(description="Calibrated probability that this is right; null for NIL or if unknown."),
    ]
    candidates: Annotated[list[Proposed], Field(description="Concepts considered, best first.")]
    parts: Annotated[list[Part], Field(description="Of a mention that names several things; else empty.")]

    @classmethod
    def of(cls, link: Link, *, shown: int) -> Self:
        """A link, with so many of its candidates."""
        return cls(**_said(link, shown=shown))


class LinkedMentions(BaseModel):
    """One answer for each mention, in their order."""

    mentions: list[LinkedMention]


class Annotation(LinkedMention):
    """A name found in a text, and what it was linked to."""

    start: Annotated[int, Field(description="Where it begins in the text, in Unicode characters from 0.")]
    end: Annotated[int, Field(description="Where it ends, exclusive.")]
    type: Annotated[str, Field(description="What kind of thing it is, '' if unknown.")]

    @classmethod
    def of(cls, link: Link, *, shown: int) -> Self:
        mention = link.mention
        return cls(start=mention.start, end=mention.end, type=mention.type, **_said(link, shown=shown))


class Found(BaseModel):
    """The names found in a text, in the order of the text."""

    mentions: list[Annotation]


def _said(link: Link, *, shown: int) -> dict[str, Any]:
    return {
        "text": link.mention.text,
        "concepts": list(link.concepts),
        "name": link.name,
        "probability": link.probability,
        "candidates": Proposed.of(link.candidates[:shown]),
        "parts": [
            Part(
                text=part.mention.text,
                concepts=list(part.concepts),
                name=part.name,
                probability=part.probability,
            )
            for part in link.parts
        ],
    }
