"""Makes a new version of a project's model from its annotations."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy import func, select

from linnet.active.learners import choose_learners, learners
from linnet.active.metrics import measure
from linnet.active.model import base_linker, open_model, pipeline_of
from linnet.active.training_data import TrainingData, checked, resolved, stage
from linnet.annotate.domain.documents.picked import pick
from linnet.annotate.domain.learning.removals import blocked_in
from linnet.annotate.domain.states import Layer, State
from linnet.annotate.jobs.mapping import approved_strings
from linnet.annotate.jobs.work import Work
from linnet.annotate.store.log import log
from linnet.annotate.store.tables import Job, Project, Version
from linnet.errors import RequestError
from linnet.io import artifact
from linnet.link.learned import MANIFEST
from linnet.types import Document

__all__ = ["Made", "keep_version", "train"]

_CHECKED = (Layer.GOLD, Layer.USER)
_LEARNING = 0.6  # share of the progress bar; the rest is measuring and predicting


def train(work: Work) -> int:
    """Learn from the annotations and from approved strings of the project's mapping, measure before and after, and make the result the
    project's current version.

    Returns its number. Raises RequestError if nothing is annotated, LinnetError from the learners, and what `progress`
    raises.
    """
    project = work.project()
    work.draft.mkdir(parents=True, exist_ok=True)
    strings = [resolved(document, work.terminology) for document in approved_strings(work, project)]
    training_data = replace(_training_data(work, project), strings=strings)
    if not training_data.mentions:
        raise RequestError(
            "There is nothing to learn from yet. Annotate some documents that are not held out, and accept them, or approve strings of the "
            "mapping."
        )
    names = choose_learners(work.job.options.get("learners", ()))
    learned = {}
    for number, name in enumerate(names):
        low, high = _LEARNING * number / len(names), _LEARNING * (number + 1) / len(names)
        learned[name] = learners[name].learn(training_data, work.draft, stage(work.progress, low, high))
    documents = [document.id for document in (*training_data.documents, *training_data.partial)]
    made = Made("model.train", documents, training_data.mentions, learned)
    return keep_version(work.stage(_LEARNING, 0.8), made)


class Made(NamedTuple):
    """A new version. action: for the log; documents, mentions: what it was learnt from; learned: summary by learner."""

    action: str
    documents: Sequence[str]
    mentions: int
    learned: dict[str, str]


def keep_version(work: Work, made: Made) -> int:
    """Measure the version in the job's draft folder, and make it current; returns its number."""
    project, draft = work.project(), work.draft
    work.progress(0.0, "Measuring on the held-out documents")
    held_out = _held_out(work, project)
    types, recogniser = project.types, project.recogniser
    opened = partial(open_model, work.terminology, types=types, recogniser=recogniser, pipeline=work.pipeline)
    before = measure(opened(work.version_folder(project.model)), held_out)
    work.progress(0.5, "Measuring on the held-out documents")
    after = measure(opened(draft), held_out)
    fields = {
        "terminology": work.terminology.digest,
        "pipeline": asdict(pipeline_of(work.terminology, recogniser, work.pipeline)),
        "parent": project.model,
        "documents": list(made.documents),
        "learned": made.learned,
    }
    artifact.write_manifest(draft, MANIFEST, fields)
    return _current(work, made, before, after)


def _current(work: Work, made: Made, before: dict[str, Any] | None, after: dict[str, Any] | None) -> int:
    """Make the version in the job's draft folder current, with what was measured before and after; returns its number."""
    job, draft = work.job, work.draft
    with work.database.write() as session:
        project = session.get_one(Project, job.project_id, with_for_update=True)
        last = session.scalar(select(func.max(Version.number)).where(Version.project_id == project.id))
        number = (last or 0) + 1
        place = draft.with_name(f"v{number}")
        shutil.rmtree(place, ignore_errors=True)
        draft.rename(place)
        version = Version(
            project_id=project.id,
            number=number,
            parent=project.model,
            folder=place.relative_to(work.data).as_posix(),
            digest=artifact.digest(place / MANIFEST),
            documents=len(made.documents),
            mentions=made.mentions,
            learned=made.learned,
            before=before,
            after=after,
            created_by=job.created_by,
        )
        session.add(version)
        session.flush()
        project.model = number
        # If the job is resumed after this, it does not make another version.
        session.get_one(Job, job.id).version = number
        changes = {"version": number, "learned": made.learned, "before": before, "after": after}
        log(session, made.action, by=job.created_by, project=project, changes=changes)
    return number


def _training_data(work: Work, project: Project) -> TrainingData:
    complete: dict[int, Document] = {}
    others: list[Document] = []
    partial: list[Document] = []
    with work.database.read() as session:
        blocked = blocked_in(session, project.id)
        merged = session.merge(project, load=False)
        for picked in pick(session, merged, layers=_CHECKED, held_out=False, every=True):
            document = resolved(picked.document(), work.terminology)
            if picked.sheet.state != State.ACCEPTED:
                if document.mentions:
                    partial.append(document)
            elif picked.row.id in complete:
                others.append(document)
            else:
                complete[picked.row.id] = document
    pipeline = pipeline_of(work.terminology, project.recogniser, work.pipeline)
    linker = base_linker(work.terminology, pipeline, types=project.types, threads=1)
    types, documents = tuple(project.types), list(complete.values())
    return TrainingData(work.terminology, types, documents, partial, linker, others, blocked)


def _held_out(work: Work, project: Project) -> list[Document]:
    """Of each accepted document the version with most checked mentions, of equal ones that accepted last."""
    found: dict[int, Document] = {}
    accepted = (State.ACCEPTED,)
    with work.database.read() as session:
        merged = session.merge(project, load=False)
        for picked in pick(session, merged, states=accepted, layers=_CHECKED, held_out=True, every=True):
            document = resolved(picked.document(), work.terminology)
            kept = found.setdefault(picked.row.id, document)
            if len(checked(document).mentions) > len(checked(kept).mentions):
                found[picked.row.id] = document
    return list(found.values())
