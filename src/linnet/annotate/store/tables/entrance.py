"""Ways in besides a password: invitations and API tokens; and names that no new account may take by accident."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from linnet.annotate.store.columns import now
from linnet.annotate.store.tables.base import Base

__all__ = ["ApiToken", "Invitation", "InvitationUse", "ReservedName"]


class Invitation(Base):
    """A link with which people get an account, or become members of a project.

    digest      of its token, which is in the link only
    project_id  None for an invitation to the server
    role        in the project, else on the server
    uses        how many people may use it
    withdrawn   when somebody withdrew it, or its maker's account was removed
    """

    __tablename__ = "invitations"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(primary_key=True)
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    project_id: Mapped[int | None] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), index=True)
    role: Mapped[str] = mapped_column(String(16))
    uses: Mapped[int]
    created: Mapped[datetime] = mapped_column(default=now)
    created_by: Mapped[str] = mapped_column(String(64))
    expires: Mapped[datetime]
    withdrawn: Mapped[datetime | None]


class InvitationUse(Base):
    """Somebody who used an invitation. name: of the account, which may be gone."""

    __tablename__ = "invitation_uses"

    id: Mapped[int] = mapped_column(primary_key=True)
    invitation_id: Mapped[int] = mapped_column(ForeignKey("invitations.id", ondelete="CASCADE"), index=True)
    name: Mapped[str] = mapped_column(String(64))
    at: Mapped[datetime] = mapped_column(default=now)


class ApiToken(Base):
    """A token with which a script acts for an account. reads_only: it may change nothing; seen: its last use."""

    __tablename__ = "api_tokens"
    __table_args__ = (UniqueConstraint("user_id", "name"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(primary_key=True)
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(String(64))
    reads_only: Mapped[bool]
    created: Mapped[datetime] = mapped_column(default=now)
    expires: Mapped[datetime]
    seen: Mapped[datetime | None]


class ReservedName(Base):
    """A name under which work is kept, though no account has it: a new account of this name would own that work.

    key     see `account_key`
    reason  "removed", or "restored" with a project
    """

    __tablename__ = "reserved_names"

    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    name: Mapped[str] = mapped_column(String(64))
    reason: Mapped[str] = mapped_column(String(16))
    created: Mapped[datetime] = mapped_column(default=now)
    created_by: Mapped[str] = mapped_column(String(64))
