"""A newer table of the same source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from linnet.mapping.folder import Folder
from linnet.mapping.proposing import Progress, propose
from linnet.mapping.source_table import SourceTable, read_source
from linnet.mapping.store import Store

__all__ = ["Updated", "begin", "take_table", "update"]


class Updated(NamedTuple):
    """What an update changed, in rows.

    added     strings that are new
    kept      strings that were there; their codes and frequencies are those of the new table
    gone      strings that the new table no longer has; their decisions are kept, with the frequency 0
    blank     rows of the table without a string
    """

    added: int
    kept: int
    gone: int
    blank: int


def update(mapping: Folder, table: str | Path | None, *, progress: Progress) -> Updated:
    """Take the strings, codes and frequencies of a newer table with the same columns, and propose concepts for new strings.

    table  None: only go on with proposals that were interrupted

    Decisions stay as they are. Raises as `read_source`.
    """
    changed = Updated(0, len(mapping), 0, 0)
    if table is not None:
        changed = take_table(mapping.store, read_source(table, mapping.columns))
    propose(mapping.store, mapping.linker, progress=progress)
    return changed


def begin(store: Store, source: SourceTable, linker: Any, settings: Mapping[str, Any]) -> None:
    """Fill an empty store with the strings of a table; inside `changing`. linker: the setting that says what proposes."""
    store.put_setting("columns", asdict(source.columns))
    store.put_setting("linker", linker)
    store.put_setting("settings", dict(settings))
    store.put_rows(source.codes)


def take_table(store: Store, source: SourceTable) -> Updated:
    """Take the strings, codes and frequencies of a newer table, without proposing anything."""
    with store.changing():
        added = store.put_rows(source.codes)
        gone = store.retire_rows(source.codes)
    return Updated(len(added), len(source) - len(added), gone, source.blank)
