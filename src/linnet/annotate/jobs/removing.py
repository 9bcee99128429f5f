"""Makes a model version without what users removed."""

from __future__ import annotations

import shutil
from pathlib import Path

from sqlalchemy import select

from linnet.active.learned_items import read_names, read_stops, write_stops
from linnet.active.learners.names import write_names
from linnet.active.model import pipeline_of
from linnet.advice import Step
from linnet.annotate.domain.learning.removals import blocked_in
from linnet.annotate.jobs.training import Made, keep_version
from linnet.annotate.jobs.work import Work
from linnet.annotate.store.tables import Version
from linnet.io import artifact
from linnet.link.learned import MANIFEST, NAMES, STOPS
from linnet.plural import counted

__all__ = ["correct"]


def correct(work: Work) -> int | None:
    """Copy the current version without the blocked names and stops, and make the copy current.

    Returns its number; None if the current version contains nothing that is blocked. Does not train, and leaves the
    previous version unchanged.
    """
    project, draft, terminology = work.project(), work.draft, work.terminology
    with work.database.read() as session:
        blocked = blocked_in(session, project.id)
        query = select(Version).where(Version.project_id == project.id, Version.number == project.model)
        version = session.scalars(query).one_or_none()
    parent = work.version_folder(project.model)
    if version is None or parent is None:
        return None
    names, stops = read_names(parent), read_stops(parent)
    kept_names = [name for name in names if not blocked.has_name(name.text, name.concept)]
    kept_stops = [stop for stop in stops if not blocked.has_stop(stop.text)]
    if len(kept_names) == len(names) and len(kept_stops) == len(stops):
        return None
    work.progress(0.0, "Removing learnt items")
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
        pipeline = pipeline_of(terminology, pipeline=work.pipeline)
        learned["names"] = write_names(kept_names, draft, terminology, pipeline, types=project.types)
    if kept_stops:
        write_stops(kept_stops, draft)
    by = f"removed by {work.job.created_by}"
    if removed := len(names) - len(kept_names):
        rest = f"{learned.get('names', 'names')}; {removed:,} {by}"
        learned["names"] = rest if kept_names else "none: all were removed"
    if removed := len(stops) - len(kept_stops):
        learned["stops"] = f"{counted(len(kept_stops), 'names')} no longer looked for; {removed:,} {by}"
    what, rebuild = "version of a project's model", Step.LEARN_AGAIN()
    fields = artifact.read_manifest(parent, MANIFEST, what=what, rebuild=rebuild)
    made = Made("model.correct", fields.get("documents", ()), version.mentions, learned)
    return keep_version(work.stage(0.5, 1.0), made)
