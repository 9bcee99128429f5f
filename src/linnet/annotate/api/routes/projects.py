"""Creating, changing and removing projects; counts, agreement and the log of one."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from sqlalchemy.orm import Session

from linnet.active.model import searches_own_index
from linnet.active.strategies import strategies
from linnet.annotate.api.access import (
    App,
    CurrentAdmin,
    CurrentCurator,
    CurrentManager,
    CurrentUser,
    in_person,
)
from linnet.annotate.api.history import PageOptions, read_log
from linnet.annotate.api.schemas.attributes import AttributeUse
from linnet.annotate.api.schemas.base import Id, Line
from linnet.annotate.api.schemas.history import Agreement, LogPage
from linnet.annotate.api.schemas.members import Role
from linnet.annotate.api.schemas.projects import (
    NewProject,
    PredictionCounts,
    Progress,
    Project,
    ProjectChange,
    TypesChange,
)
from linnet.annotate.domain.agreement.pairs import agreement
from linnet.annotate.domain.assignments.distribution import distribute, note_begun
from linnet.annotate.domain.attributes.definitions import guessed, with_keys
from linnet.annotate.domain.attributes.usage import attribute_uses
from linnet.annotate.domain.documents.listing import count_predictions, count_states, count_teaching
from linnet.annotate.domain.documents.ordering import reorder
from linnet.annotate.domain.learning.job_store import enqueue
from linnet.annotate.domain.learning.versions import folder_of
from linnet.annotate.domain.project_settings import (
    check_recogniser,
    chosen_pipeline,
    create_project,
    refuse_taken,
)
from linnet.annotate.domain.projects.finding import find_project
from linnet.annotate.domain.projects.members import add_member, seen_projects
from linnet.annotate.domain.type_change import affected_annotations, labels_after
from linnet.annotate.refusals import Invalid
from linnet.annotate.store import tables
from linnet.annotate.store.log import log
from linnet.errors import UnknownNameError

__all__ = ["router"]

router = APIRouter(prefix="/projects", tags=["projects"])

_CHANGE_PREDICTIONS = {"types", "recogniser", "pipeline", "min_probability"}


@router.get("")
def all_projects(app: App, user: CurrentUser) -> list[Project]:
    """List the projects that you are a member of, newest first; for admins all."""
    with app.database.read() as session:
        return [_view(session, row, user.name, role) for row, role in seen_projects(session, user)]


@router.post("", status_code=201)
def new_project(app: App, user: CurrentAdmin, body: NewProject) -> Project:
    """Create a project; a job prepares its terminology for searching and linking."""
    _check_strategy(body.strategy)
    terminology = app.terminologies.open(body.terminology)
    with app.database.write() as session:
        row = create_project(session, terminology, body, by=user.name)
        add_member(session, row, user.id, "manager", by=user.name)
        enqueue(session, row, "prepare", by=user.name)
        return _view(session, row, user.name, "manager")


@router.get("/{project}")
def one_project(app: App, user: CurrentUser, project: Id) -> Project:
    """A project and its progress."""
    with app.database.read() as session:
        return _view(session, find_project(session, project), user.name, user.project_role)


@router.patch("/{project}")
def changed_project(app: App, user: CurrentManager, project: Id, body: ProjectChange) -> Project:
    """Change a project. A new strategy reorders the queue; new types, another recogniser, another pipeline and
    another minimum of the probability start a job that predicts again, and so do other attributes to guess. The job first
    builds the index that the pipeline searches; search waits for it."""
    if body.strategy is not None:
        _check_strategy(body.strategy)
    wanted = {name: value for name, value in body.model_dump().items() if value is not None}
    with app.database.write() as session:
        row = find_project(session, project)
        if body.types is not None:
            terminology = app.terminologies.open(row.terminology)
            terminology.select(types=body.types or None)
            wanted["types"] = list(dict.fromkeys(body.types))
            wanted.setdefault("labels", labels_after(row, terminology, wanted["types"]))
        if body.recogniser is not None:
            check_recogniser(body.recogniser, app.terminologies.open(row.terminology))
        if body.pipeline is not None:
            wanted["pipeline"] = chosen_pipeline(body.pipeline, app.terminologies.open(row.terminology))
        if body.attributes is not None:
            wanted["attributes"] = with_keys(wanted["attributes"])
        if body.name is not None and body.name != row.name:
            refuse_taken(session, body.name)
        changes = {
            name: [getattr(row, name), value] for name, value in wanted.items() if getattr(row, name) != value
        }
        if row.mode == "shared" and (body.per_document or 0) > 1:
            raise Invalid(
                "In a shared project a document has one annotator at most, because all work on the same annotations. Choose one, or "
                "everybody."
            )
        for name, (_, value) in changes.items():
            setattr(row, name, value)
        if changes:
            log(session, "project.change", by=user.name, project=row, changes=changes)
        if "pipeline" in changes and searches_own_index(
            app.terminologies.open(row.terminology), row.pipeline
        ):
            session.refresh(row, ["ready"], with_for_update=True)  # a job may be setting it
            row.ready = False
        if "per_document" in changes and row.per_document:
            note_begun(session, row, by=user.name)
            distribute(session, row, by=user.name)
        if changes.keys() & _CHANGE_PREDICTIONS or _guesses_change(changes.get("attributes")):
            session.flush()
            enqueue(session, row, "predict", by=user.name)
    if "strategy" in changes:
        reorder(app.database, project)
    with app.database.read() as session:
        return _view(session, find_project(session, project), user.name, user.project_role)


@router.get("/{project}/types")
def other_types(
    app: App,
    user: CurrentManager,
    project: Id,
    types: Annotated[list[Line] | None, Query(max_length=100)] = None,
) -> TypesChange:
    """Preview a change of types: the annotations it affects. No types means all types."""
    with app.database.read() as session:
        row = find_project(session, project)
        return affected_annotations(session, row, app.terminologies.open(row.terminology), types or [])


@router.get("/{project}/attributes")
def uses_of_attributes(app: App, user: CurrentManager, project: Id) -> list[AttributeUse]:
    """Count the annotations with each attribute and value, before changing the project's attributes."""
    with app.database.read() as session:
        return attribute_uses(session, find_project(session, project))


@router.get("/{project}/predictions")
def prediction_counts(app: App, user: CurrentManager, project: Id) -> PredictionCounts:
    """Count predictions by their probability, for choosing a minimum."""
    with app.database.read() as session:
        return count_predictions(session, find_project(session, project))


@router.delete("/{project}", status_code=204, dependencies=[Depends(in_person)])
def remove_project(app: App, user: CurrentManager, project: Id) -> None:
    """Remove a project with its documents and models. Its log entries stay. Back it up first."""
    with app.database.write() as session:
        row = find_project(session, project)
        log(session, "project.remove", by=user.name, project=row, changes={"name": row.name})
        session.delete(row)
    shutil.rmtree(app.settings.data / folder_of(project), ignore_errors=True)


@router.get("/{project}/agreement")
def annotators_agree(app: App, user: CurrentCurator, project: Id) -> Agreement:
    """Agreement of annotators with each other on the documents that they accepted, and with the curated sheets."""
    with app.database.read() as session:
        row = find_project(session, project)
        return agreement(session, row)


@router.get("/{project}/log")
def project_log(app: App, user: CurrentUser, project: Id, options: PageOptions) -> LogPage:
    """Who did what and when, newest first."""
    with app.database.read() as session:
        return read_log(session, app, find_project(session, project), user, options)


def _view(session: Session, row: tables.Project, by: str, role: str) -> Project:
    counts = count_states(session, row, by)
    progress = Progress(
        documents=counts["open"] + counts["accepted"] + counts["skipped"],
        open=counts["open"],
        accepted=counts["accepted"],
        skipped=counts["skipped"],
        held_out=counts["held_out"],
        teaching=count_teaching(session, row),
        gold=counts["gold"],
        user=counts["user"],
        predicted=counts["pred"],
    )
    return Project.of(row, progress=progress, role=Role(role))


def _guesses_change(change: Sequence[Any] | None) -> bool:
    return change is not None and guessed(change[0]) != guessed(change[1])


def _check_strategy(name: str) -> None:
    if name not in strategies:
        raise UnknownNameError("strategy", name, strategies)
