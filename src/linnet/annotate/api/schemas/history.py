"""Who did what and when, and how far annotators agree."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from linnet.annotate.api.schemas.base import Reply

__all__ = ["Agreement", "LogEntry", "LogPage", "PairAgreement", "RestoreReport"]


class LogEntry(Reply):
    """An entry of the append-only log.

    action         "annotation.create", "document.accept", "undo", "model.train" …
    document_name  "" where it is about none, or the document was removed since
    model          number of the project's model version then, and the digest of its terminology
    changes        of annotations: [{"id", "before", "after"}], each a full annotation or None; of other things what changed
    annotations    number of annotations that changed, of which `changes` holds the first where fewer were asked for
    texts          of the spans of annotations in `changes`, by "start-end"; {} where the document was removed since
    names          preferred names of the concepts of annotations in `changes`, by id, as far as the terminology has them
    undoes         the entry that an undo or redo is about
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
    """Entries, newest first. before: id to ask with for older ones, None at the end."""

    entries: list[LogEntry]
    before: int | None


class PairAgreement(Reply):
    """Two annotators on the documents that both accepted.

    span_f1  F1 of one's spans against the other's; the same both ways
    kappa    Cohen's kappa of the concepts on spans that both have; None where there is none, or only one label
    spans    number of spans both have
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
    """Every pair of annotators with a document in common."""

    pairs: list[PairAgreement]


class RestoreReport(Reply):
    """What a restored backup brought."""

    project: int
    name: str
    documents: int
    annotations: int
    log_entries: int
    models: int
    notes: list[str]
