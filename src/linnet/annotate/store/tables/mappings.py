"""Hosted mappings: the tables of `linnet.mapping.schema`, with the project that each row is of.

Their columns are those of `linnet.mapping.tables.COLUMNS`, and `linnet.annotate.store.mapping_tables` reads and writes them.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Connection, ForeignKey, ForeignKeyConstraint, Index, String, Text, event
from sqlalchemy.orm import Mapped, mapped_column

from linnet.annotate.store.columns import now
from linnet.annotate.store.tables.base import Base

__all__ = [
    "MAPPING_TABLES", "Mapping", "MappingCode", "MappingEntry", "MappingProposal", "MappingRow", "MappingSetting", "MappingState",
    "MappingVersion",
]  # fmt: skip


def _of_mapping() -> Mapped[int]:
    return mapped_column(ForeignKey("mappings.project_id", ondelete="CASCADE"), primary_key=True)


def _of_row(*columns: Index) -> tuple[Any, ...]:
    target = ["mapping_rows.project_id", "mapping_rows.number"]
    return (ForeignKeyConstraint(["project_id", "row"], target, ondelete="CASCADE"), *columns)


class Mapping(Base):
    """The mapping of a project. revision: raised by every change but decisions."""

    __tablename__ = "mappings"

    project_id: Mapped[int] = mapped_column(
        ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    revision: Mapped[int] = mapped_column(default=0)
    created: Mapped[datetime] = mapped_column(default=now)
    created_by: Mapped[str] = mapped_column(String(64))


class MappingSetting(Base):
    """A setting, as JSON."""

    __tablename__ = "mapping_settings"

    project_id: Mapped[int] = _of_mapping()
    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    value: Mapped[str] = mapped_column(Text)


class MappingVersion(Base):
    """A version of terminology and models that proposals were made with, as JSON."""

    __tablename__ = "mapping_versions"

    project_id: Mapped[int] = _of_mapping()
    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    at: Mapped[str] = mapped_column(String(40))
    described: Mapped[str] = mapped_column(Text)


class MappingRow(Base):
    """A distinct string in its context (JSON). PostgreSQL has no room for long texts in an ordinary index."""

    __tablename__ = "mapping_rows"
    __table_args__ = (Index("ix_mapping_rows_text", "text", postgresql_using="hash"),)

    project_id: Mapped[int] = _of_mapping()
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    text: Mapped[str] = mapped_column(Text)
    context: Mapped[str] = mapped_column(Text)
    frequency: Mapped[int] = mapped_column(BigInteger)
    probability: Mapped[float | None]


class MappingState(Base):
    """What the log of a row comes to, for lists."""

    __tablename__ = "mapping_states"
    __table_args__ = _of_row()

    project_id: Mapped[int] = mapped_column(primary_key=True)
    row: Mapped[int] = mapped_column(primary_key=True)
    status: Mapped[str] = mapped_column(String(16))
    who: Mapped[str] = mapped_column(Text)
    second: Mapped[str] = mapped_column(Text)
    returned: Mapped[str] = mapped_column(Text)
    disagrees: Mapped[int]
    has_targets: Mapped[int]


class MappingCode(Base):
    """A code of the source."""

    __tablename__ = "mapping_codes"
    __table_args__ = _of_row(
        Index("ix_mapping_codes_project_id_row", "project_id", "row"),
        Index("ix_mapping_codes_code", "code", postgresql_using="hash"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int]
    row: Mapped[int]
    code: Mapped[str] = mapped_column(Text)
    frequency: Mapped[int] = mapped_column(BigInteger)


class MappingProposal(Base):
    """What is proposed for a row, as JSON of `Link.to_dict`."""

    __tablename__ = "mapping_proposals"
    __table_args__ = _of_row()

    project_id: Mapped[int] = mapped_column(primary_key=True)
    row: Mapped[int] = mapped_column(primary_key=True)
    version: Mapped[int]
    link: Mapped[str] = mapped_column(Text)


class MappingEntry(Base):
    """An entry of the log of decisions, see `linnet.mapping.decisions.Decision`. Triggers refuse to change it, and to remove it while
    its project is there."""

    __tablename__ = "mapping_log"
    __table_args__ = (
        *_of_row(Index("ix_mapping_log_project_id_row_id", "project_id", "row", "id")),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int]
    row: Mapped[int]
    event: Mapped[str] = mapped_column(String(16))
    status: Mapped[str] = mapped_column(String(16))
    targets: Mapped[str] = mapped_column(Text)
    equivalence: Mapped[str | None] = mapped_column(String(16))
    who: Mapped[str] = mapped_column(Text)
    at: Mapped[str] = mapped_column(String(40))
    comment: Mapped[str] = mapped_column(Text)
    choice: Mapped[int]
    version: Mapped[int]


MAPPING_TABLES = (
    Mapping, MappingSetting, MappingVersion, MappingRow, MappingState, MappingCode, MappingProposal, MappingEntry,
)  # fmt: skip
"""Each after those that it refers to."""

_KEPT = "EXISTS (SELECT 1 FROM projects WHERE id = OLD.project_id)"
_REFUSALS = {
    "sqlite": [
        "CREATE TRIGGER mapping_log_unchanged BEFORE UPDATE ON mapping_log "
        "BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END",
        f"CREATE TRIGGER mapping_log_kept BEFORE DELETE ON mapping_log WHEN {_KEPT} "
        "BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END",
    ],
    "postgresql": [
        "CREATE FUNCTION mapping_log_is_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN IF TG_OP = 'UPDATE' OR {_KEPT} THEN RAISE EXCEPTION 'the log is append-only'; END IF; RETURN OLD; END $$",
        "CREATE TRIGGER mapping_log_append_only BEFORE UPDATE OR DELETE ON mapping_log "
        "FOR EACH ROW EXECUTE FUNCTION mapping_log_is_append_only()",
    ],
}


@event.listens_for(MappingEntry.__table__, "after_create")
def _refuse_changes(_: Any, connection: Connection, **__: Any) -> None:
    for statement in _REFUSALS[connection.dialect.name]:
        connection.exec_driver_sql(statement)
