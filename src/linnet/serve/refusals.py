"""Why a request is refused; the interface answers each with its status and a `Problem`.

Refusal ── Malformed 400, Unauthorised 401, NotFound 404, WrongMethod 405, TooSlow 408, TooLarge 413, WrongFormat 415,
           Invalid 422, TooMany 429, Failed 500, Busy 503, Unavailable 503, TookTooLong 504
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from linnet.errors import LinnetError

__all__ = [
    "Busy",
    "Failed",
    "Invalid",
    "Malformed",
    "NotFound",
    "Refusal",
    "TooLarge",
    "TooMany",
    "TooSlow",
    "TookTooLong",
    "Unauthorised",
    "Unavailable",
    "WrongFormat",
    "WrongMethod",
]


class Refusal(LinnetError):
    """Base of all.

    message   what happened, and what was found      expected  what would have been right
    advice    what to do next                        fields    dotted name → what is wrong with it
    wait      seconds after which to try again, None where that would not help
    """

    status: ClassVar[int] = 400
    code: ClassVar[str] = "malformed"

    def __init__(
        self,
        message: str,
        *,
        expected: str = "",
        advice: str = "",
        fields: Mapping[str, str] | None = None,
        wait: int | None = None,
    ) -> None:
        super().__init__(" ".join(part for part in (message, expected, advice) if part))
        self.message, self.expected, self.advice = message, expected, advice
        self.fields, self.wait = dict(fields or {}), wait


class Malformed(Refusal):
    """The request cannot be read."""


class Unauthorised(Refusal):
    """No key, or one that is not known."""

    status, code = 401, "unauthorised"


class NotFound(Refusal):
    """There is no such thing."""

    status, code = 404, "not_found"


class WrongMethod(Refusal):
    """The address takes other methods."""

    status, code = 405, "wrong_method"


class TooSlow(Refusal):
    """The request did not arrive in time."""

    status, code = 408, "too_slow"


class TooLarge(Refusal):
    """More than is taken."""

    status, code = 413, "too_large"


class WrongFormat(Refusal):
    """The body is of another media type."""

    status, code = 415, "wrong_format"


class Invalid(Refusal):
    """The request can be read and makes no sense."""

    status, code = 422, "invalid"


class TooMany(Refusal):
    """More at once than this client may ask."""

    status, code = 429, "too_many"


class Failed(Refusal):
    """Something is wrong with the server."""

    status, code = 500, "failed"


class Busy(Refusal):
    """Others are being answered."""

    status, code = 503, "busy"


class Unavailable(Refusal):
    """What is asked for is not there now."""

    status, code = 503, "unavailable"


class TookTooLong(Refusal):
    """Given up."""

    status, code = 504, "took_too_long"
