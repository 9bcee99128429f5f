"""Concepts on their way into a store: put aside on disk some thousands at a time, then brought into the order of their ids.

What is held in memory while they come is one chunk and the vocabularies; afterwards one column at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linnet.errors import StoreError
from linnet.text import fold
from linnet.types import Concept

__all__ = ["Gathered", "Gathering", "union"]

# Concepts put aside together: 20 MB of Python objects.
_CHUNK = 1 << 14
_TEXTS = pa.list_(pa.string())
_COLUMNS = {
    "id": pa.string(),
    "named": pa.bool_(),
    "names": _TEXTS,  # clean and distinct, the preferred one first
    "folds": pa.list_(pa.int64()),  # hashes of the folded names
    "types": pa.list_(pa.int32()),
    "sources": pa.list_(pa.int32()),
    "definition": pa.large_string(),
    "parents": _TEXTS,
    "xrefs": _TEXTS,
    "replaced_by": _TEXTS,
}
_SCHEMA = pa.schema(list(_COLUMNS.items()))

Order = np.ndarray[Any, np.dtype[np.int64]]


def union(first: Concept, second: Concept) -> Concept:
    """One concept of two with the same id: the first's preferred name and definition where it has them."""
    if not first.name:
        first, second = second, first
    names = [*first.names, second.name, *second.names]
    return replace(
        first,
        names=tuple(dict.fromkeys(name for name in names if name and name != first.name)),
        types=_both(first.types, second.types),
        definition=first.definition or second.definition,
        parents=_both(first.parents, second.parents),
        xrefs=_both(first.xrefs, second.xrefs),
        sources=_both(first.sources, second.sources),
        replaced_by=() if first.name else _both(first.replaced_by, second.replaced_by),
    )


def _both(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    return first if first == second else tuple(dict.fromkeys((*first, *second)))


class Gathering:
    """Takes concepts in any order, several of one id too, and puts them aside in `file`.

    Codes of types and sources are positions in `types` and `sources`, in the order they are first met.
    """

    def __init__(self, file: Path) -> None:
        self.types: dict[str, int] = {}
        self.sources: dict[str, int] = {}
        self._file = file

    def __enter__(self) -> Self:
        self._writer = pa.ipc.new_file(str(self._file), _SCHEMA)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._writer.close()

    def add(self, concepts: Iterable[Concept]) -> None:
        """Put concepts aside. Raises StoreError when the disk refuses."""
        columns: dict[str, list[Any]] = {name: [] for name in _COLUMNS}
        for concept in concepts:
            for column, value in zip(columns.values(), self._row(concept), strict=True):
                column.append(value)
            if len(columns["id"]) == _CHUNK:
                self._write(columns)
                columns = {name: [] for name in _COLUMNS}
        self._write(columns)

    def _row(self, concept: Concept) -> tuple[Any, ...]:
        distinct: dict[str, str] = {}
        for name in concept.all_names:
            cleaned = " ".join(name.split())
            if cleaned:
                distinct.setdefault(fold(cleaned), cleaned)
        return (
            concept.id,
            bool(concept.name and distinct),
            list(distinct.values()),
            [hash(folded) for folded in distinct],
            [self.types.setdefault(name, len(self.types)) for name in concept.types],
            [self.sources.setdefault(name, len(self.sources)) for name in concept.sources],
            concept.definition,
            concept.parents,
            concept.xrefs,
            concept.replaced_by,
        )

    def _write(self, columns: Mapping[str, list[Any]]) -> None:
        arrays = [pa.array(columns[name], kind) for name, kind in _COLUMNS.items()]
        try:
            self._writer.write_batch(pa.record_batch(arrays, schema=_SCHEMA))
        except OSError as error:
            raise StoreError(
                f"{self._file.parent}: cannot be written: {error.strerror or error}. Nothing was changed; free some space."
            ) from error

    def sorted(self) -> Gathered:
        """All concepts by id, those of one id united in the order they came. For when all have been added."""
        with pa.memory_map(str(self._file)) as source:
            table = pa.ipc.open_file(source).read_all()
        ids = table["id"].combine_chunks()
        order = pc.sort_indices(ids).to_numpy(zero_copy_only=False).astype(np.int64)  # a stable sort
        if len(order) > 1:
            ids = ids.take(pa.array(order))
            repeated = pc.equal(ids.slice(1), ids.slice(0, len(ids) - 1)).to_numpy(zero_copy_only=False)
            if repeated.any():
                table, order = self._united(table, order, repeated)
        return Gathered(table, order, list(self.types), list(self.sources))

    def _united(self, table: pa.Table, order: Order, repeated: Any) -> tuple[pa.Table, Order]:
        """`table` with a row more for each id that came more than once, and the order with that row in place of them."""
        first = np.concatenate([[True], ~repeated])
        together = np.cumsum(first) - 1
        several = np.flatnonzero(np.bincount(together) > 1)
        # The rows of each group, one group after the other.
        inside = np.isin(together, several)
        rows = table.take(pa.array(order[inside]))
        columns: dict[str, list[Any]] = {name: [] for name in _COLUMNS}
        for concept in self._groups(rows):
            for column, value in zip(columns.values(), self._row(concept), strict=True):
                column.append(value)
        more = pa.table({name: pa.array(columns[name], kind) for name, kind in _COLUMNS.items()})
        new = order[first].copy()
        new[several] = len(table) + np.arange(len(several))
        return pa.concat_tables([table, more]), new

    def _groups(self, rows: pa.Table) -> Iterator[Concept]:
        types, sources = list(self.types), list(self.sources)
        known: Concept | None = None
        for batch in rows.to_batches(max_chunksize=_CHUNK):
            for row in batch.to_pylist():
                name, names = ("", row["names"]) if not row["named"] else (row["names"][0], row["names"][1:])
                concept = Concept(
                    row["id"],
                    name,
                    tuple(names),
                    tuple(types[code] for code in row["types"]),
                    row["definition"],
                    tuple(row["parents"]),
                    tuple(row["xrefs"]),
                    tuple(sources[code] for code in row["sources"]),
                    tuple(row["replaced_by"]),
                )
                if known is not None and known.id == concept.id:
                    known = union(known, concept)
                    continue
                if known is not None:
                    yield known
                known = concept
        if known is not None:
            yield known


class Gathered:
    """Concepts in the order of their ids, each id once; the named ones are the live ones.

    types, sources  what the codes of those columns stand for
    """

    def __init__(self, table: pa.Table, order: Order, types: list[str], sources: list[str]) -> None:
        self.types, self.sources = types, sources
        self._table = table
        named = table["named"].to_numpy()[order] if len(order) else np.zeros(0, dtype=bool)
        self._rows = {True: pa.array(order[named]), False: pa.array(order[~named])}

    def __len__(self) -> int:
        """Number of live concepts."""
        return len(self._rows[True])

    def column(self, name: str, *, live: bool = True) -> pa.Array:
        """One column of the live concepts, or of the others. Read from disk at each call."""
        whole = self._table[name].combine_chunks()
        return whole.take(self._rows[live])
