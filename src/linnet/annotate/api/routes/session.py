"""Signing in and out, and the first account."""

from __future__ import annotations

from fastapi import APIRouter, Depends, Request, Response

from linnet.annotate.api.access import COOKIE, DEVICE, App, CurrentUser, in_person, same_origin, set_cookie
from linnet.annotate.api.app_state import AppState
from linnet.annotate.api.schemas.accounts import Credentials, PasswordChange, Session, Status
from linnet.annotate.domain.accounts.sessions import KEPT, find_session, remember_device, sign_in, sign_out
from linnet.annotate.domain.accounts.signing_in import change_own_password, check_password, first_account
from linnet.annotate.domain.accounts.users import any_user
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
    user = first_account(app.database, body.name, body.password)
    return begun(request, response, app, user)


@public.post("/session", status_code=201, dependencies=[Depends(same_origin)])
def open_session(request: Request, response: Response, app: App, body: Credentials) -> Session:
    """Sign in. After too many wrong passwords a browser must wait; a browser known to the account is counted separately."""
    user = check_password(
        app.database,
        app.throttle,
        body.name,
        body.password,
        address=request.client.host if request.client else "",
        device=request.cookies.get(DEVICE, ""),
    )
    return begun(request, response, app, user)


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
    change_own_password(app.database, app.throttle, user, body.old, body.new)


def begun(request: Request, response: Response, app: AppState, user: User) -> Session:
    """Sign a user in and remember the browser."""
    with app.database.write() as session:
        token, signed_in = sign_in(session, user)
        device = remember_device(session, user, request.cookies.get(DEVICE, ""))
    set_cookie(request, response, COOKIE, token)
    set_cookie(request, response, DEVICE, device, max_age=int(KEPT.total_seconds()))
    return Session.model_validate(signed_in)
