"""Who may: the session cookie, the CSRF token, the role."""

from __future__ import annotations

import secrets
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Depends, Request, Response
from fastapi.security import APIKeyCookie

from linnet.annotate.accounts.sessions import SignedIn, find_session, prolong
from linnet.annotate.app_state import AppState
from linnet.annotate.refusals import Forbidden, NotSignedIn

__all__ = ["COOKIE", "DEVICE", "App", "CurrentAdmin", "CurrentUser", "same_origin", "set_cookie"]

COOKIE = "linnet_session"
DEVICE = "linnet_device"  # of a browser in which somebody has signed in; gives no access by itself
_READING = frozenset({"GET", "HEAD", "OPTIONS"})
_cookie = APIKeyCookie(name=COOKIE, auto_error=False, description="Set by POST /api/session.")


class _WrongToken(Forbidden):
    code = "csrf"


async def get_app_state(request: Request) -> AppState:
    """What the routes share. Waits for nothing, and so needs no thread of its own."""
    state: AppState = request.app.state.linnet
    return state


App = Annotated[AppState, Depends(get_app_state)]


def same_origin(request: Request) -> None:
    """Raise Forbidden for a request that another site's page makes."""
    origin = request.headers.get("origin")
    if origin is None or urlsplit(origin).netloc == request.headers.get("host") or origin == _public(request):
        return
    message = (
        f"This request comes from a page of {origin[:100]}, not from the tool's own. Open the tool itself."
    )
    if not _public(request):
        message += f" If people reach it by that address, through a proxy, start it with --public-url {origin[:100]}."
    raise Forbidden(message)


def _public(request: Request) -> str:
    """Origin of the address that people reach the tool by, "" where that is its own."""
    origin: str = request.app.state.public_origin
    return origin


def signed_in(request: Request, app: App, token: Annotated[str | None, Depends(_cookie)]) -> SignedIn:
    """Who asks. Raises NotSignedIn, and Forbidden for a request that changes something without the session's token."""
    with app.database.read() as session:
        found = find_session(session, token) if token else None
    if found is None:
        raise NotSignedIn("You are not signed in, or your session has expired. Sign in again.")
    if request.method not in _READING:
        same_origin(request)
        given = request.headers.get("x-csrf-token", "")
        if not secrets.compare_digest(given.encode("utf-8", "replace"), found.csrf.encode()):
            raise _WrongToken(
                "The header X-CSRF-Token is missing or of another session. Load the page again."
            )
    if found.stale:
        with app.database.write() as session:
            prolong(session, found)
    return found


CurrentUser = Annotated[SignedIn, Depends(signed_in)]


def admin_only(user: CurrentUser) -> SignedIn:
    """Who asks, an admin. Raises Forbidden."""
    if not user.admin:
        raise Forbidden("Only admins may do this. Ask one of them.")
    return user


def set_cookie(
    request: Request, response: Response, name: str, token: str, *, max_age: int | None = None
) -> None:
    """Give the browser a token; no script can read it, no other site can send it.

    max_age  seconds, None until the browser is closed

    It is sent back over TLS only where it was got over TLS: from the tool itself, or through a proxy at an https address.
    """
    public = _public(request)
    through = {request.headers.get("origin"), f"https://{request.headers.get('host', '')}"}
    secure = request.url.scheme == "https" or (public.startswith("https:") and public in through)
    response.set_cookie(
        name, token, max_age=max_age, httponly=True, samesite="strict", secure=secure, path="/"
    )


CurrentAdmin = Annotated[SignedIn, Depends(admin_only)]
