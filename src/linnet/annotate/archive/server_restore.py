"""Restores a server's archive into an empty place, completely or not at all.

The archive is checked before anything is written. Everything is then written into `.restoring` in the data folder and its database
in one transaction; the last step makes it valid: renaming `linnet.db`, or committing on PostgreSQL. If the process is killed before,
the next restore finds `.restoring` and an empty database, and begins again.
"""

from __future__ import annotations

import shutil
import zipfile
from contextlib import closing
from pathlib import Path

from sqlalchemy import Connection, inspect, select
from sqlalchemy.orm import Session

from linnet.advice import Step
from linnet.annotate.archive.manifest import FILES, TABLES, Manifest
from linnet.annotate.archive.reading import check_members, extract, opened, rows_of
from linnet.annotate.disk import is_full, sync
from linnet.annotate.domain.learning.job_store import enqueue
from linnet.annotate.domain.states import JobKind
from linnet.annotate.domain.terminologies import Terminologies
from linnet.annotate.refusals import Invalid
from linnet.annotate.server_lock import lock_data
from linnet.annotate.settings import Settings
from linnet.annotate.store import open_database
from linnet.annotate.store.log import log
from linnet.annotate.store.migrate import create_tables, refuse_unknown, upgrade
from linnet.annotate.store.rows import insert_rows, reflected, set_last_id
from linnet.annotate.store.tables import Project
from linnet.errors import DataError, RequestError, StoreError

__all__ = ["missing_terminologies", "restore_server"]

_STAGE = ".restoring"
_DATABASE = "linnet.db"
_PROJECTS = "projects"
_COMMAND_LINE = "command line"  # the user in the log
_EXPECTED = "Choose one that 'linnet annotate backup' made."


def restore_server(file: Path, settings: Settings) -> Manifest:
    """Restore a server into its data folder and database, which must be empty; terminologies may be there already.

    Raises DataError for a missing file, Invalid for one that is no backup or is damaged, MismatchError for one of another linnet,
    RequestError if the place is not empty, StoreError if it cannot be used.
    """
    if not file.is_file():
        raise DataError("no such file. Check the path.", path=file)
    try:
        with file.open("rb") as stream, opened(stream, what=str(file), expected=_EXPECTED) as archive:
            manifest = Manifest.read(archive)
            if manifest.project is not None:
                raise Invalid(
                    f"{file} is the backup of one project. Restore it on the page Projects of a running server."
                )
            refuse_unknown(manifest.revision, f"The backup, made by linnet {manifest.linnet},")
            check_members(archive, manifest)
            with lock_data(settings.data):
                _restore(archive, manifest, settings)
    except Exception as error:
        if not is_full(error):
            raise
        raise StoreError(
            "The disk is full. Nothing was restored. Free some space, then restore again."
        ) from error
    return manifest


def missing_terminologies(manifest: Manifest, settings: Settings) -> list[str]:
    """What the restored server needs besides the backup: a line for each terminology that its folder lacks or has in another version."""
    here, lines = Terminologies(settings.data, settings.terminologies), []
    for name, digest in manifest.terminologies.items():
        found = here.try_open(name)
        if found is None:
            lines.append(f"{name} (digest {digest[:12]}) is not here")
        elif found.digest != digest:
            lines.append(
                f"{name} is another version here (digest {found.digest[:12]}; the backup's is {digest[:12]})"
            )
    return lines


def _restore(archive: zipfile.ZipFile, manifest: Manifest, settings: Settings) -> None:
    data, sqlite = settings.data, not settings.database
    stage, projects = data / _STAGE, data / _PROJECTS
    if (data / _DATABASE).exists():
        raise RequestError(
            f"{data} has a server already ({_DATABASE}). To replace this server, move its folder away first.",
            Step.OTHER_FOLDER(),
        )
    if sqlite:
        _clear(stage, projects)
        stage.mkdir()
    url = f"sqlite:///{stage / _DATABASE}" if sqlite else settings.database
    done = False
    try:
        with closing(open_database(url, upgrade=False)) as database:
            connection = database.engine.execution_options(writes=True).connect()
            with connection, connection.begin():
                _refuse_tables(connection)
                if not sqlite:
                    _clear(stage, projects)
                    stage.mkdir()
                _extract(archive, manifest, stage)
                _fill(connection, archive, manifest)
                if not sqlite:
                    _move(stage / _PROJECTS, projects)
            done = not sqlite
        if sqlite:
            sync(stage / _DATABASE)
            _move(stage / _PROJECTS, projects)
            (stage / _DATABASE).replace(data / _DATABASE)
            done = True
            sync(data)
    finally:
        if not done and stage.is_dir():
            shutil.rmtree(projects, ignore_errors=True)
        shutil.rmtree(stage, ignore_errors=True)


def _clear(stage: Path, projects: Path) -> None:
    """Remove what a killed restore left. Raises RequestError for a folder that somebody else filled."""
    if stage.is_dir():
        shutil.rmtree(projects, ignore_errors=True)
        shutil.rmtree(stage)
    elif projects.is_dir() and any(projects.iterdir()):
        raise RequestError(
            f"{projects} is not empty: it has the models of another server.",
            Step.OTHER_FOLDER(),
        )


def _refuse_tables(connection: Connection) -> None:
    if tables := inspect(connection).get_table_names():
        raise RequestError(
            f"The database is not empty: it has the tables {', '.join(sorted(tables)[:3])}, … Restore into a new database."
        )


def _extract(archive: zipfile.ZipFile, manifest: Manifest, stage: Path) -> None:
    """Write the files of the model versions into `stage`, and sync them."""
    (stage / _PROJECTS).mkdir()
    folders = {stage / _PROJECTS}
    for name in manifest.members:
        if not name.startswith(FILES):
            continue
        target = stage / name.removeprefix(FILES)
        if not target.is_relative_to(stage / _PROJECTS):
            raise ValueError(f"{name}: expected a file below {FILES}{_PROJECTS}/")
        extract(archive, name, target)
        sync(target)
        folders.update(parent for parent in target.parents if parent.is_relative_to(stage))
    for folder in folders:
        sync(folder)


def _fill(connection: Connection, archive: zipfile.ZipFile, manifest: Manifest) -> None:
    """Make the tables as they were, fill them, and migrate them to this version of linnet."""
    create_tables(connection, manifest.revision)
    for name, table in reflected(connection).items():
        if f"{TABLES}{name}.jsonl" in manifest.members:
            insert_rows(connection, table, rows_of(archive, name))
            set_last_id(connection, table, manifest.last_ids.get(name, 0))
    upgrade(connection)
    with Session(connection, join_transaction_mode="create_savepoint") as session:
        changes = {"made": manifest.made, "linnet": manifest.linnet}
        log(session, "server.restore", by=_COMMAND_LINE, changes=changes)
        for project in session.scalars(select(Project).order_by(Project.id)).all():
            project.ready = False  # this server may lack the indexes of its terminology
            enqueue(session, project, JobKind.PREPARE, by=_COMMAND_LINE)
        session.commit()


def _move(source: Path, goal: Path) -> None:
    """Rename a folder in place of an empty one, and sync its parent."""
    if goal.is_dir():
        goal.rmdir()
    source.rename(goal)
    sync(goal.parent)
