"""Seeded changes to a JSON value, of the kinds that exports suffer: what a test does with an invented file."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

__all__ = ["mutated", "mutations"]

_JUNK: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    3,
    1e300,
    2.5,
    "",
    "x",
    "😀",
    [],
    {},
    [[]],
    {"a": 1},
    "C0011849",
    [0, 4, "X"],
)


def mutations(value: Any, count: int) -> Iterator[tuple[int, Any]]:
    """Seed and changed value, `count` times; the value itself stays as it is."""
    for seed in range(count):
        yield seed, mutated(value, random.Random(seed))


def mutated(value: Any, rng: random.Random) -> Any:
    """The value after one to three changes: a part removed, doubled, replaced, shifted, moved, or a text changed."""
    changed = copy.deepcopy(value)
    for _ in range(rng.randint(1, 3)):
        places = list(_places(changed))
        if not places:
            break
        holder, key = rng.choice(places)
        _change(holder, key, rng)
    return changed


def as_lines(records: list[Any]) -> str:
    """The records, one a line."""
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every part of a value, as its holder and its key or index there."""
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])


def _change(holder: Any, key: Any, rng: random.Random) -> None:
    part = holder[key]
    kind = rng.choice(["remove", "double", "replace", "shift", "shift", "text"])
    if kind == "remove":
        del holder[key]
    elif kind == "double" and isinstance(holder, list):
        holder.insert(rng.randint(0, len(holder)), copy.deepcopy(part))
    elif kind == "shift" and type(part) is int:
        holder[key] = part + rng.choice([-30, -2, -1, 1, 2, 30])
    elif kind == "text" and isinstance(part, str):
        place = rng.randint(0, len(part))
        holder[key] = (
            part[:place] + rng.choice(["😀", "é", " ", "\n", ""]) + part[place + rng.randint(0, 1) :]
        )
    else:
        holder[key] = copy.deepcopy(rng.choice(_JUNK))
