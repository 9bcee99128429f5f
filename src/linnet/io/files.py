"""Reading and writing of text files: UTF-8, compressed or not, `-` for the standard streams, atomic replacement."""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
import tempfile
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from pathlib import Path
from typing import IO, TextIO

from linnet.advice import Step
from linnet.errors import DataError
from linnet.formats.head import UTF_16, is_zip
from linnet.formats.kinds import packed_kind
from linnet.io import archive
from linnet.io.compression import HEAD, SUFFIXES, Streams, Unpacked, compression_of
from linnet.io.drafts import draft_file
from linnet.io.file_stamps import Stamp, stamp_of

__all__ = [
    "exists",
    "head_of",
    "inner_name",
    "not_utf8",
    "on_disk",
    "open_bytes",
    "open_output",
    "open_seekable",
    "read_lines",
    "read_text",
    "replacing",
]

_EVIDENCE = 1 << 24  # bytes of a file that show its encoding
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")


@contextmanager
def open_bytes(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a file or `-` for reading bytes, unpacked if it is gzip, bzip2, xz or zip (by its first bytes, not its name).

    A zip archive stands for its one data file; `archive.zip/name` is a file of an archive with several.
    Raises DataError for a missing or unreadable file, a directory, an archive of several files, a document such as a
    workbook, and (while reading) for compressed data that is damaged, cut off, or unpacks to far too much.
    """
    with ExitStack() as stack:
        yield _unpacked(_opened(path, stack), path, stack)


def _opened(path: str | Path, stack: ExitStack) -> IO[bytes]:
    """The bytes on disk or in an archive, before decompression."""
    if str(path) == "-":
        return sys.stdin.buffer
    member = archive.inside(path)
    if member is not None:
        return stack.enter_context(archive.open_member(*member))
    try:
        return stack.enter_context(Path(path).open("rb"))
    except (FileNotFoundError, NotADirectoryError):
        raise DataError("no such file. Check the path.", path=path) from None
    except IsADirectoryError:
        raise DataError("is a directory; expected a file.", path=path) from None
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}.", path=path) from None


def _unpacked(packed: IO[bytes], path: str | Path, stack: ExitStack) -> IO[bytes]:
    head = _peek(packed, HEAD)
    if is_zip(head):
        packed, path = _member(path, stack)
        head = _peek(packed, HEAD)
        if is_zip(head):
            raise DataError("is a zip archive in a zip archive. Unpack the outer one.", path=path)
    kind = compression_of(head)
    if kind:
        streams = Streams(packed, kind)
        seekable = str(path) != "-"
        unpacked = io.BufferedReader(Unpacked(streams, kind, path, seekable=seekable))
        packed = stack.enter_context(unpacked)
        head = _peek(packed, HEAD)
    if unreadable := packed_kind(head):
        raise DataError(f"is {unreadable.name}, which linnet does not read. {unreadable.advice}", path=path)
    return packed


def _member(path: str | Path, stack: ExitStack) -> tuple[IO[bytes], Path]:
    """The one data file of a zip archive, opened, and its path."""
    if str(path) == "-":
        raise DataError("A zip archive cannot be read from standard input. Name the file.")
    if archive.inside(path) is not None:
        raise DataError("is a zip archive in a zip archive. Unpack the outer one.", path=path)
    document = archive.document_kind(path)
    if document:
        raise DataError(f"is {document.name}, not a text file. {document.advice}", path=path)
    member = archive.only_member(path)
    place = archive.inside(member)
    assert place is not None
    return stack.enter_context(archive.open_member(*place)), member


def _peek(stream: IO[bytes], size: int) -> bytes:
    """The next bytes, without consuming them; possibly fewer than `size`."""
    if isinstance(stream, io.BufferedReader):
        return stream.peek(size)[:size]
    place = stream.tell()
    head = stream.read(size)
    stream.seek(place)
    return head


@contextmanager
def open_seekable(path: str | Path) -> Iterator[IO[bytes]]:
    """The file's bytes as a seekable stream: the file itself, or an unpacked temporary copy.

    A workbook is not unpacked. Raises as `open_bytes` does.
    """
    with ExitStack() as stack:
        packed = _opened(path, stack)
        if str(path) != "-" and archive.document_kind(path):
            yield packed
            return
        unpacked = _unpacked(packed, path, stack)
        if unpacked is packed and str(path) != "-" and archive.inside(path) is None:
            yield packed
            return
        with tempfile.TemporaryFile() as copy:
            shutil.copyfileobj(unpacked, copy, 1 << 20)
            copy.seek(0)
            yield copy


def head_of(path: str | Path, size: int = 1 << 16) -> bytes:
    """The first unpacked bytes of a file, for detecting its format. Standard input is not consumed.

    Data that is cut off gives fewer bytes; reading it will raise the error. Raises as `open_bytes` does.
    """
    if str(path) == "-":
        return _head_of_input(size)
    head = b""
    with open_bytes(path) as stream:
        try:
            while len(head) < size and (block := stream.read(min(size - len(head), io.DEFAULT_BUFFER_SIZE))):
                head += block
        except DataError:
            if not head:
                raise
    return head


def _head_of_input(size: int) -> bytes:
    head = _peek(sys.stdin.buffer, size)
    kind = compression_of(head)
    if not kind:
        return head
    unpacked = Unpacked(Streams(io.BytesIO(head), kind), kind, "-", seekable=False)
    try:
        return unpacked.read(size) or b""
    except DataError:
        return b""


def exists(path: str | Path) -> bool:
    """Whether the file or directory exists, on disk or in a zip archive."""
    return Path(path).exists() or (archive.inside(path) is not None and archive.holds(path))


def on_disk(path: str | Path) -> Path:
    """The file on disk: the archive for a path into one, else `path`."""
    member = archive.inside(path)
    return member[0] if member is not None else Path(path)


def inner_name(path: str | Path) -> str:
    """Name of the uncompressed file: `notes.txt` for `notes.txt.gz`, and for a zip archive that holds only `notes.txt`."""
    place = Path(path)
    if str(path) != "-" and place.is_file() and archive.is_archive(place):
        place = archive.only_member(place)
    return place.name.removesuffix(place.suffix) if place.suffix.lower() in SUFFIXES else place.name


def read_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """Number (from 1) and text of each line, without its line end. UTF-8, or UTF-16 with a byte order mark; marks are dropped.

    Only `\\n` and `\\r\\n` end a line (U+2028 and the like occur inside abstracts).
    Raises DataError with file and line for bytes that are not UTF-8.
    """
    with open_bytes(path) as stream:
        for number, raw in enumerate(stream, start=1):
            if number == 1 and raw.startswith(UTF_16):
                text = _utf_16(raw + stream.read(), path)
                for position, line in enumerate(text.removesuffix("\n").split("\n"), start=1):
                    yield position, line.removesuffix("\r")
                return
            if number == 1 and raw.startswith(BOM_UTF8):
                raw = raw[3:]
            try:
                line = raw.decode("utf-8")
            except UnicodeDecodeError as error:
                raise not_utf8(error, path, line=number) from None
            yield number, line.rstrip("\n").removesuffix("\r")


def read_text(path: str | Path) -> str:
    """The whole file as text, with its line ends. Raises as `read_lines` does."""
    with open_bytes(path) as stream:
        raw = stream.read()
    if raw.startswith(UTF_16):
        return _utf_16(raw, path)
    raw = raw.removeprefix(BOM_UTF8)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise not_utf8(error, path) from None


def not_utf8(error: UnicodeDecodeError, path: str | Path, *, line: int = 1, skip: bool = False) -> DataError:
    """The error for bytes that are not UTF-8, with advice that fits the rest of the file.

    line  of the first of the bytes that were to be decoded
    skip  whether the reader can leave out the line alone
    """
    raw, start = error.object, error.start
    place = start - raw.rfind(b"\n", 0, start) - 1
    advice = [Step.SKIP_BAD_RECORD() if skip else Step.DROP_BYTES()]
    convert = [Step.CONVERT_ENCODING(encoding="windows-1252")]
    valid, invalid = (0, 0) if str(path) == "-" else _beyond_ascii(path, stamp_of(on_disk(path)))
    looks, advice = (
        ("; the rest is UTF-8", advice)
        if valid and valid >= invalid
        else ("; the file looks like Windows-1252", convert)
        if invalid
        else ("", advice + convert)
    )
    return DataError(
        f"not valid UTF-8 at byte {place} of the line (0x{raw[start]:02x}){looks}.",
        *advice,
        path=path,
        line=line + raw.count(b"\n", 0, start),
    )


@lru_cache(maxsize=16)
def _beyond_ascii(path: str | Path, stamp: Stamp | None) -> tuple[int, int]:
    """How many characters beyond ASCII, and how many bytes that are none, the beginning of a file holds; `stamp`: its version."""
    text = head_of(path, _EVIDENCE).decode("utf-8", "replace")
    invalid = text.count("\ufffd")
    return sum(map(len, _BEYOND_ASCII.findall(text))) - invalid, invalid


def _utf_16(raw: bytes, path: str | Path) -> str:
    try:
        return raw.decode("utf-16")
    except UnicodeDecodeError as error:
        raise DataError(
            f"begins as UTF-16, but is invalid at byte {error.start} ({error.reason}). Save it as UTF-8.",
            path=path,
        ) from None


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """A temporary file beside `path` that replaces it if the block ends without an error.

    On an error, an interrupt or a full disk, the temporary file is removed and `path` is unchanged.
    If `path` is a symbolic link, its target is replaced. Raises DataError where the file cannot be written, also for an OSError
    of the block that names no other file.
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
            other = error.filename if isinstance(error.filename, str | bytes) else None
            if other is not None and Path(os.fsdecode(other)) not in (draft, target):
                raise  # it is of a file that the block reads
            raise DataError(
                f"cannot be written: {error.strerror}. Nothing was changed.", path=path
            ) from error


@contextmanager
def open_output(path: str | Path) -> Iterator[TextIO]:
    """A text stream for writing: standard output for `-`, else a file that appears completely or not at all.

    A device or named pipe (`/dev/null`) is written directly.
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
