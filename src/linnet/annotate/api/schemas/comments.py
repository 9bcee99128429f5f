"""Comments on documents and mentions."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from linnet.annotate.api.schemas.base import Body, Offset, Page, Reply, Text
from linnet.annotate.domain.comments import Discuss

__all__ = ["Comment", "CommentChange", "CommentList", "NewComment", "NewReply", "Thread"]


def _said(text: str) -> str:
    if not (text := text.strip()):
        raise ValueError("must not be blank")
    return text


_Said = Annotated[Text, Field(max_length=5000), AfterValidator(_said)]


class NewComment(Body):
    """A comment on the text from `start` to `end`, or without them on the whole document. discuss: people should discuss it."""

    text: _Said
    start: Offset | None = None
    end: Offset | None = None
    discuss: bool = False

    @model_validator(mode="after")
    def _both(self) -> Self:
        if (self.start is None) != (self.end is None):
            raise ValueError("give both start and end, or neither")
        return self

    @property
    def span(self) -> tuple[int, int] | None:
        """Start and end, None for the whole document."""
        return None if self.start is None or self.end is None else (self.start, self.end)


class NewReply(Body):
    """An answer to a thread."""

    text: _Said


class CommentChange(Body):
    """What to change; None stays. text: of one's own comment. discuss: of a thread's first comment."""

    text: _Said | None = None
    discuss: Discuss | None = None


class Comment(Reply):
    """What somebody said. changed: when they last changed it."""

    id: int
    author: str
    text: str
    created: datetime
    changed: datetime | None


class Thread(Reply):
    """A comment with its answers, the oldest first."""

    id: int
    document: int
    name: str
    start: int | None
    end: int | None
    about: str
    discuss: Discuss
    comments: list[Comment]


class CommentList(Page):
    """Threads, the latest first. open: number of those that are to be discussed, whatever was asked for."""

    open: int
    threads: list[Thread]
