"""The figures of the linnet before it was made for clinical notes, kept in before.json: the default of commit 151370d3.

git archive 151370d3 src | tar x -C OLD
PYTHONPATH=OLD/src:. python -m benchmarks.clinical.run --before [--score] --terminology DIR
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["keep", "kept"]

PLACE = Path(__file__).with_name("before.json")


def kept() -> dict[str, Any]:
    """Figures by half ("tune", "score") and "home"; a half that was not measured is absent."""
    figures: dict[str, Any] = json.loads(PLACE.read_text(encoding="utf-8")) if PLACE.exists() else {}
    return figures


def keep(figures: Mapping[str, Any]) -> None:
    """Put figures beside those that are kept."""
    lines = [
        f"{json.dumps(name)}: {json.dumps(value)}" for name, value in sorted({**kept(), **figures}.items())
    ]
    PLACE.write_text("{" + ",\n".join(lines) + "}\n", encoding="utf-8")
