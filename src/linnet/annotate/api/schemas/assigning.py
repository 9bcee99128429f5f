"""Assignment of documents, and progress of people."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from linnet.annotate.api.schemas.base import Body, Id, Name, Reply
from linnet.annotate.domain.assignments.distribution import Assigning

__all__ = ["AssignmentChange", "Distribution", "Moved"]


class AssignmentChange(Body):
    """Documents to assign to members, or to take from them."""

    how: Assigning
    documents: Annotated[list[Id], Field(min_length=1, max_length=20_000)]
    members: Annotated[list[Name], Field(min_length=1, max_length=100)]


class Distribution(Body):
    """Without `instead_of`, every open document gets as many people as the project wants. With it, the documents that this member has
    not begun go to others. preview: only say what would happen."""

    instead_of: Name | None = None
    preview: bool = False


class Moved(Reply):
    """What became of the documents."""

    given: dict[str, int]
    taken: dict[str, int]
    kept: int
    lacking: int
