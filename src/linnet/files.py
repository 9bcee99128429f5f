"""Text files as linnet reads and writes them: gzip or not, UTF-8, `-` for the standard streams, whole or not at all."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, TextIO

from linnet.drafts import draft_file
from linnet.errors import DataError

__all__ = ["open_bytes", "open_output", "read_lines", "read_text", "replacing", "text_of_head"]

_UTF_16 = (BOM_UTF16_LE, BOM_UTF16_BE)


@contextmanager
def open_bytes(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a file, a gzip file (told by its first bytes, not its name) or `-` for reading bytes.

    Raises DataError for a missing or unreadable file, a directory, and (while reading) a truncated or corrupt gzip.
    """
    if str(path) == "-":
        yield sys.stdin.buffer
        return
    try:
        raw = Path(path).open("rb")  # noqa: SIM115
    except FileNotFoundError:
        raise DataError("no such file. Check the path.", path=path) from None
    except IsADirectoryError:
        raise DataError("is a directory; expected a file.", path=path) from None
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}.", path=path) from None
    with raw:
        zipped = raw.read(2) == b"\x1f\x8b"
        raw.seek(0)
        if not zipped:
            yield raw
            return
        with gzip.GzipFile(fileobj=raw) as unzipped:
            try:
                yield io.BufferedReader(unzipped)
            except (EOFError, gzip.BadGzipFile, zlib.error) as error:
                raise DataError(
                    f"the gzip file is truncated or damaged ({error}). Fetch it again.", path=path
                ) from None


def read_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """Number (from 1) and text of each line, without its line end; UTF-8, or UTF-16 with a byte order mark, which is dropped.

    Only `\\n` and `\\r\\n` end a line (not U+2028 and the like, which occur inside abstracts).
    Raises DataError naming file and line where the bytes are not UTF-8.
    """
    with open_bytes(path) as stream:
        for number, raw in enumerate(stream, start=1):
            if number == 1 and raw.startswith(_UTF_16):
                text = _utf_16(raw + stream.read(), path)
                for place, line in enumerate(text.removesuffix("\n").split("\n"), start=1):
                    yield place, line.removesuffix("\r")
                return
            if number == 1 and raw.startswith(BOM_UTF8):
                raw = raw[3:]
            try:
                line = raw.decode("utf-8")
            except UnicodeDecodeError as error:
                raise DataError(
                    f"not valid UTF-8 at byte {error.start} of the line "
                    f"(0x{raw[error.start]:02x}). Convert the file, e.g. iconv -f latin1 -t utf-8.",
                    path=path,
                    line=number,
                ) from None
            yield number, line.rstrip("\n").removesuffix("\r")


def read_text(path: str | Path) -> str:
    """The whole file as text; line ends are kept as they are. Raises as `read_lines` does."""
    with open_bytes(path) as stream:
        raw = stream.read()
    if raw.startswith(_UTF_16):
        return _utf_16(raw, path)
    raw = raw.removeprefix(BOM_UTF8)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"not valid UTF-8 (0x{raw[error.start]:02x}). Convert the file, e.g. iconv -f latin1 -t utf-8.",
            path=path,
            line=line,
        ) from None


def text_of_head(head: bytes) -> str:
    """The first bytes of a file as text, to tell its format by; what is no text is replaced."""
    if head.startswith(_UTF_16):
        return head.decode("utf-16", "replace")
    return head.removeprefix(BOM_UTF8).decode("utf-8", "replace")


def _utf_16(raw: bytes, path: str | Path) -> str:
    try:
        return raw.decode("utf-16")
    except UnicodeDecodeError as error:
        raise DataError(
            f"begins as UTF-16, and is not valid at byte {error.start} ({error.reason}). Save it as UTF-8.",
            path=path,
        ) from None


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """A temporary file beside `path` that takes its place when the block ends without an error.

    On an error, an interrupt or a full disk the temporary file is removed and `path` is left as it was.
    Where `path` is a symbolic link, the file it points to is replaced.
    """
    target = Path(path).resolve()
    with ExitStack() as stack:
        try:
            draft = stack.enter_context(draft_file(target))
        except OSError as error:
            raise DataError(f"cannot be written: {error.strerror}.", path=path) from None
        try:
            yield draft
            mask = os.umask(0)
            os.umask(mask)
            draft.chmod(0o666 & ~mask)
            draft.replace(target)
        except OSError as error:
            raise DataError(
                f"cannot be written: {error.strerror}. Nothing was changed.", path=path
            ) from error


@contextmanager
def open_output(path: str | Path) -> Iterator[TextIO]:
    """A text stream to write to: standard output for `-`, else a file that appears whole or not at all.

    A device or named pipe (`/dev/null`) is written to as it is.
    """
    if str(path) == "-":
        yield sys.stdout
        sys.stdout.flush()
        return
    if Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir():
        with Path(path).open("w", encoding="utf-8", newline="\n") as stream:
            yield stream
        return
    with replacing(path) as draft, draft.open("w", encoding="utf-8", newline="\n") as stream:
        yield stream
