"""Keys that the 150 strings of a hospital table take a skilled reviewer on the page of `linnet map review`.

    python benchmarks/map_keys.py TERMINOLOGY [--strings hospital|mixed] [--json FILE]

TERMINOLOGY is MeSH 2024, built and indexed. Maps the strings of `generalisation/hospital.jsonl`, starts the server, and decides each in
Chromium as its answer says; what is saved must be the answers. The reviewer knows the answer, and takes

    A       where it is proposed, or no concept is proposed and it is none
    1 … 9   where it is one of the first nine candidates
    0       where it is no concept
    a search, typed until the concept is the first one found, and Enter
    M       where several concepts are right and others are proposed; then a digit or a search for each, and A

These are counted apart. Time to read and think is not counted.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from playwright.sync_api import Page, sync_playwright

from benchmarks.generalisation.strings import AnnotatedString, hospital, mixed
from linnet.mapping import Columns, Mapping
from linnet.mapping.rows import Row

_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_LISTED, _SEARCHED, _SEVERAL = "among the first nine", "searched", "several"
_PAUSE = 250  # milliseconds after which a search has answered


def main() -> None:
    """Map, review and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("terminology", type=Path)
    parser.add_argument("--strings", choices=("hospital", "mixed"), default="hospital")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    strings = {"hospital": hospital, "mixed": mixed}[options.strings]().strings
    with tempfile.TemporaryDirectory() as name:
        mapping = _mapped(strings, options.terminology, Path(name))
        rows = {row.text: row for row in mapping}
        answers = {string.text: string.concepts for string in strings if string.text in rows}
        with _served(mapping.path) as address, _page() as page:
            taken = _review(page, address, rows, answers, mapping)
        _check(mapping, answers, taken)
        mapping.close()
    figures = {
        kind: {"strings": len(keys), "keys": sum(keys)}
        for kind in (_LISTED, _SEARCHED, _SEVERAL)
        if (keys := [count for what, count in taken.values() if what == kind])
    }
    for kind, figure in figures.items():
        each = figure["keys"] / figure["strings"]
        print(f"{kind:<22}{figure['strings']:>5} strings{figure['keys']:>6} keys{each:>7.2f} a string")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def _mapped(strings: Sequence[AnnotatedString], terminology: Path, folder: Path) -> Mapping:
    table = folder / "strings.csv"
    with table.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([("label",), *((string.text,) for string in strings)])
    return Mapping.new(table, folder / "strings.map", terminology, columns=Columns(text="label"))


def _review(
    page: Page, address: str, rows: dict[str, Row], answers: dict[str, tuple[str, ...]], mapping: Mapping
) -> dict[str, tuple[str, int]]:
    """Decide every string. What was done for each, and with how many keys."""
    page.goto(address)
    heading = page.get_by_role("region", name="String").get_by_role("heading")
    heading.wait_for()
    taken: dict[str, tuple[str, int]] = {}
    while len(taken) < len(answers):
        text = heading.inner_text()
        if text in taken:
            raise RuntimeError(f"'{text}' is open again")
        row, answer = rows[text], answers[text]
        shown = [each.concept for each in row.proposal.candidates] if row.proposal else []
        listed = list(dict.fromkeys(shown))[:9]
        if {target.concept for target in row.targets} == set(answer):
            taken[text] = (_LISTED, _press(page, "a"))
        elif not answer:
            taken[text] = (_LISTED, _press(page, "0"))
        elif len(answer) > 1:
            keys = _press(page, "m")
            for concept in answer:
                keys += (
                    _press(page, str(listed.index(concept) + 1))
                    if concept in listed
                    else _search(page, concept, mapping.target(concept).name)
                )
            taken[text] = (_SEVERAL, keys + _press(page, "a"))
        elif answer[0] in listed:
            taken[text] = (_LISTED, _press(page, str(listed.index(answer[0]) + 1)))
        else:
            taken[text] = (_SEARCHED, _search(page, answer[0], mapping.target(answer[0]).name))
    while page.evaluate("sessionStorage.getItem('linnet-review-unsent')") is not None:
        page.wait_for_timeout(50)
    return taken


def _press(page: Page, key: str) -> int:
    page.keyboard.press(key)
    return 1


def _search(page: Page, concept: str, name: str) -> int:
    """Type the name until the concept comes first, the id if it never does. The number of keys."""
    keys = _press(page, "/")
    first = page.get_by_role("list", name="Found").get_by_role("listitem").first
    for typed in (name, concept):
        page.get_by_label("Search the terminology").fill("")
        for letter in typed:
            keys += _press(page, letter)
            page.wait_for_timeout(_PAUSE)
            if first.count() and concept in first.inner_text():
                return keys + _press(page, "Enter")
    raise RuntimeError(f"{concept} is not found")


def _check(mapping: Mapping, answers: dict[str, tuple[str, ...]], taken: dict[str, tuple[str, int]]) -> None:
    for row in mapping:
        saved = {target.concept for target in row.targets}
        if saved != set(answers[row.text]):
            raise RuntimeError(f"'{row.text}' is not as it was decided: {saved}")


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    """The address of a server, which is stopped in the end."""
    code = "import sys; from linnet.cli import main; sys.exit(main())"
    words = [sys.executable, "-c", code, "map", "review", str(folder), "--port", "0", "--no-browser"]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        found = None
        while found is None and (line := process.stderr.readline()):
            found = re.search(r"http://[\d.]+:\d+", line)
        if found is None:
            raise RuntimeError("the server did not start")
        yield found[0]
    finally:
        process.terminate()
        process.wait()


@contextmanager
def _page() -> Iterator[Page]:
    program = os.environ.get("LINNET_CHROMIUM") or next(filter(None, map(shutil.which, _BROWSERS)), None)
    if program is None:
        raise RuntimeError("no Chromium: install it, or set LINNET_CHROMIUM to its program")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        yield browser.new_page(viewport={"width": 1280, "height": 720})
        browser.close()


if __name__ == "__main__":
    main()
