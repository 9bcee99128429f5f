"""Rows of a JSON Lines file, compressed or not, from any byte on."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import IO

from linnet.corpora.lines import decoded
from linnet.errors import DataError
from linnet.io.files import open_bytes
from linnet.io.json import parse_json
from linnet.scale.rows import ReadOptions, Row, make_row
from linnet.scale.sources import Source

__all__ = ["json_rows"]

_BLOCK = 1 << 20


def json_rows(
    source: Source, options: ReadOptions, *, start: int, stop: int | None, line: int
) -> Iterator[Row]:
    """See `read_rows`; `start` and `stop` count decompressed bytes. Blank lines are skipped.

    A compressed file is decompressed from its beginning up to `start`.
    """
    position, number = start, line - 1
    try:
        with open_bytes(source.path) as stream:
            # Reading from a buffer's boundary gives the same rows of a truncated file as reading it from 0.
            stream.seek(start - start % io.DEFAULT_BUFFER_SIZE)
            stream.read(start % io.DEFAULT_BUFFER_SIZE)
            while stop is None or position < stop:
                raw = stream.readline(options.longest + 1)
                if not raw:
                    return
                begin, number = position, number + 1
                position += len(raw)
                if len(raw) > options.longest and not raw.endswith(b"\n"):
                    position += _skip_line(stream)
                    error = DataError(
                        f"the line has {position - begin:,} bytes; the limit is {options.longest:,}. Split the document.",
                        path=source.path,
                        line=number,
                    )
                    yield Row(begin, position, number, position - begin, None, (error,))
                elif raw.strip():
                    yield _row(raw, source, options, begin, position, number)
    except DataError as error:
        raise error.again(path=source.path, line=number + 1 if number else None) from None
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}.", path=source.path) from None


def _row(raw: bytes, source: Source, options: ReadOptions, start: int, stop: int, line: int) -> Row:
    text = decoded(raw.removeprefix(b"\xef\xbb\xbf") if line == 1 else raw, source.path, line)
    try:
        if isinstance(text, DataError):
            raise text
        record = parse_json(text.rstrip(), source.path, line)
        if not isinstance(record, dict):
            raise DataError("expected one JSON object per line.", path=source.path, line=line)
    except DataError as error:
        return Row(start, stop, line, len(raw), None, (error,))
    return make_row(record, source, options, start=start, stop=stop, line=line, size=len(raw))


def _skip_line(stream: IO[bytes]) -> int:
    """Read to the end of the line; returns the number of bytes read."""
    length = 0
    while block := stream.readline(_BLOCK):
        length += len(block)
        if block.endswith(b"\n"):
            break
    return length
