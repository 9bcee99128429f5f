"""`overrides.tsv` beside a store, or a file of the user: forces or forbids concepts for a name, without re-indexing.

    # names compare by their words: case, punctuation and spelling variants do not matter
    name                       concept                      action   comment
    cold                       MESH:D003139                 force    never the lung disease
    cold                       MESH:D029424                 forbid
    breast and ovarian cancer  MESH:D001943|MESH:D010051    force    both: a composite
    patient                    *                            forbid   NIL

Columns are separated by tabs; header line and comments are optional, `#` starts a comment line. `*` forbids every concept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from linnet.advice import Step
from linnet.arrays import Flags, Floats, Mask, Rows
from linnet.errors import DataError
from linnet.io.files import read_lines
from linnet.terminology.store import Terminology
from linnet.words.text import simplify

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


class Override(NamedTuple):
    """What a file says of a name."""

    name: str
    concepts: tuple[str, ...]
    action: str
    path: Path
    line: int


class Overrides:
    """Forced and forbidden concepts by name; falsy if there are none.

    rows       as read, so that they can be applied to other terminologies
    files      that they were read from
    forced     simplified name → concept rows; several are a composite
    forbidden  simplified name → concept rows; −1 stands for every concept
    """

    def __init__(
        self, terminology: Terminology, rows: Sequence[Override] = (), *, files: Sequence[Path] = ()
    ) -> None:
        """Concepts that the terminology does not have are left out."""
        self.terminology, self.rows, self.files = terminology, tuple(rows), tuple(files)
        self._ids = {row.name: row.concepts for row in rows if row.action == "force"}
        found: dict[str, dict[str, list[int]]] = {"force": {}, "forbid": {}}
        for row in rows:
            found[row.action].setdefault(row.name, []).extend(
                _EVERY if id == "*" else terminology.row(now)
                for id in row.concepts
                for now in (("*",) if id == "*" else terminology.resolve(id))
            )
        self.forced = {name: tuple(dict.fromkeys(known)) for name, known in found["force"].items()}
        self.forbidden = {name: frozenset(known) for name, known in found["forbid"].items()}

    def __len__(self) -> int:
        """Number of names with an override."""
        return len(self.forced.keys() | self.forbidden.keys())

    @property
    def spare(self) -> int:
        """The most concepts forbidden for one name: retrieve this many candidates more than needed."""
        return max((len(rows) for rows in self.forbidden.values()), default=0)

    def forces(self, text: str) -> tuple[str, ...]:
        """The ids of the concepts that a text is forced to, also of other terminologies."""
        return self._ids.get(simplify(text), ()) if self._ids else ()

    def forbids_all(self, text: str) -> bool:
        """Whether a text is forbidden every concept."""
        return bool(self.rows) and _EVERY in self.forbidden.get(simplify(text), ())

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


def read_overrides(
    terminology: Terminology, file: Path | None = None, *, others: Sequence[Terminology] = ()
) -> Overrides:
    """The overrides beside a terminology, and those of a file, which says alone what is done with its names.

    others  terminologies that are linked to as well, and may have concepts of the file

    Raises DataError with file and line for a row with other columns, for an unknown action or concept, and for rows that
    contradict each other.
    """
    beside = terminology.path / FILE
    own = _checked(beside, [terminology]) if beside.exists() else []
    given = _checked(file, [terminology, *others]) if file is not None else []
    names = {row.name for row in given}
    files = [path for path in (beside, file) if path is not None and path.exists()]
    return Overrides(terminology, [*(row for row in own if row.name not in names), *given], files=files)


def _checked(path: Path, terminologies: Sequence[Terminology]) -> list[Override]:
    """The rows of a file. Ids are those of current concepts."""
    overrides: list[Override] = []
    by_name: dict[str, list[Override]] = {}
    for row in _rows(path):
        ids = tuple(dict.fromkeys(_current(id, row, terminologies) for id in row.concepts))
        row = row._replace(concepts=ids)
        for before in by_name.setdefault(row.name, []):
            _check_agreement(before, row)
        by_name[row.name].append(row)
        overrides.append(row)
    return overrides


def _check_agreement(before: Override, row: Override) -> None:
    """Raise DataError if two rows of a name cannot both hold."""
    same, here = set(before.concepts) & set(row.concepts), f"'{row.name}' has {row.action} for"
    if before.action == row.action == "force" and set(before.concepts) != set(row.concepts):
        both = "|".join(dict.fromkeys((*before.concepts, *row.concepts)))
        reason = (
            f"{here} {'|'.join(row.concepts)}, but line {before.line} has force for {'|'.join(before.concepts)}. "
            f"Remove one of them; if the name means both, write one line with {both}."
        )
    elif before.action != row.action and same:
        reason = f"{here} {'|'.join(sorted(same))}, but line {before.line} has {before.action}. Remove one of them."
    elif before.action != row.action and "*" in (*before.concepts, *row.concepts):
        reason = (
            f"{here} {'|'.join(row.concepts)}, but line {before.line} has {before.action} for "
            f"{'|'.join(before.concepts)}. Remove the line with *: a forced concept comes before all others."
        )
    else:
        return
    raise DataError(reason, path=row.path, line=row.line)


def _rows(path: Path) -> Iterator[Override]:
    """The rows of a file, names simplified."""
    first = True
    for number, line in read_lines(path):
        if not line.strip() or line.startswith("#"):
            continue
        fields = [field.strip() for field in line.split("\t")]
        is_header = first and [field.casefold() for field in fields[:3]] == _COLUMNS
        first = False
        if is_header:
            continue
        if len(fields) not in (3, 4) or not all(fields[:3]):
            raise DataError(
                f"has {len(fields)} column(s); expected 3 separated by tabs, and perhaps a comment: {', '.join(_COLUMNS)}.",
                path=path,
                line=number,
            )
        name, concepts, action = fields[:3]
        if action not in ("force", "forbid"):
            raise DataError(f"unknown action '{action}'. Write force or forbid.", path=path, line=number)
        ids = tuple(id.strip() for id in concepts.split("|"))
        yield Override(simplify(name), ids, action, path, number)


def _current(id: str, row: Override, terminologies: Sequence[Terminology]) -> str:
    """The id of the current concept. Raises DataError if there is none, or several."""
    if id == "*" and row.action == "forbid":
        return id
    where = " or ".join(str(terminology.path) for terminology in terminologies)
    current = next((now for t in terminologies if (now := t.resolve(id))), ())
    if not current:
        near = next((near for t in terminologies if (near := t.nearest(id))), "")
        raise DataError(
            f"{where} has no concept '{id}'{f' (nearest: {near})' if near else ''}.",
            Step.FIND_ID(terminology=terminologies[0].path),
            path=row.path,
            line=row.line,
        )
    if len(current) > 1 and row.action == "force":
        reason = f"'{id}' was replaced by {' and '.join(current)}. Write the one that is meant, or {'|'.join(current)} for all."
        raise DataError(reason, path=row.path, line=row.line)
    return "|".join(current)
