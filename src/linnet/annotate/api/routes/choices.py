"""What a project can choose from: formats, strategies, learners, terminologies."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import APIRouter

from linnet.active.learners import learners, suitable_learners
from linnet.active.model import pipeline_of
from linnet.active.pipeline_choice import pipelines_for
from linnet.active.recogniser_choice import recognisers_for, types_found
from linnet.active.strategies import strategies
from linnet.annotate.api.access import App, CurrentUser
from linnet.annotate.api.schemas.base import reply
from linnet.annotate.api.schemas.projects import Choice, LearnerChoice, TerminologyChoice
from linnet.annotate.domain.exports.files import Format, formats
from linnet.errors import LinnetError
from linnet.terminology import Terminology

__all__ = ["router"]

router = APIRouter(tags=["choices"])


@router.get("/formats", response_model=reply(list[Format]))
def all_formats(user: CurrentUser) -> list[Format]:
    """List the corpus formats for upload and export."""
    return formats()


@router.get("/strategies")
def all_strategies(user: CurrentUser) -> list[Choice]:
    """List the strategies that can order the queue."""
    return [
        Choice(name=name, description=_first_line(strategy.__doc__)) for name, strategy in strategies.items()
    ]


@router.get("/learners")
def all_learners(user: CurrentUser) -> list[LearnerChoice]:
    """List what can be retrained on this server."""
    return [
        LearnerChoice(name=name, description=_first_line(learner.__doc__), quick=learner.quick)
        for name, learner in learners.items()
        if learner.available()
    ]


@router.get("/terminologies")
def all_terminologies(app: App, user: CurrentUser) -> list[TerminologyChoice]:
    """List the compiled terminologies that projects may use, without those that cannot be opened."""
    choices = []
    for name in app.terminologies.names():
        terminology = app.terminologies.try_open(name)
        if terminology is not None:
            sources = ", ".join(
                str(source.get("path", "")) for source in terminology.manifest.get("sources", ())
            )
            recognisers = _suitable(recognisers_for, terminology)
            choices.append(
                TerminologyChoice(
                    name=name,
                    description=sources,
                    concepts=len(terminology),
                    names=len(terminology.names),
                    types=terminology.type_names,
                    learners=_learners_for(terminology),
                    recognisers=recognisers,
                    found=types_found(terminology, recognisers[0].name) if recognisers else [],
                    pipelines=_suitable(pipelines_for, terminology),
                    digest=terminology.digest,
                )
            )
    return choices


def _learners_for(terminology: Terminology) -> list[str]:
    """Names of the learners that can learn for a terminology; none if its pipeline or index cannot be read."""
    try:
        return suitable_learners(pipeline_of(terminology), terminology)
    except LinnetError:
        return []


def _suitable(choices_for: Callable[[Terminology], dict[str, str]], terminology: Terminology) -> list[Choice]:
    """None if its pipeline cannot be read."""
    try:
        suitable = choices_for(terminology)
    except LinnetError:
        return []
    return [Choice(name=name, description=description) for name, description in suitable.items()]


def _first_line(text: str | None) -> str:
    return (text or "").strip().partition("\n")[0]
