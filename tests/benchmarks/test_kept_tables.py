"""What benchmarks write between the marks of docs/performance.md can be made again of the tables kept beside it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "benchmarks"))

from kept_tables import kept, shown, write_shown  # noqa: E402

PAGE = ROOT / "docs/performance.md"


@pytest.mark.parametrize(
    ("template", "begin", "end"),
    [
        ("linking_page.md", "<!-- linking: written by make bench -->", "<!-- linking: end -->"),
        ("scale/page.md", "<!-- scale: written by make bench-scale -->", "<!-- scale: end -->"),
    ],
)
def test_the_page_is_made_again_of_what_was_kept(template: str, begin: str, end: str) -> None:
    between = PAGE.read_text(encoding="utf-8").partition(f"{begin}\n")[2].partition(f"\n{end}")[0]
    made = shown((ROOT / "benchmarks" / template).read_text(encoding="utf-8"), kept(PAGE))
    assert made.rstrip() == between


def test_tables_are_kept_beside_those_of_other_benchmarks(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Page\n\n<!-- a -->\n<!-- end -->\n", encoding="utf-8")
    table = "| a | b |\n| --- | ---: |\n| 1 | 2 |\n"
    write_shown(
        page,
        "<!-- a -->",
        "<!-- end -->",
        "{machine}:\n\n{scores:column 1}",
        {"machine": "one", "scores": table},
    )
    write_shown(page, "<!-- b -->", "<!-- end of b -->", "{other} of {machine}", {"other": "more"})
    assert page.read_text(encoding="utf-8") == (
        "# Page\n\n<!-- a -->\none:\n\n| a | b |\n| --- | ---: |\n| 1 | 2 |\n<!-- end -->\n\n"
        "<!-- b -->\nmore of one\n<!-- end of b -->\n"
    )
    assert kept(page) == {"machine": "one", "scores": table, "other": "more"}
