"""Linking mentions, annotating text."""

from __future__ import annotations

from fastapi import APIRouter, Depends

from linnet.serve.dependencies import (
    CurrentSnapshot,
    Flow,
    TheService,
    check_content_type,
    check_parameters,
    checked_k,
    checked_types,
)
from linnet.serve.json_route import JsonRoute
from linnet.serve.refusals import TooLarge
from linnet.serve.request_models import AnnotateRequest, LinkRequest, TextIn
from linnet.serve.response_models import AnnotateReply, LinkReply
from linnet.serve.tasks import AnnotateTask, LinkTask
from linnet.serve.text_limits import size_refusal

__all__ = ["router"]

router = APIRouter(
    prefix="/v1",
    tags=["linking"],
    dependencies=[Depends(check_content_type), Depends(check_parameters)],
    route_class=JsonRoute,
)


@router.post("/link", response_model_exclude_unset=True)
async def link(service: TheService, snapshot: CurrentSnapshot, flow: Flow, body: LinkRequest) -> LinkReply:
    """Link mentions. Those of one `document` share the abbreviations that their contexts define."""
    limit = service.limits.mentions
    if len(body.mentions) > limit:
        raise TooLarge(
            f"The request has {len(body.mentions):,} mentions.",
            expected=f"Expected at most {limit:,}.",
            advice="Send them in parts, or line by line to /v1/batch/link.",
        )
    for mention in body.mentions:
        if refusal := size_refusal(mention, service.limits):
            raise refusal
    mentions = [
        mention if mention.id else mention.model_copy(update={"id": str(place)})
        for place, mention in enumerate(body.mentions, start=1)
    ]
    task = LinkTask(mentions, checked_k(body.k, service.limits))
    result = await service.scheduler.run(task, snapshot, flow=flow)
    return LinkReply.model_validate({"links": result.answers, "served": snapshot.served})


@router.post("/annotate", response_model_exclude_unset=True)
async def annotate(
    service: TheService, snapshot: CurrentSnapshot, flow: Flow, body: AnnotateRequest
) -> AnnotateReply:
    """Find the mentions of a text and link them. A type that is never found here is refused; the refusal lists the others."""
    text = TextIn(id=body.id, text=body.text)
    if refusal := size_refusal(text, service.limits):
        raise refusal
    task = AnnotateTask([text], checked_k(body.k, service.limits), checked_types(body.types, snapshot))
    [document] = (await service.scheduler.run(task, snapshot, flow=flow)).answers
    return AnnotateReply.model_validate(dict(document) | {"served": snapshot.served})
