"""Why a request is refused. The API turns each exception into a status and a `Problem`.

Refusal ── NotSignedIn 401, Forbidden 403, NotFound 404, Conflict 409, TooLarge 413, Invalid 422, TooMany 429,
           Unavailable 503, DiskFull 507
"""

from __future__ import annotations

import re
from typing import Any

from linnet.advice import Advice
from linnet.http.refusals import Invalid, NotFound, Refusal, TooLarge, TooMany, Unavailable

__all__ = [
    "Conflict",
    "DiskFull",
    "Forbidden",
    "Invalid",
    "NotFound",
    "NotSignedIn",
    "Refusal",
    "Repeated",
    "TooLarge",
    "TooMany",
    "Unavailable",
    "without_folders",
]

_FOLDERS = re.compile(r"(?<![\w:/.])/(?:[^\s/:'\"]+/)+")


class NotSignedIn(Refusal):
    """Nobody is signed in, or the session has expired."""

    status, code = 401, "not_signed_in"


class Forbidden(Refusal):
    """The user may not do this."""

    status, code = 403, "forbidden"


class Conflict(Refusal):
    """The state is not what the request assumes.

    by       who changed it; "" if nobody did
    context  what the API needs to show the state as it is now
    """

    status, code = 409, "conflict"

    def __init__(self, message: str, *advice: Advice, by: str = "", context: Any = None) -> None:
        super().__init__(message, *advice)
        self.by, self.context = by, context


class Repeated(Conflict):
    """The change was made by an earlier request with the same `Idempotency-Key`."""

    code = "repeated"


class DiskFull(Refusal):
    """The server's disk has no room for the request."""

    status, code = 507, "disk_full"


def without_folders(message: str) -> str:
    """A message without the folders of the server's files, which are nobody else's business."""
    return _FOLDERS.sub("", message)
