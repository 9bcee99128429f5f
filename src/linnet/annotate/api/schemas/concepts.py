"""The annotation helper: candidates, search results, concepts."""

from __future__ import annotations

from linnet.annotate.api.schemas.base import Page, Reply

__all__ = [
    "CandidateConcept",
    "Candidates",
    "ConceptList",
    "ConceptResults",
    "ConceptSummary",
    "ConceptView",
    "Found",
]


class ConceptSummary(Reply):
    """A concept in a list. children: number of narrower concepts."""

    id: str
    name: str
    types: list[str]
    definition: str
    children: int


class Found(ConceptSummary):
    """A search result."""

    found: str
    match: str
    score: float | None
    origin: str


class CandidateConcept(ConceptSummary):
    """A candidate of the linker: the name that matched, its score, and how it was found."""

    found: str
    score: float
    origin: str


class Candidates(Reply):
    """The linker's candidates for a span, best first, and the concepts it links to, [] for NIL."""

    text: str
    concepts: list[str]
    probability: float | None
    candidates: list[CandidateConcept]


class ConceptList(Page):
    """Concepts: search results best first, narrower concepts by name."""

    concepts: list[ConceptSummary]


class ConceptResults(ConceptList):
    """Search results, best first. elsewhere: concepts with this id that are not of the project's types."""

    concepts: list[Found]  # type: ignore[assignment]
    elsewhere: list[ConceptSummary]


class ConceptView(ConceptSummary):
    """Details of a concept."""

    names: list[str]
    learned: list[str]
    xrefs: list[str]
    sources: list[str]
    parents: list[ConceptSummary]
    path: list[ConceptSummary]
    annotations: int
