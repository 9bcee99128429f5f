"""Exceptions become `Problem` answers: a message for people, never a traceback."""

from __future__ import annotations

import logging
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from sqlalchemy.exc import DBAPIError, IntegrityError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from linnet.annotate.api.app_state import AppState
from linnet.annotate.api.schemas.documents import ConflictProblem, DocumentView
from linnet.annotate.api.views import document_view
from linnet.annotate.disk import disk_full, is_full
from linnet.annotate.domain.annotations.editor import EditorKey, open_editor
from linnet.annotate.refusals import Conflict, Invalid, Refusal, Unavailable, without_folders
from linnet.errors import LinnetError, StoreError
from linnet.http.problems import Problem
from linnet.http.validation import summary, wrong_fields
from linnet.http.wording import in_service

__all__ = ["RESPONSES", "install"]

_MOST = 5000  # annotations sent with a conflict
_LOG = logging.getLogger("linnet.annotate")
_CODES = {
    401: "not_signed_in",
    403: "forbidden",
    404: "not_found",
    405: "not_found",
    409: "conflict",
    413: "too_large",
}

# For every route in the OpenAPI document.
RESPONSES: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "The request cannot be read."},
    401: {"model": Problem, "description": "Nobody is signed in."},
    403: {"model": Problem, "description": "Not allowed, or the CSRF token is missing."},
    404: {"model": Problem, "description": "Not found."},
    409: {"model": ConflictProblem, "description": "Somebody else changed it first."},
    413: {"model": Problem, "description": "Too large."},
    422: {"model": Problem, "description": "Invalid values; `fields` says which."},
    429: {"model": Problem, "description": "Too many attempts."},
    500: {"model": Problem, "description": "The server failed."},
    503: {"model": Problem, "description": "Not ready yet, or the database does not answer."},
    507: {"model": Problem, "description": "The server's disk is full."},
}


def install(app: FastAPI) -> None:
    """Answer every exception with a Problem."""
    app.add_exception_handler(LinnetError, _refused)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(IntegrityError, _at_once)
    app.add_exception_handler(DBAPIError, _database)
    app.add_exception_handler(OSError, _system)
    app.add_exception_handler(Exception, _unexpected)


def _answer(
    status: int, code: str, error: LinnetError, kind: type[Problem] = Problem, **others: object
) -> Response:
    problem = kind.of(error, status=status, code=code, shown=without_folders, **others)
    return Response(problem.model_dump_json(), status_code=status, media_type="application/json")


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, LinnetError)
    if isinstance(error, Conflict):
        view = await run_in_threadpool(_view, request, error)
        return _answer(409, error.code, error, ConflictProblem, by=error.by, document=view)
    if isinstance(error, Refusal):
        return _answer(error.status, error.code, error)
    _LOG.warning("%s %s: %s", request.method, request.url.path, in_service(error))
    status, code = (503, "unavailable") if isinstance(error, StoreError) else (422, "invalid")
    return _answer(status, code, error)


def _view(request: Request, error: Conflict) -> DocumentView | None:
    """The document that somebody else has changed, as it is now; None if the conflict is not about one."""
    if not isinstance(error.context, EditorKey):
        return None
    app: AppState = request.app.state.linnet
    with app.database.read() as session:
        editor = open_editor(session, *error.context, lock=False)
        return document_view(editor, app.names_of(editor.project), limit=_MOST)


async def _malformed(request: Request, error: Exception) -> Response:
    fields = wrong_fields(error.errors() if isinstance(error, RequestValidationError) else ())
    return await _refused(request, Invalid(summary(fields), fields=fields))


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if is_full(error):  # while an upload was received
        return await _refused(request, disk_full())
    code = _CODES.get(error.status_code, "invalid")
    answer = _answer(error.status_code, code, LinnetError(f"{error.detail}."))
    answer.headers.update(error.headers or {})
    return answer


async def _at_once(request: Request, error: Exception) -> Response:
    message = "Somebody else made the same change at the same moment. Load the page again."
    return await _refused(request, Conflict(message))


async def _database(request: Request, error: Exception) -> Response:
    _LOG.error("the database refused a request", exc_info=error)
    if is_full(error):
        return await _refused(request, disk_full())
    return await _refused(request, Unavailable("The database does not answer. Try again in a minute."))


async def _system(request: Request, error: Exception) -> Response:
    if not is_full(error):
        return await _unexpected(request, error)
    _LOG.error("%s %s: the disk is full", request.method, request.url.path, exc_info=error)
    return await _refused(request, disk_full())


async def _unexpected(request: Request, error: Exception) -> Response:
    _LOG.error("%s %s failed", request.method, request.url.path, exc_info=error)
    message = "The server failed; its log has the details. Nothing was changed."
    return _answer(500, "internal", LinnetError(message))
