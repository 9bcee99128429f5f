"""Concepts → a compiled terminology on disk."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from linnet import artifact
from linnet.errors import DataError, StoreError
from linnet.terminology.columns import write_columns
from linnet.terminology.store import FORMAT_VERSION, MANIFEST, Terminology
from linnet.text import fold
from linnet.types import Concept

__all__ = ["union", "write_terminology"]


def write_terminology(
    concepts: Iterable[Concept],
    path: str | Path,
    *,
    sources: Sequence[Mapping[str, Any]] = (),
    pipeline: Mapping[str, Any] | None = None,
) -> Terminology:
    """Compile concepts into a directory and open it.

    sources   where they come from, kept in the manifest ({"path", "format", "version", "licence", "digest"})
    pipeline  default pipeline kept in the manifest

    Concepts of one id are united (`union`). Parents that are not among the concepts are dropped and counted.
    An existing terminology there is replaced as a whole, its `overrides.tsv` kept.
    Raises DataError when no concept has a name, StoreError when `path` holds something else.
    """
    target = Path(path)
    if (
        target.exists()
        and not (target / MANIFEST).exists()
        and (not target.is_dir() or any(target.iterdir()))
    ):
        raise StoreError(f"{target} exists and is not a terminology. Choose another directory for -o.")
    live, aliases = _gather(concepts)
    if not live:
        raise DataError(
            "no concept with a name: nothing to build. Check the format and the filters.", path=target
        )
    with artifact.replacing_directory(target, keep=("overrides.tsv",)) as draft:
        counts, vocabularies = _write_columns(draft, live, aliases)
        content = artifact.digest(
            *(
                draft / f"{name}.arrow"
                for name in ("concepts", "names", "definitions", "xrefs", "edges", "aliases")
            )
        )
        fields = {
            "format": FORMAT_VERSION,
            "digest": content,
            "counts": counts,
            **vocabularies,
            "sources": [dict(source) for source in sources],
            "pipeline": dict(pipeline or {}),
        }
        artifact.write_manifest(draft, MANIFEST, fields)
    return Terminology.open(target)


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


def _gather(concepts: Iterable[Concept]) -> tuple[list[Concept], list[tuple[str, tuple[str, ...]]]]:
    """Named concepts sorted by id, and (retired id, current ids) sorted by id, chains followed."""
    by_id: dict[str, Concept] = {}
    for concept in concepts:
        known = by_id.get(concept.id)
        by_id[concept.id] = union(known, concept) if known else concept
    live = sorted((c for c in by_id.values() if c.name), key=lambda c: c.id)
    aliases = []
    for concept in by_id.values():
        if not concept.name:
            targets = _follow(concept, by_id)
            if targets:
                aliases.append((concept.id, targets))
    return live, sorted(aliases)


def _follow(concept: Concept, by_id: Mapping[str, Concept]) -> tuple[str, ...]:
    """Current ids at the end of the chains of `replaced_by`; a cycle ends nowhere."""
    seen = {concept.id}
    ends: dict[str, None] = {}
    waiting = list(concept.replaced_by)
    while waiting:
        id = waiting.pop(0)
        if id in seen or id not in by_id:
            continue
        seen.add(id)
        if by_id[id].name:
            ends[id] = None
        else:
            waiting.extend(by_id[id].replaced_by)
    return tuple(ends)


def _write_columns(
    draft: Path, live: list[Concept], aliases: list[tuple[str, tuple[str, ...]]]
) -> tuple[dict[str, int], dict[str, list[str]]]:
    rows = {concept.id: row for row, concept in enumerate(live)}
    types = sorted({name for concept in live for name in concept.types})
    vocabularies = sorted({name for concept in live for name in concept.sources})
    type_codes = {name: code for code, name in enumerate(types)}
    source_codes = {name: code for code, name in enumerate(vocabularies)}
    texts, owners, first, homonyms = _names(live)
    parents = [
        sorted({rows[id] for id in concept.parents if id in rows} - {row}) for row, concept in enumerate(live)
    ]
    children: list[list[int]] = [[] for _ in live]
    for row, above in enumerate(parents):
        for parent in above:
            children[parent].append(row)
    write_columns(
        draft / "concepts.arrow",
        {
            "id": pa.array([concept.id for concept in live], pa.string()),
            "types": _int_lists([sorted(_codes(concept.types, type_codes)) for concept in live]),
            "sources": _int_lists([sorted(_codes(concept.sources, source_codes)) for concept in live]),
            "first_name": pa.array(first, pa.int32()),
        },
    )
    write_columns(
        draft / "names.arrow", {"text": pa.array(texts, pa.string()), "concept": pa.array(owners, pa.int32())}
    )
    write_columns(
        draft / "definitions.arrow",
        {"text": pa.array([concept.definition for concept in live], pa.large_string())},
    )
    write_columns(
        draft / "xrefs.arrow",
        {"ids": pa.array([list(concept.xrefs) for concept in live], pa.list_(pa.string()))},
    )
    write_columns(draft / "edges.arrow", {"parents": _int_lists(parents), "children": _int_lists(children)})
    write_columns(
        draft / "aliases.arrow",
        {
            "id": pa.array([id for id, _ in aliases], pa.string()),
            "targets": _int_lists([[rows[id] for id in targets] for _, targets in aliases]),
        },
    )
    counts = {
        "concepts": len(live),
        "names": len(texts),
        "homonyms": homonyms,
        "definitions": sum(bool(concept.definition) for concept in live),
        "parents": sum(map(len, parents)),
        "concepts_with_parents": sum(map(bool, parents)),
        "parents_missing": sum(id not in rows for concept in live for id in concept.parents),
        "xrefs": sum(len(concept.xrefs) for concept in live),
        "aliases": len(aliases),
    }
    return counts, {"types": types, "vocabularies": vocabularies}


def _names(live: list[Concept]) -> tuple[list[str], list[int], list[int], int]:
    """Texts of all names, the concept row of each, each concept's first name row, and the number of homonyms.

    Within a concept a name that folds to an earlier one is left out. A homonym is a folded name of several concepts.
    """
    texts: list[str] = []
    owners: list[int] = []
    first: list[int] = []
    # Hashes stand for the folded names: 8 bytes each, and a false homonym among 10 million is a rare event.
    hashes = array("q")
    for row, concept in enumerate(live):
        first.append(len(texts))
        distinct: dict[str, str] = {}
        for name in concept.all_names:
            cleaned = " ".join(name.split())
            if cleaned:
                distinct.setdefault(fold(cleaned), cleaned)
        texts.extend(distinct.values())
        owners.extend([row] * len(distinct))
        hashes.extend(map(hash, distinct))
    _, times = np.unique(np.frombuffer(hashes, np.int64), return_counts=True)
    return texts, owners, first, int((times > 1).sum())


def _codes(names: Iterable[str], vocabulary: dict[str, int]) -> list[int]:
    return [vocabulary[name] for name in set(names)]


def _int_lists(lists: Sequence[Sequence[int]]) -> pa.ListArray:
    offsets = np.zeros(len(lists) + 1, dtype=np.int32)
    np.cumsum([len(items) for items in lists], out=offsets[1:])
    values = np.fromiter((item for items in lists for item in items), dtype=np.int32, count=int(offsets[-1]))
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(values))
