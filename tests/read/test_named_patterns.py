"""Regular expressions made of each other."""

from __future__ import annotations

import pytest

from linnet.read import named_patterns
from linnet.read.named_patterns import patterns

ROWS = (
    {"role": "acid", "entry": "(?:dornine|zarnine)"},
    {"role": "change", "entry": "{acid} to {acid}"},
    {"role": "change", "entry": r"{acid} \d{1,3}"},
)


@pytest.fixture(autouse=True)
def invented(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(named_patterns, "rows", {"invented": ROWS}.__getitem__)


def test_a_role_in_braces_stands_for_the_first_entry_above_with_it() -> None:
    words, number = patterns("invented", "change")
    assert words.fullmatch("dornine to zarnine")
    assert number.fullmatch("zarnine 123")
    assert not number.fullmatch("zarnine 1234")


def test_entries_keep_their_order_and_letter_case_counts() -> None:
    assert [
        pattern.search("Dornine to zarnine 5") is not None for pattern in patterns("invented", "change")
    ] == [
        False,
        True,
    ]
