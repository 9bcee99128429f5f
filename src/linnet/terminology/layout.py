"""The files of a store, column by column, of concepts gathered in the order of their ids."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linnet.terminology.columns import write_columns
from linnet.terminology.gather import Gathered

__all__ = ["write_arrays"]

Rows = np.ndarray[Any, np.dtype[np.int32]]
Ints = np.ndarray[Any, np.dtype[np.int64]]


def write_arrays(draft: Path, gathered: Gathered) -> dict[str, Any]:
    """Write all Arrow files of a store; its counts and vocabularies, as the manifest has them."""
    ids = gathered.column("id")
    types, type_codes = _vocabulary(gathered.column("types"), gathered.types)
    vocabularies, source_codes = _vocabulary(gathered.column("sources"), gathered.sources)
    first, counts = _write_names(draft, gathered)
    write_columns(
        draft / "concepts.arrow",
        {"id": ids, "types": type_codes, "sources": source_codes, "first_name": pa.array(first, pa.int32())},
    )
    definitions = gathered.column("definition")
    write_columns(draft / "definitions.arrow", {"text": definitions})
    counts["definitions"] = pc.sum(pc.greater(pc.binary_length(definitions), 0)).as_py()
    xrefs = gathered.column("xrefs")
    write_columns(draft / "xrefs.arrow", {"ids": xrefs})
    counts |= _write_edges(draft, gathered, ids)
    counts["xrefs"] = len(xrefs.flatten())
    counts |= _write_aliases(draft, gathered, ids)
    return {"counts": counts, "types": types, "vocabularies": vocabularies}


def _write_names(draft: Path, gathered: Gathered) -> tuple[Ints, dict[str, int]]:
    """First name row of each concept; counts. A homonym is a folded name of several concepts."""
    names = gathered.column("names")
    offsets = names.offsets.to_numpy()
    owners = np.repeat(np.arange(len(names), dtype=np.int32), np.diff(offsets))
    write_columns(draft / "names.arrow", {"text": names.flatten(), "concept": pa.array(owners)})
    # Hashes stand for the folded names: 8 bytes each, and a false homonym among 10 million is a rare event.
    hashes = np.sort(gathered.column("folds").flatten().to_numpy())
    starts = np.flatnonzero(np.concatenate([[True], hashes[1:] != hashes[:-1]]))
    homonyms = int((np.diff(np.append(starts, len(hashes))) > 1).sum())
    return offsets[:-1], {"concepts": len(names), "names": len(owners), "homonyms": homonyms}


def _vocabulary(codes: pa.ListArray, names: list[str]) -> tuple[list[str], pa.ListArray]:
    """Those of `names` that occur, sorted; and the lists with positions among them, ascending, each once."""
    values = codes.flatten().to_numpy()
    used = sorted(np.unique(values).tolist(), key=lambda code: names[code])
    place = np.zeros(len(names), np.int64)
    place[used] = np.arange(len(used))
    owners = np.repeat(np.arange(len(codes)), np.diff(codes.offsets.to_numpy()))
    owners, sorted_codes = _distinct(owners, place[values], len(used))
    return [names[code] for code in used], _lists(owners, sorted_codes, len(codes))


def _write_edges(draft: Path, gathered: Gathered, ids: pa.Array) -> dict[str, int]:
    above = gathered.column("parents")
    rows = pc.index_in(above.flatten(), value_set=ids)
    children = np.repeat(np.arange(len(ids)), np.diff(above.offsets.to_numpy()))
    known = rows.is_valid().to_numpy(zero_copy_only=False)
    parents = rows.fill_null(-1).to_numpy()
    wanted = known & (parents != children)
    children, parents = _distinct(children[wanted], parents[wanted], len(ids))
    up = _lists(children, parents, len(ids))
    by_parent = np.argsort(parents, kind="stable")
    down = _lists(parents[by_parent], children[by_parent], len(ids))
    write_columns(draft / "edges.arrow", {"parents": up, "children": down})
    return {
        "parents": len(parents),
        "concepts_with_parents": len(np.unique(children)),
        "parents_missing": int((~known).sum()),
    }


def _write_aliases(draft: Path, gathered: Gathered, ids: pa.Array) -> dict[str, int]:
    """Retired and alternative ids, the chains of `replaced_by` followed; those that lead nowhere are left out, and counted, as are
    ids that have neither a name nor a successor."""
    old = gathered.column("id", live=False).to_pylist()
    new = gathered.column("replaced_by", live=False)
    targets = new.flatten()
    rows = pc.index_in(targets, value_set=ids).fill_null(-1).to_pylist()
    live = {id: row for id, row in zip(targets.to_pylist(), rows, strict=True) if row >= 0}
    retired = dict(zip(old, new.to_pylist(), strict=True))
    ends = {id: found for id in retired if (found := _follow(id, retired, live))}
    owners = np.repeat(np.arange(len(ends)), [len(found) for found in ends.values()])
    values = np.array([row for found in ends.values() for row in found], dtype=np.int64)
    write_columns(
        draft / "aliases.arrow",
        {"id": pa.array(list(ends), pa.string()), "targets": _lists(owners, values, len(ends))},
    )
    nameless = sum(not targets for targets in retired.values())
    return {
        "aliases": len(ends),
        "aliases_lost": len(retired) - len(ends) - nameless,
        "nameless": nameless,
    }


def _follow(id: str, retired: Mapping[str, list[str]], live: Mapping[str, int]) -> list[int]:
    """Rows of the current ids at the end of the chains; a cycle ends nowhere."""
    seen = {id}
    ends: dict[int, None] = {}
    waiting = list(retired[id])
    for other in waiting:
        if other in seen:
            continue
        seen.add(other)
        if other in live:
            ends[live[other]] = None
        else:
            waiting.extend(retired.get(other, ()))
    return list(ends)


def _distinct(owners: Ints, values: Any, bound: int) -> tuple[Ints, Ints]:
    """Pairs (owner, value < bound) sorted, each once."""
    pairs = np.unique(owners.astype(np.int64) * max(bound, 1) + values)
    return pairs // max(bound, 1), pairs % max(bound, 1)


def _lists(owners: Ints, values: Ints, count: int) -> pa.ListArray:
    """Lists of `count` owners, of values that are in the order of their owners."""
    offsets = np.zeros(count + 1, dtype=np.int32)
    np.cumsum(np.bincount(owners, minlength=count), out=offsets[1:])
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(values.astype(np.int32)))
