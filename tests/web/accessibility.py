"""What axe-core finds wrong with a page, in light and dark, narrow and wide."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

AXE = Path(__file__).parents[2] / "web/node_modules/axe-core/axe.min.js"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
LOOKS = (("light", 400), ("dark", 1600))
"""Colours, and width of the window."""


def skip_without_axe() -> None:
    """Skip the test where axe-core is not installed."""
    if not AXE.is_file():
        pytest.skip("axe-core absent: run `make web`")


def violations(page: Any) -> list[str]:
    """The rules that the page breaks as it is now, each with some of the elements."""
    if not page.evaluate("'axe' in window"):  # half a megabyte to compile
        page.evaluate(AXE.read_text(encoding="utf-8"))
    result = page.evaluate(f"axe.run({{runOnly: {TAGS}, resultTypes: ['violations']}})")
    return [f"{one['id']}: {node['html'][:150]}" for one in result["violations"] for node in one["nodes"][:3]]


def flaws(page: Any, name: str) -> list[str]:
    """The violations in each of `LOOKS`, and whether the page is wider than its window; name: of the page."""
    found = []
    for colours, width in LOOKS:
        page.emulate_media(color_scheme=colours)
        page.set_viewport_size({"width": width, "height": 900})
        wide = page.evaluate("document.documentElement.scrollWidth")
        if wide > width:
            found.append(f"{name} is {wide} wide in a window of {width}")
        found += [f"{name} {colours} {width}: {violation}" for violation in violations(page)]
    return found
