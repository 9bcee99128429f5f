"""Creating, changing and removing projects; counts, agreement and the log of one."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from sqlalchemy.orm import Session

from linnet.annotate.api.access import (
    App,
    CurrentAdmin,
    CurrentCurator,
    CurrentManager,
    CurrentUser,
    in_person,
)
from linnet.annotate.api.history import PageOptions, read_log
from linnet.annotate.api.schemas.base import Id, Line, reply
from linnet.annotate.api.schemas.history import LogPage
from linnet.annotate.api.schemas.projects import NewProject, Progress, Project, ProjectChange
from linnet.annotate.domain import project_settings as settings
from linnet.annotate.domain.agreement.pairs import Agreement, agreement
from linnet.annotate.domain.attributes.usage import AttributeUse, attribute_uses
from linnet.annotate.domain.documents.counts import PredictionCounts, count_predictions, count_progress
from linnet.annotate.domain.projects.finding import find_project
from linnet.annotate.domain.projects.members import seen_projects
from linnet.annotate.domain.states import ProjectRole
from linnet.annotate.domain.type_change import TypesChange, affected_annotations
from linnet.annotate.store import tables

__all__ = ["router"]

router = APIRouter(prefix="/projects", tags=["projects"])


@router.get("")
def all_projects(app: App, user: CurrentUser) -> list[Project]:
    """List the projects that you are a member of, newest first; for admins all."""
    with app.database.read() as session:
        return [_view(session, row, user.name, role) for row, role in seen_projects(session, user)]


@router.post("", status_code=201)
def new_project(app: App, user: CurrentAdmin, body: NewProject) -> Project:
    """Create a project; a job prepares its terminology for searching and linking."""
    with app.database.write() as session:
        wanted = body.model_dump()
        row = settings.create_project(session, app.terminologies, wanted, by=user.name, user=user.id)
        return _view(session, row, user.name, ProjectRole.MANAGER)


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
    wanted = body.model_dump(exclude_none=True)
    settings.change_project(app.database, app.terminologies, project, wanted, by=user.name)
    with app.database.read() as session:
        return _view(session, find_project(session, project), user.name, user.project_role)


@router.get("/{project}/types", response_model=reply(TypesChange))
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


@router.get("/{project}/attributes", response_model=reply(list[AttributeUse]))
def uses_of_attributes(app: App, user: CurrentManager, project: Id) -> list[AttributeUse]:
    """Count the annotations with each attribute and value, before changing the project's attributes."""
    with app.database.read() as session:
        return attribute_uses(session, find_project(session, project))


@router.get("/{project}/predictions", response_model=reply(PredictionCounts))
def prediction_counts(app: App, user: CurrentManager, project: Id) -> PredictionCounts:
    """Count predictions by their probability, for choosing a minimum."""
    with app.database.read() as session:
        return count_predictions(session, find_project(session, project))


@router.delete("/{project}", status_code=204, dependencies=[Depends(in_person)])
def remove_project(app: App, user: CurrentManager, project: Id) -> None:
    """Remove a project with its documents and models. Its log entries stay. Back it up first."""
    settings.remove_project(app.database, app.settings.data, project, by=user.name)


@router.get("/{project}/agreement", response_model=reply(Agreement))
def annotators_agree(app: App, user: CurrentCurator, project: Id) -> Agreement:
    """Agreement of annotators with each other on the documents that they accepted, and with the curated sheets."""
    with app.database.read() as session:
        return agreement(session, find_project(session, project))


@router.get("/{project}/log")
def project_log(app: App, user: CurrentUser, project: Id, options: PageOptions) -> LogPage:
    """Who did what and when, newest first."""
    with app.database.read() as session:
        return read_log(session, app, find_project(session, project), user, options)


def _view(session: Session, row: tables.Project, by: str, role: ProjectRole | None) -> Project:
    progress = Progress.model_validate(count_progress(session, row, by))
    return Project.of(row, progress=progress, role=role)
