"""A project as one file.

A zip archive of

    backup.json     format version, project, members, corrections of the model, and when and by which linnet the backup was made
    documents.jsonl a document a line, with its sheets, their annotations and ids, its comments, and the names of those to whom
                    it is assigned
    log.jsonl       the project's log, an entry a line
    versions.jsonl  the model versions
    models/v1/…     their files
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import inspect, select
from sqlalchemy.orm import Session, undefer

from linnet.annotate.domain.assignments.assignments import names_by_document
from linnet.annotate.domain.learning.removals import corrections_of
from linnet.annotate.domain.projects.members import list_members
from linnet.annotate.store import Database
from linnet.annotate.store.columns import now
from linnet.annotate.store.tables import (
    Annotation,
    Base,
    Comment,
    Document,
    LogEntry,
    Project,
    Sheet,
    Version,
)
from linnet.annotate.zip_archives import pack

__all__ = ["FORMAT", "back_up"]

FORMAT = 1
_BATCH = 200


def back_up(database: Database, data: Path, project: Project, folder: Path) -> Path:
    """Write a backup of a project into a folder; returns the file. It holds one consistent state of the database."""
    from linnet import __version__

    path = folder / "backup.zip"
    with database.read() as session, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        row = session.get_one(Project, project.id)
        head = {"format": FORMAT, "linnet": __version__, "made": now().isoformat(), "project": record(row)}
        head["corrections"] = [record(correction) for correction in corrections_of(session, row.id)]
        head["members"] = [
            {"name": user.name, "role": member.role, "takes_part": member.takes_part}
            for member, user in list_members(session, row)
        ]
        archive.writestr("backup.json", json.dumps(head, ensure_ascii=False, indent=1))
        versions = session.scalars(
            select(Version).where(Version.project_id == row.id).order_by(Version.number)
        ).all()
        for name, records in (
            ("documents.jsonl", _documents(session, row.id)),
            ("log.jsonl", _log(session, row.id)),
            ("versions.jsonl", map(record, versions)),
        ):
            with archive.open(name, "w") as stream:
                for fields in records:
                    stream.write(json.dumps(fields, ensure_ascii=False).encode() + b"\n")
        for version in versions:
            pack(data / version.folder, archive, below=f"models/v{version.number}/")
    return path


def record(row: Base) -> dict[str, Any]:
    """All columns of a row, times as text."""
    values = {column.key: getattr(row, column.key) for column in inspect(row).mapper.column_attrs}
    return {
        name: value.isoformat() if isinstance(value, datetime) else value for name, value in values.items()
    }


def _documents(session: Session, project: int) -> Iterator[dict[str, Any]]:
    last = 0
    while True:
        query = (
            select(Document).where(Document.project_id == project, Document.id > last).order_by(Document.id)
        )
        rows = session.scalars(
            query.options(undefer(Document.text), undefer(Document.predicted), undefer(Document.extra)).limit(
                _BATCH
            )
        ).all()
        if not rows:
            return
        last = rows[-1].id
        assigned = names_by_document(session, [row.id for row in rows])
        for row in rows:
            sheets = session.scalars(
                select(Sheet).where(Sheet.document_id == row.id).order_by(Sheet.id)
            ).all()
            yield {
                **record(row),
                "sheets": [
                    {
                        **record(sheet),
                        "annotations": [
                            record(annotation)
                            for annotation in session.scalars(
                                select(Annotation)
                                .where(Annotation.sheet_id == sheet.id)
                                .order_by(Annotation.id)
                            )
                        ],
                    }
                    for sheet in sheets
                ],
                "assigned": assigned.get(row.id, []),
                "comments": [
                    record(comment)
                    for comment in session.scalars(
                        select(Comment).where(Comment.document_id == row.id).order_by(Comment.id)
                    )
                ],
            }
        session.expire_all()


def _log(session: Session, project: int) -> Iterator[dict[str, Any]]:
    query = select(LogEntry).where(LogEntry.project_id == project).order_by(LogEntry.id)
    for entry in session.scalars(query.execution_options(yield_per=_BATCH)):
        yield record(entry)
