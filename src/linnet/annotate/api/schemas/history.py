"""The log, agreement of annotators, and restored backups."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field

from linnet.annotate.api.schemas.base import Reply

__all__ = ["Agreement", "LogEntry", "LogPage", "PairAgreement", "RestoreReport"]


class LogEntry(Reply):
    """An entry of the append-only log.

    action         "annotation.create", "document.accept", "undo", "model.train" …
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


class PairAgreement(Reply):
    """Two annotators on the documents that both accepted.

    span_f1  F1 of their spans, the same in both directions
    kappa    Cohen's kappa of the concepts on shared spans; None without shared spans, or with one label only
    spans    number of shared spans
    """

    first: str
    second: str
    documents: int
    first_mentions: int
    second_mentions: int
    spans: int
    span_f1: float | None
    same_concepts: float | None
    kappa: float | None


class Agreement(Reply):
    """All pairs of annotators that accepted a document in common."""

    pairs: list[PairAgreement]


class RestoreReport(Reply):
    """What was restored from a backup."""

    project: int = 0
    name: str = ""
    documents: int = 0
    annotations: int = 0
    log_entries: int = 0
    models: int = 0
    notes: list[str] = Field(default_factory=list)
