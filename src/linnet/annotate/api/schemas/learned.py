"""What a model has learnt, and what users removed from it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field

from linnet.annotate.api.schemas.base import Body, Id, Label, Page, Reply, Text
from linnet.annotate.domain.learning.removals import LearnedKind

__all__ = [
    "LearnedName",
    "LearnedNames",
    "LearnedStop",
    "LearnedStops",
    "NewRemoval",
    "Removal",
    "Removed",
]


class LearnedName(Reply):
    """A text that was learnt as a name of a concept."""

    text: str
    concept: str
    name: str
    mentions: int | None
    documents: int | None
    removed: bool


class LearnedNames(Page):
    """Learned names of the current version, by text."""

    version: int
    names: list[LearnedName]


class LearnedStop(Reply):
    """A name of the terminology, in normal form, that the model no longer looks for."""

    text: str
    seen: int | None
    annotated: int | None
    documents: int | None
    removed: bool


class LearnedStops(Page):
    """Stops of the current version, by text."""

    version: int
    stops: list[LearnedStop]


class NewRemoval(Body):
    """What to remove from the model, now and in later trainings. concept: of a name."""

    kind: LearnedKind
    text: Annotated[Text, Field(min_length=1, max_length=10_000)]
    concept: Label = ""


class Removal(Reply):
    """A removed item. name: of the concept."""

    id: Id
    kind: LearnedKind
    text: str
    concept: str
    name: str
    created: datetime
    created_by: str


class Removed(Reply):
    """A removal, and the id of the job that makes a version without it."""

    removal: Removal
    job: int
