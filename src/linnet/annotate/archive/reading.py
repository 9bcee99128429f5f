"""Opens and checks archives; what to say of a file that cannot be read."""

from __future__ import annotations

import json
import re
import shutil
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import file_digest
from pathlib import Path
from typing import IO, Any, NamedTuple

from sqlalchemy.exc import OperationalError, StatementError

from linnet.annotate.archive.manifest import TABLES, Manifest
from linnet.annotate.domain.uploads.unsupported import foreign_archive, foreign_file
from linnet.annotate.limits import FILES, UNPACKED
from linnet.annotate.refusals import Invalid, TooLarge
from linnet.annotate.zip_archives import DAMAGE, is_damage, leads_outside
from linnet.errors import LinnetError
from linnet.formats.kinds import is_zip

__all__ = ["ProjectBackup", "check_limits", "check_members", "extract", "opened", "read_lines", "rows_of"]

_LONGEST = 1 << 28  # bytes of a row: the log of a change of the most annotations
_BLOCK = 1 << 20
_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")  # after a backslash that is escaped it is a text's own "u0000"


class ProjectBackup(NamedTuple):
    """made: when; files: member → its path below the folder of the project's versions; rows: of a table, by its name."""

    made: str
    files: dict[str, str]
    rows: Callable[[str], Iterator[dict[str, Any]]]


@contextmanager
def opened(file: IO[bytes], *, expected: str, what: str = "The backup") -> Iterator[zipfile.ZipFile]:
    """The archive in a file; errors inside the block that the file caused become Invalid.

    expected  which file to choose, for the message
    what      names the file in messages
    """
    start = file.read(512)
    file.seek(0)
    if not is_zip(start):
        kind = foreign_file(start) or ("empty" if not start else "not a zip archive")
        raise Invalid(f"This file is not a linnet backup: it is {kind}. {expected}")
    if not zipfile.is_zipfile(file):
        raise Invalid(
            f"{what} is damaged: the end of the zip archive is missing, probably because copying or downloading stopped. "
            "Copy or download it again, then restore it."
        )
    file.seek(0)
    try:
        with zipfile.ZipFile(file) as archive:
            if kind := foreign_archive(archive.namelist()):
                raise Invalid(f"This file is not a linnet backup: it is {kind}. {expected}")
            if any(member.flag_bits & 1 for member in archive.infolist()):
                raise Invalid(f"{what} is protected with a password. Remove the password first.")
            yield archive
    except Exception as error:
        if (refusal := _refusal_of(error, what)) is None:
            raise
        raise refusal from error


def check_limits(archive: zipfile.ZipFile) -> None:
    """Raise TooLarge for an archive that unpacks to too much, Invalid for one with paths that lead outside."""
    members = archive.infolist()
    if len(members) > FILES or sum(member.file_size for member in members) > UNPACKED:
        raise TooLarge(
            f"The backup unpacks to more than {UNPACKED >> 20:,} MB or {FILES:,} files, the limits of this server."
        )
    for member in members:
        if leads_outside(member.filename):
            raise Invalid(
                "The backup contains paths that lead outside its folder. linnet did not make it; choose another file."
            )


def check_members(archive: zipfile.ZipFile, manifest: Manifest) -> None:
    """Raise Invalid unless all members are there with their digests."""
    present = set(archive.namelist())
    for name, member in manifest.members.items():
        if name not in present:
            raise Invalid(f"The backup is damaged: {name} is missing. Restore an earlier backup.")
        with archive.open(name) as stream:
            digest = file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]
            size = stream.tell()
        if (size, digest) != (member.size, member.sha256):
            raise Invalid(
                f"The backup is damaged: {name} is not what was backed up. Copy it again, or restore an earlier backup."
            )


def extract(archive: zipfile.ZipFile, member: str, target: Path) -> None:
    """Write a member into a file, whose folder is made if it is missing."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(member) as source, target.open("wb") as goal:
        shutil.copyfileobj(source, goal, _BLOCK)


def rows_of(archive: zipfile.ZipFile, table: str) -> Iterator[dict[str, Any]]:
    """The rows of a table. Raises ValueError for anything else."""
    return read_lines(archive, f"{TABLES}{table}.jsonl")


def read_lines(archive: zipfile.ZipFile, name: str) -> Iterator[dict[str, Any]]:
    """The objects of a file of JSON Lines. Raises ValueError for anything else."""
    with archive.open(name) as stream:
        while line := stream.readline(_LONGEST):
            if b"\\u0000" in line and _NUL.search(line):
                raise ValueError(f"{name}: contains the character NUL")
            fields = json.loads(line)
            if not isinstance(fields, dict):
                raise ValueError(f"{name}: expected objects")
            yield fields


def _refusal_of(error: Exception, what: str) -> Invalid | None:
    """The exception to raise for an error in the file; None for other errors."""
    if isinstance(error, LinnetError):
        return None
    if isinstance(error, DAMAGE) or (isinstance(error, OSError) and is_damage(error)):
        return Invalid(
            f"{what} is damaged and cannot be unpacked ({error}). Nothing was restored. Copy or download it again; if that does "
            "not help, restore an earlier backup."
        )
    if isinstance(error, StatementError) and not isinstance(error, OperationalError):
        return Invalid(
            f"{what} contains values that the database refuses ({error.orig}). Nothing was restored. Restore an earlier backup."
        )
    if isinstance(error, KeyError | TypeError | ValueError | AttributeError | RecursionError):
        return Invalid(
            f"{what} was modified, or a linnet version that this one does not know wrote it "
            f"({type(error).__name__}: {error}). Nothing was restored. Restore an unmodified copy, or update linnet."
        )
    return None
