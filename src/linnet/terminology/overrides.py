"""`overrides.tsv` beside a store: forces or forbids a concept for a name, without re-indexing.

    # names compare by their words: case, punctuation and spelling variants do not matter
    name          concept         action
    cold          MESH:D003139    force
    cold          MESH:D029424    forbid
    patient       *               forbid

Columns are separated by tabs; the header line is optional, `#` starts a comment line. `*` forbids every concept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np

from linnet.arrays import Flags, Floats, Mask, Rows
from linnet.errors import DataError
from linnet.files import read_lines
from linnet.terminology.store import Terminology
from linnet.text import simplify

__all__ = ["FILE", "Overrides", "read_overrides"]

FILE = "overrides.tsv"
_COLUMNS = ["name", "concept", "action"]
_EVERY = -1
# `Origin.OVERRIDE` of `linnet.retrieve.hits`, which is a floor above.
_OVERRIDE = 128


class _Hits(Protocol):
    """The (N, k) arrays of `linnet.retrieve.hits.Hits`."""

    @property
    def concepts(self) -> Rows: ...
    @property
    def names(self) -> Rows: ...
    @property
    def scores(self) -> Floats: ...
    @property
    def origins(self) -> Flags: ...


H = TypeVar("H", bound=_Hits)


class Overrides:
    """Forced and forbidden concepts by name; falsy if there are none.

    forced     simplified name → concept rows, in file order
    forbidden  simplified name → concept rows; −1 stands for every concept that is not forced
    """

    def __init__(
        self,
        terminology: Terminology,
        forced: Mapping[str, tuple[int, ...]],
        forbidden: Mapping[str, frozenset[int]],
    ) -> None:
        self.terminology = terminology
        self.forced = forced
        self.forbidden = forbidden

    def __len__(self) -> int:
        """Number of names with an override."""
        return len(self.forced.keys() | self.forbidden.keys())

    @property
    def spare(self) -> int:
        """The most concepts forbidden for one name: retrieve this many candidates more than needed."""
        return max((len(rows) for rows in self.forbidden.values()), default=0)

    def apply(
        self,
        texts: Sequence[str],
        hits: H,
        *,
        allowed: Mask | None = None,
        first_concept: int = 0,
        first_name: int = 0,
    ) -> H:
        """The hits, (N, k), with forced concepts first and without forbidden ones; otherwise in the same order.

        texts          (N,) the query of each row of hits; "" leaves the row unchanged
        allowed        (concepts,) forced concepts outside it are ignored
        first_concept  offset of this terminology's rows in the hits; rows of other terminologies are unchanged
        first_name     the same for name rows

        A forced concept has its preferred name, and a score 1 above the best other one, and above 1.
        """
        touched = {
            i: form
            for i, text in enumerate(texts)
            if (form := simplify(text)) in self.forced or form in self.forbidden
        }
        if not touched:
            return hits
        arrays = [array.copy() for array in (hits.concepts, hits.names, hits.scores, hits.origins)]
        for i, form in touched.items():
            self._apply_one(form, i, arrays, allowed, first_concept, first_name)
        concepts, names, scores, origins = arrays
        return replace(hits, concepts=concepts, names=names, scores=scores, origins=origins)  # type: ignore[type-var]

    def _apply_one(
        self,
        form: str,
        i: int,
        arrays: list[Any],
        allowed: Mask | None,
        first_concept: int,
        first_name: int,
    ) -> None:
        concepts, names, scores, origins = (array[i] for array in arrays)
        own = concepts - first_concept
        forced = [row for row in self.forced.get(form, ()) if allowed is None or allowed[row]]
        forbidden = self.forbidden.get(form, frozenset())
        dropped = np.isin(own, forced)
        if _EVERY in forbidden:
            dropped |= (own >= 0) & (own < len(self.terminology))
        else:
            dropped |= np.isin(own, list(forbidden))
        kept = (concepts >= 0) & ~dropped
        top = max(1.0, float(scores[0])) + 1.0
        for values, first, empty in (
            (concepts, np.asarray(forced, np.int64) + first_concept, -1),
            (names, self.terminology.first_name[forced] + first_name, -1),
            (scores, [top] * len(forced), -np.inf),
            (origins, [_OVERRIDE] * len(forced), 0),
        ):
            new = np.concatenate([np.asarray(first, values.dtype), values[kept]])[: len(values)]
            values[: len(new)] = new
            values[len(new) :] = empty


def read_overrides(terminology: Terminology) -> Overrides:
    """The overrides beside a terminology; empty without an `overrides.tsv`.

    Retired and alternative ids are resolved. Raises DataError with file and line for a row without three columns, an
    unknown action or concept, and for a concept both forced and forbidden for one name.
    """
    path = terminology.path / FILE
    rows: dict[tuple[str, int], tuple[str, int]] = {}
    if path.exists():
        for line, name, id, action in _rows(path):
            for row in _concept_rows(terminology, id, action, path=path, line=line):
                before = rows.setdefault((name, row), (action, line))
                if before[0] != action:
                    raise DataError(
                        f"'{name}' has {action} for {id}, but line {before[1]} has {before[0]}. Remove one of them.",
                        path=path,
                        line=line,
                    )
    return Overrides(
        terminology,
        {name: tuple(concepts) for name, concepts in _collect(rows, "force").items()},
        {name: frozenset(concepts) for name, concepts in _collect(rows, "forbid").items()},
    )


def _rows(path: Path) -> list[tuple[int, str, str, str]]:
    """(line, simplified name, concept id, action) of each row."""
    overrides = []
    header_allowed = True
    for number, line in read_lines(path):
        if not line.strip() or line.startswith("#"):
            continue
        fields = [field.strip() for field in line.split("\t")]
        if header_allowed and [field.casefold() for field in fields] == _COLUMNS:
            header_allowed = False
            continue
        header_allowed = False
        if len(fields) != 3 or not all(fields):
            raise DataError(
                f"has {len(fields)} column(s); expected 3 separated by tabs: {', '.join(_COLUMNS)}.",
                path=path,
                line=number,
            )
        name, id, action = fields
        if action not in ("force", "forbid"):
            raise DataError(f"unknown action '{action}'. Write force or forbid.", path=path, line=number)
        overrides.append((number, simplify(name), id, action))
    return overrides


def _concept_rows(
    terminology: Terminology, id: str, action: str, *, path: Path, line: int
) -> tuple[int, ...]:
    if id == "*" and action == "forbid":
        return (_EVERY,)
    rows = tuple(terminology.row(current) for current in terminology.resolve(id))
    if not rows:
        nearest = f" (nearest: {near})" if (near := terminology.nearest(id)) else ""
        raise DataError(
            f"{terminology.path} has no concept '{id}'{nearest}. "
            f"Find its id with: linnet terminology search {terminology.path} NAME",
            path=path,
            line=line,
        )
    return rows


def _collect(rows: Mapping[tuple[str, int], tuple[str, int]], action: str) -> dict[str, list[int]]:
    concepts: dict[str, list[int]] = {}
    for (name, row), (row_action, _) in rows.items():
        if row_action == action:
            concepts.setdefault(name, []).append(row)
    return concepts
