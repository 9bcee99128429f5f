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
    """An entry of the append-only log."""

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
    """An attribute on the spans that both marked."""

    name: str
    first: int
    second: int
    f1: float | None
    kappa: Measure


class PairAgreement(Reply):
    """Two annotators on the documents that both accepted, or one and the accepted curated sheets (`second` is "")."""

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
    """All pairs of annotators that accepted a document in common."""

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
