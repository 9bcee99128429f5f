"""The log, agreement of annotators, and restored backups."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field

from linnet.annotate.api.schemas.base import Reply

__all__ = [
    "Agreement",
    "AttributeAgreement",
    "LogEntry",
    "LogPage",
    "Measure",
    "PairAgreement",
    "RestoreReport",
]


class LogEntry(Reply):
    """An entry of the append-only log.

    action         "annotation.create", "document.accept", "undo", "model.train" …
    token          name of the API token with which a script did it; "" otherwise
    document_name  "" if the entry is about no document, or it was removed since
    model          number of the project's model version at that time
    changes        annotations: [{"id", "before", "after"}], each a full annotation or None; otherwise what changed
    annotations    number of annotations that changed; `changes` may have only the first
    texts          of the spans in `changes`, by "start-end"; {} if the document was removed since
    names          preferred names of the concepts in `changes`, by id; without unknown ids
    undoes         id of the entry that an undo or redo is about
    """

    id: int
    at: datetime
    by: str
    token: str
    action: str
    document: int | None
    document_name: str
    revision: int | None
    model: int | None
    model_digest: str
    terminology_digest: str
    changes: Any
    annotations: int
    texts: dict[str, str]
    names: dict[str, str]
    undoes: int | None


class LogPage(Reply):
    """Entries, newest first. before: `before` for older entries; None at the end."""

    entries: list[LogEntry]
    before: int | None


class Measure(Reply):
    """A measure with its 95 % interval from resampled documents; None where it is not defined."""

    value: float | None
    interval: tuple[float, float] | None


class AttributeAgreement(Reply):
    """An attribute on the spans that both marked.

    first, second  numbers of annotations that have it
    f1             of those to which both gave the same value; None where neither used it
    kappa          Cohen's kappa of the values; an annotation without one has a label of its own
    """

    name: str
    first: int
    second: int
    f1: float | None
    kappa: Measure


class PairAgreement(Reply):
    """Two annotators on the documents that both accepted, or one and the accepted curated sheets (`second` is "").

    span_f1  F1 of their spans, the same in both directions
    kappa    Cohen's kappa of the concepts on shared spans; None without shared spans, or with one label only
    spans    number of shared spans
    aligned_kappa  Cohen's kappa of types and concepts on all spans that either marked; a missing span is a label of its own
    attributes     those that either used on shared spans
    first_unchanged, second_unchanged  of the mentions of each, predictions accepted unchanged, with their whole document
    """

    first: str
    second: str
    documents: int
    first_mentions: int
    second_mentions: int
    first_unchanged: int
    second_unchanged: int
    spans: int
    span_f1: float | None
    same_concepts: float | None
    kappa: float | None
    span_f1_interval: tuple[float, float] | None
    aligned_kappa: Measure
    attributes: list[AttributeAgreement] = Field(default_factory=list)


class Agreement(Reply):
    """All pairs of annotators that accepted a document in common.

    curated            each annotator and the curated sheets: agreement after curation
    documents          number of documents that several annotators accepted
    alpha              Krippendorff's alpha of all annotators on these, nominal, of types and concepts on all spans that anybody
                       marked; a missing span is a label of its own
    curated_documents  number of accepted curated sheets
    predicted          number of `documents` whose annotators began from the same predictions, which raises agreement
    """

    pairs: list[PairAgreement]
    curated: list[PairAgreement]
    annotators: list[str]
    documents: int
    predicted: int
    alpha: Measure
    curated_documents: int


class RestoreReport(Reply):
    """What was restored from a backup."""

    project: int = 0
    name: str = ""
    documents: int = 0
    annotations: int = 0
    log_entries: int = 0
    models: int = 0
    notes: list[str] = Field(default_factory=list)
