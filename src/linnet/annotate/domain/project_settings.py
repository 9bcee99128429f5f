"""Creating projects."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from linnet.active.learners import choose_learners, refuse_unsuitable
from linnet.active.model import pipeline_of
from linnet.active.pipeline_choice import DEFAULT, pipelines_for
from linnet.active.recogniser_choice import best_recogniser, recognisers_for, types_found
from linnet.annotate.api.schemas.projects import NewProject
from linnet.annotate.domain.attributes.definitions import with_keys
from linnet.annotate.refusals import Conflict
from linnet.annotate.store.log import log
from linnet.annotate.store.tables import Project
from linnet.errors import UnknownNameError
from linnet.terminology import Terminology

__all__ = [
    "check_recogniser",
    "chosen_pipeline",
    "create_project",
    "refuse_taken",
]


def refuse_taken(session: Session, name: str) -> None:
    """Raise Conflict if a project has that name."""
    if session.scalar(select(Project.id).where(Project.name == name)) is not None:
        raise Conflict(f"A project '{name}' already exists. Choose another name.")


def check_recogniser(name: str, terminology: Terminology) -> None:
    """Raise UnknownNameError unless the recogniser suits the terminology."""
    if name not in (suitable := recognisers_for(terminology)):
        raise UnknownNameError("recogniser", name, suitable)


def chosen_pipeline(name: str, terminology: Terminology) -> str:
    """The name as projects store it: "" for the terminology's own pipeline. Raises UnknownNameError unless it is offered."""
    name = name or DEFAULT
    if name not in (offered := pipelines_for(terminology)):
        raise UnknownNameError("pipeline", name, offered)
    return "" if name == DEFAULT else name


def create_project(session: Session, terminology: Terminology, body: NewProject, *, by: str) -> Project:
    """A new project. Raises Conflict if the name is taken, RequestError for types that the terminology does not have and for learners
    that can learn nothing for it, UnknownNameError for unknown learners, recognisers and pipelines.

    Without types, those that the recogniser finds are linked to. Without labels, the types linked to become the labels.
    """
    refuse_taken(session, body.name)
    learners = choose_learners(body.learners) if body.learners else []
    pipeline = chosen_pipeline(body.pipeline, terminology)
    refuse_unsuitable(learners, pipeline_of(terminology, pipeline=pipeline), terminology)
    if body.recogniser:
        check_recogniser(body.recogniser, terminology)
    recogniser = body.recogniser or best_recogniser(terminology)
    types = types_found(terminology, recogniser) if body.types is None else list(dict.fromkeys(body.types))
    terminology.select(types=types or None)
    own = {
        "attributes": with_keys(body.model_dump()["attributes"]),
        "recogniser": recogniser,
        "pipeline": pipeline,
        "learners": learners,
        "types": types,
        "labels": list(dict.fromkeys(body.labels)) or types or terminology.type_names,
    }
    project = Project(**body.model_dump() | own, terminology_digest=terminology.digest, created_by=by)
    session.add(project)
    session.flush()
    changes = {"name": body.name, "terminology": body.terminology}
    log(session, "project.create", by=by, project=project, changes=changes)
    return project
