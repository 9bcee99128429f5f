"""The application: routes and problem details, behind the middleware."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from fastapi import APIRouter, FastAPI

from linnet import __version__
from linnet.http.reference import reference
from linnet.serve import problems
from linnet.serve.dependencies import Service
from linnet.serve.faults import Faults
from linnet.serve.keys import KeyRing
from linnet.serve.metrics import Metrics
from linnet.serve.middleware import Middleware
from linnet.serve.poller import Poller
from linnet.serve.reloader import Reloader
from linnet.serve.routes import batches, concepts, linking, reconcile, status
from linnet.serve.scheduler import Scheduler
from linnet.serve.settings import Settings

__all__ = ["create_app"]

_ABOUT = (
    "Every answer carries the digests of what it was made with: in the headers Linnet-Snapshot, Linnet-Terminology and "
    "Linnet-Models, and in its body. Errors are problem details (RFC 9457). Offsets count Unicode code points."
)


def create_app(
    settings: Settings,
    *,
    writes_indexes: bool = True,
    leaving: Callable[[], bool] = lambda: False,
    ending: Callable[[], bool] = lambda: False,
) -> tuple[Service, Middleware]:
    """The service, and the ASGI application that answers with it.

    writes_indexes  whether missing search indexes are written: by one process of several
    leaving         whether the server will end soon: it is not ready then, and asks clients to close their connections
    ending          whether the server is ending: it refuses new requests then

    Raises StoreError and its kin if a terminology cannot be used, DataError for a file without API keys.
    """
    metrics = Metrics()
    faults = Faults(changed=metrics.set_faults)
    keys = KeyRing(settings.keys, faults=faults)
    reloader = Reloader(
        settings,
        faults=faults,
        writes_indexes=writes_indexes,
        swapped=metrics.set_snapshot,
        reloaded=lambda outcome: metrics.reloads.labels(outcome).inc(),
    )
    scheduler = Scheduler(threads=settings.threads, metrics=metrics)
    # A thread each: withdrawing a key must not wait for a disk that hangs.
    pollers = [
        Poller(check, what=what, seconds=settings.poll, faults=faults)
        for what, check in (("terminologies", reloader.check), ("keys", keys.check))
    ]
    service = Service(reloader, scheduler, metrics, faults, pollers, settings.limits, leaving, ending)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        for poller in pollers:
            poller.start()
        yield
        for poller in pollers:
            poller.stop()
        scheduler.close()

    app = FastAPI(
        title="linnet serve",
        version=__version__,
        summary="Mentions and texts in, concepts of a terminology out.",
        description=_ABOUT,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        redirect_slashes=False,
    )
    app.state.service = service
    api = APIRouter(responses=problems.RESPONSES)
    for module in (linking, batches, concepts, reconcile, status):
        api.include_router(module.router)
    app.include_router(api)
    reference(app, at="/docs")
    problems.install(app)
    _describe_problems(app)
    return service, Middleware(app, settings=settings, service=service, keys=keys)


def _describe_problems(app: FastAPI) -> None:
    """Put `Problem`, to which the answers refer, into the OpenAPI document instead of FastAPI's own errors."""
    generate = app.openapi

    def openapi() -> dict[str, object]:
        document = generate()
        schemas = document.setdefault("components", {}).setdefault("schemas", {})
        schemas["Problem"] = problems.Problem.model_json_schema()
        for name in ("HTTPValidationError", "ValidationError"):
            schemas.pop(name, None)
        return document

    app.openapi = openapi  # type: ignore[method-assign]
