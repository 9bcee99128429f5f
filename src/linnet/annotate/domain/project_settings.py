"""Creating, changing and removing projects."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
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
from linnet.annotate.domain.attributes.definitions import guessed, with_keys
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

__all__ = ["change_project", "create_project", "remove_project"]

_CHANGE_PREDICTIONS = {"types", "recogniser", "pipeline", "min_probability"}


def create_project(
    session: Session, terminologies: Terminologies, wanted: Mapping[str, Any], *, by: str, user: int
) -> Project:
    """A new project, of which its maker is a manager; a job prepares its terminology. user: id of `by`.

    wanted  column of `linnet.annotate.store.tables.Project` → value, of all that a user sets: types, None for those that the recogniser
            finds; labels, () for the types that are linked to; recogniser, "" for the best one

    Raises Invalid for an unknown terminology, Conflict if the name is taken, RequestError for types that the terminology does not have
    and for learners that can learn nothing for it, UnknownNameError for unknown strategies, learners, recognisers and pipelines.
    """
    _check_strategy(wanted["strategy"])
    terminology = terminologies.open(wanted["terminology"])
    _refuse_taken(session, wanted["name"])
    learners = choose_learners(wanted["learners"]) if wanted["learners"] else []
    pipeline = _chosen_pipeline(wanted["pipeline"], terminology)
    refuse_unsuitable(learners, pipeline_of(terminology, pipeline=pipeline), terminology)
    if wanted["recogniser"]:
        _check_recogniser(wanted["recogniser"], terminology)
    recogniser = wanted["recogniser"] or best_recogniser(terminology)
    types = wanted["types"]
    types = types_found(terminology, recogniser) if types is None else list(dict.fromkeys(types))
    terminology.select(types=types or None)
    own = {
        "attributes": with_keys(wanted["attributes"]),
        "recogniser": recogniser,
        "pipeline": pipeline,
        "learners": learners,
        "types": types,
        "labels": list(dict.fromkeys(wanted["labels"])) or types or terminology.type_names,
    }
    project = Project(**{**wanted, **own}, terminology_digest=terminology.digest, created_by=by)
    session.add(project)
    session.flush()
    changes = {name: wanted[name] for name in ("name", "terminology")}
    log(session, "project.create", by=by, project=project, changes=changes)
    add_member(session, project, user, ProjectRole.MANAGER, by=by)
    enqueue(session, project, JobKind.PREPARE, by=by)
    return project


def change_project(
    database: Database, terminologies: Terminologies, id: int, wanted: Mapping[str, Any], *, by: str
) -> None:
    """Change a project. A new strategy reorders the queue; new types, another recogniser, another pipeline, another minimum of the
    probability and other attributes to guess start a job that predicts again. The job first builds the index that the pipeline
    searches; search waits for it.

    wanted  column → value, of what changes

    Raises what `create_project` raises, NotFound, and Invalid for a shared project with several annotators of a document.
    """
    with database.write() as session:
        project = find_project(session, id)
        values = _values(session, project, terminologies, wanted)
        before = {name: getattr(project, name) for name in values}
        changes = {name: [before[name], value] for name, value in values.items() if before[name] != value}
        for name in changes:
            setattr(project, name, values[name])
        if changes:
            log(session, "project.change", by=by, project=project, changes=changes)
        if "pipeline" in changes:
            terminology = terminologies.open(project.terminology)
            if searches_own_index(terminology, project.pipeline):
                session.refresh(project, ["ready"], with_for_update=True)  # a job may be setting it
                project.ready = False
        if "per_document" in changes and project.per_document:
            note_begun(session, project, by=by)
            distribute(session, project, by=by)
        old, new = changes.get("attributes", ((), ()))
        if changes.keys() & _CHANGE_PREDICTIONS or guessed(old) != guessed(new):
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
    session: Session, project: Project, terminologies: Terminologies, wanted: Mapping[str, Any]
) -> dict[str, Any]:
    """The values of a change as columns have them."""
    values = dict(wanted)
    if "strategy" in wanted:
        _check_strategy(wanted["strategy"])
    if "types" in wanted:
        terminology = terminologies.open(project.terminology)
        terminology.select(types=wanted["types"] or None)
        values["types"] = list(dict.fromkeys(wanted["types"]))
        values.setdefault("labels", labels_after(project, terminology, values["types"]))
    if "recogniser" in wanted:
        _check_recogniser(wanted["recogniser"], terminologies.open(project.terminology))
    if "pipeline" in wanted:
        values["pipeline"] = _chosen_pipeline(wanted["pipeline"], terminologies.open(project.terminology))
    if "attributes" in wanted:
        values["attributes"] = with_keys(wanted["attributes"])
    if wanted.get("name", project.name) != project.name:
        _refuse_taken(session, wanted["name"])
    if project.mode == Mode.SHARED and wanted.get("per_document", 0) > 1:
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
