"""The append-only log of what users and jobs changed."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Index, Integer, String
from sqlalchemy.orm import Mapped, mapped_column

from linnet.annotate.store.columns import now
from linnet.annotate.store.tables.base import Base, after_making

__all__ = ["LogEntry"]


class LogEntry(Base):
    """An entry of the log. token: name of the API token with which a script did it, "" otherwise. Triggers refuse to change or
    remove rows."""

    __tablename__ = "log"
    __table_args__ = (
        Index("ix_log_sheet_id_revision", "sheet_id", "revision"),
        Index("ix_log_project_id_id", "project_id", "id"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime] = mapped_column(default=now)
    by: Mapped[str] = mapped_column(String(64))
    token: Mapped[str] = mapped_column(String(64), default="")
    action: Mapped[str] = mapped_column(String(64))
    project_id: Mapped[int | None] = mapped_column(Integer)
    document_id: Mapped[int | None] = mapped_column(Integer)
    sheet_id: Mapped[int | None] = mapped_column(Integer)
    revision: Mapped[int | None]
    model: Mapped[int | None]
    model_digest: Mapped[str] = mapped_column(String(64), default="")
    terminology_digest: Mapped[str] = mapped_column(String(64), default="")
    changes: Mapped[dict[str, Any]]
    undoes: Mapped[int | None]


after_making(
    LogEntry.__table__,
    sqlite=[
        f"CREATE TRIGGER log_no_{change.lower()} BEFORE {change} ON log "
        "BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END"
        for change in ("UPDATE", "DELETE")
    ],
    postgresql=[
        "CREATE FUNCTION log_is_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'the log is append-only'; END $$",
        "CREATE TRIGGER log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON log "
        "FOR EACH STATEMENT EXECUTE FUNCTION log_is_append_only()",
    ],
)
