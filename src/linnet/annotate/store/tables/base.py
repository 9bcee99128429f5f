"""The base of all tables."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import DDL, JSON, FromClause, MetaData, event
from sqlalchemy.orm import DeclarativeBase

from linnet.annotate.store.columns import Moment

__all__ = ["Base", "after_making"]


class Base(DeclarativeBase):
    """Names all constraints, so that migrations can refer to them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {datetime: Moment, dict[str, Any]: JSON, list[str]: JSON}  # noqa: RUF012


def after_making(table: FromClause, **statements: Sequence[str]) -> None:
    """Have a database execute statements, given by its dialect, as soon as it has made a table."""
    for dialect, listed in statements.items():
        for statement in listed:
            ddl = DDL(statement).execute_if(dialect=dialect)  # type: ignore[no-untyped-call]
            event.listen(table, "after_create", ddl)
