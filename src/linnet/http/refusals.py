"""Reasons to refuse a request; the client gets the status and a `Problem`.

Refusal ── Malformed 400, Unauthorised 401, NotFound 404, WrongMethod 405, TooSlow 408, TooLarge 413, WrongFormat 415,
           Invalid 422, TooMany 429, Failed 500, Busy 503, Unavailable 503, TookTooLong 504
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from linnet.advice import Advice, with_advice
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

    message      what happened and what was found
    expected     what the server expected
    advice       what to do next
    next_step    the same in words, where only users of a service can do it
    fields       dotted name of a field → what is wrong with it
    retry_after  seconds after which to try again; None if that would not help
    """

    status: ClassVar[int] = 400
    code = "malformed"

    def __init__(
        self,
        message: str,
        *advice: Advice,
        expected: str = "",
        next_step: str = "",
        fields: Mapping[str, str] | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(message, *advice)
        self.expected, self.next_step = expected, next_step
        self.fields, self.retry_after = dict(fields or {}), retry_after

    def worded(self, wording: Callable[[Advice], str]) -> str:
        parts = (self.message, self.expected, self.next_step)
        return with_advice(" ".join(part for part in parts if part), self.advice, wording)


class Malformed(Refusal):
    """The request cannot be read."""


class Unauthorised(Refusal):
    """The API key is missing or unknown."""

    status, code = 401, "unauthorised"


class NotFound(Refusal):
    """The address or concept does not exist."""

    status, code = 404, "not_found"


class WrongMethod(Refusal):
    """The address does not take this method."""

    status, code = 405, "wrong_method"


class TooSlow(Refusal):
    """The request did not arrive in time."""

    status, code = 408, "too_slow"


class TooLarge(Refusal):
    """The request, a text or a line is too large."""

    status, code = 413, "too_large"


class WrongFormat(Refusal):
    """The body has another media type, or is compressed."""

    status, code = 415, "wrong_format"


class Invalid(Refusal):
    """A value is invalid; `fields` says which."""

    status, code = 422, "invalid"


class TooMany(Refusal):
    """Too many requests of one client at once; Retry-After says when to try again."""

    status, code = 429, "too_many"


class Failed(Refusal):
    """The server failed."""

    status, code = 500, "failed"


class Busy(Refusal):
    """The server is at its limit of requests, or ending."""

    status, code = 503, "busy"


class Unavailable(Refusal):
    """The server is busy, or cannot answer this now; Retry-After says when to try again."""

    status, code = 503, "unavailable"


class TookTooLong(Refusal):
    """Abandoned: it took too long."""

    status, code = 504, "took_too_long"
