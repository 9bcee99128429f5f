"""A backup of a project as a file: what it is, what is in it, and what to say of one that cannot be read."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import IO, Any

from sqlalchemy.exc import OperationalError, StatementError

from linnet.annotate.archive.project_backup import FORMAT
from linnet.annotate.domain.uploads.unsupported import foreign_archive, foreign_file
from linnet.annotate.limits import FILES, UNPACKED
from linnet.annotate.refusals import Invalid, TooLarge
from linnet.annotate.zip_archives import DAMAGE, is_damage

__all__ = ["check_archive", "check_kind", "read_head", "read_lines", "refusal_of"]

_EXPECTED = "Choose the file from “Back up the project” on a project's page “Export”; its name ends with .linnet-backup.zip."
_LONGEST = 128 * 2**20  # bytes of a line: the largest document with the most annotations


def refusal_of(error: BaseException) -> Invalid | None:
    """The exception to raise for an error in the file; None for other errors."""
    if isinstance(error, DAMAGE) or (isinstance(error, OSError) and is_damage(error)):
        return Invalid(
            f"The backup is damaged and cannot be unpacked ({error}). Nothing was restored. Copy or download it again; if that does "
            "not help, restore an earlier backup."
        )
    if isinstance(error, StatementError) and not isinstance(error, OperationalError):
        return Invalid(
            f"The backup contains values that the database refuses ({error.orig}). Nothing was restored. Restore an earlier backup."
        )
    if isinstance(error, KeyError | TypeError | ValueError | AttributeError | RecursionError):
        return Invalid(
            f"The backup was modified, or a linnet version that this one does not know wrote it "
            f"({type(error).__name__}: {error}). Nothing was restored. Restore an unmodified copy, or update linnet."
        )
    return None


def check_kind(file: IO[bytes]) -> None:
    """Raise Invalid for a file that is not a zip archive; says what it seems to be."""
    start = file.read(512)
    file.seek(0)
    if not start.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        kind = foreign_file(start) or ("empty" if not start else "not a zip archive")
        raise Invalid(f"This file is not a linnet backup: it is {kind}. {_EXPECTED}")
    if not zipfile.is_zipfile(file):
        raise Invalid(
            "The backup is damaged: the end of the zip archive is missing, probably because copying or downloading stopped. "
            "Copy or download it again, then restore it."
        )
    file.seek(0)


def read_head(archive: zipfile.ZipFile) -> dict[str, Any]:
    """Contents of `backup.json`. Raises Invalid for another kind of archive, and for another format version."""
    names = archive.namelist()
    if "backup.json" not in names:
        if any(PurePosixPath(name).name == "version.json" for name in names):
            kind = "the files of a model version, which “linnet link --learned” uses"
        elif "server.json" in names:
            kind = (
                "the backup of a whole server, which “linnet annotate restore” restores into an empty folder"
            )
        else:
            kind = (
                foreign_archive(names)
                or f"an archive of other files ({', '.join(names[:3]) or 'none'}{', …' if names[3:] else ''})"
            )
        raise Invalid(f"This file is not a linnet backup: it is {kind}. {_EXPECTED}")
    head = json.loads(archive.read("backup.json"))
    if not isinstance(head, dict):
        raise ValueError("backup.json: expected an object")
    made = head.get("format")
    if made != FORMAT:
        by = f", made by linnet {head['linnet']}," if isinstance(head.get("linnet"), str) else ""
        advice = (
            "Update linnet"
            if isinstance(made, int) and made > FORMAT
            else "Restore it with the linnet that made it"
        )
        raise Invalid(f"The backup{by} has format {made}; this linnet reads format {FORMAT}. {advice}.")
    return head


def check_archive(archive: zipfile.ZipFile) -> None:
    """Raise TooLarge for an archive that unpacks to too much, Invalid for one with a password or with paths that lead outside."""
    members = archive.infolist()
    if len(members) > FILES or sum(member.file_size for member in members) > UNPACKED:
        raise TooLarge(
            f"The backup unpacks to more than {UNPACKED >> 20:,} MB or {FILES:,} files, the limits of this server."
        )
    for member in members:
        if member.flag_bits & 1:
            raise Invalid("The backup is protected with a password. Remove the password first.")
        path = PurePosixPath(member.filename)
        if path.is_absolute() or ".." in path.parts or "\\" in member.filename or ":" in member.filename:
            raise Invalid(
                "The backup contains paths that lead outside its folder. linnet did not make it; choose another file."
            )


def read_lines(archive: zipfile.ZipFile, name: str) -> Iterator[dict[str, Any]]:
    """The objects of a file of JSON Lines. Raises ValueError for anything else."""
    with archive.open(name) as stream:
        while line := stream.readline(_LONGEST):
            if b"\\u0000" in line:
                raise ValueError(f"{name}: contains the character NUL")
            fields = json.loads(line)
            if not isinstance(fields, dict):
                raise ValueError(f"{name}: expected objects")
            yield fields
