"""Concepts staged on disk on their way into a store: written in chunks, then sorted by id.

Memory holds one chunk and the vocabularies while concepts arrive, and one column at a time afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linnet.arrays import Ints
from linnet.errors import StoreError
from linnet.terminology.same_ids import share_a_name
from linnet.types import Concept
from linnet.words.text import fold

__all__ = ["StagedConcepts", "Staging", "union"]

# Concepts per chunk: 20 MB of Python objects.
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


def union(first: Concept, second: Concept) -> Concept:
    """Unite two concepts with the same id. The first's preferred name and definition win if it has them."""
    if not first.name:
        first, second = second, first
    names = [*first.names, second.name, *second.names]
    return replace(
        first,
        names=tuple(dict.fromkeys(name for name in names if name and name != first.name)),
        types=_union(first.types, second.types),
        definition=first.definition or second.definition,
        parents=_union(first.parents, second.parents),
        xrefs=_union(first.xrefs, second.xrefs),
        sources=_union(first.sources, second.sources),
        replaced_by=() if first.name else _union(first.replaced_by, second.replaced_by),
    )


def _union(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    return first if first == second else tuple(dict.fromkeys((*first, *second)))


class Staging:
    """Stages concepts in `file`, in any order; ids may repeat.

    Codes of types and sources are positions in `types` and `sources`, in order of first appearance.

    strangers  filled by `sorted`: id of united concepts that had no name in common → the first two names that differ
    """

    def __init__(self, file: Path) -> None:
        self.types: dict[str, int] = {}
        self.sources: dict[str, int] = {}
        self.strangers: dict[str, tuple[str, str]] = {}
        self._file = file

    def __enter__(self) -> Self:
        self._writer = pa.ipc.new_file(str(self._file), _SCHEMA)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._writer.close()

    def add(self, concepts: Iterable[Concept]) -> None:
        """Stage concepts. Raises StoreError if the disk cannot be written."""
        remaining = iter(concepts)
        while True:
            columns = self._columns(islice(remaining, _CHUNK))
            self._write(columns)
            if len(columns["id"]) < _CHUNK:
                return

    def _columns(self, concepts: Iterable[Concept]) -> dict[str, list[Any]]:
        columns: dict[str, list[Any]] = {name: [] for name in _COLUMNS}
        for concept in concepts:
            for column, value in zip(columns.values(), self._row(concept), strict=True):
                column.append(value)
        return columns

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

    def sorted(self) -> StagedConcepts:
        """All staged concepts by id; repeated ids are united in order of arrival. Call after the last `add`."""
        with pa.memory_map(str(self._file)) as source:
            table = pa.ipc.open_file(source).read_all()
        ids = table["id"].combine_chunks()
        order = pc.sort_indices(ids).to_numpy(zero_copy_only=False).astype(np.int64)  # a stable sort
        if len(order) > 1:
            ids = ids.take(pa.array(order))
            repeated = pc.equal(ids.slice(1), ids.slice(0, len(ids) - 1)).to_numpy(zero_copy_only=False)
            if repeated.any():
                table, order = self._united(table, order, repeated)
        return StagedConcepts(table, order, list(self.types), list(self.sources))

    def _united(self, table: pa.Table, order: Ints, repeated: Any) -> tuple[pa.Table, Ints]:
        """`table` with a united row appended per repeated id, and the order with that row in place of the repeats."""
        first = np.concatenate([[True], ~repeated])
        groups = np.cumsum(first) - 1
        repeated_groups = np.flatnonzero(np.bincount(groups) > 1)
        rows = table.take(pa.array(order[np.isin(groups, repeated_groups)]))
        columns = self._columns(self._groups(rows))
        united = pa.table({name: pa.array(columns[name], kind) for name, kind in _COLUMNS.items()})
        new_order = order[first].copy()
        new_order[repeated_groups] = len(table) + np.arange(len(repeated_groups))
        return pa.concat_tables([table, united]), new_order

    def _groups(self, rows: pa.Table) -> Iterator[Concept]:
        """The concepts of rows sorted by id, those with one id united."""
        types, sources = list(self.types), list(self.sources)
        current: Concept | None = None
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
                if current is not None and current.id == concept.id:
                    if (
                        concept.name
                        and current.name
                        and not share_a_name(current.all_names, concept.all_names)
                    ):
                        self.strangers.setdefault(concept.id, (current.name, concept.name))
                    current = union(current, concept)
                    continue
                if current is not None:
                    yield current
                current = concept
        if current is not None:
            yield current


class StagedConcepts:
    """Concepts sorted by id, each id once. Concepts with a name are live.

    types, sources  names of the codes in those columns
    """

    def __init__(self, table: pa.Table, order: Ints, types: list[str], sources: list[str]) -> None:
        self.types, self.sources = types, sources
        self._table = table
        named = table["named"].to_numpy()[order] if len(order) else np.zeros(0, dtype=bool)
        self._rows = {True: pa.array(order[named]), False: pa.array(order[~named])}

    def __len__(self) -> int:
        """Number of live concepts."""
        return len(self._rows[True])

    def column(self, name: str, *, live: bool = True) -> pa.Array:
        """One column of the live concepts, or of the retired ones. Read from disk at each call."""
        return self._table[name].combine_chunks().take(self._rows[live])
