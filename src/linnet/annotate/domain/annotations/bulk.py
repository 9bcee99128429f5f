"""Many edits at once, a statement for all of a kind: a document may have 100,000 annotations."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import delete, insert, update
from sqlalchemy.orm import Session

from linnet.annotate.domain.annotations.snapshot import Edit
from linnet.annotate.store.tables import Annotation

__all__ = ["apply_in_bulk", "remove_in_bulk"]

_VALUES = 10_000  # in one statement; databases take some tens of thousands


def apply_in_bulk(
    session: Session, sheet: int, edits: Sequence[Edit], *, revision: int, moment: datetime
) -> list[int]:
    """Create, change and remove annotations of a sheet; returns their ids, in the order of `edits`.

    Does not refresh the session's objects: read them again.
    """
    ids: list[int | None] = [edit.id for edit in edits]
    common = {"sheet_id": sheet, "revision": revision, "changed": moment}
    restored: list[dict[str, Any]] = []
    fresh: list[int] = []
    for index, edit in enumerate(edits):
        if edit.after is None or edit.before is not None:
            continue
        if edit.id is not None:  # a removed annotation comes back with its id
            restored.append(dict(edit.after) | common | {"id": edit.id})
        else:
            fresh.append(index)
    session.flush()
    remove_in_bulk(session, [edit.id for edit in edits if edit.after is None and edit.id is not None])
    _change(session, [edit for edit in edits if edit.before is not None and edit.after is not None], common)
    if restored:
        session.execute(insert(Annotation), restored)
    if fresh:
        made = insert(Annotation).returning(Annotation.id, sort_by_parameter_order=True)
        rows = [dict(edits[index].after or {}) | common for index in fresh]
        for index, id in zip(fresh, session.scalars(made, rows), strict=True):
            ids[index] = id
    return [id for id in ids if id is not None]


def _change(session: Session, edits: Sequence[Edit], common: dict[str, Any]) -> None:
    """Change annotations; in one statement if all get the same values, as on acceptance."""
    changes = [
        (edit.id, {name: value for name, value in edit.after.items() if dict(edit.before)[name] != value})
        for edit in edits
        if edit.before is not None and edit.after is not None
    ]
    if any(differing != changes[0][1] for _, differing in changes):
        rows = [dict(edit.after or {}) | common | {"id": edit.id} for edit in edits]
        session.execute(update(Annotation), rows)
        return
    for first in range(0, len(changes), _VALUES):
        batch = Annotation.id.in_([id for id, _ in changes[first : first + _VALUES]])
        session.execute(
            update(Annotation).where(batch).values(**changes[0][1], **common),
            execution_options={"synchronize_session": False},
        )


def remove_in_bulk(session: Session, ids: Sequence[int]) -> None:
    """Remove annotations by their ids."""
    for first in range(0, len(ids), _VALUES):
        batch = Annotation.id.in_(ids[first : first + _VALUES])
        session.execute(delete(Annotation).where(batch), execution_options={"synchronize_session": False})
