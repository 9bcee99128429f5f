"""Rows of CSV and TSV files that end in a line feed. Cells with a carriage return are quoted, or no reader could tell them from rows.

>>> import csv, io
>>> stream = io.StringIO()
>>> csv.writer(row_stream(stream), lineterminator=ROW_END).writerow(["gout\\rasthma", "x"])
>>> stream.getvalue()
'"gout\\rasthma",x\\n'
"""

from __future__ import annotations

from typing import TextIO

__all__ = ["ROW_END", "row_stream"]

ROW_END = "\r\n"
"""What `csv` has to take for the end of a row: it quotes the characters of that alone."""


class _RowStream:
    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, row: str) -> None:
        self._stream.write(row.removesuffix(ROW_END) + "\n")


def row_stream(stream: TextIO) -> _RowStream:
    """What `csv.writer` with `lineterminator=ROW_END` writes to."""
    return _RowStream(stream)
