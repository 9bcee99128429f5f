"""A terminology of UMLS size, made of real names: what `make bench-scale` builds, indexes and searches.

    LINNET_DATA=… python benchmarks/scale/generate.py OUT [--concepts 3400000] [--names 7400000] [--queries 10000] [--seed 0]

Writes OUT/META (MRCONSO, MRSTY, MRDEF and MRREL, as the UMLS lays them out) and OUT/queries.jsonl, mentions with the id of
their concept. A tenth of the concepts are real, from the open terminologies; the others recombine their names
(`families.py`). The same seed and sources give the same files. Memory is bounded by the sources: what has been written
is remembered as 8 bytes a name. Without LINNET_DATA the names are the packaged ones, enough for 100,000 concepts.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from families import FAMILIES, Family
from mentions import QueriesWriter
from rrf import RRFWriter
from sources import KINDS, Seed, packaged_seeds, read_seeds

from linnet.retrieve.hashing import hash_texts
from linnet.words.text import fold

__all__ = ["Made", "generate", "write"]

CONCEPTS, NAMES, QUERIES = 3_400_000, 7_400_000, 10_000
REAL = 0.1
# Of the names made, those that are the name of an earlier concept, too: about as many as in the UMLS.
HOMONYMS = 0.012
_CHUNK = 20_000
# Real names above this are no parts: nobody writes "stage III 5-[(2R)-2-amino…".
_PART = 48
# Most names of a concept that is made; the power law of their numbers is cut there.
_MOST_NAMES = 60


@dataclass(frozen=True, slots=True)
class Made:
    """One concept. `parent` is the row of the real concept it was made of, −1 for none; rows count from 0."""

    row: int
    names: tuple[str, ...]
    type: tuple[str, str]
    vocabulary: str
    parent: int = -1
    definition: str = ""


class _Seen:
    """Hashes of folded names, in sorted runs that are merged as they grow: 8 bytes a name."""

    def __init__(self) -> None:
        self._runs: list[np.ndarray[Any, np.dtype[np.uint64]]] = []

    def new(self, names: Sequence[str]) -> list[bool]:
        """Whether each name was never seen before, neither in earlier calls nor earlier in this one; they are now."""
        hashes = hash_texts([fold(name) for name in names])
        distinct, first = np.unique(hashes, return_index=True)
        fresh = np.ones(len(distinct), dtype=bool)
        for run in self._runs:
            place = np.minimum(np.searchsorted(run, distinct), len(run) - 1)
            fresh &= run[place] != distinct
        self._runs.append(distinct[fresh])
        while len(self._runs) > 1 and len(self._runs[-2]) < 2 * len(self._runs[-1]):
            last = self._runs.pop()
            self._runs[-1] = np.sort(np.concatenate([self._runs[-1], last]))
        self._runs = [run for run in self._runs if len(run)]
        result = np.zeros(len(hashes), dtype=bool)
        result[first[fresh]] = True
        return result.tolist()


def generate(seeds: Sequence[Seed], *, concepts: int, names: int, seed: int = 0) -> Iterator[Made]:
    """`concepts` concepts with about `names` names, the real ones first; the same for the same arguments.

    Raises SystemExit where the seeds cannot give so many distinct names.
    """
    rng = np.random.default_rng([seed, 0])
    count = min(len(seeds), max(1, round(REAL * concepts)))
    real = [seeds[place] for place in np.sort(rng.permutation(len(seeds))[:count])]
    seen = _Seen()
    left = names
    for start in range(0, count, _CHUNK):
        part = real[start : start + _CHUNK]
        kept = _fresh([seed.names for seed in part], seen)
        for row, (one, own) in enumerate(zip(part, kept, strict=True), start=start):
            own = own or one.names[:1]
            left -= len(own)
            yield Made(row, own, KINDS[one.kind], "REAL", definition=one.definition)
    parts = _Parts(real)
    homonyms = _Homonyms()
    row, chunk, rate = count, 0, 1.0
    while row < concepts:
        chunk += 1
        rng = np.random.default_rng([seed, chunk])
        wanted = min(_CHUNK, concepts - row)
        sizes = _sizes(rng, wanted, left / (concepts - row) / rate)
        before = left
        drafts = list(parts.draft(rng, sizes))
        kept = _fresh([names for _, names, _ in drafts], seen)
        made = 0
        for (family, _, parent), own in zip(drafts, kept, strict=True):
            if not own:
                continue
            shared = homonyms.pick(rng.random(), own[0])
            left -= len(own)
            yield Made(row, (*own, *shared), family.type, family.core.upper(), parent)
            row, made = row + 1, made + 1
        # Not all names wanted can be had: the parts run out of names, or others have them. The next chunk asks for more.
        rate = min(1.0, max(0.5, (before - left) / sum(sizes)))
        if made < wanted / 4:
            raise SystemExit(
                f"The {len(seeds):,} real concepts are too few for {concepts:,}: at {row:,} most names repeat. "
                "Set LINNET_DATA to the folder with terminologies/, or lower --concepts."
            )


def _fresh(lists: Sequence[Sequence[str]], seen: _Seen) -> list[tuple[str, ...]]:
    """Of each concept's names those never seen before."""
    new = iter(seen.new([name for names in lists for name in names]))
    return [tuple(name for name in names if next(new)) for names in lists]


def _sizes(rng: np.random.Generator, count: int, mean: float) -> list[int]:
    """Names of each concept: a power law of this mean, most with one, few with dozens."""
    sizes = np.arange(1, _MOST_NAMES + 1)
    low, high = 0.5, 6.0
    for _ in range(40):
        middle = (low + high) / 2
        weights = sizes**-middle
        low, high = (middle, high) if (weights * sizes).sum() / weights.sum() > mean else (low, middle)
    return rng.choice(sizes, size=count, p=weights / weights.sum()).tolist()  # type: ignore[no-any-return]


class _Parts:
    """The real concepts by kind, to draw from."""

    def __init__(self, real: Sequence[Seed]) -> None:
        self._rows: dict[str, list[int]] = {}
        self._seeds: dict[int, Seed] = {}
        for row, seed in enumerate(real):
            names = tuple(name for name in seed.names if len(name) <= _PART)
            if names:
                self._rows.setdefault(seed.kind, []).append(row)
                self._seeds[row] = Seed(seed.kind, names)
        self._families = [f for f in FAMILIES if {f.core, f.other or f.core} <= self._rows.keys()]
        shares = np.array([family.share for family in self._families], dtype=float)
        self._shares = shares / shares.sum()

    def draft(
        self, rng: np.random.Generator, sizes: Sequence[int]
    ) -> Iterator[tuple[Family, list[str], int]]:
        """A family, as many names as wanted (fewer where it has no more) and the parent's row, for each size."""
        chosen = rng.choice(len(self._families), size=len(sizes), p=self._shares)
        for place, family in enumerate(self._families):
            wanted = [sizes[number] for number in np.flatnonzero(chosen == place)]
            cores = self._draw(rng, family.core, len(wanted))
            others = self._draw(rng, family.other, len(wanted)) if family.other else [-1] * len(wanted)
            values = family.values(rng, len(wanted))
            for size, core, other, filled in zip(wanted, cores, others, values, strict=True):
                names = family.names(self._seeds[core], self._seeds.get(other), filled)
                distinct = dict.fromkeys(name for name, _ in zip(names, range(2 * size), strict=False))
                yield family, list(distinct)[:size], core

    def _draw(self, rng: np.random.Generator, kind: str, count: int) -> list[int]:
        rows = self._rows[kind]
        return [rows[place] for place in rng.integers(0, len(rows), count).tolist()]


class _Homonyms:
    """Hands a concept the name of an earlier one now and then."""

    def __init__(self) -> None:
        self._kept: list[str] = []

    def pick(self, chance: float, name: str) -> tuple[str, ...]:
        """A name of an earlier concept, or nothing; `name` may be handed to a later one. Decided by `chance`, in [0, 1)."""
        rate = HOMONYMS * NAMES / CONCEPTS
        if chance < rate and self._kept:
            return (self._kept.pop(int(chance / rate * len(self._kept))),)
        if chance > 1 - 2 * rate and len(self._kept) < 1000:
            self._kept.append(name)
        return ()


def write(
    out: Path, seeds: Sequence[Seed], *, concepts: int, names: int, queries: int, seed: int = 0
) -> dict[str, int]:
    """Write META/ and queries.jsonl below `out`; what was written is counted."""
    written = 0
    with (
        RRFWriter(out / "META") as rrf,
        QueriesWriter(out / "queries.jsonl", share=queries / concepts, seed=seed) as mentions,
    ):
        for made in generate(seeds, concepts=concepts, names=names, seed=seed):
            id = rrf.write(made)
            mentions.offer(id, made.names)
            written += len(made.names)
    return {"concepts": concepts, "names": written, "queries": mentions.written}


def main() -> None:
    parser = argparse.ArgumentParser(description="Make a terminology of UMLS size of real names.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--concepts", type=int, default=CONCEPTS)
    parser.add_argument("--names", type=int, help="in proportion to --concepts if left out")
    parser.add_argument("--queries", type=int, default=QUERIES)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    data = os.environ.get("LINNET_DATA")
    if not data:
        print(
            "LINNET_DATA is not set: the names are those of the packaged starter terminology.",
            file=sys.stderr,
        )
    seeds = read_seeds(Path(data)) if data else packaged_seeds()
    names = given.names or round(NAMES / CONCEPTS * given.concepts)
    counts = write(
        given.out, seeds, concepts=given.concepts, names=names, queries=given.queries, seed=given.seed
    )
    print(", ".join(f"{count:,} {what}" for what, count in counts.items()), file=sys.stderr)


if __name__ == "__main__":
    main()
