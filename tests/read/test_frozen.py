"""What the functions of `linnet.read` say of strings stays as it was before their words became tables.

`strings.txt` has an invented string for nearly every alternative of every entry, so no row is lost unseen. A row that is meant to change
an answer changes a digest in `frozen.json`: write it again with `PYTHONPATH=. python tests/read/test_frozen.py`, and say in the commit
which answers change.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.same_readings import digest, functions, sample, shared_strings
from linnet.read.qualifiers import without_qualifiers
from linnet.read.rules import rows

_HERE = Path(__file__).parent
_SAMPLE = 4000  # strings of the shared data


def _digests(texts: Sequence[str]) -> dict[str, str]:
    return {name: digest(map(function, texts)) for name, function in functions().items()}


def _invented() -> list[str]:
    return (_HERE / "strings.txt").read_text(encoding="utf-8").splitlines()


def _frozen(name: str) -> dict[str, str]:
    digests: dict[str, str] = json.loads((_HERE / "frozen.json").read_text(encoding="utf-8"))[name]
    return digests


def test_answers_for_invented_strings_are_as_before() -> None:
    assert _digests(_invented()) == _frozen("invented")


@pytest.mark.data
def test_answers_for_real_strings_are_as_before(data: Path) -> None:
    assert _digests(sample(shared_strings(data), _SAMPLE)) == _frozen("shared")


def test_every_kind_of_qualifier_is_left_out_of_some_string() -> None:
    kinds = {kind for text in _invented() for bare in without_qualifiers(text) for kind in bare.kinds}
    tables = ("qualifier_marks", "qualifier_words")
    assert kinds == {row["kind"] for table in tables for row in rows(table)} | {"place"}


if __name__ == "__main__":
    found = {
        "invented": _digests(_invented()),
        "shared": _digests(sample(shared_strings(Path(os.environ["LINNET_DATA"])), _SAMPLE)),
    }
    (_HERE / "frozen.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
