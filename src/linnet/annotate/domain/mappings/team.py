"""Making the mapping of a project, newer tables and new releases, and decisions that were made elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from sqlalchemy.orm import Session

from linnet.annotate.domain.learning.job_store import enqueue
from linnet.annotate.domain.mappings.hosted import HostedMapping
from linnet.annotate.domain.projects.finding import find_project
from linnet.annotate.domain.states import JobKind
from linnet.annotate.domain.terminologies import Terminologies
from linnet.annotate.refusals import Conflict
from linnet.annotate.store import Database
from linnet.annotate.store.log import log
from linnet.annotate.store.mapping_tables import HostedTables
from linnet.annotate.store.tables import Job, Mapping
from linnet.mapping.imports import Imported, take
from linnet.mapping.source_table import Columns, read_source
from linnet.mapping.store import Store
from linnet.mapping.updating import begin, take_table

__all__ = ["Taken", "change_settings", "make_mapping", "renew_mapping", "take_decisions", "upgrade_mapping"]

UPGRADE = "terminology"
"""The option of a job that goes over to another terminology."""


class Taken(NamedTuple):
    """What a table changed, in strings: new ones, those that were there, those that it no longer has. blank: rows without one; job: it
    proposes concepts."""

    added: int
    kept: int
    gone: int
    blank: int
    job: int


def make_mapping(
    database: Database,
    terminologies: Terminologies,
    id: int,
    table: Path,
    columns: Columns,
    *,
    terminology: str,
    four_eyes: bool,
    by: str,
) -> Taken:
    """Make the mapping of a project. terminology: a name, "" for the project's.

    Raises Conflict if it has one, Invalid for an unknown terminology, and as `read_source`.
    """
    source = read_source(table, columns)
    with database.write() as session:
        project = find_project(session, id)
        chosen = terminology or project.terminology
        terminologies.open(chosen)
        if session.get(Mapping, id) is None:
            session.add(Mapping(project_id=id, created_by=by))
    store = Store(HostedTables(database, id, name=project.name))
    with store.changing():
        if store.setting("columns", {}):
            raise Conflict(f"{project.name} has a mapping already. Take the table as a newer one of it.")
        begin(store, source, chosen, {"four_eyes": four_eyes})
    changes = {"file": table.name, "strings": len(source), "terminology": chosen}
    with database.write() as session:
        job = _propose(session, id, "mapping.create", changes, by)
        return Taken(len(source), 0, 0, source.blank, job.id)


def renew_mapping(database: Database, mapping: HostedMapping, table: Path, *, by: str) -> Taken:
    """Take a newer table of the source. Raises as `read_source`."""
    taken = take_table(mapping.store, read_source(table, mapping.columns))
    changes = {"file": table.name, **taken._asdict()}
    with database.write() as session:
        job = _propose(session, mapping.project.id, "mapping.update", changes, by)
        return Taken(*taken, job.id)


def upgrade_mapping(
    database: Database, terminologies: Terminologies, mapping: HostedMapping, terminology: str, *, by: str
) -> Job:
    """Start a job that goes over to another terminology, or to another version of this one. Raises Invalid for an unknown one."""
    terminologies.open(terminology)
    with database.write() as session:
        project = find_project(session, mapping.project.id)
        return enqueue(session, project, JobKind.MAP, by=by, options={UPGRADE: terminology})


def take_decisions(
    database: Database, mapping: HostedMapping, file: Path, *, format: str | None, by: str
) -> Imported:
    """Take decisions that were made elsewhere: see `linnet.mapping.imports.take`."""
    taken = take(mapping, file, format=format, by=by)
    changes = {"file": file.name, "taken": taken.taken, "conflicts": len(taken.conflicts)}
    with database.write() as session:
        project = find_project(session, mapping.project.id)
        log(session, "mapping.import", by=by, project=project, changes=changes)
    return taken


def change_settings(database: Database, mapping: HostedMapping, *, four_eyes: bool, by: str) -> None:
    """Change whether a row counts only once two people have decided the same."""
    with mapping.store.changing():
        mapping.store.put_setting("settings", {**mapping.settings, "four_eyes": four_eyes})
    with database.write() as session:
        project = find_project(session, mapping.project.id)
        log(session, "mapping.change", by=by, project=project, changes={"four eyes": four_eyes})


def _propose(session: Session, id: int, action: str, changes: dict[str, object], by: str) -> Job:
    project = find_project(session, id)
    log(session, action, by=by, project=project, changes=changes)
    return enqueue(session, project, JobKind.MAP, by=by)
