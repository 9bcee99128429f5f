"""Invitations and API tokens."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field

from linnet.annotate.api.schemas.accounts import Credentials
from linnet.annotate.api.schemas.base import NO_BOOLEAN, Body, Reply, Secret, ShortLine
from linnet.annotate.domain.projects.invitations import InvitedRole
from linnet.annotate.domain.states import AccountRole, ProjectRole

__all__ = [
    "Invitation",
    "InvitationToken",
    "InvitationUse",
    "InvitationView",
    "InvitedAccount",
    "Joined",
    "NewInvitation",
    "NewInvitationLink",
    "NewProjectInvitation",
    "NewToken",
    "NewTokenSecret",
    "Token",
]

_LONGEST_LIFE = 366  # days


class _NewLink(Body):
    days: Annotated[int, Field(ge=1, le=90), NO_BOOLEAN] = 7
    uses: Annotated[int, Field(ge=1, le=100), NO_BOOLEAN] = 1


class NewInvitation(_NewLink):
    """An invitation to the server: whoever uses it gets an account of this role."""

    role: AccountRole = AccountRole.ANNOTATOR


class NewProjectInvitation(_NewLink):
    """An invitation to a project: whoever uses it becomes a member, with a new account without rights on the server if necessary."""

    role: InvitedRole = InvitedRole.ANNOTATOR


class InvitationUse(Reply):
    """Somebody who used an invitation."""

    name: str
    at: datetime


class Invitation(Reply):
    """An invitation."""

    id: int
    project: int | None
    project_name: str
    role: str
    uses: int
    used: list[InvitationUse]
    created: datetime
    created_by: str
    expires: datetime
    state: str


class NewInvitationLink(Reply):
    """A new invitation's link, which is shown this once: the server keeps a digest of it only."""

    link: str
    expires: datetime


class InvitationToken(Body):
    """What follows the # in an invitation's link."""

    token: Secret


class InvitedAccount(Credentials):
    """The account that an invited person chooses."""

    token: Secret


class InvitationView(Reply):
    """What an invited person gets. project_name: "" for an account on the server alone."""

    project_name: str
    role: str
    invited_by: str
    expires: datetime


class Joined(Reply):
    """The project that an invited person is a member of now, in a role."""

    project: int
    role: ProjectRole


class NewToken(Body):
    """An API token to make."""

    name: ShortLine
    days: Annotated[int, Field(ge=1, le=_LONGEST_LIFE), NO_BOOLEAN] = 90
    reads_only: bool = False


class Token(Reply):
    """An API token. seen: its last use, to about five minutes; None before the first."""

    id: int
    name: str
    reads_only: bool
    created: datetime
    expires: datetime
    seen: datetime | None


class NewTokenSecret(Token):
    """A new API token, shown this once: the server keeps a digest of it only."""

    token: str
