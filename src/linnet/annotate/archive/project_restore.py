"""Restores a backup as a new project: rows get new ids, the log is copied unchanged."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from linnet.active.pipeline_choice import pipelines_for
from linnet.annotate.archive.project_file import check_archive, check_kind, read_head, read_lines, refusal_of
from linnet.annotate.archive.restored_people import RestoreReport, reserve_names, restore_members
from linnet.annotate.domain.accounts.names import account_key
from linnet.annotate.domain.attributes.definitions import check_restored
from linnet.annotate.domain.states import Layer
from linnet.annotate.domain.terminologies import Terminologies
from linnet.annotate.store import Database
from linnet.annotate.store.columns import Moment
from linnet.annotate.store.log import log
from linnet.annotate.store.tables import (
    Annotation,
    Assignment,
    Comment,
    Correction,
    Document,
    LogEntry,
    Project,
    Sheet,
    Version,
)
from linnet.annotate.store.unchanged import mark_unchanged

__all__ = ["restore"]


def restore(
    database: Database, data: Path, terminologies: Terminologies, file: IO[bytes], *, by: str
) -> RestoreReport:
    """Restore a backup completely, or not at all.

    Raises Invalid for a file that is not a backup, or whose terminology is missing here; TooLarge for one that is too large.
    """
    check_kind(file)
    restored = RestoreReport()
    try:
        with zipfile.ZipFile(file) as archive:
            check_archive(archive)
            head = read_head(archive)
            with database.write() as session:
                project = _project(session, head["project"], terminologies, restored)
                # Backups of earlier linnet versions have none.
                session.add_all(
                    _row(Correction, fields, project_id=project.id) for fields in head.get("corrections", ())
                )
                members = restore_members(session, head.get("members", ()), project, restored, by)
                ids = _documents(session, archive, project, restored, members, by)
                reserve_names(session, project, restored, by)
                _log(session, archive, project, ids, restored)
                mark_unchanged(session.connection(), project.id)
                _versions(session, archive, project, data, restored)
                log(
                    session, "project.restore", by=by, project=project, changes={"made": head.get("made", "")}
                )
    except BaseException as error:
        # Another project will get this id.
        if restored.project:
            shutil.rmtree(data / "projects" / str(restored.project), ignore_errors=True)
        if (refusal := refusal_of(error)) is None:
            raise
        raise refusal from None
    return restored


def _project(
    session: Session, fields: dict[str, Any], terminologies: Terminologies, restored: RestoreReport
) -> Project:
    name, number = fields["name"], 2
    while session.scalar(select(Project.id).where(Project.name == name)) is not None:
        name, number = f"{fields['name'][:190]} ({number})", number + 1
    terminology = terminologies.open(fields["terminology"])
    if terminology.digest != fields["terminology_digest"]:
        restored.notes.append("The terminology on this server is another version than the one in the backup.")
    # Backups of earlier linnet versions lack these.
    added: dict[str, Any] = {
        "learners": [],
        "recogniser": "",
        "pipeline": "",
        "min_probability": 0.0,
        "per_document": 0,
        "attributes": [],
    }
    fields = added | fields
    check_restored(fields["attributes"])
    pipeline = fields["pipeline"]
    if pipeline and pipeline not in pipelines_for(terminology):
        restored.notes.append(
            f"The project's pipeline '{pipeline}' is not available on this server for this terminology; the restored project links "
            "by the terminology's own."
        )
        pipeline = ""
    project: Project = _row(Project, fields, name=name, pipeline=pipeline, ready=False)
    session.add(project)
    session.flush()
    restored.project, restored.name = project.id, name
    return project


def _documents(
    session: Session,
    archive: zipfile.ZipFile,
    project: Project,
    restored: RestoreReport,
    members: Mapping[str, int],
    by: str,
) -> dict[str, dict[int, int]]:
    """Old id → new id of documents, sheets and annotations. members: key → id of the accounts to whom documents may be assigned."""
    ids: dict[str, dict[int, int]] = {"document": {}, "sheet": {}, "annotation": {}}
    for fields in read_lines(archive, "documents.jsonl"):
        document = _row(Document, {"predicted": [], "reason": "", **fields}, project_id=project.id)
        session.add(document)
        session.flush()
        ids["document"][fields["id"]] = document.id
        restored.documents += 1
        for below in fields["sheets"]:
            sheet = _row(Sheet, below, document_id=document.id)
            session.add(sheet)
            session.flush()
            ids["sheet"][below["id"]] = sheet.id
            for values in below["annotations"]:
                _check_span(values, document)
                values = {"attributes": {}, "unchanged": False} | values  # earlier linnet versions lack them
                _check_attributes(values["attributes"])
                annotation = _row(Annotation, values, sheet_id=sheet.id)
                session.add(annotation)
                session.flush()
                ids["annotation"][values["id"]] = annotation.id
                restored.annotations += 1
        _comments(session, fields.get("comments", ()), document)
        session.add_all(
            Assignment(document_id=document.id, user_id=members[key], created_by=by)
            for key in sorted(map(account_key, fields.get("assigned", ())))
            if key in members
        )
        session.expunge(document)
    return ids


def _comments(session: Session, records: Iterable[dict[str, Any]], document: Document) -> None:
    """Backups of earlier linnet versions have none. A thread's first comment comes before its replies."""
    ids: dict[int, int] = {}
    for fields in records:
        thread = fields["thread_id"]
        if fields["start"] is not None:
            _check_span(fields, document)
        comment = _row(
            Comment, fields, document_id=document.id, thread_id=None if thread is None else ids[thread]
        )
        session.add(comment)
        session.flush()
        ids[fields["id"]] = comment.id


def _log(
    session: Session,
    archive: zipfile.ZipFile,
    project: Project,
    ids: dict[str, dict[int, int]],
    restored: RestoreReport,
) -> None:
    entries: dict[int, int] = {}
    for fields in read_lines(archive, "log.jsonl"):
        changes = dict(fields["changes"])
        for change in changes.get("annotations", ()):
            change["id"] = ids["annotation"].get(change["id"]) or _gone(session, ids, change["id"])
        for name in ("made", "removed"):
            if isinstance(changes.get(name), list):
                changes[name] = [ids["annotation"][id] for id in changes[name] if id in ids["annotation"]]
        entry = _row(
            LogEntry,
            {"token": "", **fields},  # backups of earlier linnet versions have none
            project_id=project.id,
            document_id=ids["document"].get(fields["document_id"]),
            sheet_id=ids["sheet"].get(fields["sheet_id"]),
            undoes=entries.get(fields["undoes"]),
            changes=changes,
        )
        session.add(entry)
        session.flush()
        entries[fields["id"]] = entry.id
        restored.log_entries += 1


def _gone(session: Session, ids: dict[str, dict[int, int]], old: int) -> int:
    """A new id for a removed annotation, so that undo can restore it under an unused id."""
    sheet = next(iter(ids["sheet"].values()))
    place = Annotation(
        sheet_id=sheet, start=0, end=0, layer=Layer.USER, type="", concepts=[], nil=False, composite=False, author="",
        revision=0, extra={},
    )  # fmt: skip
    session.add(place)
    session.flush()
    ids["annotation"][old] = place.id
    session.delete(place)
    session.flush()
    return ids["annotation"][old]


def _versions(
    session: Session, archive: zipfile.ZipFile, project: Project, data: Path, restored: RestoreReport
) -> None:
    home = data / "projects" / str(project.id)
    for fields in read_lines(archive, "versions.jsonl"):
        number = int(fields["number"])
        place = home / f"v{number}"
        prefix = f"models/v{number}/"
        for member in archive.infolist():
            if member.filename.startswith(prefix) and not member.is_dir():
                target = place / member.filename.removeprefix(prefix)
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(member) as source, target.open("wb") as goal:
                    shutil.copyfileobj(source, goal)
        folder = place.relative_to(data).as_posix()
        session.add(_row(Version, fields, project_id=project.id, folder=folder))
        restored.models += 1
    session.flush()


def _row(kind: type[Any], fields: dict[str, Any], **instead: Any) -> Any:
    """A new row from the fields that the table has, without the id. instead: values that replace those of `fields`."""
    columns = {column.key: column for column in kind.__mapper__.column_attrs}
    values: dict[str, Any] = {}
    for name, attribute in columns.items():
        if name == "id":
            continue
        value = instead[name] if name in instead else fields[name]
        if isinstance(value, str) and isinstance(attribute.columns[0].type, Moment):
            value = datetime.fromisoformat(value)
        values[name] = value
    return kind(**values)


def _check_attributes(values: Any) -> None:
    if not isinstance(values, dict) or any(
        value is not True and not isinstance(value, str) for value in values.values()
    ):
        raise ValueError(f"attributes of an annotation: {values}")


def _check_span(fields: dict[str, Any], document: Document) -> None:
    if not 0 <= fields["start"] < fields["end"] <= document.characters:
        raise ValueError(f"an annotation or comment of {document.name} lies outside its text")
