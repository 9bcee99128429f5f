"""What people say about documents and mentions."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from linnet.annotate.store.columns import now
from linnet.annotate.store.tables.base import Base

__all__ = ["Comment"]


class Comment(Base):
    """A comment; with its replies it is a thread.

    thread_id   the first comment of its thread; None for the first itself
    start, end  the text that the thread is about; None for the whole document. Not an annotation, because predictions come and go
    discuss     of the first comment: "" for a remark, "open" while people should discuss it, "settled" afterwards
    for_all     in an independent project, of the first comment: every member sees the thread, because a curator began it
    changed     when its author last changed the text
    """

    __tablename__ = "comments"

    id: Mapped[int] = mapped_column(primary_key=True)
    document_id: Mapped[int] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"), index=True)
    thread_id: Mapped[int | None] = mapped_column(ForeignKey("comments.id", ondelete="CASCADE"), index=True)
    start: Mapped[int | None] = mapped_column()
    end: Mapped[int | None] = mapped_column()
    text: Mapped[str] = mapped_column(Text)
    discuss: Mapped[str] = mapped_column(String(16), default="")
    for_all: Mapped[bool] = mapped_column(default=False)
    author: Mapped[str] = mapped_column(String(64))
    created: Mapped[datetime] = mapped_column(default=now)
    changed: Mapped[datetime | None] = mapped_column()
