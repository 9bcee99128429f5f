"""Projects: their members, and what their models have learnt."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from linnet.annotate.store.columns import now
from linnet.annotate.store.tables.base import Base

__all__ = ["Correction", "Job", "Member", "Project", "Version"]


class Project(Base):
    """A project.

    learners  that train, [] for the quick ones
    model     number of the current version        ready  the indexes of its terminology are built
    recogniser       what finds mentions, "" for the legacy default
    pipeline         how mentions are linked, "" for the terminology's own pipeline
    min_probability  predictions that are less probable are not shown
    per_document     how many people annotate each document; 0 for everybody
    attributes       of mentions, see `linnet.annotate.domain.attributes`
    """

    __tablename__ = "projects"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(200), unique=True)
    description: Mapped[str] = mapped_column(Text, default="")
    terminology: Mapped[str] = mapped_column(String(200))
    terminology_digest: Mapped[str] = mapped_column(String(64))
    mode: Mapped[str] = mapped_column(String(16))
    types: Mapped[list[str]]
    labels: Mapped[list[str]]
    strategy: Mapped[str] = mapped_column(String(200))
    learners: Mapped[list[str]] = mapped_column(default=list)
    recogniser: Mapped[str] = mapped_column(String(200), default="")
    pipeline: Mapped[str] = mapped_column(String(200), default="")
    min_probability: Mapped[float] = mapped_column(default=0.0)
    per_document: Mapped[int] = mapped_column(default=0)
    held_out: Mapped[float]
    attributes: Mapped[list[Any]] = mapped_column(JSON, default=list)
    model: Mapped[int] = mapped_column(default=0)
    ready: Mapped[bool] = mapped_column(default=False)
    created: Mapped[datetime] = mapped_column(default=now)
    created_by: Mapped[str] = mapped_column(String(64))


class Member(Base):
    """An account that may see a project.

    role        "annotator", "curator" or "manager"
    takes_part  whether documents are assigned to it
    created_by  "" for what a migration made
    """

    __tablename__ = "members"
    __table_args__ = (UniqueConstraint("project_id", "user_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    role: Mapped[str] = mapped_column(String(16))
    takes_part: Mapped[bool] = mapped_column(default=True)
    created: Mapped[datetime] = mapped_column(default=now)
    created_by: Mapped[str] = mapped_column(String(64))


class Version(Base):
    """A version of a project's model; number 0 is the terminology alone.

    folder  relative to the data folder, "" for number 0        digest  of its contents
    """

    __tablename__ = "versions"
    __table_args__ = (UniqueConstraint("project_id", "number"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    number: Mapped[int]
    parent: Mapped[int | None]
    folder: Mapped[str] = mapped_column(String(500))
    digest: Mapped[str] = mapped_column(String(64))
    documents: Mapped[int]
    mentions: Mapped[int]
    learned: Mapped[dict[str, Any]]
    before: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    after: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    created: Mapped[datetime] = mapped_column(default=now)
    created_by: Mapped[str] = mapped_column(String(64))


class Correction(Base):
    """A learnt name or stop that users removed: training must not learn it again.

    kind     "name" or "stop"
    text     as it was shown                    form  in which it is compared
    concept  of a name; "" for a stop           digest  of kind, form and concept
    """

    __tablename__ = "corrections"
    __table_args__ = (UniqueConstraint("project_id", "digest"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    kind: Mapped[str] = mapped_column(String(8))
    text: Mapped[str] = mapped_column(Text)
    form: Mapped[str] = mapped_column(Text)
    concept: Mapped[str] = mapped_column(String(200), default="")
    digest: Mapped[str] = mapped_column(String(32))
    created: Mapped[datetime] = mapped_column(default=now)
    created_by: Mapped[str] = mapped_column(String(64))


class Job(Base):
    """Work for the trainer, which takes the rows with state "queued" by rising id.

    attempts  how often it was started      beat  when the trainer last reported
    wanted    "run", or "cancel" after a user cancelled it
    """

    __tablename__ = "jobs"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), index=True)
    kind: Mapped[str] = mapped_column(String(16))
    state: Mapped[str] = mapped_column(String(16), index=True)
    wanted: Mapped[str] = mapped_column(String(16), default="run")
    options: Mapped[dict[str, Any]]
    progress: Mapped[float] = mapped_column(default=0.0)
    message: Mapped[str] = mapped_column(Text, default="")
    reason: Mapped[str] = mapped_column(Text, default="")
    attempts: Mapped[int] = mapped_column(default=0)
    version: Mapped[int | None]
    created: Mapped[datetime] = mapped_column(default=now)
    created_by: Mapped[str] = mapped_column(String(64))
    started: Mapped[datetime | None]
    beat: Mapped[datetime | None]
    ended: Mapped[datetime | None]
