"""Signing in and out, and the first account."""

from __future__ import annotations

from fastapi import APIRouter, Depends, Request, Response
from sqlalchemy.orm import Session as Database

from linnet.annotate.api.access import COOKIE, DEVICE, App, CurrentUser, in_person, same_origin, set_cookie
from linnet.annotate.api.schemas.accounts import Credentials, PasswordChange, Session, Status
from linnet.annotate.domain.accounts.devices import KEPT, known_device, remember_device
from linnet.annotate.domain.accounts.names import account_key
from linnet.annotate.domain.accounts.passwords import hashed, matches, needs_rehash
from linnet.annotate.domain.accounts.sessions import find_session, sign_in, sign_out
from linnet.annotate.domain.accounts.throttle import Attempt
from linnet.annotate.domain.accounts.users import ADMIN, any_user, create_user, find_user, set_password
from linnet.annotate.refusals import Conflict, Forbidden, NotSignedIn
from linnet.annotate.store.tables import User

__all__ = ["begun", "public", "router"]

public = APIRouter(tags=["session"])
router = APIRouter(tags=["session"])


@public.get("/status")
def status(request: Request, app: App) -> Status:
    """Public: the version, whether the first account exists, and who is signed in."""
    from linnet import __version__

    token = request.cookies.get(COOKIE)
    with app.database.read() as session:
        user = find_session(session, token) if token else None
        return Status(
            version=__version__,
            set_up=any_user(session),
            session=Session.model_validate(user) if user else None,
        )


@public.post("/setup", status_code=201, dependencies=[Depends(same_origin)])
def set_up(request: Request, response: Response, app: App, body: Credentials) -> Session:
    """Create the first account, an admin, and sign in. Refused if an account exists."""
    with app.database.read() as session:
        _refuse_second(any_user(session))
    password = hashed(body.password)
    with app.database.write() as session:
        _refuse_second(any_user(session))
        user = create_user(session, body.name, password, ADMIN, by=body.name)
        return begun(request, response, session, user)


@public.post("/session", status_code=201, dependencies=[Depends(same_origin)])
def open_session(request: Request, response: Response, app: App, body: Credentials) -> Session:
    """Sign in. After too many wrong passwords a browser must wait; a browser known to the account is counted separately."""
    with app.database.read() as session:
        user = find_user(session, body.name)
        kept = user.password if user is not None and user.active else None
        device = known_device(session, user, request.cookies.get(DEVICE, ""))
    attempt = Attempt(account_key(body.name), request.client.host if request.client else "", device)
    app.throttle.check(attempt)
    # Checked first, so that an unknown name takes as long as a wrong password.
    if not matches(kept, body.password) or user is None:
        app.throttle.failed(attempt)
        raise NotSignedIn("Wrong name or password.")
    app.throttle.succeeded(attempt)
    with app.database.write() as session:
        user = session.merge(user)
        if kept and needs_rehash(kept):
            user.password = hashed(body.password)
        return begun(request, response, session, user)


@router.delete("/session", status_code=204, dependencies=[Depends(in_person)])
def close_session(app: App, user: CurrentUser) -> Response:
    """Sign out."""
    with app.database.write() as session:
        sign_out(session, user.digest)
    answer = Response(status_code=204)
    answer.delete_cookie(COOKIE, httponly=True, samesite="strict", path="/")
    return answer


@router.post("/session/password", status_code=204, dependencies=[Depends(in_person)])
def change_password(app: App, user: CurrentUser, body: PasswordChange) -> None:
    """Change your own password. All your other sessions end; your API tokens stay."""
    attempt = Attempt(account_key(user.name), "", user.digest)  # a stolen session cannot lock out others
    app.throttle.check(attempt)
    with app.database.read() as session:
        account = find_user(session, user.name)
    if account is None or not matches(account.password, body.old):
        app.throttle.failed(attempt)
        raise Forbidden("The old password is wrong.")
    with app.database.write() as session:
        set_password(session, session.merge(account), body.new, keep=user.digest)


def begun(request: Request, response: Response, session: Database, user: User) -> Session:
    """Sign a user in and remember the browser."""
    token, signed_in = sign_in(session, user)
    set_cookie(request, response, COOKIE, token)
    device = remember_device(session, user, request.cookies.get(DEVICE, ""))
    set_cookie(request, response, DEVICE, device, max_age=int(KEPT.total_seconds()))
    return Session.model_validate(signed_in)


def _refuse_second(there_is_one: bool) -> None:
    if there_is_one:
        raise Conflict("The first account exists already. Sign in, or ask an admin for an account.")
