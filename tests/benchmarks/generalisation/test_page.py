"""The page of left-out sets can be made again, byte for byte, of its template and the tables kept."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.generalisation.page import shown

PAGE = Path(__file__).parents[3] / "docs/results/generalisation.md"


def test_the_page_is_made_again_of_the_tables_that_were_kept() -> None:
    lines = json.loads(PAGE.with_suffix(".json").read_text(encoding="utf-8"))
    tables = {name: "\n".join(text) if isinstance(text, list) else text for name, text in lines.items()}
    assert shown(tables) == PAGE.read_text(encoding="utf-8")
