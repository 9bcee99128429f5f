"""Linking mentions, annotating text."""

from __future__ import annotations

import json

from fastapi import APIRouter, Depends
from fastapi.responses import Response

from linnet.serve.bodies import AnnotateRequest, LinkRequest, TextIn
from linnet.serve.refusals import TooLarge
from linnet.serve.replies import AnnotateReply, LinkReply
from linnet.serve.shared import (
    Flow,
    Now,
    Shared,
    checked_k,
    checked_types,
    json_answer,
    json_sent,
    known_parameters,
)
from linnet.serve.sizes import refused_size
from linnet.serve.work import Annotating, Linking

__all__ = ["router"]

router = APIRouter(
    prefix="/v1", tags=["linking"], dependencies=[Depends(json_sent), Depends(known_parameters)]
)


@router.post("/link", response_model=LinkReply)
async def link(service: Shared, snapshot: Now, flow: Flow, body: LinkRequest) -> Response:
    """Link mentions. Those of one `document` share the abbreviations that their contexts define."""
    most = service.limits.mentions
    if len(body.mentions) > most:
        raise TooLarge(
            f"The request has {len(body.mentions):,} mentions.",
            expected=f"At most {most:,} are taken.",
            advice="Send them in parts, or line by line to /v1/batch/link.",
        )
    for one in body.mentions:
        if refused := refused_size(one, service.limits):
            raise refused
    mentions = [
        one if one.id else one.model_copy(update={"id": str(place)})
        for place, one in enumerate(body.mentions, start=1)
    ]
    work = Linking(mentions, checked_k(body.k, service.limits))
    answered = await service.engine.run(work, snapshot, flow=flow)
    return json_answer(f'{{"links":[{",".join(answered.lines)}],"served":{json.dumps(snapshot.served)}}}')


@router.post("/annotate", response_model=AnnotateReply)
async def annotate(service: Shared, snapshot: Now, flow: Flow, body: AnnotateRequest) -> Response:
    """Find the mentions of a text and link them. A type that is never found here is refused; the refusal lists the others."""
    text = TextIn(id=body.id, text=body.text)
    if refused := refused_size(text, service.limits):
        raise refused
    work = Annotating([text], checked_k(body.k, service.limits), checked_types(body.types, snapshot))
    [line] = (await service.engine.run(work, snapshot, flow=flow)).lines
    return json_answer(f'{line[:-1]},"served":{json.dumps(snapshot.served)}}}')
