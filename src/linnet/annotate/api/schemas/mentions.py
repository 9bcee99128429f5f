"""Mentions in all documents of a project, and changes of many at once."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, StringConstraints, model_validator

from linnet.annotate.api.schemas.attributes import AttributesSet
from linnet.annotate.api.schemas.base import Body, ConceptId, Id, Offset, Page, Reply
from linnet.annotate.api.schemas.documents import Annotation
from linnet.annotate.domain.mentions.changes import ManyAction
from linnet.annotate.domain.states import State

__all__ = [
    "InconsistentText",
    "InconsistentTexts",
    "ManyChanges",
    "Meaning",
    "Mention",
    "MentionList",
    "MentionsOfDocument",
]

_MOST = 10_000  # mentions in one request


class Mention(Reply):
    """A mention of a document. state, revision: of your sheet; before, after: up to 40 characters around it."""

    document: int
    name: str
    state: State
    revision: int
    before: str
    after: str
    annotation: Annotation


class Meaning(Reply):
    """What mentions are linked to, and how many mentions in how many documents. names: of the concepts; "" for unknown ids."""

    concepts: list[str]
    names: list[str]
    nil: bool
    mentions: int
    documents: int


class MentionList(Page):
    """A page of mentions, and what all of them are linked to."""

    documents: int
    meanings: list[Meaning]
    mentions: list[Mention]


class InconsistentText(Reply):
    """A text whose mentions are linked to different concepts."""

    text: str
    meanings: list[Meaning]


class InconsistentTexts(Page):
    """Texts that are linked to different concepts, those with the most mentions first."""

    texts: list[InconsistentText]


class MentionsOfDocument(Body):
    """Ids of annotations as the search showed them at a revision."""

    document: Id
    revision: Offset
    annotations: Annotated[list[Id], Field(min_length=1, max_length=_MOST)]


class ManyChanges(Body):
    """A change of many mentions."""

    token: Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z-]{8,64}$")]
    action: ManyAction
    concepts: Annotated[list[ConceptId], Field(max_length=50)] = Field(default_factory=list)
    nil: bool = False
    attributes: AttributesSet = Field(default_factory=dict)
    documents: Annotated[list[MentionsOfDocument], Field(min_length=1, max_length=_MOST)]

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        linked = bool(self.concepts) + self.nil
        if linked != (self.action == ManyAction.LINK):
            raise ValueError("link needs either concepts or nil; the other actions take neither")
        if bool(self.attributes) != (self.action == ManyAction.ATTRIBUTES):
            raise ValueError("attributes needs attributes to change; the other actions take none")
        ids = [document.document for document in self.documents]
        if len(set(ids)) < len(ids):
            raise ValueError("each document may be named once")
        if sum(len(document.annotations) for document in self.documents) > _MOST:
            raise ValueError(f"at most {_MOST:,} mentions can be changed in one request")
        return self
