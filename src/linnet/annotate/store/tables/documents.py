"""Documents, their sheets, and the annotations on them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from linnet.annotate.store.columns import now
from linnet.annotate.store.tables.base import Base

__all__ = ["CURATED", "Annotation", "Assignment", "Document", "Sheet"]


CURATED = "@curated"
"""Owner of curated sheets; no account can have this name, because names begin with a letter or a digit."""


class Document(Base):
    """A text.

    name        its id in the file it came from, unique in the project
    digest      of its text
    rank        its place in the queue
    reason      why it has that place, in words; "" if it does not wait
    confidence  of its least confident prediction
    predicted   probabilities of all predictions made last, shown or not, in no order; None for unknown ones
    extra       what its format has besides text and mentions, for exports
    """

    __tablename__ = "documents"
    __table_args__ = (
        UniqueConstraint("project_id", "name"),
        Index("ix_documents_project_id_rank", "project_id", "rank"),
        Index("ix_documents_project_id_digest", "project_id", "digest"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(String(500))
    title: Mapped[str] = mapped_column(String(200))
    text: Mapped[str] = mapped_column(Text, deferred=True)
    digest: Mapped[str] = mapped_column(String(32))
    characters: Mapped[int]
    held_out: Mapped[bool]
    rank: Mapped[int]
    reason: Mapped[str] = mapped_column(String(300), default="")
    confidence: Mapped[float | None] = mapped_column()
    predicted: Mapped[list[Any]] = mapped_column(JSON, default=list, deferred=True)
    extra: Mapped[dict[str, Any]] = mapped_column(deferred=True)
    created: Mapped[datetime] = mapped_column(default=now)


class Assignment(Base):
    """A document that a member should annotate. Counts where not everybody annotates every document."""

    __tablename__ = "assignments"
    __table_args__ = (UniqueConstraint("document_id", "user_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    document_id: Mapped[int] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"))
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    created: Mapped[datetime] = mapped_column(default=now)
    created_by: Mapped[str] = mapped_column(String(64))


class Sheet(Base):
    """Annotations of a document: shared (owner ""), of one annotator, or curated.

    revision  raised by every change        model  version of its predictions; None before the first
    """

    __tablename__ = "sheets"
    __table_args__ = (UniqueConstraint("document_id", "owner"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(primary_key=True)
    document_id: Mapped[int] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"))
    owner: Mapped[str] = mapped_column(String(64), default="")
    revision: Mapped[int] = mapped_column(default=0)
    state: Mapped[str] = mapped_column(String(16), index=True)
    accepted: Mapped[datetime | None]
    model: Mapped[int | None]


class Annotation(Base):
    """A span of a document and what it names.

    layer       see `linnet.annotate.domain.states.Layer`
    attributes  see `linnet.annotate.domain.attributes`
    unchanged   a prediction that became a user's annotation only because they accepted the whole document
    """

    __tablename__ = "annotations"
    __table_args__ = (
        Index("ix_annotations_sheet_id_start", "sheet_id", "start"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    sheet_id: Mapped[int] = mapped_column(ForeignKey("sheets.id", ondelete="CASCADE"))
    start: Mapped[int]
    end: Mapped[int]
    layer: Mapped[str] = mapped_column(String(8))
    type: Mapped[str] = mapped_column(String(200))
    concepts: Mapped[list[str]]
    nil: Mapped[bool]
    composite: Mapped[bool]
    confidence: Mapped[float | None] = mapped_column()
    probability: Mapped[float | None] = mapped_column()
    author: Mapped[str] = mapped_column(String(64))
    model: Mapped[int | None]
    revision: Mapped[int]
    changed: Mapped[datetime] = mapped_column(default=now)
    extra: Mapped[dict[str, Any]]
    attributes: Mapped[dict[str, Any]] = mapped_column(default=dict)
    unchanged: Mapped[bool] = mapped_column(default=False)
