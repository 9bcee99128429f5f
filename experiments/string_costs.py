"""Costs of readings of strings without context (`linnet.link.string_costs.COSTS`), chosen on strings composed from names.

    LINNET_DATA=… python experiments/string_costs.py --out FOLDER [--strings 800]

Builds MeSH 2024's chemicals and procedures, HPO 2025 and MEDIC 2021+ with a name of 1,000 concepts each held out, composes strings from
each (`linnet.train.composed_strings`), and changes one cost at a time while more strings are right. Crosswise: the costs chosen on
two terminologies are measured on the third. No dev set is read. Ends with the costs chosen on all three, and how sure a division
is by the difference in value.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from linnet.link import Linker, Pipeline
from linnet.link.bare_choice import BareChooser
from linnet.link.bare_strings import BareStrings
from linnet.link.indexing import build_indexes
from linnet.link.query_cache import QueryCache
from linnet.link.string_costs import COSTS, Costs
from linnet.terminology import Terminology, write_terminology
from linnet.terminology.readers import ReadOptions, read, read_several
from linnet.text import simplify
from linnet.train.composed_strings import ComposedString, compose
from linnet.types import Concept

SOURCES: dict[str, Callable[[Path], Iterable[Concept]]] = {
    "hpo": lambda folder: read(
        folder / "hpo/hp-2025-01-16.obo.gz", options=ReadOptions(only_prefixes={"HP"})
    ),
    "medic": lambda folder: read(folder / "medic/medic_2021plus.dictionary.txt"),
    "mesh": lambda folder: (
        concept
        for concept in read_several([folder / "mesh2024/desc2024.rebuilt.xml.gz"], formats=("mesh",))
        if {"Chemical", "Procedure"} & set(concept.types)
    ),
}
VALUES: dict[str, Sequence[float]] = {
    "word": (0.03, 0.05, 0.1, 0.15, 0.2, 0.25),
    "marks": (0.0, 0.01, 0.02, 0.04),
    "shorthand": (0.0, 0.1, 0.2, 0.3, 0.5),
    "respelt": (0.0, 0.02, 0.04, 0.06, 0.1),
    "fuzzy": (0.0, 0.03, 0.06, 0.1),
    "literal": (0.0, 0.05, 0.1, 0.2),
    "separate": (-0.2, -0.1, 0.0, 0.05),
    "commas": (0.05, 0.1, 0.2, 0.3, 0.4),
    "signs": (0.05, 0.1, 0.15, 0.2, 0.3),
    "list": (0.05, 0.1, 0.15, 0.2, 0.25, 0.3),
    "share": (0.05, 0.1, 0.15, 0.2, 0.25, 0.3),
    "aside": (0.1, 0.2, 0.3, 0.4),
    "mixed": (0.0, 0.05, 0.1, 0.2),
    "joined": (0.0, 0.05, 0.1, 0.14, 0.18, 0.22),
    "related": (0.0, 0.05, 0.1, 0.14, 0.18, 0.22, 0.3),
    "named": (0.0, 0.05, 0.1, 0.15, 0.2),
    "least": (0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75),
    "nil": (0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7),
}
DEPTH = 8  # candidates of a part
SEED = 2


class Task:
    """The strings of one terminology, and what they are looked up in: every search is made once."""

    def __init__(self, name: str, data: Path, out: Path, strings: int, foreign: Sequence[str]) -> None:
        concepts = list(SOURCES[name](data / "terminologies"))
        reduced, held = held_out(concepts, count=1000)
        place = out / name
        if not (place / "terminology.json").exists():
            write_terminology(
                (replace(concept, xrefs=()) for concept in reduced), place, sources=[{"path": name}]
            )
        terminology = Terminology.open(place)
        build_indexes(terminology, Pipeline().retrievers, update=True)
        linker = Linker.open([terminology], pipeline=Pipeline(reranker=None))
        self.strings = compose(reduced, count=strings, seed=SEED, held_out=held, foreign=foreign)
        group = linker.group
        cache = QueryCache(group)
        lookup = BareChooser(group, cache, group.respelt, shorthand=True).lookup(DEPTH)
        self.lookup = replace(
            lookup,
            **{name: remembered(getattr(lookup, name)) for name in ("exact", "best", "closest", "groups")},
        )
        self.concept = remembered(lambda texts: group.ids(cache.search(texts, k=DEPTH).concepts[:, 0]))

    def readings(self, costs: Costs) -> list[Any]:
        reader = BareStrings(self.lookup, shorthand=True, composites=True, costs=costs)
        return reader.readings([string.text for string in self.strings])

    def right(self, costs: Costs) -> list[bool]:
        """Whether each string gets its set of concepts."""
        readings = self.readings(costs)
        self.concept([part.text for reading in readings for part in reading.parts])
        return [
            tuple(sorted(set(self.concept([part.text for part in reading.parts])))) == string.concepts
            for reading, string in zip(readings, self.strings, strict=True)
        ]


def remembered(function: Callable[[list[str]], list[Any]]) -> Callable[[Sequence[str]], list[Any]]:
    known: dict[str, Any] = {}

    def call(texts: Sequence[str]) -> list[Any]:
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            known.update(zip(new, function(new), strict=True))
        return [known[text] for text in texts]

    return call


def held_out(concepts: Sequence[Concept], *, count: int) -> tuple[list[Concept], list[tuple[str, str]]]:
    """The concepts with one synonym less for `count` of them, and these synonyms."""
    owners: dict[str, set[str]] = defaultdict(set)
    for concept in concepts:
        for name in concept.all_names:
            owners[_words(name)].add(concept.id)
    chance = random.Random(SEED)
    some = [concept for concept in concepts if concept.name and concept.names]
    drawn = {concept.id for concept in chance.sample(some, min(count, len(some)))}
    held, reduced = [], []
    for concept in concepts:
        if concept.id in drawn and concept.names:
            name = chance.choice(concept.names)
            words = _words(name)
            if len(owners[words]) == 1 and words != _words(concept.name):
                held.append((name, concept.id))
                kept = tuple(other for other in concept.names if _words(other) != words)
                concept = replace(concept, names=kept)
        reduced.append(concept)
    return reduced, held


def _words(name: str) -> str:
    """The words of a name in alphabetical order: names that differ only in order are one."""
    return " ".join(sorted(simplify(name).split()))


def share(tasks: Sequence[Task], costs: Costs) -> float:
    """Mean over terminologies of the share of strings that are right."""
    return float(np.mean([np.mean(task.right(costs)) for task in tasks]))


def chosen(tasks: Sequence[Task], rounds: int = 2) -> Costs:
    """The costs with which most strings are right, one changed at a time; the usual one where others gain < 0.1 points."""
    costs = COSTS
    best = share(tasks, costs)
    for _ in range(rounds):
        before = costs
        for name, values in VALUES.items():
            for value in values:
                other = costs._replace(**{name: value})
                result = share(tasks, other)
                if result > best + 0.001:
                    costs, best = other, result
        if costs == before:
            break
    return costs


def margins_of_divisions(tasks: Sequence[Task], costs: Costs) -> list[tuple[float, bool]]:
    """Of each divided string: how much higher than the whole the division is valued, and whether it has the right number of parts."""
    rows = []
    for task in tasks:
        for reading, string in zip(task.readings(costs), task.strings, strict=True):
            if len(reading.parts) > 1:
                rows.append((reading.margin, len(reading.parts) == len(string.concepts)))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description="Costs of readings of strings without context.")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--strings", type=int, default=800)
    given = parser.parse_args()
    data = Path(os.environ["LINNET_DATA"])
    genes = [c.name for c in read(data / "terminologies/other/Homo_sapiens.gene_info.gz")][::20]
    tasks = {name: Task(name, data, given.out, given.strings, genes) for name in SOURCES}
    for name, task in tasks.items():
        print(name, len(task.strings), "as it is", by_kind(task.strings, task.right(COSTS)), flush=True)
    for name, task in tasks.items():
        costs = chosen([other for other in tasks.values() if other is not task])
        print(f"{name}: {share([task], COSTS):.3f} → {share([task], costs):.3f}", costs, flush=True)
    costs = chosen(list(tasks.values()))
    print("all:", costs)
    for name, task in tasks.items():
        print(name, by_kind(task.strings, task.right(costs)))
    rows = margins_of_divisions(list(tasks.values()), costs)
    print(json.dumps(logistic(rows)))


def logistic(rows: Sequence[tuple[float, bool]]) -> dict[str, float]:
    """Offset and slope of a logistic curve through (difference in value, right), by Newton's method."""
    x = np.array([[1.0, margin] for margin, _ in rows])
    y = np.array([right for _, right in rows], float)
    w = np.zeros(2)
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ w))
        w += np.linalg.solve((x * (p * (1 - p))[:, None]).T @ x + 1e-3 * np.eye(2), x.T @ (y - p) - 1e-3 * w)
    p = 1 / (1 + np.exp(-x @ w))
    return {
        "offset": w[0],
        "slope": w[1],
        "n": len(rows),
        "right": float(y.mean()),
        "loss": -float(np.mean(np.log(np.where(y > 0, p, 1 - p)))),
    }


def by_kind(strings: Sequence[ComposedString], right: Sequence[bool]) -> str:
    groups: dict[str, list[bool]] = defaultdict(list)
    for string, ok in zip(strings, right, strict=True):
        groups[string.kind].append(ok)
    parts = [f"{kind} {100 * np.mean(oks):.0f} (n {len(oks)})" for kind, oks in groups.items()]
    return f"{100 * np.mean(right):.1f}: " + ", ".join(parts)


if __name__ == "__main__":
    main()
