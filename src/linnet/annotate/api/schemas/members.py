"""Members of projects."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from linnet.annotate.api.schemas.base import Body, Reply

__all__ = ["Member", "MemberChange", "Role"]


class Role(StrEnum):
    """In a project. annotator: annotate, search, train, export their own work. curator: also see everybody's work, and settle
    disagreements. manager: also upload, change settings, roll back, back up, and choose the members."""

    ANNOTATOR = "annotator"
    CURATOR = "curator"
    MANAGER = "manager"


class MemberChange(Body):
    """The role that a member has from now on. takes_part: whether documents are assigned to it; None leaves that."""

    role: Role
    takes_part: bool | None = None


class Member(Reply):
    """A member of a project. takes_part: documents are assigned to it; active: the account may sign in; created: when it became a
    member."""

    name: str
    role: Role
    takes_part: bool
    active: bool
    created: datetime
