"""Refusals and failures as problem details (RFC 9457): a message for people, never a traceback."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import ValidationError
from starlette.exceptions import HTTPException

from linnet.errors import LinnetError, StoreError
from linnet.http.problems import MEDIA_TYPE, Problem
from linnet.http.refusals import (
    Failed,
    Invalid,
    Malformed,
    NotFound,
    Refusal,
    TookTooLong,
    TooLarge,
    TooMany,
    TooSlow,
    Unauthorised,
    Unavailable,
    WrongFormat,
    WrongMethod,
)
from linnet.http.validation import summary, wrong_fields
from linnet.http.wording import in_service

__all__ = [
    "MEDIA_TYPE",
    "RESPONSES",
    "Problem",
    "failed",
    "install",
    "invalid",
    "problem_of",
    "response_of",
    "unreadable_body",
]

_LOG = logging.getLogger("linnet.serve")


_KINDS = (
    Malformed, Unauthorised, NotFound, WrongMethod, TooSlow, TooLarge, WrongFormat, Invalid, TooMany, Unavailable, TookTooLong,
)  # fmt: skip
_CONTENT = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
# The refusals of every route, for the OpenAPI document.
RESPONSES: dict[int | str, dict[str, Any]] = {
    kind.status: {"description": kind.__doc__, "content": _CONTENT} for kind in _KINDS
}


def problem_of(refusal: Refusal) -> Problem:
    """The problem that tells a client of a refusal. `fields` is unset if there are none."""
    return Problem.of(refusal, status=refusal.status, code=refusal.code)


def response_of(refusal: Refusal) -> Response:
    """The HTTP answer to a refused request."""
    headers = {} if refusal.retry_after is None else {"retry-after": str(refusal.retry_after)}
    if refusal.status == 401:
        headers["www-authenticate"] = 'Bearer realm="linnet"'
    if refusal.status == 408:
        headers["connection"] = "close"  # the rest of the body may still come
    body = problem_of(refusal).model_dump_json()
    return Response(body, status_code=refusal.status, headers=headers, media_type=MEDIA_TYPE)


def invalid(errors: Any, *, known: Sequence[str] = ()) -> Invalid:
    """A refusal that names each invalid field; arguments as of `wrong_fields`."""
    fields = wrong_fields(errors, known=known)
    return Invalid(
        summary(fields, elsewhere=" in 'fields'"),
        next_step="Correct it; /docs lists the fields of every request.",
        fields=dict(list(fields.items())[:100]),
    )


def install(app: FastAPI) -> None:
    """Answer every error with a problem."""
    app.add_exception_handler(LinnetError, _refused)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(ValidationError, _malformed)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _unexpected)


async def _refused(request: Request, error: Exception) -> Response:
    if isinstance(error, Refusal):
        return _answer(request, error)
    if isinstance(error, StoreError):
        _LOG.error("%s", in_service(error))
        unreadable = "The terminology cannot be read now; the server's log says why."
        return _answer(request, Unavailable(unreadable, retry_after=10))
    assert isinstance(error, LinnetError)
    return _answer(request, Invalid(error.happened, *error.advice))


async def _malformed(request: Request, error: Exception) -> Response:
    errors = error.errors() if isinstance(error, (RequestValidationError, ValidationError)) else ()
    return _answer(request, invalid(errors, known=_fields(request)))


def _fields(request: Request) -> list[str]:
    """The fields of the body that this address takes."""
    body = getattr(request.scope.get("route"), "body_field", None)
    model = body.field_info.annotation if body is not None else None
    return list(getattr(model, "model_fields", ()))


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        refusal: Refusal = NotFound(f"There is nothing at {request.url.path[:200]}.", next_step="See /docs.")
    elif error.status_code == 405:
        allowed = (error.headers or {}).get("Allow", "another method")
        refusal = WrongMethod(
            f"{request.url.path[:200]} does not take {request.method}.", expected=f"It takes {allowed}."
        )
    else:
        refusal = unreadable_body()
    answer = _answer(request, refusal)
    answer.headers.update(error.headers or {})
    return answer


async def _unexpected(request: Request, error: Exception) -> Response:
    # Starlette raises it again, and the middleware logs it.
    return _answer(request, failed())


def _answer(request: Request, refusal: Refusal) -> Response:
    request.state.code = refusal.code  # for the metrics
    return response_of(refusal)


def unreadable_body() -> Malformed:
    """The refusal for a body that Python cannot read as JSON."""
    return Malformed(
        "The body cannot be read as JSON.",
        expected="Expected UTF-8, without numbers of thousands of digits and without lists nested thousands deep.",
        next_step="See /docs.",
    )


def failed() -> Failed:
    """The refusal for an unexpected error."""
    return Failed(
        "Something went wrong inside the server; its log says what.",
        next_step="Try again; if it happens again, tell whoever runs the server when it happened.",
    )
