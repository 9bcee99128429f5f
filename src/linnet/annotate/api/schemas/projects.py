"""Projects, what can be chosen for them, and how far they are."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from linnet.annotate.api.schemas.base import Body, Line, Reply, Text

__all__ = [
    "Choice",
    "Format",
    "Mode",
    "NewProject",
    "Progress",
    "Project",
    "ProjectChange",
    "TerminologyChoice",
    "TypesChange",
]

Share = Annotated[float, Field(ge=0, le=0.9)]
Types = Annotated[list[Line], Field(max_length=100)]


class Mode(StrEnum):
    """shared: all annotators work on the same annotations. independent: each has a sheet of their own for every
    document, which nobody else sees; agreement is measured between sheets."""

    SHARED = "shared"
    INDEPENDENT = "independent"


class NewProject(Body):
    """A project to create.

    terminology  name of one of `GET /api/terminologies`
    types        semantic types linked to; [] for all
    labels       what a mention may be said to be ("Disease"); [] takes those of the terminology
    held_out     share of the uploaded documents kept for measuring; training never sees them
    """

    name: Line
    description: Annotated[Text, Field(max_length=10_000)] = ""
    terminology: Line
    mode: Mode = Mode.SHARED
    types: Types = Field(default_factory=list)
    labels: Types = Field(default_factory=list)
    strategy: Line = "most-doubt"
    held_out: Share = 0.2


class ProjectChange(Body):
    """What is changed of a project; what is left out stays.

    types     other types are linked to from now on, [] for all: a job predicts anew, and what people annotated stays as it is
    labels    left out, they follow the types where they were the types' names before
    strategy  another one reorders the queue
    """

    name: Line | None = None
    description: Annotated[Text, Field(max_length=10_000)] | None = None
    types: Types | None = None
    labels: Types | None = None
    strategy: Line | None = None
    held_out: Share | None = None


class TypesChange(Reply):
    """What other types would mean for mentions that are linked to concepts of none of them.

    gold, user  came with uploads, or were made or confirmed by people: they stay, in exports too, and teach no names any more
    predicted   are replaced by new predictions where nobody has accepted the document
    concepts    number of concepts that these mentions are linked to
    """

    gold: int
    user: int
    predicted: int
    concepts: int


class Progress(Reply):
    """How many documents are in each state, and what is annotated.

    teaching   documents that somebody has accepted, whoever asks, and that are not held out: what training learns from
    gold, user, predicted  annotations by layer; in a project of independent sheets, those of whoever asks
    """

    documents: int
    open: int
    accepted: int
    skipped: int
    held_out: int
    teaching: int
    gold: int
    user: int
    predicted: int


class Project(Reply):
    """A project.

    model    number of the version that predicts; 0 is the terminology alone
    ready    whether the terminology's search and indexes are built; until then search and predictions wait
    """

    id: int
    name: str
    description: str
    terminology: str
    terminology_digest: str
    mode: Mode
    types: list[str]
    labels: list[str]
    strategy: str
    held_out: float
    model: int
    ready: bool
    created: datetime
    created_by: str
    progress: Progress


class Choice(Reply):
    """One of a list to choose from."""

    name: str
    description: str


class Format(Choice):
    """A corpus format: whether it can be uploaded, exported, and how its exported file ends."""

    reads: bool
    writes: bool
    ending: str


class TerminologyChoice(Choice):
    """A compiled terminology that the server knows."""

    concepts: int
    names: int
    types: list[str]
    digest: str
