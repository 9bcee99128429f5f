"""Makes a model version without what users removed."""

from __future__ import annotations

import shutil
from pathlib import Path

from sqlalchemy import select

from linnet.active.learned_items import read_names, read_stops, write_stops
from linnet.active.learners.names import write_names
from linnet.active.model import pipeline_of
from linnet.active.training_data import Progress, stage
from linnet.advice import Step
from linnet.annotate.domain.learning.removals import blocked_in
from linnet.annotate.domain.learning.versions import draft_of, version_folder
from linnet.annotate.jobs.training import Made, keep_version
from linnet.annotate.store import Database
from linnet.annotate.store.tables import Job, Project, Version
from linnet.io import artifact
from linnet.link.learned import MANIFEST, NAMES, STOPS
from linnet.plural import counted
from linnet.terminology import Terminology

__all__ = ["correct"]


def correct(
    database: Database, data: Path, job: Job, terminology: Terminology, pipeline: str, progress: Progress
) -> int | None:
    """Copy the current version without the blocked names and stops, and make the copy current.

    pipeline  a name, see `linnet.active.model.pipeline_of`; its index is built

    Returns its number; None if the current version contains nothing that is blocked. Does not train, and leaves the
    previous version unchanged.
    """
    with database.read() as session:
        project = session.get_one(Project, job.project_id)
        blocked = blocked_in(session, project.id)
        query = select(Version).where(Version.project_id == project.id, Version.number == project.model)
        version = session.scalars(query).one_or_none()
    parent = version_folder(database, data, project.id, project.model)
    if version is None or parent is None:
        return None
    names, stops = read_names(parent), read_stops(parent)
    kept_names = [name for name in names if not blocked.has_name(name.text, name.concept)]
    kept_stops = [stop for stop in stops if not blocked.has_stop(stop.text)]
    if len(kept_names) == len(names) and len(kept_stops) == len(stops):
        return None
    progress(0.0, "Removing learnt items")
    draft = draft_of(data, job)
    shutil.rmtree(draft, ignore_errors=True)
    replaced = shutil.ignore_patterns(NAMES, f"{NAMES}.json", STOPS, MANIFEST)
    shutil.copytree(
        parent,
        draft,
        copy_function=artifact.link_or_copy,
        ignore=lambda folder, files: replaced(folder, files) if Path(folder) == parent else set(),
    )
    learned = dict(version.learned)
    if kept_names:
        learned["names"] = write_names(
            kept_names, draft, terminology, pipeline_of(terminology, pipeline=pipeline), types=project.types
        )
    if kept_stops:
        write_stops(kept_stops, draft)
    if removed := len(names) - len(kept_names):
        learned["names"] = (
            f"{learned.get('names', 'names')}; {removed:,} removed by {job.created_by}"
            if kept_names
            else "none: all were removed"
        )
    if removed := len(stops) - len(kept_stops):
        learned["stops"] = (
            f"{counted(len(kept_stops), 'names')} no longer looked for; {removed:,} removed by {job.created_by}"
        )
    fields = artifact.read_manifest(
        parent, MANIFEST, what="version of a project's model", rebuild=Step.LEARN_AGAIN()
    )
    made = Made("model.correct", fields.get("documents", ()), version.mentions, learned)
    return keep_version(database, data, job, draft, terminology, pipeline, made, stage(progress, 0.5, 1.0))
