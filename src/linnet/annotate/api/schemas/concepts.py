"""The annotation helper: candidates, search, and what is known of a concept."""

from __future__ import annotations

from linnet.annotate.api.schemas.base import Page, Reply

__all__ = ["CandidateConcept", "Candidates", "ConceptList", "ConceptSummary", "ConceptView", "Found"]


class ConceptSummary(Reply):
    """A concept in a list. children: number of narrower ones."""

    id: str
    name: str
    types: list[str]
    definition: str
    children: int


class Found(ConceptSummary):
    """A concept found by words.

    found  the name that was found
    match  how: id, exact, prefix, words, some
    """

    found: str
    match: str


class CandidateConcept(ConceptSummary):
    """A concept the linker proposes: which of its names matched, how well, and how it was found."""

    found: str
    score: float
    origin: str


class Candidates(Reply):
    """The linker's proposals for a span, best first; its answer is `concepts`, [] for NIL."""

    text: str
    concepts: list[str]
    probability: float | None
    candidates: list[CandidateConcept]


class ConceptList(Page):
    """Concepts, of searching the best first, of browsing by name."""

    concepts: list[ConceptSummary]


class ConceptView(ConceptSummary):
    """All that is known of a concept.

    names         synonyms, without the preferred name
    learned       names it got from annotations of this project
    parents       broader concepts         path  one way from the top to it, the top first
    annotations   number of mentions in this project linked to it
    """

    names: list[str]
    learned: list[str]
    xrefs: list[str]
    sources: list[str]
    parents: list[ConceptSummary]
    path: list[ConceptSummary]
    annotations: int
