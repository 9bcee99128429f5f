"""Batches: a line in, a line out."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request

from linnet.serve.batch import MEDIA_TYPE, Batch
from linnet.serve.bodies import MentionIn, TextIn
from linnet.serve.problems import RESPONSES
from linnet.serve.refusals import WrongFormat
from linnet.serve.shared import Flow, Now, Service, Shared, checked_k, checked_types, known_parameters
from linnet.serve.work import Annotating, Linking

__all__ = ["router"]

_TAKEN = frozenset({MEDIA_TYPE, "application/jsonl", "application/json-lines", "application/x-jsonlines"})
_Count = Annotated[int, Query(ge=1, le=1000, description="Candidates of each mention.")]


def _described(example: str) -> dict[str, Any]:
    """For the OpenAPI document: lines have no schema there."""
    content = {MEDIA_TYPE: {"schema": {"type": "string"}, "example": example}}
    return {"requestBody": {"required": True, "content": content}}


_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"description": "A line for each line, in their order.", "content": {MEDIA_TYPE: {"schema": {"type": "string"}}}},
    415: RESPONSES[415],
}  # fmt: skip

router = APIRouter(prefix="/v1/batch", tags=["batches"], dependencies=[Depends(known_parameters)])


@router.post(
    "/link",
    status_code=200,
    response_class=Batch,
    responses=_ANSWERS,
    openapi_extra=_described('{"id": "m1", "text": "heart attack"}\n'),
)
async def batch_link(request: Request, service: Shared, snapshot: Now, flow: Flow, k: _Count = 5) -> Batch:
    """Link mentions in the mention format, one a line; answers come while lines are sent.

    Mentions of one `document` follow each other. A line that cannot be read is answered by {"line", "problem"}.
    """
    return _batch(
        request,
        service,
        snapshot=snapshot,
        flow=flow,
        read=MentionIn.model_validate_json,
        work=partial(Linking, k=checked_k(k, service.limits)),
    )


@router.post(
    "/annotate",
    status_code=200,
    response_class=Batch,
    responses=_ANSWERS,
    openapi_extra=_described('{"id": "d1", "text": "Patients with AT developed breast cancer."}\n'),
)
async def batch_annotate(
    request: Request,
    service: Shared,
    snapshot: Now,
    flow: Flow,
    k: _Count = 5,
    types: Annotated[
        list[str] | None, Query(max_length=100, description="Keep mentions of these types.")
    ] = None,
) -> Batch:
    """Find and link the mentions of documents {"id", "text"}, one a line; answers come while lines are sent."""
    return _batch(
        request,
        service,
        snapshot=snapshot,
        flow=flow,
        read=TextIn.model_validate_json,
        work=partial(Annotating, k=checked_k(k, service.limits), types=checked_types(types, snapshot)),
    )


def _batch(request: Request, service: Service, *, flow: str, **options: Any) -> Batch:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in _TAKEN:
        raise WrongFormat(
            f"The body is of type '{kind[:100]}'.",
            expected=f"Expected Content-Type: {MEDIA_TYPE}, one JSON object a line.",
        )
    return Batch(
        engine=service.engine,
        metrics=service.metrics,
        limits=service.limits,
        # A batch takes turns with the other requests of its client.
        flow=f"{flow} {id(request)}",
        ending=lambda: service.ending,
        **options,
    )
