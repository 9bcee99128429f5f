"""The tables. A change here needs a migration in `migrations/versions/`; a test compares the two.

    users ─┬─ sign_ins
           └─ devices            browsers in which they have signed in
    projects ─┬─ documents ── sheets ── annotations
              ├─ members         accounts, each with a role
              ├─ versions        of the model
              ├─ corrections     of what was learnt
              └─ jobs
    log        append-only, refers to the others by id but outlives them

Each document has one sheet without an owner, the shared one: uploaded annotations, the model's predictions, and in shared projects
all user annotations. In independent projects each annotator who opens the document also gets their own sheet, and a curator makes
a curated one.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, Integer, MetaData, String, Text, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from linnet.annotate.store.columns import Moment, now

__all__ = [
    "CURATED",
    "Annotation",
    "Base",
    "Correction",
    "Device",
    "Document",
    "Job",
    "LogEntry",
    "Member",
    "Project",
    "Sheet",
    "SignIn",
    "User",
    "Version",
]


CURATED = "@curated"
"""Owner of curated sheets; no account can have this name, because names begin with a letter or a digit."""


class Base(DeclarativeBase):
    """Names all constraints, so that migrations can refer to them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {datetime: Moment, dict[str, Any]: JSON, list[str]: JSON}  # noqa: RUF012


class User(Base):
    """An account. key: see `account_key`; password: argon2id hash."""

    __tablename__ = "users"

    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(String(64), unique=True)
    name: Mapped[str] = mapped_column(String(64))
    role: Mapped[str] = mapped_column(String(16))
    active: Mapped[bool] = mapped_column(default=True)
    password: Mapped[str] = mapped_column(String(200))
    created: Mapped[datetime] = mapped_column(default=now)


class SignIn(Base):
    """A session. digest: of its token, which is in the cookie only."""

    __tablename__ = "sign_ins"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    csrf: Mapped[str] = mapped_column(String(64))
    created: Mapped[datetime] = mapped_column(default=now)
    seen: Mapped[datetime] = mapped_column(default=now)
    expires: Mapped[datetime]


class Device(Base):
    """A browser known to an account. digest: of the token in its cookie."""

    __tablename__ = "devices"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    seen: Mapped[datetime] = mapped_column(default=now)


class Project(Base):
    """A project.

    learners  that train, [] for the quick ones
    model     number of the current version        ready  the indexes of its terminology are built
    recogniser       what finds mentions, "" for what did before projects chose one
    min_probability  predictions that are less probable are not shown
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
    min_probability: Mapped[float] = mapped_column(default=0.0)
    held_out: Mapped[float]
    model: Mapped[int] = mapped_column(default=0)
    ready: Mapped[bool] = mapped_column(default=False)
    created: Mapped[datetime] = mapped_column(default=now)
    created_by: Mapped[str] = mapped_column(String(64))


class Member(Base):
    """An account that may see a project. role: "annotator", "curator" or "manager"; created_by: "" for what a migration made."""

    __tablename__ = "members"
    __table_args__ = (UniqueConstraint("project_id", "user_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    role: Mapped[str] = mapped_column(String(16))
    created: Mapped[datetime] = mapped_column(default=now)
    created_by: Mapped[str] = mapped_column(String(64))


class Document(Base):
    """A text.

    name        its id in the file it came from, unique in the project
    digest      of its text
    rank        its place in the queue
    confidence  of its least confident prediction
    predicted   probabilities of all predictions made last, shown or not, in no order; None for unknown ones
    extra       what its format has besides text and mentions, for exports
    """

    __tablename__ = "documents"
    __table_args__ = (
        UniqueConstraint("project_id", "name"),
        Index("ix_documents_project_id_rank", "project_id", "rank"),
        Index("ix_documents_project_id_digest", "project_id", "digest"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(String(500))
    title: Mapped[str] = mapped_column(String(200))
    text: Mapped[str] = mapped_column(Text, deferred=True)
    digest: Mapped[str] = mapped_column(String(32))
    characters: Mapped[int]
    held_out: Mapped[bool]
    rank: Mapped[int]
    confidence: Mapped[float | None] = mapped_column()
    predicted: Mapped[list[Any]] = mapped_column(JSON, default=list, deferred=True)
    extra: Mapped[dict[str, Any]] = mapped_column(deferred=True)
    created: Mapped[datetime] = mapped_column(default=now)


class Sheet(Base):
    """Annotations of a document: shared (owner ""), of one annotator, or curated.

    revision  raised by every change        model  version of its predictions; None before the first
    """

    __tablename__ = "sheets"
    __table_args__ = (UniqueConstraint("document_id", "owner"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(primary_key=True)
    document_id: Mapped[int] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"))
    owner: Mapped[str] = mapped_column(String(64), default="")
    revision: Mapped[int] = mapped_column(default=0)
    state: Mapped[str] = mapped_column(String(16), index=True)
    accepted: Mapped[datetime | None]
    model: Mapped[int | None]


class Annotation(Base):
    """A span of a document and what it names; see `linnet.annotate.api.schemas.documents.Annotation`."""

    __tablename__ = "annotations"
    __table_args__ = (
        Index("ix_annotations_sheet_id_start", "sheet_id", "start"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    sheet_id: Mapped[int] = mapped_column(ForeignKey("sheets.id", ondelete="CASCADE"))
    start: Mapped[int]
    end: Mapped[int]
    layer: Mapped[str] = mapped_column(String(8))
    type: Mapped[str] = mapped_column(String(200))
    concepts: Mapped[list[str]]
    nil: Mapped[bool]
    composite: Mapped[bool]
    confidence: Mapped[float | None] = mapped_column()
    probability: Mapped[float | None] = mapped_column()
    author: Mapped[str] = mapped_column(String(64))
    model: Mapped[int | None]
    revision: Mapped[int]
    changed: Mapped[datetime] = mapped_column(default=now)
    extra: Mapped[dict[str, Any]]


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


class LogEntry(Base):
    """An entry of the log. Triggers refuse to change or remove rows."""

    __tablename__ = "log"
    __table_args__ = (
        Index("ix_log_sheet_id_revision", "sheet_id", "revision"),
        Index("ix_log_project_id_id", "project_id", "id"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime] = mapped_column(default=now)
    by: Mapped[str] = mapped_column(String(64))
    action: Mapped[str] = mapped_column(String(64))
    project_id: Mapped[int | None] = mapped_column(Integer)
    document_id: Mapped[int | None] = mapped_column(Integer)
    sheet_id: Mapped[int | None] = mapped_column(Integer)
    revision: Mapped[int | None]
    model: Mapped[int | None]
    model_digest: Mapped[str] = mapped_column(String(64), default="")
    terminology_digest: Mapped[str] = mapped_column(String(64), default="")
    changes: Mapped[dict[str, Any]]
    undoes: Mapped[int | None]
