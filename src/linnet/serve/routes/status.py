"""The state of the service: for load balancers, for Prometheus, for people."""

from __future__ import annotations

from datetime import UTC, datetime

from fastapi import APIRouter, Request
from fastapi.responses import Response

from linnet.serve.dependencies import CurrentSnapshot, TheService
from linnet.serve.metrics import CONTENT_TYPE
from linnet.serve.response_models import FaultOut, ReadyReply

__all__ = ["router"]

router = APIRouter(tags=["status"])


@router.head("/health", include_in_schema=False)  # load balancers send HEAD
@router.get("/health")
async def health() -> dict[str, str]:
    """Whether the process answers. Needs no key."""
    return {"status": "ok"}


@router.head("/ready", include_in_schema=False)
@router.get("/ready", responses={503: {"model": ReadyReply, "description": "Ending."}})
async def ready(
    request: Request, response: Response, service: TheService, snapshot: CurrentSnapshot
) -> ReadyReply:
    """Whether requests are answered, and what is wrong. Needs no key, and says less without one."""
    with_messages = getattr(request.state, "known", True)
    service.reloader.note_hanging()
    faults = [
        FaultOut(
            code=fault.code,
            since=datetime.fromtimestamp(fault.since, UTC).isoformat(timespec="seconds"),
            message=fault.message if with_messages else "",
        )
        for fault in service.faults.current()
    ]
    leaving = service.leaving()
    if leaving:
        response.status_code = 503
    status = "ending" if leaving else "degraded" if faults else "ok"
    return ReadyReply.model_validate(
        {"ready": not leaving, "status": status, "faults": faults, "served": snapshot.served}
    )


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"description": "Prometheus' text format.", "content": {"text/plain": {}}}},
)
async def metrics(service: TheService) -> Response:
    """Counts and times, of all processes."""
    service.reloader.note_hanging()
    return Response(service.metrics.render(), headers={"content-type": CONTENT_TYPE})
