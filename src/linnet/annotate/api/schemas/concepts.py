"""The annotation helper: candidates, search, and what is known of a concept."""

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
    """A concept in a list. children: number of narrower ones."""

    id: str
    name: str
    types: list[str]
    definition: str
    children: int


class Found(ConceptSummary):
    """A concept found by what somebody typed.

    found  the name that was found
    match  how: id, linker, exact, prefix, respelt (its last word changed by a letter), words, some (only some of the words),
           guess (of the linker, which would not link to it)
    score, origin  of the linker, None and "" for what it did not propose
    """

    found: str
    match: str
    score: float | None
    origin: str


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


class ConceptResults(ConceptList):
    """Concepts for what somebody typed, best first. elsewhere: those of its id that are not of the project's types."""

    concepts: list[Found]  # type: ignore[assignment]
    elsewhere: list[ConceptSummary]


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
