"""Makes a new version of a project's model from its annotations."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import func, select

from linnet.active.learners import choose_learners, learners
from linnet.active.metrics import measure
from linnet.active.model import base_linker, open_model, pipeline_of
from linnet.active.training_data import Progress, TrainingData, checked, resolved, stage
from linnet.annotate.domain.documents.picked import pick
from linnet.annotate.domain.learning.removals import blocked_in
from linnet.annotate.domain.learning.versions import draft_of, version_folder
from linnet.annotate.domain.states import Layer, State
from linnet.annotate.store import Database
from linnet.annotate.store.log import log
from linnet.annotate.store.tables import Job, Project, Version
from linnet.errors import RequestError
from linnet.io import artifact
from linnet.link.learned import MANIFEST
from linnet.terminology import Terminology
from linnet.types import Document

__all__ = ["Made", "keep_version", "train"]

_LEARNING = 0.6  # share of the progress bar; the rest is measuring and predicting


def train(
    database: Database,
    data: Path,
    job: Job,
    terminology: Terminology,
    pipeline: str,
    progress: Progress,
    *,
    approved: Sequence[Document] = (),
) -> int:
    """Learn from the annotations, measure before and after, and make the result the project's current version.

    pipeline  a name, see `linnet.active.model.pipeline_of`; its index is built
    approved  strings of the project's mapping, each a document with one mention

    Returns its number. Raises RequestError if nothing is annotated, LinnetError from the learners, and what `progress`
    raises.
    """
    with database.read() as session:
        project = session.get_one(Project, job.project_id)
    folder = draft_of(data, job)
    folder.mkdir(parents=True, exist_ok=True)
    training_data = _training_data(database, project, terminology, pipeline)
    strings = [resolved(document, terminology) for document in approved]
    training_data = replace(training_data, strings=strings)
    if not training_data.mentions:
        raise RequestError(
            "There is nothing to learn from yet. Annotate some documents that are not held out, and accept them, or approve strings of the "
            "mapping."
        )
    names = choose_learners(job.options.get("learners", ()))
    learned = {}
    for number, name in enumerate(names):
        low, high = _LEARNING * number / len(names), _LEARNING * (number + 1) / len(names)
        learned[name] = learners[name].learn(training_data, folder, stage(progress, low, high))
    documents = (*training_data.documents, *training_data.partial)
    return keep_version(
        database,
        data,
        job,
        folder,
        terminology,
        pipeline,
        Made("model.train", [document.id for document in documents], training_data.mentions, learned),
        stage(progress, _LEARNING, 0.8),
    )


class Made(NamedTuple):
    """A new version. action: for the log; documents, mentions: what it was learnt from; learned: summary by learner."""

    action: str
    documents: Sequence[str]
    mentions: int
    learned: dict[str, str]


def keep_version(
    database: Database,
    data: Path,
    job: Job,
    folder: Path,
    terminology: Terminology,
    pipeline: str,
    made: Made,
    progress: Progress,
) -> int:
    """Measure the version that a job wrote into a folder, and make it current; returns its number. pipeline: see `train`."""
    with database.read() as session:
        project = session.get_one(Project, job.project_id)
    progress(0.0, "Measuring on the held-out documents")
    held_out = _held_out(database, project, terminology)
    parent = version_folder(database, data, project.id, project.model)
    opened = partial(
        open_model, terminology, types=project.types, recogniser=project.recogniser, pipeline=pipeline
    )
    before = measure(opened(parent), held_out)
    progress(0.5, "Measuring on the held-out documents")
    after = measure(opened(folder), held_out)
    artifact.write_manifest(
        folder,
        MANIFEST,
        {
            "terminology": terminology.digest,
            "pipeline": asdict(pipeline_of(terminology, project.recogniser, pipeline)),
            "parent": project.model,
            "documents": list(made.documents),
            "learned": made.learned,
        },
    )
    with database.write() as session:
        project = session.get_one(Project, job.project_id, with_for_update=True)
        last = session.scalar(select(func.max(Version.number)).where(Version.project_id == project.id))
        number = (last or 0) + 1
        place = folder.with_name(f"v{number}")
        shutil.rmtree(place, ignore_errors=True)
        folder.rename(place)
        version = Version(
            project_id=project.id,
            number=number,
            parent=project.model,
            folder=place.relative_to(data).as_posix(),
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
        log(
            session,
            made.action,
            by=job.created_by,
            project=project,
            changes={"version": number, "learned": made.learned, "before": before, "after": after},
        )
    return number


def _training_data(
    database: Database, project: Project, terminology: Terminology, pipeline: str
) -> TrainingData:
    complete: dict[int, Document] = {}
    others: list[Document] = []
    partial: list[Document] = []
    with database.read() as session:
        blocked = blocked_in(session, project.id)
        merged = session.merge(project, load=False)
        for picked in pick(session, merged, layers=(Layer.GOLD, Layer.USER), held_out=False, every=True):
            document = resolved(picked.document(), terminology)
            if picked.sheet.state != State.ACCEPTED:
                if document.mentions:
                    partial.append(document)
            elif picked.row.id in complete:
                others.append(document)
            else:
                complete[picked.row.id] = document
    linker = base_linker(
        terminology,
        pipeline_of(terminology, project.recogniser, pipeline),
        types=project.types,
        threads=1,
    )
    return TrainingData(
        terminology, tuple(project.types), list(complete.values()), partial, linker, others, blocked
    )


def _held_out(database: Database, project: Project, terminology: Terminology) -> list[Document]:
    """Of each accepted document the version with most checked mentions, of equal ones that accepted last."""
    found: dict[int, Document] = {}
    with database.read() as session:
        merged = session.merge(project, load=False)
        layers = (Layer.GOLD, Layer.USER)
        for picked in pick(
            session, merged, states=(State.ACCEPTED,), layers=layers, held_out=True, every=True
        ):
            document = resolved(picked.document(), terminology)
            kept = found.setdefault(picked.row.id, document)
            if len(checked(document).mentions) > len(checked(kept).mentions):
                found[picked.row.id] = document
    return list(found.values())
