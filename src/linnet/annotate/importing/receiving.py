"""From uploaded files and archives to files in a folder of our own, under names of our own choosing."""

from __future__ import annotations

import gzip
import re
import shutil
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple

from linnet.annotate.archives import DAMAGE, is_damage
from linnet.annotate.importing.limits import EXPANSION, FILES, UNPACKED
from linnet.annotate.importing.unsupported import foreign_archive, foreign_file, instead
from linnet.annotate.refusals import Invalid, TooLarge

__all__ = ["Received", "Upload", "receive", "safe_name"]

_BLOCK = 1 << 20
_SMALL = 10 * 2**20  # archives that unpack to less may be packed as tightly as they like
_HEAD = 512  # bytes that tell what a file is
_LOOSE = "loose"  # folder of the files that may belong to a pair
_ODD = re.compile(r"[^\w.+@=-]+")


class Upload(NamedTuple):
    """A file as it was uploaded; its name is whatever the other side says."""

    name: str
    content: IO[bytes]


class Received(NamedTuple):
    """Something to read: a file, or a folder with the pairs of files of BRAT. name: for the report; refusal: why it cannot be
    read, if that is known."""

    name: str
    path: Path
    refusal: str = ""


def receive(uploads: Iterable[Upload], folder: Path) -> list[Received]:
    """Copy uploads into a folder, archives and gzip files unpacked, BRAT's pairs together.

    Nothing is written outside the folder, whatever the names say. An archive that is damaged, locked or holds archives is
    refused alone. Raises TooLarge for what unpacks to too much.
    """
    budget = _Budget()
    places: defaultdict[str, list[Path]] = defaultdict(list)
    alone: list[Received] = []
    for number, upload in enumerate(uploads):
        name = safe_name(upload.name)
        head = upload.content.read(_HEAD)
        upload.content.seek(0)
        try:
            if kind := foreign_file(head):
                raise Invalid(instead(name, kind))
            if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
                for where, path in _unpack(upload, folder / f"z{number}", budget):
                    places[f"{name}/{where}" if where else name].append(path)
                continue
            path = _kept(upload, folder, number, budget, packed=head.startswith(b"\x1f\x8b"))
        except Invalid as error:
            alone.append(Received(name, folder, str(error)))
            continue
        if path.parent.name == _LOOSE:
            places[""].append(path)
        else:
            alone.append(Received(path.name, path))
    return [*alone, *(one for where, paths in places.items() for one in _grouped(where, paths))]


def _kept(upload: Upload, folder: Path, number: int, budget: _Budget, *, packed: bool) -> Path:
    """Where a file is now, unpacked if it was packed. Raises Invalid."""
    name = safe_name(upload.name)
    paired = Path(name).suffix.lower() in (".txt", ".ann")
    # Files of one name must not replace each other, and those of a pair must stand together.
    place = folder / (_LOOSE if paired else f"f{number}")
    place.mkdir(parents=True, exist_ok=True)
    path = place / (name.removesuffix(".gz") if packed else name)
    if path.exists():
        raise Invalid(f"Two files are called '{name}'. Rename this one.")
    try:
        with path.open("wb") as stream:
            if packed:
                _copy(_Unzipped(upload), stream, budget, packed=_size(upload.content))
            else:
                _copy(upload.content, stream, budget)
    except Invalid:
        path.unlink()
        raise
    return path


def safe_name(name: str) -> str:
    """The last part of a name, without what a file system or a report could stumble over."""
    last = PurePosixPath(name.replace("\\", "/")).name
    stem = _ODD.sub("_", last).strip("._-")[-120:]
    return stem or "file"


class _Budget:
    """Bytes that may still be unpacked."""

    def __init__(self) -> None:
        self.left = UNPACKED

    def spend(self, size: int) -> None:
        self.left -= size
        if self.left < 0:
            raise TooLarge(f"The upload unpacks to more than {UNPACKED >> 20:,} MB. Upload it in parts.")


class _Unzipped:
    """A gzip file's content; damage is refused with a message."""

    def __init__(self, upload: Upload) -> None:
        self._name, self._stream = upload.name, gzip.GzipFile(fileobj=upload.content, mode="rb")

    def read(self, size: int) -> bytes:
        try:
            return self._stream.read(size)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise Invalid(
                f"{safe_name(self._name)}: the gzip file is truncated or damaged ({error})."
            ) from None


def _copy(
    source: IO[bytes] | _Unzipped, goal: IO[bytes], budget: _Budget, *, packed: int | None = None
) -> None:
    """Copy within the budget. packed: size of the archive it comes out of."""
    size = 0
    while block := source.read(_BLOCK):
        size += len(block)
        budget.spend(len(block))
        if packed is not None and size > _SMALL and size > EXPANSION * packed:
            raise TooLarge(
                f"An archive unpacks to more than {EXPANSION} times its size. Is it a zip bomb? Upload the files themselves."
            )
        goal.write(block)


def _unpack(upload: Upload, folder: Path, budget: _Budget) -> list[tuple[str, Path]]:
    """(folder in the archive, where the file is now) of each file in it."""
    name = safe_name(upload.name)
    try:
        with zipfile.ZipFile(upload.content) as archive:
            if kind := foreign_archive(archive.namelist()):
                raise Invalid(instead(name, kind))
            members = [one for one in archive.infolist() if not one.is_dir() and not _hidden(one.filename)]
            if len(members) > FILES:
                raise TooLarge(f"{name} holds {len(members):,} files; expected at most {FILES:,}.")
            found = []
            # Several members may share their packed bytes: what counts is the archive's size, once for all.
            packed, total = _size(upload.content), 0
            for number, member in enumerate(members):
                if member.flag_bits & 1:
                    raise Invalid(f"{name} is locked with a password. Unlock it first.")
                where = str(PurePosixPath(member.filename.replace("\\", "/")).parent)
                place = folder / f"{_place(where)}"
                place.mkdir(parents=True, exist_ok=True)
                path = place / safe_name(member.filename)
                if path.exists():
                    path = place / f"{number}_{path.name}"
                with archive.open(member) as source, path.open("wb") as goal:
                    _copy(source, goal, budget, packed=max(packed - total // EXPANSION, 1))
                total += path.stat().st_size
                with path.open("rb") as stream:
                    if stream.read(4) == b"PK\x03\x04":
                        raise Invalid(f"{name} holds an archive, {path.name}. Unpack it first.")
                found.append(("" if where == "." else _ODD.sub("_", where), path))
    except (*DAMAGE, OSError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, OSError) and not is_damage(error):
            raise
        raise Invalid(f"{name}: the archive is damaged or of an unknown kind ({error}).") from None
    if not found:
        raise Invalid(f"{name} holds no file.")
    return found


def _place(where: str) -> str:
    """A folder's name that no other folder of the archive has."""
    return "top" if where == "." else f"d{zlib.crc32(where.encode('utf-8', 'replace')):08x}"


def _hidden(name: str) -> bool:
    """Whether a member of an archive is of the system that packed it, or INCEpTION's type system: neither holds a text."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    return any(
        part == "__MACOSX" or (part.startswith(".") and part not in (".", "..")) for part in parts
    ) or parts[-1:] == ("TypeSystem.xml",)


def _size(stream: IO[bytes]) -> int:
    here = stream.tell()
    size = stream.seek(0, 2)
    stream.seek(here)
    return size


def _grouped(where: str, paths: list[Path]) -> list[Received]:
    """Files of one folder: as one where there are annotations beside texts, else one by one."""
    pairs = [path for path in paths if path.suffix.lower() in (".txt", ".ann")]
    if any(path.suffix.lower() == ".ann" for path in pairs):
        rest = [path for path in paths if path not in pairs]
        home = pairs[0].parent
        if rest:
            home = home / "pairs"
            home.mkdir(exist_ok=True)
            for path in pairs:
                path.rename(home / path.name)
        label = where or ", ".join(sorted(path.name for path in pairs)[:2]) + (
            ", …" if len(pairs) > 2 else ""
        )
        return [Received(label, home), *(_one(where, path) for path in rest)]
    return [_one(where, path) for path in paths]


def _one(where: str, path: Path) -> Received:
    return Received(f"{where}/{path.name}" if where and where != path.name else path.name, path)
