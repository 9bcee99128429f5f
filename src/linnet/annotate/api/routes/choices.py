"""What there is to choose from."""

from __future__ import annotations

from fastapi import APIRouter

from linnet.annotate.api.access import Shared, Who
from linnet.annotate.api.schemas.projects import Choice, Format, TerminologyChoice
from linnet.annotate.exporting.formats import formats
from linnet.annotate.learning.learners import learners
from linnet.annotate.strategies import strategies

__all__ = ["router"]

router = APIRouter(tags=["choices"])


@router.get("/formats")
def all_formats(who: Who) -> list[Format]:
    """Corpus formats that can be uploaded or exported."""
    return [Format(**one._asdict()) for one in formats()]


@router.get("/strategies")
def all_strategies(who: Who) -> list[Choice]:
    """Orders in which documents can be offered."""
    return [Choice(name=name, description=_first_line(one.__doc__)) for name, one in strategies.items()]


@router.get("/learners")
def all_learners(who: Who) -> list[Choice]:
    """What can be retrained here."""
    return [
        Choice(name=name, description=_first_line(one.__doc__))
        for name, one in learners.items()
        if one.available()
    ]


@router.get("/terminologies")
def all_terminologies(tool: Shared, who: Who) -> list[TerminologyChoice]:
    """Compiled terminologies that projects may use; those that cannot be opened are left out."""
    found = []
    for name in tool.terminologies.names():
        terminology = tool.terminologies.try_open(name)
        if terminology is not None:
            sources = ", ".join(str(one.get("path", "")) for one in terminology.manifest.get("sources", ()))
            found.append(
                TerminologyChoice(
                    name=name,
                    description=sources,
                    concepts=len(terminology),
                    names=len(terminology.names),
                    types=terminology.type_names,
                    digest=terminology.digest,
                )
            )
    return found


def _first_line(text: str | None) -> str:
    return (text or "").strip().partition("\n")[0]
