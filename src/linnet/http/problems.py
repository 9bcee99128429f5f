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

MEDIA_TYPE = "application/problem+json"  # of `linnet.serve`; that of annotate is plain JSON, as it always was


class Problem(BaseModel):
    """Why a request was refused."""

    type: str = Field(description="`code` as a URI", examples=["urn:linnet:problem:too_large"])
    title: str = Field(description="the status in words")
    status: int = Field(description="of the answer")
    code: str = Field(description="what kind of refusal it is, for programs", examples=["too_large"])
    detail: str = Field(description="what happened, and what was found")
    expected: str = Field("", description='what the server expected; "" if obvious')
    next: str = Field("", description="what to do")
    message: str = Field(description="`detail`, `expected` and `next` together, for people")
    fields: dict[str, str] = Field(
        default_factory=dict, description="dotted name of each invalid field → what is wrong with it"
    )

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
