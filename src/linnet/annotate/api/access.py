"""Access: the session cookie with its CSRF token or an API token, the role on the server and in the project."""

from __future__ import annotations

import re
import secrets
from dataclasses import replace
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import Depends, Request, Response
from fastapi.security import APIKeyCookie, HTTPBearer
from fastapi.security.http import HTTPAuthorizationCredentials

from linnet.advice import Step
from linnet.annotate.api.app_state import AppState
from linnet.annotate.domain.accounts.sessions import SignedIn, find_session, prolong
from linnet.annotate.domain.accounts.tokens import note_use, token_user
from linnet.annotate.domain.projects.members import role_for
from linnet.annotate.refusals import Forbidden, NotSignedIn
from linnet.annotate.store.log import acting_token

__all__ = [
    "COOKIE",
    "DEVICE",
    "App",
    "CurrentAdmin",
    "CurrentCurator",
    "CurrentManager",
    "CurrentUser",
    "in_person",
    "note_token",
    "own_origin",
    "same_origin",
    "set_cookie",
]

COOKIE = "linnet_session"
DEVICE = "linnet_device"  # marks a browser in which somebody has signed in; gives no access by itself
_READING = frozenset({"GET", "HEAD", "OPTIONS"})
# What a page asks for without its user: it prolongs no session.
_BY_ITSELF = re.compile(r"/api/projects/\d+/(mapping/)?changes")
_cookie = APIKeyCookie(name=COOKIE, auto_error=False, description="Set by POST /api/session.")
_bearer = HTTPBearer(auto_error=False, description="An API token, made on the page of an account.")
_Bearer = Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]


class _WrongToken(Forbidden):
    code = "csrf"


async def get_app_state(request: Request) -> AppState:
    """What the routes share. Async because it never blocks: a plain function would take a thread."""
    state: AppState = request.app.state.linnet
    return state


App = Annotated[AppState, Depends(get_app_state)]


def same_origin(request: Request) -> None:
    """Raise Forbidden for a request that another site's page makes."""
    origin = request.headers.get("origin")
    if origin is None or urlsplit(origin).netloc == request.headers.get("host") or origin == _public(request):
        return
    message = (
        f"This request comes from a page of {origin[:100]}, another site. Open the annotation page itself."
    )
    raise Forbidden(message, *([] if _public(request) else [Step.SAY_PUBLIC_URL(url=origin[:100])]))


def _public(request: Request) -> str:
    """Origin of the proxy's address; "" without a proxy."""
    origin: str = request.app.state.public_origin
    return origin


def own_origin(request: Request) -> str:
    """Scheme, host and port at which users reach the server, as far as it knows."""
    return _public(request) or f"{request.url.scheme}://{request.headers.get('host', '')}"


def signed_in(
    request: Request, app: App, token: Annotated[str | None, Depends(_cookie)], bearer: _Bearer
) -> SignedIn:
    """The user of the session or of the API token, with their role in the project, document or job that the path names.

    Raises NotSignedIn, Forbidden for a change without the session's CSRF token or with an API token that only reads, and NotFound
    for what is missing or in a project of which the user is no member.
    """
    user = None
    with app.database.read() as session:
        if bearer is not None:  # whoever sends one means it, also in a browser with a session
            user = token_user(session, bearer.credentials)
        elif token:
            user = find_session(session, token)
        if user is not None:
            user = replace(user, project_role=role_for(session, user, request.path_params))
    if user is None:
        raise NotSignedIn("You are not signed in, or your session has expired. Sign in again.")
    if request.method not in _READING:
        _check_change(request, user)
    if user.stale and (user.token or not _BY_ITSELF.fullmatch(request.url.path)):
        with app.database.write() as session:
            (note_use if user.token else prolong)(session, user)
    return user


def _check_change(request: Request, user: SignedIn) -> None:
    """Raise Forbidden for a change that another site's page may have sent, or that the API token does not allow."""
    if user.token:  # which no browser adds to a request by itself
        if user.reads_only:
            raise Forbidden(
                f"The API token '{user.token}' may only read. Make one that may change things on the page of your account."
            )
        return
    same_origin(request)
    given = request.headers.get("x-csrf-token", "")
    if not secrets.compare_digest(given.encode("utf-8", "replace"), user.csrf.encode()):
        raise _WrongToken(
            "The header X-CSRF-Token is missing or belongs to another session. Load the page again."
        )


CurrentUser = Annotated[SignedIn, Depends(signed_in)]


async def note_token(user: CurrentUser) -> None:
    """Log entries of the request say which API token it was made with. Async, so that the routes have the same context."""
    acting_token.set(user.token)


def in_person(user: CurrentUser) -> None:
    """Raise Forbidden for a request with an API token."""
    if user.token:
        raise Forbidden(
            "An API token cannot do this: accounts, members, invitations, tokens and passwords, and removing a project, need somebody "
            "who is signed in. Do it on the page."
        )


def set_cookie(
    request: Request, response: Response, name: str, token: str, *, max_age: int | None = None
) -> None:
    """Set a cookie that no script can read and no other site can send.

    max_age  seconds; None until the browser is closed

    The cookie is `Secure` if the request came over TLS, directly or through a proxy at an https address.
    """
    public = _public(request)
    through = {request.headers.get("origin"), f"https://{request.headers.get('host', '')}"}
    secure = request.url.scheme == "https" or (public.startswith("https:") and public in through)
    response.set_cookie(
        name, token, max_age=max_age, httponly=True, samesite="strict", secure=secure, path="/"
    )


def _only(right: str, whose: str) -> Any:
    """The user, if they have a right of `SignedIn`; else Forbidden is raised."""

    def check(user: CurrentUser) -> SignedIn:
        if not getattr(user, right):
            raise Forbidden(f"Only {whose}")
        return user

    return Depends(check)


CurrentAdmin = Annotated[SignedIn, _only("admin", "admins can do this. Ask an admin.")]
CurrentCurator = Annotated[
    SignedIn, _only("curates", "curators and managers of this project can do this. Ask one of them.")
]
CurrentManager = Annotated[
    SignedIn, _only("manages", "managers of this project can do this. Ask one of them, or an admin.")
]
