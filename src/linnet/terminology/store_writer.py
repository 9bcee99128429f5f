"""Writes the files of a store, column by column, from staged concepts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linnet.arrays import Ints
from linnet.terminology.columns import write_columns
from linnet.terminology.parent_cycles import rows_in_cycles
from linnet.terminology.staging import StagedConcepts

__all__ = ["write_arrays"]


def write_arrays(draft: Path, staged: StagedConcepts) -> dict[str, Any]:
    """Write all Arrow files of a store; counts and vocabularies for the manifest."""
    ids = staged.column("id")
    types, type_codes = _vocabulary(staged.column("types"), staged.types)
    vocabularies, source_codes = _vocabulary(staged.column("sources"), staged.sources)
    first, counts = _write_names(draft, staged)
    write_columns(
        draft / "concepts.arrow",
        {"id": ids, "types": type_codes, "sources": source_codes, "first_name": pa.array(first, pa.int32())},
    )
    definitions = staged.column("definition")
    write_columns(draft / "definitions.arrow", {"text": definitions})
    counts["definitions"] = pc.sum(pc.greater(pc.binary_length(definitions), 0)).as_py()
    xrefs = staged.column("xrefs")
    write_columns(draft / "xrefs.arrow", {"ids": xrefs})
    counts |= _write_edges(draft, staged, ids)
    counts["xrefs"] = len(xrefs.flatten())
    counts |= _write_aliases(draft, staged, ids)
    return {"counts": counts, "types": types, "vocabularies": vocabularies}


def _write_names(draft: Path, staged: StagedConcepts) -> tuple[Ints, dict[str, int]]:
    """First name row of each concept, and counts. A homonym is a folded name of several concepts."""
    names = staged.column("names")
    offsets = names.offsets.to_numpy()
    owners = np.repeat(np.arange(len(names), dtype=np.int32), np.diff(offsets))
    write_columns(draft / "names.arrow", {"text": names.flatten(), "concept": pa.array(owners)})
    # Hashes stand for the folded names: they take 8 bytes each, and a false homonym among 10 million is rare.
    hashes = np.sort(staged.column("folds").flatten().to_numpy())
    starts = np.flatnonzero(np.concatenate([[True], hashes[1:] != hashes[:-1]]))
    homonyms = int((np.diff(np.append(starts, len(hashes))) > 1).sum())
    return offsets[:-1], {"concepts": len(names), "names": len(owners), "homonyms": homonyms}


def _vocabulary(codes: pa.ListArray, names: list[str]) -> tuple[list[str], pa.ListArray]:
    """The names in use, sorted, and the code lists as ascending, distinct positions in them."""
    values = codes.flatten().to_numpy()
    used = sorted(np.unique(values).tolist(), key=lambda code: names[code])
    position = np.zeros(len(names), np.int64)
    position[used] = np.arange(len(used))
    owners = np.repeat(np.arange(len(codes)), np.diff(codes.offsets.to_numpy()))
    owners, sorted_codes = _distinct(owners, position[values], len(used))
    return [names[code] for code in used], _lists(owners, sorted_codes, len(codes))


def _write_edges(draft: Path, staged: StagedConcepts, ids: pa.Array) -> dict[str, int]:
    above = staged.column("parents")
    rows = pc.index_in(above.flatten(), value_set=ids)
    children = np.repeat(np.arange(len(ids)), np.diff(above.offsets.to_numpy()))
    known = rows.is_valid().to_numpy(zero_copy_only=False)
    parents = rows.fill_null(-1).to_numpy()
    edges = known & (parents != children)
    children, parents = _distinct(children[edges], parents[edges], len(ids))
    up = _lists(children, parents, len(ids))
    by_parent = np.argsort(parents, kind="stable")
    down = _lists(parents[by_parent], children[by_parent], len(ids))
    write_columns(draft / "edges.arrow", {"parents": up, "children": down})
    in_cycles, _ = rows_in_cycles(up.offsets.to_numpy(), up.values.to_numpy())
    return {
        "parents": len(parents),
        "in_cycles": len(in_cycles),
        "concepts_with_parents": len(np.unique(children)),
        "parents_missing": int((~known).sum()),
    }


def _write_aliases(draft: Path, staged: StagedConcepts, ids: pa.Array) -> dict[str, int]:
    """Write retired and alternative ids with the current ids at the end of their `replaced_by` chains.

    Counts aliases, ids whose chain leads to no current id, and ids with neither a name nor a successor.
    """
    old = staged.column("id", live=False).to_pylist()
    new = staged.column("replaced_by", live=False)
    targets = new.flatten()
    rows = pc.index_in(targets, value_set=ids).fill_null(-1).to_pylist()
    live = {id: row for id, row in zip(targets.to_pylist(), rows, strict=True) if row >= 0}
    retired = dict(zip(old, new.to_pylist(), strict=True))
    ends = {id: rows_at_end for id in retired if (rows_at_end := _follow(id, retired, live))}
    owners = np.repeat(np.arange(len(ends)), [len(targets) for targets in ends.values()])
    values = np.array([row for targets in ends.values() for row in targets], dtype=np.int64)
    write_columns(
        draft / "aliases.arrow",
        {"id": pa.array(list(ends), pa.string()), "targets": _lists(owners, values, len(ends))},
    )
    nameless = sum(not targets for targets in retired.values())
    return {"aliases": len(ends), "aliases_lost": len(retired) - len(ends) - nameless, "nameless": nameless}


def _follow(id: str, retired: Mapping[str, list[str]], live: Mapping[str, int]) -> list[int]:
    """Rows of the current ids at the end of the chains; none for a cycle."""
    seen = {id}
    ends: dict[int, None] = {}
    queue = list(retired[id])
    for successor in queue:
        if successor in seen:
            continue
        seen.add(successor)
        if successor in live:
            ends[live[successor]] = None
        else:
            queue.extend(retired.get(successor, ()))
    return list(ends)


def _distinct(owners: Ints, values: Any, bound: int) -> tuple[Ints, Ints]:
    """Distinct pairs (owner, value < bound), sorted."""
    pairs = np.unique(owners.astype(np.int64) * max(bound, 1) + values)
    return pairs // max(bound, 1), pairs % max(bound, 1)


def _lists(owners: Ints, values: Ints, count: int) -> pa.ListArray:
    """Lists of `count` owners, from values in the order of their owners."""
    offsets = np.zeros(count + 1, dtype=np.int32)
    np.cumsum(np.bincount(owners, minlength=count), out=offsets[1:])
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(values.astype(np.int32)))
