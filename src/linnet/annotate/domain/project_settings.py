"""Creating, changing and removing projects."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from linnet.active.learners import choose_learners, refuse_unsuitable
from linnet.active.model import pipeline_of, searches_own_index
from linnet.active.pipeline_choice import DEFAULT, pipelines_for
from linnet.active.recogniser_choice import best_recogniser, recognisers_for, types_found
from linnet.active.strategies import strategies
from linnet.annotate.domain.assignments.distribution import distribute, note_begun
from linnet.annotate.domain.attributes.definitions import Attribute, guessed, with_keys
from linnet.annotate.domain.documents.ordering import reorder
from linnet.annotate.domain.learning.job_store import enqueue
from linnet.annotate.domain.learning.versions import folder_of
from linnet.annotate.domain.projects.finding import find_project
from linnet.annotate.domain.projects.members import add_member
from linnet.annotate.domain.states import JobKind, Mode, ProjectRole
from linnet.annotate.domain.terminologies import Terminologies
from linnet.annotate.domain.type_change import labels_after
from linnet.annotate.refusals import Conflict, Invalid
from linnet.annotate.store import Database
from linnet.annotate.store.log import log
from linnet.annotate.store.tables import Project
from linnet.errors import UnknownNameError
from linnet.terminology import Terminology

__all__ = ["NewProject", "ProjectChange", "change_project", "create_project", "remove_project"]

_CHANGE_PREDICTIONS = {"types", "recogniser", "pipeline", "min_probability"}


@dataclass(frozen=True, slots=True, kw_only=True)
class NewProject:
    """Settings of a new project, see `linnet.annotate.store.tables.Project`.

    types       to link to; None: those that the recogniser finds
    labels      () for the types
    recogniser  "" for the best one
    """

    name: str
    description: str
    terminology: str
    mode: Mode
    types: Sequence[str] | None
    labels: Sequence[str]
    strategy: str
    learners: Sequence[str]
    recogniser: str
    pipeline: str
    min_probability: float
    held_out: float
    attributes: Sequence[Attribute]
    per_document: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectChange:
    """Settings to change, as of `NewProject`; None stays."""

    name: str | None = None
    description: str | None = None
    types: Sequence[str] | None = None
    labels: Sequence[str] | None = None
    strategy: str | None = None
    recogniser: str | None = None
    pipeline: str | None = None
    min_probability: float | None = None
    held_out: float | None = None
    per_document: int | None = None
    attributes: Sequence[Attribute] | None = None


def create_project(
    session: Session, terminologies: Terminologies, wanted: NewProject, *, by: str, user: int
) -> Project:
    """A new project, of which its maker is a manager; a job prepares its terminology. user: id of `by`.

    Without types, those that the recogniser finds are linked to. Without labels, the types linked to become the labels. Raises Invalid
    for an unknown terminology, Conflict if the name is taken, RequestError for types that the terminology does not have and for
    learners that can learn nothing for it, UnknownNameError for unknown strategies, learners, recognisers and pipelines.
    """
    _check_strategy(wanted.strategy)
    terminology = terminologies.open(wanted.terminology)
    _refuse_taken(session, wanted.name)
    learners = choose_learners(wanted.learners) if wanted.learners else []
    pipeline = _chosen_pipeline(wanted.pipeline, terminology)
    refuse_unsuitable(learners, pipeline_of(terminology, pipeline=pipeline), terminology)
    if wanted.recogniser:
        _check_recogniser(wanted.recogniser, terminology)
    recogniser = wanted.recogniser or best_recogniser(terminology)
    types = (
        types_found(terminology, recogniser) if wanted.types is None else list(dict.fromkeys(wanted.types))
    )
    terminology.select(types=types or None)
    own = {
        "attributes": with_keys(wanted.attributes),
        "recogniser": recogniser,
        "pipeline": pipeline,
        "learners": learners,
        "types": types,
        "labels": list(dict.fromkeys(wanted.labels)) or types or terminology.type_names,
    }
    project = Project(**asdict(wanted) | own, terminology_digest=terminology.digest, created_by=by)
    session.add(project)
    session.flush()
    changes = {"name": wanted.name, "terminology": wanted.terminology}
    log(session, "project.create", by=by, project=project, changes=changes)
    add_member(session, project, user, ProjectRole.MANAGER, by=by)
    enqueue(session, project, JobKind.PREPARE, by=by)
    return project


def change_project(
    database: Database, terminologies: Terminologies, id: int, wanted: ProjectChange, *, by: str
) -> None:
    """Change a project. A new strategy reorders the queue; new types, another recogniser, another pipeline, another minimum of the
    probability and other attributes to guess start a job that predicts again. The job first builds the index that the pipeline
    searches; search waits for it.

    Raises what `create_project` raises, NotFound, and Invalid for a shared project with several annotators of a document.
    """
    with database.write() as session:
        project = find_project(session, id)
        values = _values(session, project, terminologies, wanted)
        changes = {
            name: [getattr(project, name), value]
            for name, value in values.items()
            if getattr(project, name) != value
        }
        for name, (_, value) in changes.items():
            setattr(project, name, value)
        if changes:
            log(session, "project.change", by=by, project=project, changes=changes)
        if "pipeline" in changes and searches_own_index(
            terminologies.open(project.terminology), project.pipeline
        ):
            session.refresh(project, ["ready"], with_for_update=True)  # a job may be setting it
            project.ready = False
        if "per_document" in changes and project.per_document:
            note_begun(session, project, by=by)
            distribute(session, project, by=by)
        before, after = changes.get("attributes", ((), ()))
        if changes.keys() & _CHANGE_PREDICTIONS or guessed(before) != guessed(after):
            session.flush()
            enqueue(session, project, JobKind.PREDICT, by=by)
    if "strategy" in changes:
        reorder(database, id)


def remove_project(database: Database, data: Path, id: int, *, by: str) -> None:
    """Remove a project with its documents and, below the folder `data`, its models. Its log entries stay. Raises NotFound."""
    with database.write() as session:
        project = find_project(session, id)
        log(session, "project.remove", by=by, project=project, changes={"name": project.name})
        session.delete(project)
    shutil.rmtree(data / folder_of(id), ignore_errors=True)


def _values(
    session: Session, project: Project, terminologies: Terminologies, wanted: ProjectChange
) -> dict[str, Any]:
    """The values of a change as columns have them."""
    values = {name: value for name, value in asdict(wanted).items() if value is not None}
    if wanted.strategy is not None:
        _check_strategy(wanted.strategy)
    if wanted.types is not None:
        terminology = terminologies.open(project.terminology)
        terminology.select(types=list(wanted.types) or None)
        values["types"] = list(dict.fromkeys(wanted.types))
        values.setdefault("labels", labels_after(project, terminology, values["types"]))
    if wanted.recogniser is not None:
        _check_recogniser(wanted.recogniser, terminologies.open(project.terminology))
    if wanted.pipeline is not None:
        values["pipeline"] = _chosen_pipeline(wanted.pipeline, terminologies.open(project.terminology))
    if wanted.attributes is not None:
        values["attributes"] = with_keys(wanted.attributes)
    if wanted.name is not None and wanted.name != project.name:
        _refuse_taken(session, wanted.name)
    if project.mode == Mode.SHARED and (wanted.per_document or 0) > 1:
        raise Invalid(
            "In a shared project a document has one annotator at most, because all work on the same annotations. Choose one, or "
            "everybody."
        )
    return values


def _refuse_taken(session: Session, name: str) -> None:
    if session.scalar(select(Project.id).where(Project.name == name)) is not None:
        raise Conflict(f"A project '{name}' already exists. Choose another name.")


def _check_strategy(name: str) -> None:
    if name not in strategies:
        raise UnknownNameError("strategy", name, strategies)


def _check_recogniser(name: str, terminology: Terminology) -> None:
    if name not in (suitable := recognisers_for(terminology)):
        raise UnknownNameError("recogniser", name, suitable)


def _chosen_pipeline(name: str, terminology: Terminology) -> str:
    """The name as projects store it: "" for the terminology's own pipeline."""
    name = name or DEFAULT
    if name not in (offered := pipelines_for(terminology)):
        raise UnknownNameError("pipeline", name, offered)
    return "" if name == DEFAULT else name
