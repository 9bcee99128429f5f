"""Documents, annotations, and changes to them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Self

from pydantic import Field, model_validator

from linnet.annotate.api.schemas.attributes import AttributesSet
from linnet.annotate.api.schemas.base import Body, ConceptId, Label, Offset, Page, Reply
from linnet.annotate.api.schemas.described import Described
from linnet.annotate.domain.states import Layer, State
from linnet.http.problems import Problem

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
    "NewAnnotation",
    "PredictedMention",
    "Replaced",
    "Revised",
    "Same",
    "SameDone",
    "StateChange",
    "Stepped",
]

Concepts = Annotated[list[ConceptId], Field(max_length=50)]


class Annotation(Reply):
    """A span and what it names."""

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
    attributes: dict[str, bool | str]
    unchanged: bool
    author: str
    model: int | None
    revision: int
    changed: datetime


class Revised(Body):
    """A request that changes a document names the revision that the user saw.

    If somebody has changed the same annotations since, it is refused with 409 and a `ConflictProblem`, which has the
    document's current version; otherwise it is carried out.
    """

    revision: Offset


class NewAnnotation(Revised):
    """A new annotation. `concepts` and `nil` can be set later."""

    start: Offset
    end: Offset
    type: Label = ""
    concepts: Concepts = Field(default_factory=list)
    nil: bool = False
    composite: bool | None = None
    attributes: AttributesSet | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.end <= self.start:
            raise ValueError(f"the span must end after its start {self.start}; got end {self.end}")
        if self.nil and self.concepts:
            raise ValueError("an annotation cannot have concepts and be NIL")
        return self


class AnnotationChange(Revised):
    """Changes of an annotation; omitted values stay, also omitted attributes. Setting concepts clears NIL; setting NIL clears the
    concepts."""

    start: Offset | None = None
    end: Offset | None = None
    type: Label | None = None
    concepts: Concepts | None = None
    nil: bool | None = None
    composite: bool | None = None
    attributes: AttributesSet | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.nil and self.concepts:
            raise ValueError("an annotation cannot have concepts and be NIL")
        return self


class Same(Revised):
    """Apply an annotation to all mentions in the document with the same text."""

    case: bool = False
    relink: bool = True
    missing: bool = True


class StateChange(Revised):
    """Accept, skip or reopen a document. Accepting turns its predictions into user annotations that are marked as accepted unchanged."""

    state: State


class Change(Reply):
    """What a request changed."""

    revision: int
    state: State
    changed: list[Annotation]
    removed: list[int]
    complete: bool
    can_undo: bool
    can_redo: bool


class Changes(Change):
    """What changed since a revision."""

    previous: int | None
    next: int | None


class Applied(Change):
    """What `same` changed: number of annotations made and relinked."""

    made: int
    relinked: int


class Replaced(Change):
    """What a longer annotation replaced: number of annotations made for the same text elsewhere, and of those removed inside."""

    made: int
    removed_inside: int


class SameDone(Change):
    """What was confirmed or removed."""

    done: int
    left: int


class Stepped(Change):
    """The change that was undone or redone."""

    action: str
    annotation: int | None
    text: str
    number: int


class PredictedMention(Reply):
    """A prediction in a list of documents. names: of its concepts; "" for unknown ids."""

    text: str
    concepts: list[str]
    names: list[str]
    nil: bool
    composite: bool
    probability: float | None


class DocumentSummary(Reply):
    """A document in a list."""

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
    assigned: list[str]
    reason: str
    revision: int
    predictions: list[PredictedMention]


class DocumentList(Page):
    """Documents in the requested order."""

    documents: list[DocumentSummary]


class AnnotationPage(Reply):
    """Annotations in text order; at the same start the longer first, then the older."""

    revision: int
    annotations: list[Annotation]
    more: str | None


class Section(Reply):
    """A stretch of a clinical note below a heading."""

    start: int
    end: int
    kind: str


class DocumentView(DocumentSummary):
    """A document to work on, its annotations in text order."""

    text: str
    sections: list[Section]
    annotations: list[Annotation]
    more: str | None
    can_undo: bool
    can_redo: bool
    previous: int | None
    next: int | None
    yours: bool


class DocumentChange(Body):
    """Changes of a document itself."""

    held_out: bool


class ConflictProblem(Described, Problem):
    """Somebody else has changed what this request would change."""

    by: str = ""
    document: DocumentView | None = None
