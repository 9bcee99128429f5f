"""Why a request is refused; the interface turns each into a status and a `Problem`.

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
    """Base of all. The message is for people: what happened, what was expected, what to do next."""

    status: ClassVar[int] = 400
    code: ClassVar[str] = "invalid"


class NotSignedIn(Refusal):
    """Nobody is signed in, or the session has expired."""

    status, code = 401, "not_signed_in"


class Forbidden(Refusal):
    """Whoever asks may not."""

    status, code = 403, "forbidden"


class NotFound(Refusal):
    """There is no such thing, or none that whoever asks may see."""

    status, code = 404, "not_found"


class Conflict(Refusal):
    """Things are not as the request takes them to be.

    by       who changed them, "" where that is not what it is about
    context  what the interface needs to show how they are now
    """

    status, code = 409, "conflict"

    def __init__(self, message: str, *, by: str = "", context: Any = None) -> None:
        super().__init__(message)
        self.by, self.context = by, context


class TooLarge(Refusal):
    """More than is taken."""

    status, code = 413, "too_large"


class Invalid(Refusal):
    """The request makes no sense. fields: dotted name → what is wrong with it."""

    status, code = 422, "invalid"

    def __init__(self, message: str, *, fields: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.fields = dict(fields or {})


class TooMany(Refusal):
    """Too often in too short a time."""

    status, code = 429, "too_many"


class Unavailable(Refusal):
    """Not yet: something is still being built."""

    status, code = 503, "unavailable"


class DiskFull(Refusal):
    """The server has no room for what the request would write."""

    status, code = 507, "disk_full"
