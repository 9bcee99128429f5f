"""How the service is: for load balancers, for Prometheus, for people."""

from __future__ import annotations

from datetime import UTC, datetime

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from linnet.serve.metrics import CONTENT_TYPE
from linnet.serve.replies import FaultOut, ReadyReply, Served
from linnet.serve.shared import Now, Shared

__all__ = ["router"]

router = APIRouter(tags=["status"])


@router.head("/health", include_in_schema=False)  # as load balancers ask
@router.get("/health")
async def health() -> dict[str, str]:
    """Whether the process answers. Needs no key."""
    return {"status": "ok"}


@router.head("/ready", include_in_schema=False)
@router.get(
    "/ready", response_model=ReadyReply, responses={503: {"model": ReadyReply, "description": "Ending."}}
)
async def ready(request: Request, service: Shared, snapshot: Now) -> Response:
    """Whether requests are answered, and what is wrong. Needs no key, and says less without one."""
    told = getattr(request.state, "known", True)
    service.keeper.check()
    found = [
        FaultOut(
            code=fault.code,
            since=datetime.fromtimestamp(fault.since, UTC).isoformat(timespec="seconds"),
            message=fault.message if told else "",
        )
        for fault in service.faults.now()
    ]
    reply = ReadyReply(
        ready=not service.ending,
        status="ending" if service.ending else "degraded" if found else "ok",
        faults=found,
        served=Served(**snapshot.served),
    )
    return JSONResponse(reply.model_dump(), status_code=503 if service.ending else 200)


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"description": "Prometheus' text format.", "content": {"text/plain": {}}}},
)
async def metrics(service: Shared) -> Response:
    """Counts and times, of all processes."""
    service.keeper.check()
    return Response(service.metrics.render(), headers={"content-type": CONTENT_TYPE})
