"""Linking mentions, annotating text."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from linnet.http.refusals import TooLarge
from linnet.serve.dependencies import CurrentSnapshot, Flow, TheService, checked_k, checked_types
from linnet.serve.json_route import JsonRoute, json_response
from linnet.serve.request_models import AnnotateRequest, LinkRequest, TextIn, size_refusal
from linnet.serve.response_models import AnnotateReply, LinkReply
from linnet.serve.tasks import AnnotateTask, LinkTask

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["linking"], route_class=JsonRoute)


@router.post("/link", response_model=LinkReply)
async def link(service: TheService, snapshot: CurrentSnapshot, flow: Flow, body: LinkRequest) -> Response:
    """Link mentions. Those of one `document` share the abbreviations that their contexts define."""
    limit = service.limits.mentions
    if len(body.mentions) > limit:
        raise TooLarge(
            f"The request has {len(body.mentions):,} mentions.",
            expected=f"Expected at most {limit:,}.",
            next_step="Send them in parts, or line by line to /v1/batch/link.",
        )
    for mention in body.mentions:
        if refusal := size_refusal(mention, service.limits):
            raise refusal
    task = LinkTask(body.mentions, checked_k(body.k, service.limits))
    answers = (await service.scheduler.run(task, snapshot, flow=flow)).answers
    links = [answer | {"id": answer["id"] or str(place)} for place, answer in enumerate(answers, start=1)]
    return json_response({"links": links, "served": snapshot.served})


@router.post("/annotate", response_model=AnnotateReply)
async def annotate(
    service: TheService, snapshot: CurrentSnapshot, flow: Flow, body: AnnotateRequest
) -> Response:
    """Find the mentions of a text and link them. A type that is never found here is refused; the refusal lists the others."""
    text = TextIn(id=body.id, text=body.text)
    if refusal := size_refusal(text, service.limits):
        raise refusal
    task = AnnotateTask([text], checked_k(body.k, service.limits), checked_types(body.types, snapshot))
    [document] = (await service.scheduler.run(task, snapshot, flow=flow)).answers
    return json_response(document | {"served": snapshot.served})
