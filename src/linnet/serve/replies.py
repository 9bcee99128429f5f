"""The bodies of answers. They are written as JSON by hand; these shapes are what they promise."""

from __future__ import annotations

from pydantic import BaseModel

__all__ = [
    "AnnotateReply",
    "ConceptReply",
    "ConceptSummary",
    "FaultOut",
    "Found",
    "LinkReply",
    "ReadyReply",
    "SearchReply",
    "Served",
]


class CandidateOut(BaseModel):
    """A concept proposed: which of its names matched, how well, and how it was found."""

    concept: str
    name: str
    score: float
    origin: str


class PartOut(BaseModel):
    """The link of a part of a composite mention."""

    text: str
    concepts: list[str]
    name: str
    probability: float | None
    candidates: list[CandidateOut]


class LinkOut(PartOut):
    """The link of a mention: `concepts` is empty for NIL, and has several entries for a composite mention, with `parts`."""

    id: str
    parts: list[PartOut] = []


class SpanOut(PartOut):
    """A mention found in a text. start, end: Unicode code points, the end exclusive."""

    start: int
    end: int
    type: str
    parts: list[PartOut] = []


class Model(BaseModel):
    """A model that answers depend on."""

    name: str
    digest: str


class TerminologyOut(BaseModel):
    """A terminology that is linked against. concepts: how many it has."""

    name: str
    digest: str
    concepts: int


class Served(BaseModel):
    """What the answer was made with.

    snapshot  digest of all of it, with pipeline, indexes and overrides: equal digests, equal answers
    """

    snapshot: str
    linnet: str
    terminologies: list[TerminologyOut]
    models: dict[str, Model]


class LinkReply(BaseModel):
    """A link for each mention, in their order."""

    links: list[LinkOut]
    served: Served


class AnnotateReply(BaseModel):
    """The text with its mentions, in text order."""

    id: str
    text: str
    mentions: list[SpanOut]
    served: Served


class ConceptSummary(BaseModel):
    """A concept in a list. children: number of narrower ones."""

    id: str
    name: str
    types: list[str]
    definition: str
    children: int


class Found(ConceptSummary):
    """A concept found by words.

    found        the name that was found        match  how: id, exact, prefix, words, some
    terminology  the one that has it
    """

    found: str
    match: str
    terminology: str


class SearchReply(BaseModel):
    """Concepts, best first."""

    concepts: list[Found]
    served: Served


class ConceptReply(ConceptSummary):
    """All that is known of a concept.

    names     synonyms, without the preferred name      xrefs    the same elsewhere
    parents   broader concepts                          narrower  a page of `children`, by name
    """

    names: list[str]
    sources: list[str]
    xrefs: list[str]
    parents: list[ConceptSummary]
    narrower: list[ConceptSummary]
    terminology: str
    served: Served


class FaultOut(BaseModel):
    """What is wrong while answers are still right.

    code     reload_failed, store_missing, store_hangs, search_missing, keys_failed,
             terminologies_look_failed, keys_look_failed
    since    ISO 8601          message  left out where there are API keys and the request has none
    """

    code: str
    since: str
    message: str = ""


class ReadyReply(BaseModel):
    """ready: whether requests are answered. status: ok, degraded (see faults) or ending."""

    ready: bool
    status: str
    faults: list[FaultOut]
    served: Served
