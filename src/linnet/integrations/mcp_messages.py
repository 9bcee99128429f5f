"""Input and output of the MCP server's tools; models read the descriptions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field

from linnet.integrations.catalogue import ConceptMatch
from linnet.terminology import Terminology
from linnet.types import Link, Mention

__all__ = [
    "MAX_TEXT",
    "Annotation",
    "Concept",
    "Concepts",
    "ConceptsOfId",
    "Found",
    "GivenMention",
    "Hit",
    "LinkedMention",
    "LinkedMentions",
    "Terminologies",
    "TerminologyInfo",
    "example_id",
]

# Characters of a text. An abstract has 2,000; the mentions in 20,000 still fit into an assistant's context.
MAX_TEXT = 20_000

# Synonyms, parents, children and cross-references shown for a concept, of each.
_SHOWN = 50


class GivenMention(BaseModel):
    """A name in a text, to be linked."""

    model_config = ConfigDict(extra="forbid")

    text: Annotated[str, Field(min_length=1, max_length=1000, description="The name, e.g. 'heart attack'.")]
    left: Annotated[str, Field(max_length=MAX_TEXT, description="Text just before it, if known.")] = ""
    right: Annotated[str, Field(max_length=MAX_TEXT, description="Text just after it, if known.")] = ""
    document: Annotated[
        str,
        Field(max_length=200, description="Any id; mentions with the same one share abbreviations."),
    ] = ""
    type: Annotated[str, Field(max_length=200, description="What kind of thing it is, e.g. 'Disease'.")] = ""

    def mention(self) -> Mention:
        """The mention in a document with its context."""
        return Mention.alone(
            self.text, left=self.left, right=self.right, document=self.document, type=self.type
        )


class Proposed(BaseModel):
    """A concept that was considered."""

    concept: Annotated[str, Field(description="Id of the concept.")]
    name: Annotated[str, Field(description="The name of the concept that matched.")]
    score: Annotated[float, Field(description="Orders the candidates of one mention; not a probability.")]
    origin: Annotated[str, Field(description="How it was found.")]


Decided = Annotated[
    str | None,
    Field(description="'override' if a person decided this concept, or that there is none; else null."),
]


class Part(BaseModel):
    """One of the names that a composite such as 'breast and ovarian cancer' is made of."""

    text: str
    concepts: list[str]
    name: str
    probability: float | None
    origin: Decided = None


class LinkedMention(BaseModel):
    """A mention with its link."""

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
        Field(
            description="Calibrated probability that this is right, 1 if a person decided it; null for other NIL or if unknown."
        ),
    ]
    candidates: Annotated[list[Proposed], Field(description="Concepts considered, best first.")]
    origin: Decided = None
    parts: Annotated[list[Part], Field(description="Of a mention that names several things; else empty.")]
    assertion: Annotated[
        list[str] | None,
        Field(
            description="What the text says of it: negated, uncertain, historical, other person, hypothetical; null if not asked."
        ),
    ] = None
    section: Annotated[
        str, Field(description="Section of a clinical note that it stands in; empty if none.")
    ] = ""

    @classmethod
    def of(cls, link: Link, *, shown: int) -> Self:
        """The mention of a link, with `shown` of its candidates."""
        return cls(**_fields(link, shown=shown))


class LinkedMentions(BaseModel):
    """One result per mention, in their order."""

    mentions: list[LinkedMention]


class GivenPair(BaseModel):
    """An id and the name that is said to belong to it."""

    id: Annotated[str, Field(min_length=1, max_length=200, description="E.g. 'MESH:D003920'.")]
    label: Annotated[str, Field(max_length=1000)]


class CheckedPair(BaseModel):
    """What is known of a pair."""

    id: str
    label: str
    verdict: Annotated[
        str,
        Field(
            description="name: the label is a name of the concept. likely: it means the concept. wrong: it means another one, nearest. "
            "doubtful: not known. retired: nearest replaced it. unknown id."
        ),
    ]
    name: Annotated[str, Field(description="Preferred name of the concept, '' for an unknown id.")]
    nearest: Annotated[str, Field(description="The concept that the label means, '' for none.")]
    nearest_name: str
    probability: Annotated[float | None, Field(description="That the label means nearest.")]


class CheckedPairs(BaseModel):
    """One result per pair, in their order."""

    pairs: list[CheckedPair]


class Annotation(LinkedMention):
    """A name found in a text, with its link."""

    start: Annotated[int, Field(description="Where it begins in the text, in Unicode characters from 0.")]
    end: Annotated[int, Field(description="Where it ends, exclusive.")]
    type: Annotated[str, Field(description="What kind of thing it is, '' if unknown.")]

    @classmethod
    def of(cls, link: Link, *, shown: int) -> Self:
        mention = link.mention
        return cls(start=mention.start, end=mention.end, type=mention.type, **_fields(link, shown=shown))


class Found(BaseModel):
    """The names found in a text, in the order of the text."""

    text_kind: Annotated[str, Field(description="What the text was read as: note (of a patient) or article.")]
    mentions: list[Annotation]


def _fields(link: Link, *, shown: int) -> dict[str, Any]:
    record = link.to_dict()
    return {"parts": [], **record, "candidates": record["candidates"][:shown]}


class Hit(BaseModel):
    """A concept found by a search."""

    id: str
    name: Annotated[str, Field(description="Preferred name.")]
    matched: Annotated[str, Field(description="The name through which it was found.")]
    match: Annotated[
        str,
        Field(description="How: id, exact, prefix (of a name), words (all of them), some (of the words)."),
    ]
    types: list[str]
    terminology: Annotated[str, Field(description="The terminology that has it.")]

    @classmethod
    def of(cls, match: ConceptMatch) -> Self:
        """The concept of a match."""
        terminology, row, name, kind = match
        return cls(
            id=terminology.ids[row],
            name=terminology.name(row),
            matched=terminology.names[name],
            match=kind,
            types=list(terminology.types(row)),
            terminology=terminology.path.name,
        )


class Concepts(BaseModel):
    """The concepts found, best first."""

    concepts: list[Hit]


class Neighbour(BaseModel):
    """A broader or narrower concept."""

    id: str
    name: str


class Concept(BaseModel):
    """Everything known about a concept."""

    id: str
    name: Annotated[str, Field(description="Preferred name.")]
    synonyms: list[str]
    types: list[str]
    definition: str
    parents: Annotated[list[Neighbour], Field(description="Broader concepts.")]
    children: Annotated[list[Neighbour], Field(description="Narrower concepts.")]
    cross_references: Annotated[list[str], Field(description="Ids of the same thing elsewhere.")]
    vocabularies: list[str]
    terminology: Annotated[str, Field(description="The terminology that has it.")]
    left_out: Annotated[
        str, Field(description="What was too much to show, e.g. '120 more synonyms'; '' if nothing.")
    ]
    asked: Annotated[
        str,
        Field(
            description="The id that was asked for, where it is another (retired, alternative …); else ''."
        ),
    ]

    @classmethod
    def of(cls, match: ConceptMatch, *, requested_id: str) -> Self:
        """The concept of a match for `requested_id`."""
        terminology, row = match.terminology, match.row
        concept = terminology.concept(row)
        children = [int(child) for child in terminology.children(row)]
        parents = [int(parent) for parent in terminology.parents(row)]
        counts = {
            "synonyms": len(concept.names),
            "parents": len(parents),
            "children": len(children),
            "cross-references": len(concept.xrefs),
        }
        more = [f"{count - _SHOWN:,} more {what}" for what, count in counts.items() if count > _SHOWN]
        return cls(
            id=concept.id,
            name=concept.name,
            synonyms=list(concept.names[:_SHOWN]),
            types=list(concept.types),
            definition=concept.definition,
            parents=_neighbours(terminology, parents),
            children=_neighbours(terminology, children),
            cross_references=list(concept.xrefs[:_SHOWN]),
            vocabularies=list(concept.sources),
            terminology=terminology.path.name,
            left_out=", ".join(more),
            asked="" if requested_id == concept.id else requested_id,
        )


class ConceptsOfId(BaseModel):
    """The concept of an id; several if several replaced a retired one."""

    concepts: list[Concept]


class TerminologyInfo(BaseModel):
    """A terminology to link against."""

    name: str
    digest: Annotated[str, Field(description="Of its content; cite it with results.")]
    concepts: int
    names: int
    types: Annotated[list[str], Field(description="Semantic types its concepts have.")]
    vocabularies: list[str]
    licences: list[str]
    example: Annotated[str, Field(description="An id, to show what ids look like.")]

    @classmethod
    def of(cls, terminology: Terminology) -> Self:
        """From its manifest."""
        return cls(
            name=terminology.path.name,
            digest=terminology.digest,
            concepts=len(terminology),
            names=len(terminology.names),
            types=terminology.type_names,
            vocabularies=terminology.source_names,
            licences=sorted({str(s.get("licence", "")) for s in terminology.manifest["sources"]} - {""}),
            example=example_id(terminology),
        )


class Terminologies(BaseModel):
    """The terminologies to link against, and the linker."""

    terminologies: list[TerminologyInfo]
    linnet: Annotated[str, Field(description="Version of the linker.")]
    reranker: Annotated[str, Field(description="What decides between candidates, with its digest.")]
    found_types: Annotated[list[str], Field(description="Types of the names that annotate_text finds.")]


def example_id(terminology: Terminology) -> str:
    """An id from the middle, as the first ones are often unusual; "" for an empty terminology."""
    return terminology.ids[len(terminology) // 2] if len(terminology) else ""


def _neighbours(terminology: Terminology, rows: Sequence[int]) -> list[Neighbour]:
    return [Neighbour(id=terminology.ids[row], name=terminology.name(row)) for row in rows[:_SHOWN]]
