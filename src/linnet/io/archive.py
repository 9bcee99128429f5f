"""Zip archives, read in place without extraction. A file in an archive has a path such as `release.zip/META/MRCONSO.RRF`."""

from __future__ import annotations

import io
import os
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import IO

from linnet.errors import DataError
from linnet.formats.kinds import Kind, document_of, is_zip
from linnet.io.compression import Unpacked, check_expansion
from linnet.listing import first_few

__all__ = [
    "check_size",
    "document_kind",
    "holds",
    "inside",
    "is_archive",
    "members",
    "only_member",
    "open_member",
]

_PIECE = 1 << 20
_SHOWN = 8  # files of an archive that a message lists
# Files that publishers add to the data: terms, notes, checksums.
_PAPERS = re.compile(
    r"(?i)(read[-_ ]?me|licen[cs]e|copying|copyright|changelog|release[-_ ]?notes?|terms[-_ ]of[-_ ]use|citation)\b.*"
    r"|.*\.(pdf|md|html?|docx?|rtf|md5|sha1|sha256|sig)"
)


def inside(path: str | Path) -> tuple[Path, str] | None:
    """The archive, and the name in it, of a path into an archive; None for other paths."""
    place = Path(path)
    if os.path.lexists(place):
        return None
    archive = next((parent for parent in place.parents if os.path.isfile(parent)), None)  # noqa: PTH113
    if archive is None or not _begins_as_zip(archive):
        return None
    return archive, place.relative_to(archive).as_posix()


def holds(path: str | Path) -> bool:
    """Whether the path is a file or folder in an archive."""
    place = inside(path)
    return place is not None and bool(_below(*place, itself=True))


def is_archive(path: str | Path) -> bool:
    """Whether the path is a zip archive or a folder in one, and not a document in zip format."""
    place = Path(path)
    inner = inside(place)
    if inner is not None:
        return bool(_below(*inner, itself=False))
    return place.is_file() and _begins_as_zip(place) and not document_kind(place)


def document_kind(path: str | Path) -> Kind | None:
    """The kind of a document in zip format ("an Excel workbook (.xlsx)"); None for an archive and any other file."""
    place = Path(path)
    if not place.is_file() or not _begins_as_zip(place):
        return None
    return _directory(place)[0]


def members(path: str | Path) -> list[Path]:
    """The files of an archive, or of a folder in one, by name, without hidden ones (`.DS_Store`, `__MACOSX/`).

    Raises DataError for a damaged archive, names that lead out of it, and repeated names.
    """
    archive, folder = inside(path) or (Path(path), "")
    return [archive / name for name in _below(archive, folder, itself=False)]


def _below(archive: Path, folder: str, *, itself: bool) -> list[str]:
    """Names of the files in a folder of an archive ("" for all); with `itself`, also the file of that name."""
    start = f"{folder}/" if folder else ""
    names = sorted(_files(_directory(archive)[1], archive))
    return [name for name in names if name.startswith(start) or (itself and name == folder)]


def only_member(path: str | Path) -> Path:
    """The one data file of an archive; a licence, read-me or PDF beside it does not count.

    Raises DataError with the files if there are several, and for an empty archive.
    """
    files = members(path)
    data = [file for file in files if not _PAPERS.fullmatch(file.name)] or files
    if len(data) == 1:
        return data[0]
    if not data:
        raise DataError("the zip archive is empty. Fetch it again.", path=path)
    listed = first_few([file.relative_to(path) for file in data], _SHOWN)
    raise DataError(
        f"the zip archive holds {len(data):,} files: {listed}. Name one of them, e.g. {data[0]}", path=path
    )


def check_size(stream: IO[bytes], path: str | Path) -> None:
    """Raise DataError if the members of a zip file unpack to more than `check_expansion` allows."""
    try:
        with zipfile.ZipFile(stream) as packed:
            infos = packed.infolist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise _damaged(error, Path(path)) from None
    check_expansion(sum(info.compress_size for info in infos), sum(info.file_size for info in infos), path)


@contextmanager
def open_member(archive: Path, name: str) -> Iterator[IO[bytes]]:
    """A file of an archive for reading bytes.

    Raises DataError for a missing, encrypted or unsupported file, and (while reading) for damaged data.
    """
    path = archive / name
    with _opened(archive) as packed:
        files = _files(packed.infolist(), archive)
        info = files.get(name)
        if info is None:
            listed = first_few(sorted(files), _SHOWN)
            raise DataError(f"no such file in the archive. It holds: {listed}.", path=path)
        if info.flag_bits & 1:
            raise DataError(
                "is encrypted. Unpack it with its password and give the unpacked file.",
                path=path,
            )
        try:
            member = _Member(packed, info)
        except NotImplementedError as error:
            raise DataError(
                f"is compressed in an unsupported way ({error}). Unpack it with another program and give the unpacked "
                "file.",
                path=path,
            ) from None
        except (zipfile.BadZipFile, OSError) as error:
            raise _damaged(error, archive) from None
        with member.stream, io.BufferedReader(Unpacked(member, "zip", path, seekable=True)) as stream:
            yield stream


class _Member:
    """A file of an archive as a source of bytes (see `compression.Packed`)."""

    def __init__(self, packed: zipfile.ZipFile, info: zipfile.ZipInfo) -> None:
        self.stream = packed.open(info)
        self.taken = info.compress_size

    def piece(self) -> bytes:
        return self.stream.read(_PIECE)

    def rewind(self) -> None:
        self.stream.seek(0)


@contextmanager
def _opened(archive: Path) -> Iterator[zipfile.ZipFile]:
    try:
        packed = zipfile.ZipFile(archive)
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise _damaged(error, archive) from None
    except OSError as error:
        if error.errno in (None, 22):  # invalid offsets
            raise _damaged(error, archive) from None
        raise DataError(f"cannot be read: {error.strerror}.", path=archive) from None
    with packed:
        yield packed


def _directory(archive: Path) -> tuple[Kind | None, Sequence[zipfile.ZipInfo]]:
    """What kind of document the archive is, and what it says of its files; read once while it stays the same."""
    try:
        status = archive.stat()
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}.", path=archive) from None
    return _read_directory(archive, status.st_ino, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=4)
def _read_directory(archive: Path, *_: int) -> tuple[Kind | None, Sequence[zipfile.ZipInfo]]:
    with _opened(archive) as packed:
        names, mimetype = set(packed.namelist()), ""
        if "mimetype" in names:
            try:
                with packed.open("mimetype") as stream:
                    mimetype = stream.read(200).decode("ascii", "replace").strip()
            except (
                zipfile.BadZipFile,
                zlib.error,
                NotImplementedError,
                RuntimeError,
                EOFError,
                OSError,
            ) as error:
                raise _damaged(error, archive) from None
        return document_of(names, mimetype), tuple(packed.infolist())


def _damaged(error: Exception, archive: Path) -> DataError:
    return DataError(f"the zip file is truncated or damaged ({error}). Fetch it again.", path=archive)


def _begins_as_zip(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return is_zip(stream.read(4))
    except OSError:
        return False  # opening it for reading gives a better error


def _files(infos: Sequence[zipfile.ZipInfo], archive: Path) -> dict[str, zipfile.ZipInfo]:
    """The files that are not hidden, by name. Names that lead out of the archive are refused."""
    files: dict[str, zipfile.ZipInfo] = {}
    for info in infos:
        place = PurePosixPath(info.filename)
        if info.is_dir() or any(part.startswith((".", "__MACOSX")) and part != ".." for part in place.parts):
            continue
        if place.is_absolute() or ".." in place.parts or "\\" in info.filename:
            raise DataError(
                f"holds a file with an unsafe name, '{info.filename}'. Unpack it yourself and give the unpacked file.",
                path=archive,
            )
        if str(place) in files:
            raise DataError(
                f"holds two files called '{place}'. Unpack it and give the right one.", path=archive
            )
        files[str(place)] = info
    return files
