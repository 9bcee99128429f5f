"""Refusals as problem details (RFC 9457), the same of both services: a message for people, never a traceback."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Self

from pydantic import BaseModel, Field

from linnet.errors import LinnetError
from linnet.http.refusals import Refusal
from linnet.http.wording import next_step

__all__ = ["MEDIA_TYPE", "Problem"]

MEDIA_TYPE = "application/problem+json"


class Problem(BaseModel):
    """Why a request was refused.

    code      for programs; `type` is the same as a URI
    detail    what happened and what was found
    expected  what the server expected; "" if obvious
    next      what to do
    message   the three together, for people
    fields    dotted name of each invalid field → what is wrong with it
    """

    type: str = Field(examples=["urn:linnet:problem:too_large"])
    title: str
    status: int
    code: str
    detail: str
    expected: str = ""
    next: str = ""
    message: str
    fields: dict[str, str] = Field(default_factory=dict)

    @classmethod
    def of(
        cls,
        error: LinnetError,
        *,
        status: int,
        code: str,
        shown: Callable[[str], str] = str,
        **others: object,
    ) -> Self:
        """The problem that tells a client of an error. `fields` is unset if there are none.

        shown   what of a text may be shown
        others  fields of a problem with more of them
        """
        fields: Mapping[str, str] = {}
        detail, expected, advice = error.happened, "", next_step(error)
        if isinstance(error, Refusal):
            detail, expected, fields = error.message, error.expected, error.fields
            advice = " ".join(part for part in (error.next_step, advice) if part)
        parts = [shown(part) for part in (detail, expected, advice)]
        if fields:
            others["fields"] = fields
        return cls(
            type=f"urn:linnet:problem:{code}",
            title=HTTPStatus(status).phrase,
            status=status,
            code=code,
            detail=parts[0],
            expected=parts[1],
            next=parts[2],
            message=" ".join(part for part in parts if part),
            **others,  # type: ignore[arg-type]
        )
