"""Restores a project from its backup into a server that has others: rows get new ids, the log is copied unchanged."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import IO, Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from linnet.active.pipeline_choice import pipelines_for
from linnet.annotate.archive.earlier_projects import HEAD, earlier_project
from linnet.annotate.archive.manifest import FILES, TABLES, Manifest
from linnet.annotate.archive.reading import (
    ProjectBackup,
    check_limits,
    check_members,
    extract,
    opened,
    rows_of,
)
from linnet.annotate.archive.restored_people import RestoreReport, reserve_names, restore_members
from linnet.annotate.domain.attributes.definitions import check_restored
from linnet.annotate.domain.learning.job_store import enqueue
from linnet.annotate.domain.learning.versions import folder_of
from linnet.annotate.domain.mappings.hosted import LINKER
from linnet.annotate.domain.states import JobKind, Layer
from linnet.annotate.domain.terminologies import Terminologies
from linnet.annotate.refusals import Invalid
from linnet.annotate.store import Database
from linnet.annotate.store.columns import Moment
from linnet.annotate.store.log import log
from linnet.annotate.store.migrate import refuse_unknown
from linnet.annotate.store.rows import insert_rows
from linnet.annotate.store.tables import (
    MAPPING_TABLES,
    Annotation,
    Assignment,
    Base,
    Comment,
    Correction,
    Document,
    LogEntry,
    Project,
    Sheet,
    Version,
)
from linnet.annotate.store.unchanged import mark_unchanged

__all__ = ["restore_project"]

_EXPECTED = "Choose the file from “Back up the project” on a project's page “Export”; its name ends with .linnet-backup.zip."
_BATCH = 500
# Column → the table to whose rows it refers.
_REFERS = {
    "project_id": "projects", "document_id": "documents", "sheet_id": "sheets", "user_id": "users", "thread_id": "comments",
    "undoes": "log",
}  # fmt: skip


def restore_project(
    database: Database, data: Path, terminologies: Terminologies, file: IO[bytes], *, by: str
) -> RestoreReport:
    """Restore a backup completely, or not at all, as a new project; a job prepares its terminology.

    Raises Invalid for a file that is not a backup, or whose terminology is missing here; TooLarge for one that is too large.
    """
    report = RestoreReport()
    try:
        with opened(file, expected=_EXPECTED) as archive:
            check_limits(archive)
            backup = (earlier_project if HEAD in archive.namelist() else _project)(archive)
            with database.write() as session:
                _Restorer(session, backup, report, by).restore(terminologies)
                for member, path in backup.files.items():
                    extract(archive, member, data / folder_of(report.project) / path)
    except BaseException:
        # Another project will get this id.
        if report.project:
            shutil.rmtree(data / folder_of(report.project), ignore_errors=True)
        raise
    return report


def _project(archive: zipfile.ZipFile) -> ProjectBackup:
    """What the archive of a project holds. Raises Invalid for another archive, MismatchError for one of a newer linnet."""
    manifest = Manifest.read(archive)
    if manifest.project is None:
        raise Invalid(
            "This file is not the backup of a project: it is the backup of a whole server, which “linnet annotate restore” "
            f"restores into an empty folder. {_EXPECTED}"
        )
    refuse_unknown(manifest.revision, f"The backup, made by linnet {manifest.linnet},")
    check_members(archive, manifest)
    home = f"{FILES}{folder_of(manifest.project)}/"
    files = {name: name.removeprefix(home) for name in manifest.members if name.startswith(home)}

    def rows(table: str) -> Iterator[dict[str, Any]]:
        return rows_of(archive, table) if f"{TABLES}{table}.jsonl" in manifest.members else iter(())

    return ProjectBackup(manifest.made, files, rows)


class _Restorer:
    """Copies the rows of a backup. ids: table → id in the backup → id here."""

    def __init__(self, session: Session, backup: ProjectBackup, report: RestoreReport, by: str) -> None:
        self._session, self._backup, self._report, self._by = session, backup, report, by
        self._ids: dict[str, dict[Any, int]] = {}
        self._characters: dict[int, int] = {}  # by id of the document in the backup
        self._document_of: dict[int, int] = {}  # by id of the sheet

    def restore(self, terminologies: Terminologies) -> None:
        """Copy everything. Raises KeyError, TypeError or ValueError for rows that no linnet wrote."""
        [fields] = self._backup.rows("projects")
        project = self._project(fields, terminologies)
        self._people(project)
        self._copy(Correction, self._backup.rows("corrections"))
        self._report.documents = self._copy(Document, self._documents())
        self._copy(Sheet, self._sheets())
        self._report.annotations = self._copy(Annotation, self._annotations())
        self._copy(Comment, self._comments(), size=1)  # an answer comes after what it answers
        assigned = (row for row in self._backup.rows("assignments") if row["user_id"] in self._ids["users"])
        self._copy(Assignment, (row | {"created_by": self._by} for row in assigned))
        self._mapping(project, terminologies)
        reserve_names(self._session, project, self._report, self._by)
        self._report.log_entries = self._copy(LogEntry, self._log(), size=1)
        mark_unchanged(self._session.connection(), project.id)
        self._report.models = self._copy(Version, self._versions(project))
        changes = {"made": self._backup.made}
        log(self._session, "project.restore", by=self._by, project=project, changes=changes)
        enqueue(self._session, project, JobKind.PREPARE, by=self._by)

    def _project(self, fields: dict[str, Any], terminologies: Terminologies) -> Project:
        name, number = fields["name"], 2
        while self._session.scalar(select(Project.id).where(Project.name == name)) is not None:
            name, number = f"{fields['name'][:190]} ({number})", number + 1
        notes, pipeline = self._report.notes, fields["pipeline"]
        terminology = terminologies.open(fields["terminology"])
        if terminology.digest != fields["terminology_digest"]:
            notes.append("The terminology on this server is another version than the one in the backup.")
        check_restored(fields["attributes"])
        if pipeline and pipeline not in pipelines_for(terminology):
            notes.append(
                f"The project's pipeline '{pipeline}' is not available on this server for this terminology; the restored project links "
                "by the terminology's own."
            )
            pipeline = ""
        project: Project = _made(Project, fields | {"name": name, "pipeline": pipeline, "ready": False})
        self._session.add(project)
        self._session.flush()
        self._report.project, self._report.name = project.id, name
        self._ids["projects"] = {fields["id"]: project.id}
        return project

    def _people(self, project: Project) -> None:
        names = {row["id"]: row["name"] for row in self._backup.rows("users")}
        members = [row | {"name": names[row["user_id"]]} for row in self._backup.rows("members")]
        self._ids["users"] = restore_members(self._session, members, names, project, self._report, self._by)

    def _mapping(self, project: Project, terminologies: Terminologies) -> None:
        """Copy the mapping, if there is one, as it is but for the project and for ids that nothing refers to."""
        connection = self._session.connection()
        for table in MAPPING_TABLES:
            rows = (fields | {"project_id": project.id} for fields in self._backup.rows(table.name))
            insert_rows(connection, table, rows, numbered=True)
        for setting in self._backup.rows("mapping_settings"):
            name = json.loads(setting["value"])
            if setting["name"] == LINKER and name not in terminologies.names():
                self._report.notes.append(
                    f"The mapping's terminology '{name}' is not on this server; add it before the mapping is reviewed."
                )

    def _copy(self, kind: type[Base], rows: Iterable[dict[str, Any]], *, size: int = _BATCH) -> int:
        """Copy the rows of a table; returns how many. size: rows at once; 1 where rows refer to each other."""
        ids = self._ids.setdefault(kind.__tablename__, {})
        stream, count = iter(rows), 0
        while batch := list(islice(stream, size)):
            made = [_made(kind, self._referring(fields)) for fields in batch]
            self._session.add_all(made)
            self._session.flush()
            for fields, row in zip(batch, made, strict=True):
                ids[fields["id"]] = row.id
                self._session.expunge(row)
            count += len(batch)
        return count

    def _referring(self, fields: dict[str, Any]) -> dict[str, Any]:
        """The fields with ids of rows here; None for rows that are gone."""
        referring = {name: table for name, table in _REFERS.items() if fields.get(name) is not None}
        return fields | {name: self._ids[table].get(fields[name]) for name, table in referring.items()}

    def _documents(self) -> Iterator[dict[str, Any]]:
        for fields in self._backup.rows("documents"):
            self._characters[fields["id"]] = fields["characters"]
            yield fields

    def _sheets(self) -> Iterator[dict[str, Any]]:
        for fields in self._backup.rows("sheets"):
            self._document_of[fields["id"]] = fields["document_id"]
            yield fields

    def _annotations(self) -> Iterator[dict[str, Any]]:
        for fields in self._backup.rows("annotations"):
            self._check_span(fields, self._document_of[fields["sheet_id"]])
            values = fields["attributes"].values()
            if any(value is not True and not isinstance(value, str) for value in values):
                raise ValueError(f"attributes of an annotation: {fields['attributes']}")
            yield fields

    def _comments(self) -> Iterator[dict[str, Any]]:
        for fields in self._backup.rows("comments"):
            if fields["start"] is not None:
                self._check_span(fields, fields["document_id"])
            yield fields

    def _check_span(self, fields: dict[str, Any], document: int) -> None:
        if not 0 <= fields["start"] < fields["end"] <= self._characters[document]:
            raise ValueError("an annotation or comment lies outside its text")

    def _log(self) -> Iterator[dict[str, Any]]:
        annotations = self._ids["annotations"]
        for fields in self._backup.rows("log"):
            changes = dict(fields["changes"])
            for change in changes.get("annotations", ()):
                change["id"] = annotations.get(change["id"]) or self._gone(change["id"])
            for name in ("made", "removed"):
                if isinstance(changes.get(name), list):
                    changes[name] = [annotations[id] for id in changes[name] if id in annotations]
            yield fields | {"changes": changes}

    def _gone(self, old: int) -> int:
        """A new id for a removed annotation, so that undo can restore it under an unused id; 0 where no document is left to undo in."""
        if not (sheets := self._ids["sheets"]):
            return 0
        place = Annotation(
            sheet_id=next(iter(sheets.values())), start=0, end=0, layer=Layer.USER, type="", concepts=[], nil=False,
            composite=False, author="", revision=0, extra={},
        )  # fmt: skip
        self._session.add(place)
        self._session.flush()
        id = self._ids["annotations"][old] = place.id
        self._session.delete(place)
        self._session.flush()
        return id

    def _versions(self, project: Project) -> Iterator[dict[str, Any]]:
        for fields in self._backup.rows("versions"):
            yield fields | {"folder": f"{folder_of(project.id)}/v{int(fields['number'])}"}


def _made(kind: type[Base], fields: Mapping[str, Any]) -> Any:
    """A new row with the fields that its table has, without the id."""
    values: dict[str, Any] = {}
    for attribute in kind.__mapper__.column_attrs:
        name = attribute.key
        if name != "id" and (name != "created" or name in fields):
            value, is_moment = fields[name], isinstance(attribute.columns[0].type, Moment)
            values[name] = datetime.fromisoformat(value) if is_moment and isinstance(value, str) else value
    return kind(**values)
