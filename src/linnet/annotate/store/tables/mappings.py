"""Hosted mappings: the tables of `linnet.mapping.schema`, with the project that each row is of.

Their columns are those of `linnet.mapping.tables.COLUMNS`, and `linnet.annotate.store.mapping_tables` reads and writes them.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast

from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    String,
    Table,
    Text,
)
from sqlalchemy.orm import Mapped, mapped_column

from linnet.annotate.store.columns import now
from linnet.annotate.store.tables.base import Base, after_making
from linnet.mapping.tables import COLUMNS

__all__ = ["MAPPING_LOG", "MAPPING_TABLES", "Mapping"]


class Mapping(Base):
    """The mapping of a project. revision: raised by every change but decisions."""

    __tablename__ = "mappings"

    project_id: Mapped[int] = mapped_column(
        ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    revision: Mapped[int] = mapped_column(default=0)
    created: Mapped[datetime] = mapped_column(default=now)
    created_by: Mapped[str] = mapped_column(String(64))


_KINDS: dict[str, Any] = {
    "name": String(64), "at": String(40), "status": String(16), "event": String(16), "equivalence": String(16),
    "probability": Double, "frequency": BigInteger,
    **dict.fromkeys(("version", "number", "row", "disagrees", "has_targets", "choice"), Integer),
}  # fmt: skip
"""Column → its type, if it is not a text."""
_OPTIONAL = ("probability", "equivalence")


def _table(name: str, *indexes: Index, **settings: Any) -> Table:
    """What the mappings of all projects have in place of a table of `linnet.mapping.schema`."""
    columns = COLUMNS[name].split()
    own_id = name in ("codes", "log")
    parts: list[Any] = [Column("id", Integer, primary_key=True)] if own_id else []
    of_mapping = [] if "row" in columns else [ForeignKey("mappings.project_id", ondelete="CASCADE")]
    parts.append(Column("project_id", Integer, *of_mapping, primary_key=not own_id, nullable=False))
    for column in columns:
        if column != "entry":  # which is the id
            kind, key = _KINDS.get(column, Text), column == columns[0] and not own_id
            missing = column in _OPTIONAL
            parts.append(Column(column, kind, primary_key=key, autoincrement=False, nullable=missing))
    if "row" in columns:
        target = ["mapping_rows.project_id", "mapping_rows.number"]
        parts.append(ForeignKeyConstraint(["project_id", "row"], target, ondelete="CASCADE"))
    return Table(f"mapping_{name}", Base.metadata, *parts, *indexes, **settings)


# PostgreSQL has no room for long texts in an ordinary index.
_ROWS = _table("rows", Index("ix_mapping_rows_text", "text", postgresql_using="hash"))
_CODES = _table(
    "codes",
    Index("ix_mapping_codes_project_id_row", "project_id", "row"),
    Index("ix_mapping_codes_code", "code", postgresql_using="hash"),
)
MAPPING_LOG = _table(
    "log", Index("ix_mapping_log_project_id_row_id", "project_id", "row", "id"), sqlite_autoincrement=True
)
"""The log of decisions, see `linnet.mapping.decisions.Decision`. Triggers refuse to change an entry, and to remove it while its project
is there."""
MAPPING_TABLES = (
    cast(Table, Mapping.__table__), _table("settings"), _table("versions"), _ROWS, _table("states"), _CODES,
    _table("proposals"), MAPPING_LOG,
)  # fmt: skip
"""Each after those that it refers to."""

_KEPT = "EXISTS (SELECT 1 FROM projects WHERE id = OLD.project_id)"
_REFUSE = "RAISE(ABORT, 'the log is append-only')"
after_making(
    MAPPING_LOG,
    sqlite=[
        f"CREATE TRIGGER mapping_log_unchanged BEFORE UPDATE ON mapping_log BEGIN SELECT {_REFUSE}; END",
        f"CREATE TRIGGER mapping_log_kept BEFORE DELETE ON mapping_log WHEN {_KEPT} BEGIN SELECT {_REFUSE}; END",
    ],
    postgresql=[
        "CREATE FUNCTION mapping_log_is_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN IF TG_OP = 'UPDATE' OR {_KEPT} THEN RAISE EXCEPTION 'the log is append-only'; END IF; RETURN OLD; END $$",
        "CREATE TRIGGER mapping_log_append_only BEFORE UPDATE OR DELETE ON mapping_log "
        "FOR EACH ROW EXECUTE FUNCTION mapping_log_is_append_only()",
    ],
)
