"""Where an experiment keeps the result of each run, so that an interrupted one goes on and another plan begins anew."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import asdict
from pathlib import Path
from typing import Any

from linnet.artifact import digest

# What may change without changing what a run does: where it is kept, and how many runs there are.
_HOW_MANY = frozenset({"work", "results", "seeds", "variant_seeds"})


def results_folder(plan: Any, *, without: Collection[str] = ()) -> Path:
    """A folder of the plan's `work`, named for all its settings but the numbers of seeds.

    plan     a dataclass with a field `work`
    without  fields of it that the results kept there do not depend on
    """
    table = {name: value for name, value in asdict(plan).items() if name not in without}
    settings = json.dumps(_settled(table), sort_keys=True, default=str)
    return Path(plan.work) / f"results-{digest(settings)[:8]}"


def _settled(table: dict[str, Any]) -> dict[str, Any]:
    return {
        str(name): _settled(value) if isinstance(value, dict) else value
        for name, value in table.items()
        if name not in _HOW_MANY
    }
