"""Batches: a line in, a line out."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request

from linnet.http.refusals import WrongFormat
from linnet.serve.batch_response import MEDIA_TYPE, BatchResponse
from linnet.serve.dependencies import (
    CurrentSnapshot,
    Flow,
    Service,
    TheService,
    check_parameters,
    checked_k,
    checked_types,
)
from linnet.serve.problems import RESPONSES
from linnet.serve.request_models import MentionIn, TextIn
from linnet.serve.response_models import DocumentLine, LinkLine, ProblemLine
from linnet.serve.tasks import AnnotateTask, LinkTask

__all__ = ["router"]

_MEDIA_TYPES = frozenset(
    {MEDIA_TYPE, "application/jsonl", "application/json-lines", "application/x-jsonlines"}
)
_Count = Annotated[int, Query(ge=1, le=1000, description="Candidates of each mention.")]


def _body(example: str) -> dict[str, Any]:
    """For the OpenAPI document, in which lines have no schema."""
    content = {MEDIA_TYPE: {"schema": {"type": "string"}, "example": example}}
    return {"requestBody": {"required": True, "content": content}}


def _responses(line: type[LinkLine] | type[DocumentLine]) -> dict[int | str, dict[str, Any]]:
    """For the OpenAPI document: the schema is that of a line."""
    answer = {"description": "A line for each line, in their order.", "model": line | ProblemLine}
    return {200: answer, 415: RESPONSES[415]}


router = APIRouter(prefix="/v1/batch", tags=["batches"], dependencies=[Depends(check_parameters)])


@router.post(
    "/link",
    status_code=200,
    response_class=BatchResponse,
    responses=_responses(LinkLine),
    openapi_extra=_body('{"id": "m1", "text": "heart attack"}\n'),
)
async def batch_link(
    request: Request, service: TheService, snapshot: CurrentSnapshot, flow: Flow, k: _Count = 5
) -> BatchResponse:
    """Link mentions in the mention format, one a line; answers come while lines are sent.

    Mentions of one `document` follow each other. A line that cannot be read is answered by {"line", "problem"}.
    """
    return _batch(
        request,
        service,
        snapshot=snapshot,
        flow=flow,
        read=MentionIn.model_validate,
        task=partial(LinkTask, k=checked_k(k, service.limits)),
    )


@router.post(
    "/annotate",
    status_code=200,
    response_class=BatchResponse,
    responses=_responses(DocumentLine),
    openapi_extra=_body('{"id": "d1", "text": "Patients with AT developed breast cancer."}\n'),
)
async def batch_annotate(
    request: Request,
    service: TheService,
    snapshot: CurrentSnapshot,
    flow: Flow,
    k: _Count = 5,
    types: Annotated[
        list[str] | None, Query(max_length=100, description="Keep only mentions of these types.")
    ] = None,
) -> BatchResponse:
    """Find and link the mentions of documents {"id", "text"}, one a line; answers come while lines are sent."""
    return _batch(
        request,
        service,
        snapshot=snapshot,
        flow=flow,
        read=TextIn.model_validate,
        task=partial(AnnotateTask, k=checked_k(k, service.limits), types=checked_types(types, snapshot)),
    )


def _batch(request: Request, service: Service, *, flow: str, **options: Any) -> BatchResponse:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in _MEDIA_TYPES:
        raise WrongFormat(
            f"The Content-Type is '{kind[:100]}'.",
            expected=f"Expected Content-Type: {MEDIA_TYPE}, one JSON object a line.",
        )
    return BatchResponse(
        scheduler=service.scheduler,
        metrics=service.metrics,
        limits=service.limits,
        # A batch takes turns with the other requests of its client.
        flow=f"{flow} {id(request)}",
        ending=service.ending,
        **options,
    )
