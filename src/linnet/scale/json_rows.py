"""Rows of a JSON Lines file, packed or not, from a byte on."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import IO

from linnet.corpora.lines import decoded, parse_json
from linnet.errors import DataError
from linnet.files import open_bytes
from linnet.scale.rows import Reading, Row, row_of
from linnet.scale.sources import Source

__all__ = ["json_rows"]

_BLOCK = 1 << 20


def json_rows(source: Source, reading: Reading, *, start: int, stop: int | None, line: int) -> Iterator[Row]:
    """See `read_rows`; `start` and `stop` count unpacked bytes. Blank lines are passed over.

    A packed file is unpacked from its beginning up to `start`.
    """
    place, number = start, line - 1
    try:
        with open_bytes(source.path) as stream:
            # From where a buffer begins in a reading from 0: of a truncated file both then get the same rows.
            stream.seek(start - start % io.DEFAULT_BUFFER_SIZE)
            stream.read(start % io.DEFAULT_BUFFER_SIZE)
            while stop is None or place < stop:
                raw = stream.readline(reading.longest + 1)
                if not raw:
                    return
                begin, number = place, number + 1
                place += len(raw)
                if len(raw) > reading.longest and not raw.endswith(b"\n"):
                    place += _rest_of_line(stream)
                    error = _too_long(place - begin, reading.longest, source, number)
                    yield Row(begin, place, number, place - begin, None, (error,))
                elif raw.strip():
                    yield _row(raw, source, reading, begin, place, number)
    except DataError as error:
        raise DataError(error.message, path=source.path, line=number + 1 if number else None) from None
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}.", path=source.path) from None


def _row(raw: bytes, source: Source, reading: Reading, start: int, stop: int, line: int) -> Row:
    text = decoded(raw.removeprefix(b"\xef\xbb\xbf") if line == 1 else raw, source.path, line)
    try:
        if isinstance(text, DataError):
            raise text
        record = parse_json(text, source.path, line)
        if not isinstance(record, dict):
            raise DataError("expected a JSON object a line.", path=source.path, line=line)
    except DataError as error:
        return Row(start, stop, line, len(raw), None, (error,))
    return row_of(record, source, reading, start=start, stop=stop, line=line, size=len(raw))


def _rest_of_line(stream: IO[bytes]) -> int:
    length = 0
    while block := stream.readline(_BLOCK):
        length += len(block)
        if block.endswith(b"\n"):
            break
    return length


def _too_long(length: int, longest: int, source: Source, line: int) -> DataError:
    return DataError(
        f"the line has {length:,} bytes; up to {longest:,} are read. Cut the document into several.",
        path=source.path,
        line=line,
    )
