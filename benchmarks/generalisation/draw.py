"""The 300 strings of trial registries that were annotated: 223 conditions drawn by seed, and all 77 interventions.

    python benchmarks/generalisation/draw.py > strings.jsonl

Each line has `number`, `kind` ("condition" or "intervention"), `part` ("tune" or "score") and `text`. Interventions are of
type DRUG, BIOLOGICAL or PROCEDURE; the file has no more than 77 different ones. Lines come in random order: tuning and
scoring strings are mixed, so that annotators cannot tell them apart. Needs `LINNET_DATA`.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = ["RegistryString", "draw"]

_SEED = 15
_STRINGS = 300
_KINDS = frozenset({"DRUG", "BIOLOGICAL", "PROCEDURE"})


class RegistryString(NamedTuple):
    number: int
    kind: str
    part: str
    text: str


def draw(trials: Path) -> list[RegistryString]:
    """300 distinct strings of a file of trials; half of each kind is for tuning, half is scored once."""
    records = [json.loads(line) for line in trials.read_text(encoding="utf-8").splitlines()]
    conditions = sorted({text.strip() for record in records for text in record["conditions"]})
    interventions = sorted(
        {
            entry["name"].strip()
            for record in records
            for entry in record["interventions"]
            if entry["type"] in _KINDS
        }
    )
    random_source = random.Random(_SEED)
    chosen = {
        "condition": random_source.sample(conditions, _STRINGS - len(interventions)),
        "intervention": random_source.sample(interventions, len(interventions)),
    }
    drawn = [
        (kind, "tune" if index < len(texts) // 2 else "score", text)
        for kind, texts in chosen.items()
        for index, text in enumerate(texts)
    ]
    random_source.shuffle(drawn)
    return [RegistryString(number, *row) for number, row in enumerate(drawn, 1)]


def _lines() -> Iterator[str]:
    trials = Path(os.environ["LINNET_DATA"], "corpora", "clinical-trials", "trials.jsonl")
    return (json.dumps(string._asdict(), ensure_ascii=False) for string in draw(trials))


if __name__ == "__main__":
    print("\n".join(_lines()))
