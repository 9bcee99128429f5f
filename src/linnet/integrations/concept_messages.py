"""What assistants get to know of concepts and terminologies; the descriptions are what a model reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Self

from pydantic import BaseModel, Field

from linnet.integrations.catalogue import Place
from linnet.terminology import Terminology

__all__ = [
    "Concept",
    "Concepts",
    "ConceptsOfId",
    "Hit",
    "Neighbour",
    "Terminologies",
    "TerminologyInfo",
    "example_id",
]

# Synonyms, parents, children and cross-references shown of one concept, each.
_SHOWN = 50


class Hit(BaseModel):
    """A concept that was searched for."""

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
    def of(cls, place: Place) -> Self:
        """A concept that was found."""
        terminology, row, name, match = place
        return cls(
            id=terminology.ids[row],
            name=terminology.name(row),
            matched=terminology.names[name],
            match=match,
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
    """All that is known of a concept."""

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
    def of(cls, place: Place, *, asked: str) -> Self:
        """A concept that was looked up by the id `asked`."""
        terminology, row = place.terminology, place.row
        known = terminology.concept(row)
        children = [int(child) for child in terminology.children(row)]
        parents = [int(parent) for parent in terminology.parents(row)]
        counts = {
            "synonyms": len(known.names),
            "parents": len(parents),
            "children": len(children),
            "cross-references": len(known.xrefs),
        }
        more = [f"{count - _SHOWN:,} more {what}" for what, count in counts.items() if count > _SHOWN]
        return cls(
            id=known.id,
            name=known.name,
            synonyms=list(known.names[:_SHOWN]),
            types=list(known.types),
            definition=known.definition,
            parents=_neighbours(terminology, parents),
            children=_neighbours(terminology, children),
            cross_references=list(known.xrefs[:_SHOWN]),
            vocabularies=list(known.sources),
            terminology=terminology.path.name,
            left_out=", ".join(more),
            asked="" if asked == known.id else asked,
        )


class ConceptsOfId(BaseModel):
    """The concept of an id; several where several replaced a retired one."""

    concepts: list[Concept]


class TerminologyInfo(BaseModel):
    """A terminology that is linked against."""

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
        """What its manifest says."""
        return cls(
            name=terminology.path.name,
            digest=terminology.digest,
            concepts=len(terminology),
            names=len(terminology.names),
            types=terminology.type_names,
            vocabularies=terminology.source_names,
            licences=sorted({str(one.get("licence", "")) for one in terminology.manifest["sources"]} - {""}),
            example=example_id(terminology),
        )


class Terminologies(BaseModel):
    """What is linked against, and how."""

    terminologies: list[TerminologyInfo]
    linnet: Annotated[str, Field(description="Version of the linker.")]
    reranker: Annotated[str, Field(description="What decides between candidates, with its digest.")]
    found_types: Annotated[list[str], Field(description="Types of the names that annotate_text finds.")]


def example_id(terminology: Terminology) -> str:
    """An id from the middle, "" where there is none: the first ones are often odd."""
    return terminology.ids[len(terminology) // 2] if len(terminology) else ""


def _neighbours(terminology: Terminology, rows: Sequence[int]) -> list[Neighbour]:
    return [Neighbour(id=terminology.ids[row], name=terminology.name(row)) for row in rows[:_SHOWN]]
