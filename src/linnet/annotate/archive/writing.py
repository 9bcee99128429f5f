"""Writes archives while the server runs, or not."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from sqlalchemy import ColumnElement, Connection, Table, select, true

from linnet.advice import Step
from linnet.annotate.archive.manifest import FILES, MANIFEST, TABLES, Manifest, Member
from linnet.annotate.store import Database
from linnet.annotate.store.columns import now
from linnet.annotate.store.migrate import refuse_unknown, revision_of
from linnet.annotate.store.rows import last_id, read_rows, reflected
from linnet.annotate.store.tables import MAPPING_TABLES
from linnet.errors import RequestError, StoreError

__all__ = ["PROJECT_TABLES", "write_archive"]

PROJECT_TABLES = (
    "users", "projects", "members", "corrections", "documents", "sheets", "annotations", "comments", "assignments", "log",
    "versions", *(table.name for table in MAPPING_TABLES),
)  # fmt: skip
"""Tables with rows of a project, each after those that it refers to."""
_LEFT_OUT = frozenset({"alembic_version", "sign_ins", "devices"})
_ATTEMPTS = 3
_BLOCK = 1 << 20


class _FilesGone(Exception):
    """Files of a model version are missing."""


def write_archive(database: Database, data: Path, file: Path, *, project: int | None = None) -> Manifest:
    """Write one consistent state of a server, or of one of its projects, into a file, and sync it.

    Raises RequestError for a database without tables, MismatchError for one of a newer linnet, StoreError if files of a model version
    are missing; OSError if the disk cannot be written.
    """
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            with file.open("wb") as stream:
                manifest = _write(database, data, stream, project)
                stream.flush()
                os.fsync(stream.fileno())
            return manifest
        except _FilesGone as error:  # a project was removed meanwhile
            if attempt == _ATTEMPTS:
                raise StoreError(
                    f"{error}. Nothing was written. If files are lost, restore them from an earlier backup, or remove the project.",
                    Step.GIVE_DATA_FOLDER(),
                ) from None
    raise AssertionError


def _write(database: Database, data: Path, stream: IO[bytes], project: int | None) -> Manifest:
    from linnet import __version__

    members: dict[str, Member] = {}
    with database.read() as session, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        connection = session.connection()
        revision = revision_of(connection)
        if revision is None:
            raise RequestError(
                "The database has no tables of linnet annotate. Start the server once.",
                Step.GIVE_DATA_FOLDER(),
            )
        refuse_unknown(revision, "The database")
        every = reflected(connection)
        tables = {
            name: table
            for name, table in every.items()
            if (name not in _LEFT_OUT if project is None else name in PROJECT_TABLES)
        }
        wanted = {name: true() if project is None else _of(project, name, tables) for name in tables}
        for name, table in tables.items():
            named = ("id", "key", "name") if name == "users" and project is not None else ()
            rows = read_rows(connection, table, where=wanted[name], columns=named)
            members[f"{TABLES}{name}.jsonl"] = _add_table(archive, f"{TABLES}{name}.jsonl", rows)
        for folder in _version_folders(connection, tables["versions"], wanted["versions"]):
            members |= _add_files(archive, data, folder)
        manifest = Manifest(
            linnet=__version__,
            made=now().isoformat(),
            revision=revision,
            members=members,
            last_ids={
                name: last
                for name, table in tables.items()
                if project is None and (last := last_id(connection, table))
            },
            terminologies=_terminologies(connection, tables["projects"], wanted["projects"]),
            project=project,
        )
        archive.writestr(MANIFEST, manifest.dumps())
    return manifest


def _of(project: int, name: str, tables: Mapping[str, Table]) -> ColumnElement[bool]:
    """Which rows of a table are of a project."""
    columns = tables[name].columns
    if name == "projects":
        return columns["id"] == project
    if "project_id" in columns:
        return columns["project_id"] == project
    if name == "users":
        ids = [
            select(tables[of].columns["user_id"]).where(_of(project, of, tables))
            for of in ("members", "assignments")
        ]
        return columns["id"].in_(ids[0].union(ids[1]))
    parent, key = ("documents", "document_id") if "document_id" in columns else ("sheets", "sheet_id")
    return columns[key].in_(select(tables[parent].columns["id"]).where(_of(project, parent, tables)))


def _add_table(archive: zipfile.ZipFile, name: str, rows: Iterable[dict[str, Any]]) -> Member:
    count = 0

    def lines() -> Iterable[bytes]:
        nonlocal count
        for row in rows:
            count += 1
            yield json.dumps(row, ensure_ascii=False).encode() + b"\n"

    with archive.open(name, "w", force_zip64=True) as goal:
        size, digest = _copy(lines(), goal)
    return Member(size, digest, count)


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


def _version_folders(connection: Connection, versions: Table, wanted: ColumnElement[bool]) -> list[str]:
    folder = versions.columns["folder"]
    return list(connection.scalars(select(folder).where(wanted, folder != "").order_by(folder)))


def _terminologies(connection: Connection, projects: Table, wanted: ColumnElement[bool]) -> dict[str, str]:
    name, digest = projects.columns["terminology"], projects.columns["terminology_digest"]
    rows = connection.execute(select(name, digest).where(wanted).order_by(name))
    return {row[0]: row[1] for row in rows}
