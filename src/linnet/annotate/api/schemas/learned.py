"""What a model has learnt, item by item, and what people removed from it."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from linnet.annotate.api.schemas.base import Body, Id, Label, Page, Reply, Text

__all__ = [
    "Kind",
    "LearnedName",
    "LearnedNames",
    "LearnedStop",
    "LearnedStops",
    "NewRemoval",
    "Removal",
    "Removed",
]


class Kind(StrEnum):
    """name: a text that is searched as a name of a concept. stop: a name that is not looked for any more."""

    NAME = "name"
    STOP = "stop"


class LearnedName(Reply):
    """A text that was learnt as a name of a concept.

    name       preferred name of the concept
    mentions, documents  it was learnt from; None in versions made before this was noted
    removed    somebody has removed it; a version that still holds it gives way to one without it
    """

    text: str
    concept: str
    name: str
    mentions: int | None
    documents: int | None
    removed: bool


class LearnedNames(Page):
    """Learned names of the model version that predicts, by text."""

    version: int
    names: list[LearnedName]


class LearnedStop(Reply):
    """A name of the terminology, in its normal form, that the model does not look for any more.

    seen       times it was found in accepted documents, of which `annotated` times an annotation was there, in `documents`
               of them; None in versions made before this was noted
    """

    text: str
    seen: int | None
    annotated: int | None
    documents: int | None
    removed: bool


class LearnedStops(Page):
    """Stops of the model version that predicts, by text."""

    version: int
    stops: list[LearnedStop]


class NewRemoval(Body):
    """What to remove from what is learnt, now and in every training to come. concept: of a name."""

    kind: Kind
    text: Annotated[Text, Field(min_length=1, max_length=10_000)]
    concept: Label = ""


class Removal(Reply):
    """Something that was removed, by whom and when. name: of the concept."""

    id: Id
    kind: Kind
    text: str
    concept: str
    name: str
    created: datetime
    created_by: str


class Removed(Reply):
    """A removal, and the number of the job that makes a version without it."""

    removal: Removal
    job: int
