"""Copies uploaded files and unpacked archives into a folder, under safe names."""

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

from linnet.annotate.domain.uploads.unsupported import foreign_archive, foreign_file, instead
from linnet.annotate.limits import EXPANSION, FILES, UNPACKED
from linnet.annotate.refusals import Invalid, TooLarge
from linnet.annotate.zip_archives import DAMAGE, is_damage
from linnet.formats.kinds import is_zip

__all__ = ["Received", "Upload", "receive", "refuse_bomb", "safe_name"]

_BLOCK = 1 << 20
_SMALL = 10 * 2**20  # bytes up to which any compression rate is accepted
_HEAD = 512  # bytes that reveal the kind of file
_LOOSE = "loose"  # folder of files that may belong to a pair
_ODD = re.compile(r"[^\w.+@=-]+")


class Upload(NamedTuple):
    """An uploaded file; its name is untrusted."""

    name: str
    content: IO[bytes]


class Received(NamedTuple):
    """A file to read, or a folder of BRAT's file pairs. name: for the report; refusal: why it cannot be read, if
    known."""

    name: str
    path: Path
    refusal: str = ""


def receive(uploads: Iterable[Upload], folder: Path) -> list[Received]:
    """Copy uploads into a folder: archives and gzip files unpacked, BRAT's pairs together.

    Never writes outside the folder. Refuses an archive that is damaged, encrypted or nested, but reads the other files.
    Raises TooLarge if the upload is too large unpacked.
    """
    budget = _Budget()
    places: defaultdict[str, list[Path]] = defaultdict(list)
    received: list[Received] = []
    for number, upload in enumerate(uploads):
        name = safe_name(upload.name)
        head = upload.content.read(_HEAD)
        upload.content.seek(0)
        try:
            if kind := foreign_file(head):
                raise Invalid(instead(name, kind))
            if is_zip(head):
                for where, path in _unpack(upload, folder / f"z{number}", budget):
                    places[f"{name}/{where}" if where else name].append(path)
                continue
            path = _kept(upload, folder, number, budget, packed=head.startswith(b"\x1f\x8b"))
        except Invalid as error:
            received.append(Received(name, folder, str(error)))
            continue
        if path.parent.name == _LOOSE:
            places[""].append(path)
        else:
            received.append(Received(path.name, path))
    for where, paths in places.items():
        received += _grouped(where, paths)
    return received


def _kept(upload: Upload, folder: Path, number: int, budget: _Budget, *, packed: bool) -> Path:
    """Copy a file, unpacked if it is a gzip file; returns its path. Raises Invalid."""
    name = safe_name(upload.name)
    paired = Path(name).suffix.lower() in (".txt", ".ann")
    # Files of the same name must not replace each other; pairs go into one folder.
    place = folder / (_LOOSE if paired else f"f{number}")
    place.mkdir(parents=True, exist_ok=True)
    path = place / (name.removesuffix(".gz") if packed else name)
    if path.exists():
        raise Invalid(f"Two files have the name '{name}'. Rename this one.")
    try:
        with path.open("wb") as stream:
            if packed:
                unpacked = gzip.GzipFile(fileobj=upload.content, mode="rb")
                _copy(unpacked, stream, budget, packed=_size(upload.content))
            else:
                _copy(upload.content, stream, budget)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        path.unlink()
        raise Invalid(f"{name}: the gzip file is truncated or damaged ({error}). Pack it again.") from None
    return path


def refuse_bomb(path: Path) -> None:
    """Raise Invalid for a packed file, and TooLarge for a workbook or archive that unpacks to too much. For files that are read as they
    are."""
    with path.open("rb") as stream:
        if stream.read(6).startswith((b"\x1f\x8b", b"BZh", b"\xfd7zXZ")):
            raise Invalid(f"{path.name} is packed. Unpack it first.")
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
        if size > UNPACKED or (size > _SMALL and size > EXPANSION * path.stat().st_size):
            raise TooLarge(
                f"{path.name} unpacks to {size >> 20:,} MB, too much. Save it as CSV, or divide it."
            )


def safe_name(name: str) -> str:
    """The last part of a path, with only characters that file systems and reports accept."""
    last = PurePosixPath(name.replace("\\", "/")).name
    stem = _ODD.sub("_", last).strip("._-")[-120:]
    return stem or "file"


class _Budget:
    """Number of bytes that may still be unpacked."""

    def __init__(self) -> None:
        self.left = UNPACKED

    def spend(self, size: int) -> None:
        self.left -= size
        if self.left < 0:
            raise TooLarge(f"The upload unpacks to more than {UNPACKED >> 20:,} MB. Divide it.")


def _copy(
    source: IO[bytes] | gzip.GzipFile, goal: IO[bytes], budget: _Budget, *, packed: int | None = None
) -> None:
    """Copy within the budget. packed: size of the archive."""
    size = 0
    while block := source.read(_BLOCK):
        size += len(block)
        budget.spend(len(block))
        if packed is not None and size > _SMALL and size > EXPANSION * packed:
            raise TooLarge(
                f"An archive unpacks to more than {EXPANSION} times its size, as a zip bomb does. Upload the files themselves."
            )
        goal.write(block)


def _unpack(upload: Upload, folder: Path, budget: _Budget) -> list[tuple[str, Path]]:
    """Unpack an archive; returns (folder in the archive, path) of each file."""
    name = safe_name(upload.name)
    try:
        with zipfile.ZipFile(upload.content) as archive:
            if kind := foreign_archive(archive.namelist()):
                raise Invalid(instead(name, kind))
            members = [m for m in archive.infolist() if not m.is_dir() and not _hidden(m.filename)]
            if len(members) > FILES:
                raise TooLarge(f"{name} holds {len(members):,} files; expected at most {FILES:,}. Divide it.")
            unpacked = []
            # Members may share their packed bytes, so the limit is relative to the whole archive.
            packed, total = _size(upload.content), 0
            for number, member in enumerate(members):
                if member.flag_bits & 1:
                    raise Invalid(f"{name} is protected with a password. Remove the password first.")
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
                    if is_zip(stream.read(4)):
                        raise Invalid(f"{name} contains another archive, {path.name}. Unpack that one first.")
                unpacked.append(("" if where == "." else _ODD.sub("_", where), path))
    except (*DAMAGE, OSError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, OSError) and not is_damage(error):
            raise
        raise Invalid(
            f"{name}: the archive is damaged, or packed in an unsupported way ({error}). Pack it again."
        ) from None
    if not unpacked:
        raise Invalid(f"{name} is an empty archive. Choose another file.")
    return unpacked


def _place(where: str) -> str:
    """A folder name that is unique in the archive."""
    return "top" if where == "." else f"d{zlib.crc32(where.encode('utf-8', 'replace')):08x}"


def _hidden(name: str) -> bool:
    """Whether a member is a hidden file, or INCEpTION's type system: neither holds a text."""
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
    """Files of one folder: together if there are .ann files, else one by one."""
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
