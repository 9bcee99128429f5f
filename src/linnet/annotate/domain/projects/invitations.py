"""Invitations: links with which people get an account or become members of a project. Their tokens are shown once."""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta
from enum import StrEnum
from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from linnet.annotate.domain.accounts.sessions import SignedIn, token_digest
from linnet.annotate.domain.accounts.throttle import Attempt, Throttle
from linnet.annotate.domain.accounts.users import create_user, find_user
from linnet.annotate.domain.projects.members import add_member, member_of
from linnet.annotate.domain.states import AccountRole, ProjectRole
from linnet.annotate.refusals import Conflict, NotFound
from linnet.annotate.store import Database
from linnet.annotate.store.columns import now
from linnet.annotate.store.log import log
from linnet.annotate.store.tables import Invitation, InvitationUse, Project, User

__all__ = [
    "InvitedRole",
    "Listed",
    "find_invitation",
    "invite",
    "join_project",
    "join_server",
    "list_invitations",
    "open_invitation",
    "withdraw_invitation",
]

_MOST = 200  # listed, and open at a time


class InvitedRole(StrEnum):
    """Roles in a project that an invitation can give."""

    ANNOTATOR = "annotator"
    CURATOR = "curator"


class Listed(NamedTuple):
    """An invitation as its list shows it. state: "open", "expired", "withdrawn", "used up", or "ended" because its maker may no
    longer invite."""

    row: Invitation
    project_name: str
    state: str
    used: Sequence[InvitationUse]


def invite(
    session: Session,
    project: Project | None,
    role: AccountRole | InvitedRole,
    *,
    days: int,
    uses: int,
    by: str,
) -> tuple[str, Invitation]:
    """A new invitation, and the token for its link. project: None for an account on the server alone.

    Raises Conflict if too many invitations are open.
    """
    place = Invitation.project_id == project.id if project else Invitation.project_id.is_(None)
    pending = select(func.count()).where(place, Invitation.expires > now(), Invitation.withdrawn.is_(None))
    if (session.scalar(pending) or 0) >= _MOST:
        raise Conflict(f"{_MOST} invitations are open, the most there can be. Withdraw one first.")
    token, moment = secrets.token_urlsafe(32), now()
    row = Invitation(
        digest=token_digest(token),
        project_id=project.id if project else None,
        role=role,
        uses=uses,
        created=moment,
        created_by=by,
        expires=moment + timedelta(days=days),
    )
    session.add(row)
    session.flush()
    changes = {"invitation": row.id, "role": role, "uses": uses, "expires": f"{row.expires:%Y-%m-%d}"}
    log(session, "invitation.create", by=by, project=project, changes=changes)
    return token, row


def list_invitations(session: Session, project: Project | None = None) -> list[Listed]:
    """Invitations, newest first; of a project, or all of the server."""
    query = select(Invitation, Project.name).outerjoin(Project)
    if project is not None:
        query = query.where(Invitation.project_id == project.id)
    rows = session.execute(query.order_by(Invitation.id.desc()).limit(_MOST)).all()
    used: defaultdict[int, list[InvitationUse]] = defaultdict(list)
    ids = [row.id for row, _ in rows]
    uses = select(InvitationUse).where(InvitationUse.invitation_id.in_(ids)).order_by(InvitationUse.id)
    for use in session.scalars(uses):
        used[use.invitation_id].append(use)
    return [
        Listed(row, name or "", _state(session, row, len(used[row.id])), used[row.id]) for row, name in rows
    ]


def withdraw_invitation(session: Session, id: int, project: Project | None = None, *, by: str) -> None:
    """End an invitation; project: the one it must be for. Raises NotFound."""
    row = session.get(Invitation, id, with_for_update=True)
    if row is None or (project is not None and row.project_id != project.id):
        raise NotFound(f"There is no invitation {id}.")
    if row.withdrawn is None:
        row.withdrawn = now()
        place = session.get(Project, row.project_id) if row.project_id else None
        log(session, "invitation.withdraw", by=by, project=place, changes={"invitation": row.id})


def find_invitation(database: Database, throttle: Throttle, token: str, *, address: str) -> Invitation:
    """The invitation of a link. Raises NotFound, and TooMany for somebody who guesses."""
    attempt = Attempt("", address)
    throttle.check(attempt)
    with database.read() as session:
        row = session.scalars(
            select(Invitation).where(Invitation.digest == token_digest(token))
        ).one_or_none()
    if row is None:
        throttle.failed(attempt)
        raise NotFound(
            "This link is not an invitation to this server. Copy it completely, or ask whoever sent it for a new one."
        )
    return row


def join_server(session: Session, invitation: Invitation, name: str, password: str) -> User:
    """The account of an invited person. password: hashed. Raises Conflict if the name or the invitation can no longer be used."""
    row = _locked(session, invitation)
    role = AccountRole.ANNOTATOR if row.project_id is not None else AccountRole(row.role)
    account = create_user(session, name, password, role, by=name)
    _use(session, row, account)
    return account


def join_project(session: Session, invitation: Invitation, user: SignedIn) -> tuple[int, ProjectRole]:
    """Make somebody who has an account a member of the invitation's project; returns the project and the role there.

    Raises Conflict for an invitation to the server, and if it can no longer be used.
    """
    row = _locked(session, invitation)
    if row.project_id is None:
        raise Conflict(
            f"This invitation is for a new account, and you are signed in as {user.name}. Sign out to use it, or pass it on."
        )
    _use(session, row, session.get_one(User, user.id))
    return row.project_id, ProjectRole(row.role)


def open_invitation(session: Session, row: Invitation) -> Project | None:
    """The project of an invitation, None for the server's. Raises Conflict if the invitation can no longer be used."""
    used = session.scalar(select(func.count()).where(InvitationUse.invitation_id == row.id)) or 0
    reason = {
        "expired": f"expired on {row.expires:%d %B %Y}",
        "withdrawn": "was withdrawn",
        "ended": f"has ended, because {row.created_by} may no longer invite people",
        "used up": "has been used already" if row.uses == 1 else f"has been used {row.uses} times, as often as it could be",
    }.get(_state(session, row, used))  # fmt: skip
    if reason:
        raise Conflict(f"This invitation {reason}. Ask {row.created_by} or an admin for a new one.")
    return session.get_one(Project, row.project_id) if row.project_id else None


def _use(session: Session, row: Invitation, user: User) -> None:
    """Record a use, and make the user a member of the project if the invitation has one. Raises Conflict for members."""
    project = session.get_one(Project, row.project_id) if row.project_id else None
    if project is not None:
        if member_of(session, project, user) is not None:
            raise Conflict(f"You are a member of {project.name} already.")
        add_member(session, project, user.id, ProjectRole(row.role), by=row.created_by)
    session.add(InvitationUse(invitation_id=row.id, name=user.name))
    changes = {"invitation": row.id, "role": row.role, "invited_by": row.created_by}
    log(session, "invitation.use", by=user.name, project=project, changes=changes)


def _locked(session: Session, invitation: Invitation) -> Invitation:
    """An invitation that nobody else uses until the transaction ends. Raises Conflict if it can no longer be used."""
    row = session.get(Invitation, invitation.id, with_for_update=True)
    if row is None:
        raise NotFound("The project of this invitation was removed meanwhile.")
    open_invitation(session, row)
    return row


def _state(session: Session, row: Invitation, used: int) -> str:
    if row.withdrawn is not None:
        return "withdrawn"
    if used >= row.uses:
        return "used up"
    if row.expires < now():
        return "expired"
    return "open" if _may_invite(session, row) else "ended"


def _may_invite(session: Session, row: Invitation) -> bool:
    """Whether the maker may still invite: a link must not outlive the rights of who made it."""
    maker = find_user(session, row.created_by)
    if maker is None or not maker.active:
        return False
    if maker.role == AccountRole.ADMIN:
        return True
    project = session.get(Project, row.project_id) if row.project_id else None
    member = member_of(session, project, maker) if project else None
    return member is not None and member.role == ProjectRole.MANAGER
