"""Disagreements of annotators, and what a curator decides."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from linnet.annotate.api.schemas.base import Name, Offset, Page, Reply
from linnet.annotate.api.schemas.documents import Revised
from linnet.annotate.domain.curation.decisions import Settlement
from linnet.annotate.domain.curation.places import DisagreementKind
from linnet.annotate.domain.states import State

__all__ = [
    "CuratedDocument",
    "Decision",
    "Disagreement",
    "DisagreementList",
    "Places",
    "Settled",
    "Version",
    "VersionMark",
]


class VersionMark(Reply):
    """An annotation in an annotator's version. names: of the concepts; "" for unknown ids."""

    start: int
    end: int
    text: str
    type: str
    concepts: list[str]
    names: list[str]
    nil: bool
    composite: bool
    attributes: dict[str, bool | str]


class Version(Reply):
    """An annotator's annotations at a place, in text order; [] for none."""

    annotator: str
    annotations: list[VersionMark]


class Disagreement(Reply):
    """A place in a text, which no annotation crosses. open: the curated sheet has nothing there yet."""

    document: int
    name: str
    start: int
    end: int
    text: str
    kind: DisagreementKind
    open: bool
    versions: list[Version]


class CuratedDocument(Reply):
    """A document that an annotator has accepted."""

    document: int
    name: str
    annotators: list[str]
    waiting: list[str]
    places: int
    open: int
    state: State | None


class DisagreementList(Page):
    """Disagreements by document in the order of the queue, then by place in the text."""

    kinds: dict[str, int]
    settled: int
    documents: list[CuratedDocument]
    disagreements: list[Disagreement]


class Places(Reply):
    """The disagreements of a document, in text order. annotators: whose versions are compared."""

    annotators: list[str]
    places: list[Disagreement]


class Decision(Revised):
    """How to settle a place: its start and end, and for `take` the annotator whose version is right."""

    start: Offset
    end: Offset
    how: Settlement
    annotator: Name | None = Field(default=None)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.how is Settlement.TAKE) != (self.annotator is not None):
            raise ValueError("name the annotator whose version to take; otherwise leave it out")
        return self


class Settled(Reply):
    """Number of documents that were accepted, because their annotators agree on everything."""

    documents: int
