"""Why a request is refused; the interface turns each into a status and a `Problem`.

Refusal ── NotSignedIn 401, Forbidden 403, NotFound 404, Conflict 409, TooLarge 413, Invalid 422, TooMany 429,
           Unavailable 503, DiskFull 507
"""

from __future__ import annotations

from typing import Any

from linnet.serve.refusals import Invalid, NotFound, Refusal, TooLarge, TooMany, Unavailable

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


class NotSignedIn(Refusal):
    """Nobody is signed in, or the session has expired."""

    status, code = 401, "not_signed_in"


class Forbidden(Refusal):
    """Whoever asks may not."""

    status, code = 403, "forbidden"


class Conflict(Refusal):
    """Things are not as the request takes them to be.

    by       who changed them, "" where that is not what it is about
    context  what the interface needs to show how they are now
    """

    status, code = 409, "conflict"

    def __init__(self, message: str, *, by: str = "", context: Any = None) -> None:
        super().__init__(message)
        self.by, self.context = by, context


class DiskFull(Refusal):
    """The server has no room for what the request would write."""

    status, code = 507, "disk_full"
