"""Counts in messages."""

from __future__ import annotations

import pytest

from linnet.plural import counted


@pytest.mark.parametrize(
    ("plural", "one"),
    [
        ("rejected annotations, left out", "rejected annotation, left out"),
        ("discontinuous spans, left out", "discontinuous span, left out"),
        ("files '.pdfs', not read", "file '.pdfs', not read"),
        ("annotations that were cancelled, left out", "annotation that was cancelled, left out"),
        ("rows with a column 'labels', which looks like annotations", "row with a column 'labels', which looks like annotations"),
        ("concepts have both a name and a replacement", "concept has both a name and a replacement"),
        ("<infons> elements in <passage>, left out", "<infons> element in <passage>, left out"),
    ],
)  # fmt: skip
def test_one_is_singular_and_only_the_counted_noun_changes(plural: str, one: str):
    assert counted(1, plural) == f"1 {one}"
    assert counted(2000, plural) == f"2,000 {plural}"
