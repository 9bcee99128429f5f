"""How real names are recombined into new concepts: a family of patterns for each way terminologies of UMLS size grow.

Drugs come in doses and forms, chemicals in derivatives, genes in variants and products, organisms in species and
strains, diseases in stages and sites, body parts in sides and layers; procedures, tests and injuries are of something.
What they are made of stands in `families.toml`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from sources import Seed

__all__ = ["FAMILIES", "Family"]

Slot = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Family:
    """One way of making concepts.

    core, other  kinds of the real concepts that it takes names from; other is "" where one is enough
    share        of the concepts made, relative to the other families
    type         TUI and name of the semantic type
    slots        {0}, {1} … in the patterns: short and long form of each value
    patterns     of names, the preferred one first; {core} and {other} are any name of those concepts
    genus        whether only the first word of the core's name is taken
    """

    core: str
    other: str
    share: float
    type: tuple[str, str]
    slots: tuple[Slot, ...]
    patterns: tuple[str, ...]
    genus: bool

    def values(self, rng: np.random.Generator, count: int) -> Iterator[list[tuple[str, str]]]:
        """The slots' values of `count` concepts."""
        places = [rng.integers(0, len(slot), count).tolist() for slot in self.slots]
        for number in range(count):
            yield [slot[place[number]] for slot, place in zip(self.slots, places, strict=True)]

    def names(self, core: Seed, other: Seed | None, values: Sequence[tuple[str, str]]) -> Iterator[str]:
        """All names of one concept, the preferred one first: every pattern, then with the next of the parts' names."""
        ours = [core.names[0].split(" ")[0]] if self.genus else core.names
        theirs = other.names if other else ("",)
        for place in range(len(ours) * len(theirs)):
            first, second = ours[place % len(ours)], theirs[place // len(ours)]
            for pattern in self.patterns:
                yield pattern.format(*values, core=first, other=second)


def _families(path: Path) -> list[Family]:
    with path.open("rb") as file:
        table = tomllib.load(file)
    slots = {name: _slot(text) for name, text in table["slots"].items()}
    for name, parts in table["pairs"].items():
        pairs = product(_slot(parts["first"]), _slot(parts["second"]))
        slots[name] = [(first + second,) * 2 for (first, _), (second, _) in pairs]
    for name, (first, last) in table["numbers"].items():
        slots[name] = [(str(number),) * 2 for number in range(first, last + 1)]
    return [_family(row, slots) for row in table["family"]]


def _family(row: Mapping[str, Any], slots: Mapping[str, Slot]) -> Family:
    tui, type = row["type"]
    return Family(
        row["core"],
        row.get("other", ""),
        row["share"],
        (tui, type),
        tuple(slots[name] for name in row["slots"]),
        tuple(row["patterns"]),
        row.get("genus", False),
    )


def _slot(text: str) -> Slot:
    pairs = [value.partition("=") for value in text.split("|")]
    return [(short.strip(), (long or short).strip()) for short, _, long in pairs]


FAMILIES = _families(Path(__file__).with_suffix(".toml"))
