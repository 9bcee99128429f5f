"""The bodies of requests and answers. Answers are written as JSON by hand; these shapes are what they promise."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

__all__ = [
    "AnnotateReply",
    "AnnotateRequest",
    "ConceptReply",
    "ConceptSummary",
    "FaultOut",
    "Found",
    "LinkReply",
    "LinkRequest",
    "MentionIn",
    "ReadyReply",
    "SearchReply",
    "Served",
    "TextIn",
]

_ID = 500  # characters of an id
_MENTION = 1000  # characters of a mention; the longest name of UMLS has some 3,000, and nobody writes it

Id = Annotated[str, Field(max_length=_ID)]


class _Body(BaseModel):
    """Of a request: a field that is not known is refused."""

    model_config = ConfigDict(extra="forbid")


class _Line(BaseModel):
    """In the mention format, or a document: fields that are not known are passed over, numbers taken for strings."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)


class MentionIn(_Line):
    """A mention to link.

    id        as it comes back; its place in the request where there is none
    left      what stands before it, right: after it
    document  mentions of one document share the abbreviations that any of their contexts defines
    """

    id: Id = ""
    text: str = Field(min_length=1, max_length=_MENTION, pattern=r"\S", examples=["heart attack"])
    left: str = ""
    right: str = ""
    document: Id = ""
    type: Id = ""


class TextIn(_Line):
    """A text to annotate."""

    id: Id = ""
    text: str = Field(min_length=1, pattern=r"\S", examples=["Patients with AT developed breast cancer."])


class LinkRequest(_Body):
    """Mentions to link. k: candidates of each."""

    mentions: list[MentionIn] = Field(min_length=1)
    k: int = Field(default=5, ge=1, le=1000)


class AnnotateRequest(_Body):
    """A text whose mentions are to be found and linked. types: keep mentions of these."""

    text: str = Field(min_length=1, pattern=r"\S", examples=["Patients with AT developed breast cancer."])
    id: Id = ""
    k: int = Field(default=5, ge=1, le=1000)
    types: list[Id] | None = Field(default=None, max_length=100)


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
