"""Writes a server's archive while the server runs, or not."""

from __future__ import annotations

import json
import os
import re
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from sqlalchemy import Connection, Table, select

from linnet.annotate.archive.server_contents import (
    FILES,
    LEFT_OUT,
    MANIFEST,
    TABLES,
    Manifest,
    Member,
    is_server_backup,
)
from linnet.annotate.settings import Settings
from linnet.annotate.store import Database, open_database
from linnet.annotate.store.columns import now
from linnet.annotate.store.migrate import refuse_unknown, revision_of
from linnet.annotate.store.rows import last_id, read_rows, reflected
from linnet.drafts import draft_file, remove_abandoned
from linnet.errors import RequestError, StoreError

__all__ = ["back_up_server", "dated", "remove_old"]

_ATTEMPTS = 3
_BLOCK = 1 << 20
_DATED = re.compile(r"linnet-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.zip")


class _FilesGone(Exception):
    """Files of a model version are missing."""


def back_up_server(settings: Settings, target: Path) -> Manifest:
    """Write one consistent state of the server into a file, which appears completely or not at all and replaces an older backup.

    Only its owner may read the file: it has the accounts with the hashes of their passwords.
    Raises RequestError without a database or a folder for `target`, or if `target` is another kind of file; MismatchError for
    a database of a newer linnet; StoreError if the database or files of a model version cannot be read; OSError if the disk
    cannot be written.
    """
    target = target.resolve()
    if target.exists() and not is_server_backup(target):
        raise RequestError(
            f"{target} exists and is not the backup of a server. Choose another name; nothing was replaced."
        )
    if not target.parent.is_dir():
        raise RequestError(
            f"There is no folder {target.parent}. Make it first, or choose another place for the backup."
        )
    if not settings.database and not (settings.data / "linnet.db").is_file():
        raise RequestError(
            f"{settings.data} has no database of linnet annotate (linnet.db). Give the server's folder with --data, or its database "
            "with --database."
        )
    with (
        closing(open_database(settings.database_url, upgrade=False)) as database,
        draft_file(target) as draft,
    ):
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                manifest = _write(database, settings.data, draft)
                break
            except _FilesGone as error:  # a project was removed meanwhile
                if attempt == _ATTEMPTS:
                    raise StoreError(
                        f"{error}. Nothing was written. Give the server's folder with --data; if files are lost, restore them from an "
                        "earlier backup, or remove the project."
                    ) from None
        draft.replace(target)
        _sync(target.parent)
    return manifest


def dated(folder: Path) -> Path:
    """A file in the folder named after the present time. Leftovers of killed backups are removed."""
    for draft in folder.glob(".linnet-*.zip.linnet-*.part"):
        remove_abandoned(folder / f"{draft.name[1:].partition('.zip')[0]}.zip")
    return folder / f"linnet-{now():%Y-%m-%dT%H-%M-%SZ}.zip"


def remove_old(folder: Path, *, keep: int) -> list[Path]:
    """Remove all but the newest backups that `dated` named; returns the removed ones."""
    backups = sorted(file for file in folder.iterdir() if _DATED.fullmatch(file.name))
    old = backups[:-keep]
    for file in old:
        file.unlink()
    return old


def _write(database: Database, data: Path, draft: Path) -> Manifest:
    from linnet import __version__

    members: dict[str, Member] = {}
    with (
        draft.open("wb") as stream,
        database.read() as session,
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        connection = session.connection()
        revision = revision_of(connection)
        if revision is None:
            raise RequestError(
                "The database has no tables of linnet annotate. Start the server once, or check --database."
            )
        refuse_unknown(revision, "The database")
        tables = {name: table for name, table in reflected(connection).items() if name not in LEFT_OUT}
        for name, table in tables.items():
            members[f"{TABLES}{name}.jsonl"] = _add_table(archive, f"{TABLES}{name}.jsonl", connection, table)
        for folder in _version_folders(connection, tables["versions"]):
            members |= _add_files(archive, data, folder)
        manifest = Manifest(
            linnet=__version__,
            made=now().isoformat(),
            revision=revision,
            members=members,
            last_ids={name: last for name, table in tables.items() if (last := last_id(connection, table))},
            terminologies=_terminologies(connection, tables["projects"]),
        )
        archive.writestr(MANIFEST, manifest.dumps())
        archive.close()
        stream.flush()
        os.fsync(stream.fileno())
    return manifest


def _add_table(archive: zipfile.ZipFile, name: str, connection: Connection, table: Table) -> Member:
    rows = 0

    def lines() -> Iterable[bytes]:
        nonlocal rows
        for row in read_rows(connection, table):
            rows += 1
            yield json.dumps(row, ensure_ascii=False).encode() + b"\n"

    with archive.open(name, "w", force_zip64=True) as goal:
        size, digest = _copy(lines(), goal)
    return Member(size, digest, rows)


def _add_files(archive: zipfile.ZipFile, data: Path, folder: str) -> dict[str, Member]:
    """Raises _FilesGone if the folder, or one of its files, is missing."""
    members = {}
    place = data / folder
    if not place.is_dir():
        raise _FilesGone(f"The files of a model version are missing: {place}")
    for file in sorted(path for path in place.rglob("*") if path.is_file()):
        name = f"{FILES}{file.relative_to(data).as_posix()}"
        try:
            with file.open("rb") as source, archive.open(name, "w", force_zip64=True) as goal:
                members[name] = Member(*_copy(_blocks(source), goal))
        except FileNotFoundError:
            raise _FilesGone(f"A file of a model version is missing: {file}") from None
    return members


def _copy(blocks: Iterable[bytes], goal: IO[bytes]) -> tuple[int, str]:
    """Size and SHA-256 of what was written."""
    size, digest = 0, sha256()
    for block in blocks:
        goal.write(block)
        size += len(block)
        digest.update(block)
    return size, digest.hexdigest()


def _blocks(source: IO[bytes]) -> Iterator[bytes]:
    while block := source.read(_BLOCK):
        yield block


def _version_folders(connection: Connection, versions: Table) -> list[str]:
    folder = versions.columns["folder"]
    return list(connection.scalars(select(folder).where(folder != "").order_by(folder)))


def _terminologies(connection: Connection, projects: Table) -> dict[str, str]:
    name, digest = projects.columns["terminology"], projects.columns["terminology_digest"]
    found: dict[str, Any] = {
        row[0]: row[1] for row in connection.execute(select(name, digest).order_by(name))
    }
    return found


def _sync(folder: Path) -> None:
    """Sync a folder, so that a renamed file is there after a power cut. Windows cannot."""
    if os.name != "nt":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
