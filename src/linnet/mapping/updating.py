"""A newer table of the same source."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from linnet.mapping.folder import Folder
from linnet.mapping.proposing import Progress, propose
from linnet.mapping.source_table import read_source

__all__ = ["Updated", "update"]


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
    store = mapping.store
    changed = Updated(0, len(mapping), 0, 0)
    if table is not None:
        source = read_source(table, mapping.columns)
        with store.changing():
            added = store.put_rows(source.codes)
            gone = store.retire_rows(source.codes)
        changed = Updated(len(added), len(source) - len(added), gone, source.blank)
    propose(store, mapping.linker, progress=progress)
    return changed
