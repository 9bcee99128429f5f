"""Documents, their annotations, and the changes made to them."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, model_validator

from linnet.annotate.api.schemas.base import Body, ConceptId, Label, Offset, Page, Problem, Reply

__all__ = [
    "Annotation",
    "AnnotationChange",
    "AnnotationPage",
    "Applied",
    "Change",
    "Changes",
    "ConflictProblem",
    "DocumentChange",
    "DocumentList",
    "DocumentSummary",
    "DocumentView",
    "Layer",
    "NewAnnotation",
    "Revised",
    "Same",
    "State",
    "StateChange",
    "Stepped",
]

Concepts = Annotated[list[ConceptId], Field(max_length=50)]


class Layer(StrEnum):
    """gold: came with the upload (yellow). user: made, changed or confirmed by a person (green). pred: the model's (blue)."""

    GOLD = "gold"
    USER = "user"
    PRED = "pred"


class State(StrEnum):
    """open: waits in the queue. accepted: complete and checked; its annotations teach the model. skipped: not now."""

    OPEN = "open"
    ACCEPTED = "accepted"
    SKIPPED = "skipped"


class Annotation(Reply):
    """A span and what it names.

    concepts    several for a composite; [] is NIL where `nil`, else not linked yet
    names       preferred names of `concepts`, in their order; "" for an id the terminology does not have
    composite   the concepts are those of the parts of a composite mention ("breast and ovarian cancer"); several
                concepts without it describe the mention only together
    confidence  of a prediction, TrainX's: the recogniser's + the margin between the two best candidates, 0 to 2
    probability that the concepts are right, calibrated; None where the model has no calibrator
    author      who made or last changed it; "" for what came with the upload or from the model
    model       number of the model version that predicted it, None for what a person made
    revision    of the document at its last change
    """

    id: int
    start: int
    end: int
    text: str
    layer: Layer
    type: str
    concepts: list[str]
    names: list[str]
    nil: bool
    composite: bool
    confidence: float | None
    probability: float | None
    author: str
    model: int | None
    revision: int
    changed: datetime


class Revised(Body):
    """A request that changes a document says which revision of it the user looked at.

    Where the document changed since, the request is carried out all the same if nothing that it touches did; else it is
    refused with 409 and a `ConflictProblem`, which holds the document as it is now.
    """

    revision: Offset


class NewAnnotation(Revised):
    """An annotation to make. `concepts` and `nil` may stay empty and be given later.

    composite  left out or null: it is one where it has several concepts
    """

    start: Offset
    end: Offset
    type: Label = ""
    concepts: Concepts = Field(default_factory=list)
    nil: bool = False
    composite: bool | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.end <= self.start:
            raise ValueError(f"the span ends ({self.end}) where it begins ({self.start}) or before")
        if self.nil and self.concepts:
            raise ValueError("an annotation is NIL or has concepts, not both")
        return self


class AnnotationChange(Revised):
    """What is changed of an annotation; what is left out stays. Concepts make it no NIL, NIL takes its concepts away."""

    start: Offset | None = None
    end: Offset | None = None
    type: Label | None = None
    concepts: Concepts | None = None
    nil: bool | None = None
    composite: bool | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.nil and self.concepts:
            raise ValueError("an annotation is NIL or has concepts, not both")
        return self


class Same(Revised):
    """Apply an annotation to all mentions of the document with the same text.

    case     compare upper and lower case too
    relink   give annotations that are there its type and concepts
    missing  annotate where there is no annotation yet
    """

    case: bool = False
    relink: bool = True
    missing: bool = True


class StateChange(Revised):
    """Accept, skip or reopen a document. Accepting makes its predictions the user's."""

    state: State


class Change(Reply):
    """What a request changed.

    revision           of the document now
    changed, removed   annotations made or changed, ids of those that are gone: also by others since the revision that
                       the request named, so that a page that applies them shows the document as it is
    complete           False where the request had a `limit` and more annotations than that changed: `changed` and `removed`
                       are empty, and the document is to be loaded again
    can_undo, can_redo whether whoever asked has something to undo or redo here
    """

    revision: int
    state: State
    changed: list[Annotation]
    removed: list[int]
    complete: bool
    can_undo: bool
    can_redo: bool


class Changes(Change):
    """What changed since a revision.

    previous, next  ids of its neighbours in the queue, None at its ends
    """

    previous: int | None
    next: int | None


class Applied(Change):
    """What `same` did: number of annotations made and relinked."""

    made: int
    relinked: int


class Stepped(Change):
    """What was undone, or done again.

    action      as the log names it
    annotation  id of the annotation that it changed, None where it changed several or none
    text        of that annotation
    """

    action: str
    annotation: int | None
    text: str


class DocumentSummary(Reply):
    """A document in a list.

    confidence  of its least confident prediction when it was predicted, None where nothing was; strategies order by it
    probability of its least probable prediction, None where there is none, or none with a probability; pages show it
    annotators  who has changed something in it
    """

    id: int
    project: int
    name: str
    title: str
    characters: int
    state: State
    held_out: bool
    confidence: float | None
    probability: float | None
    gold: int
    user: int
    predicted: int
    annotators: list[str]
    revision: int


class DocumentList(Page):
    """Documents in the order asked for."""

    documents: list[DocumentSummary]


class AnnotationPage(Reply):
    """Annotations in text order: of those that begin together the longer first, then the older.

    revision  of the document when they were read
    more      what to ask with, as `after`, for those that follow; None at the end
    """

    revision: int
    annotations: list[Annotation]
    more: str | None


class DocumentView(DocumentSummary):
    """A document to work on, its annotations in text order.

    more            where a `limit` leaves annotations out, what to ask `GET …/annotations` for them with; else None
    previous, next  ids of its neighbours in the queue, None at its ends
    """

    text: str
    annotations: list[Annotation]
    more: str | None
    can_undo: bool
    can_redo: bool
    previous: int | None
    next: int | None


class DocumentChange(Body):
    """What is changed of a document itself."""

    held_out: bool


class ConflictProblem(Problem):
    """The document was changed by somebody else where this request would change it.

    document  as it is now, with the first of its annotations where they are very many (`more`); None where the conflict is
              about something else
    by        who changed it
    """

    by: str = ""
    document: DocumentView | None = None
