"""Column types that behave the same on SQLite and PostgreSQL, and characters that neither stores reliably: NUL (PostgreSQL), and half of
a surrogate pair, which UTF-8 cannot encode.

>>> unstorable("a\\x00b"), unstorable("\\ud83d"), unstorable("heart")
('the character NUL', 'half a surrogate pair', '')
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import DateTime, Dialect
from sqlalchemy.types import TypeDecorator

__all__ = ["LARGEST", "Moment", "now", "unstorable"]

LARGEST = 2**31 - 1
"""The largest INTEGER of PostgreSQL."""
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def now() -> datetime:
    """The current time in UTC, with its zone."""
    return datetime.now(UTC)


class Moment(TypeDecorator[datetime]):
    """A time in UTC, with its zone, which SQLite would drop."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        """Convert to UTC. Raises ValueError for a time without a zone."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value} has no time zone; expected one, e.g. datetime.now(UTC)")
        return value.astimezone(UTC)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """The stored time, with its zone."""
        if value is None:
            return None
        moment: datetime = value
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def unstorable(text: str) -> str:
    """The first such character of the text, in words; "" if it has none."""
    if text.isascii() and "\x00" not in text:
        return ""
    match = _UNSTORABLE.search(text)
    if match is None:
        return ""
    return "the character NUL" if match[0] == "\x00" else "half a surrogate pair"
