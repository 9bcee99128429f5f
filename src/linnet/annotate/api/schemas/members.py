"""Members of projects."""

from __future__ import annotations

from datetime import datetime

from linnet.annotate.api.schemas.base import Body, Reply
from linnet.annotate.domain.states import ProjectRole

__all__ = ["Member", "MemberChange"]


class MemberChange(Body):
    """The role that a member has from now on. takes_part: whether documents are assigned to it; None leaves that."""

    role: ProjectRole
    takes_part: bool | None = None


class Member(Reply):
    """A member of a project. takes_part: documents are assigned to it; active: the account may sign in; created: when it became a
    member."""

    name: str
    role: ProjectRole
    takes_part: bool
    active: bool
    created: datetime
