"""The bodies of answers and the lines of batches, as OpenAPI shows them; what has a default is absent where it says nothing.

Links and documents are sent as `linnet.jobs.records` makes them, without being checked against these models.
"""

from __future__ import annotations

from pydantic import BaseModel

from linnet.http.problems import Problem

__all__ = [
    "AnnotateReply",
    "ConceptReply",
    "ConceptSummary",
    "DocumentLine",
    "DocumentOut",
    "FaultOut",
    "Found",
    "LinkLine",
    "LinkOut",
    "LinkReply",
    "ProblemLine",
    "ReadyReply",
    "SearchReply",
    "Served",
]


class CandidateOut(BaseModel):
    """A proposed concept: the name that matched, how well, and the retrievers that found it."""

    concept: str
    name: str
    score: float
    origin: str


class PartOut(BaseModel):
    """The link of a part of a composite mention. origin: "override" if an override decides it, else absent."""

    text: str
    concepts: list[str]
    name: str
    probability: float | None
    candidates: list[CandidateOut]
    origin: str = ""


class _Identified(BaseModel):
    id: str


class LinkOut(PartOut, _Identified):
    """The link of a mention: `concepts` is empty for NIL, and has several entries for a composite mention, with `parts`.

    origin  "override" if an override decides the link, or NIL; else absent
    """

    parts: list[PartOut] = []
    assertion: list[str] = []
    section: str = ""


class _Span(BaseModel):
    start: int
    end: int
    type: str


class SpanOut(PartOut, _Span):
    """A mention found in a text. start, end: Unicode code points, the end exclusive; the rest as in `LinkOut`."""

    parts: list[PartOut] = []
    assertion: list[str] = []
    section: str = ""


class DocumentOut(_Identified):
    """The text with its mentions, in text order. text_kind: "note" or "article", as which the text was read, with assertion."""

    text: str
    text_kind: str = ""
    mentions: list[SpanOut]


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


class AnnotateReply(DocumentOut):
    """The text with its mentions, in text order."""

    served: Served


class LinkLine(LinkOut):
    """A line of a batch: the link of a mention. snapshot: as in `Served`."""

    snapshot: str


class DocumentLine(DocumentOut):
    """A line of a batch: a text with its mentions, in text order. snapshot: as in `Served`."""

    snapshot: str


class ProblemLine(BaseModel):
    """A line of a batch that is refused: its number, from 1, and why. snapshot: as in `Served`."""

    line: int
    problem: Problem
    snapshot: str


class ConceptSummary(BaseModel):
    """A concept in a list. children: number of narrower concepts."""

    id: str
    name: str
    types: list[str]
    definition: str
    children: int


class Found(ConceptSummary):
    """A concept found by words.

    found        the name that was found
    match        how: id, exact, prefix, words, some
    terminology  the terminology it belongs to
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

    names     synonyms, without the preferred name
    xrefs     ids of the same concept elsewhere
    parents   broader concepts
    narrower  a page of its `children`, by name
    """

    names: list[str]
    sources: list[str]
    xrefs: list[str]
    parents: list[ConceptSummary]
    narrower: list[ConceptSummary]
    terminology: str
    served: Served


class FaultOut(BaseModel):
    """A problem of the server that does not make answers wrong.

    code     reload_failed, store_missing, store_hangs, search_missing, keys_failed,
             terminologies_look_failed, keys_look_failed
    since    ISO 8601
    message  "" where there are API keys and the request has none
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
