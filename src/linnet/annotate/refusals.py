"""Why a request is refused. The API turns each exception into a status and a `Problem`.

Refusal ── NotSignedIn 401, Forbidden 403, NotFound 404, Conflict 409, TooLarge 413, Invalid 422, TooMany 429,
           Unavailable 503, DiskFull 507
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from linnet.errors import LinnetError

__all__ = [
    "Conflict",
    "DiskFull",
    "Forbidden",
    "Invalid",
    "NotFound",
    "NotSignedIn",
    "Refusal",
    "TooLarge",
    "TooMany",
    "Unavailable",
]


class Refusal(LinnetError):
    """Base of all. The message is for users: what happened, what was expected, what to do next."""

    status: ClassVar[int] = 400
    code: ClassVar[str] = "invalid"


class NotSignedIn(Refusal):
    """Nobody is signed in, or the session has expired."""

    status, code = 401, "not_signed_in"


class Forbidden(Refusal):
    """The user may not do this."""

    status, code = 403, "forbidden"


class NotFound(Refusal):
    """It does not exist, or the user may not see it."""

    status, code = 404, "not_found"


class Conflict(Refusal):
    """The state is not what the request assumes.

    by       who changed it; "" if nobody did
    context  what the API needs to show the state as it is now
    """

    status, code = 409, "conflict"

    def __init__(self, message: str, *, by: str = "", context: Any = None) -> None:
        super().__init__(message)
        self.by, self.context = by, context


class TooLarge(Refusal):
    """Larger than the limit."""

    status, code = 413, "too_large"


class Invalid(Refusal):
    """Invalid values. fields: dotted name → what is wrong with it."""

    status, code = 422, "invalid"

    def __init__(self, message: str, *, fields: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.fields = dict(fields or {})


class TooMany(Refusal):
    """Too many attempts in too short a time."""

    status, code = 429, "too_many"


class Unavailable(Refusal):
    """Not ready: something is still being built."""

    status, code = 503, "unavailable"


class DiskFull(Refusal):
    """The server's disk has no room for the request."""

    status, code = 507, "disk_full"
