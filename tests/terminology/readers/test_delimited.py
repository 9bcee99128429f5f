"""Rows of delimited text."""

from __future__ import annotations

from pathlib import Path

import pytest

from linnet.errors import DataError
from linnet.formats.delimited import rows
from linnet.terminology.readers.options import SourceFile


def cut(text: str, delimiter: str = "\t") -> list[tuple[int, list[str]]]:
    lines = iter(list(enumerate(text.split("\n"), start=1)))
    return list(rows(lines, delimiter, SourceFile(Path("t")).malformed))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('a\tb\n1\t"two\nlines"\n2\tx', [(1, ["a", "b"]), (2, ["1", "two\nlines"]), (4, ["2", "x"])]),
        ('a\tb\tc\n1\t"two\nlines"\tz\n', [(1, ["a", "b", "c"]), (2, ["1", "two\nlines", "z"])]),
        ('a\tb\n1\t"a ""b""\n\nc"\n', [(1, ["a", "b"]), (2, ["1", 'a "b"\n\nc'])]),
        # a quote that is never closed, or closed in a row of its own, is a character
        ('a\tb\n1\t"open\n2\tx\n', [(1, ["a", "b"]), (2, ["1", '"open']), (3, ["2", "x"])]),
        ('a\tb\n1\t"open\n2\tshut"\n', [(1, ["a", "b"]), (2, ["1", '"open']), (3, ["2", 'shut"'])]),
        ('a\tb\n1\t5" beak\n', [(1, ["a", "b"]), (2, ["1", '5" beak'])]),
    ],
)
def test_a_quoted_cell_of_a_tabbed_table_may_span_lines(text: str, expected: object) -> None:
    assert cut(text) == expected


def test_a_quote_opened_for_good_costs_no_rows() -> None:
    text = 'a\tb\n1\t"open\n' + "".join(f"{number}\tx\n" for number in range(2, 1000))
    assert len(cut(text)) == 1000


def test_a_quote_that_is_never_closed_in_csv_is_refused() -> None:
    with pytest.raises(DataError, match="t:2: a quote is never closed"):
        cut('a,b\n1,"x\n', ",")
