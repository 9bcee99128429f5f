"""The application: routes, problems, the gate before them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import APIRouter, FastAPI

from linnet import __version__
from linnet.serve import problems
from linnet.serve.engine import Engine
from linnet.serve.faults import Faults
from linnet.serve.gate import Gate
from linnet.serve.keeper import Keeper
from linnet.serve.keys import KeyRing
from linnet.serve.metrics import Metrics
from linnet.serve.reference import reference
from linnet.serve.routes import batches, concepts, linking, status
from linnet.serve.settings import Settings
from linnet.serve.shared import Service
from linnet.serve.watch import Watch

__all__ = ["create_app"]

_ABOUT = (
    "Every answer has the digests of what it was made with: in the headers Linnet-Snapshot, Linnet-Terminology and "
    "Linnet-Models, and in its body. Errors are problem details (RFC 9457). Offsets count Unicode code points."
)


def create_app(settings: Settings, *, writes_indexes: bool = True) -> tuple[FastAPI, Service, Gate]:
    """The application, what it answers with, and the application behind its gate, which is what a server runs.

    writes_indexes  whether missing search indexes are written: by one process of several

    Raises StoreError and its kin where a terminology cannot be used, DataError for a file of keys without any.
    """
    metrics = Metrics()
    faults = Faults(changed=metrics.faulty)
    keys = KeyRing(settings.keys, faults=faults)
    keeper = Keeper(
        settings,
        faults=faults,
        writes_indexes=writes_indexes,
        swapped=metrics.serving,
        reloaded=lambda outcome: metrics.reloads.labels(outcome).inc(),
    )
    engine = Engine(threads=settings.threads, metrics=metrics)
    # Each has a thread: a key that is taken away must not wait for a disk that hangs.
    watches = [
        Watch(look, what=what, seconds=settings.poll, faults=faults)
        for what, look in (("terminologies", keeper.look), ("keys", keys.look))
    ]
    service = Service(keeper, engine, metrics, faults, watches, settings.limits)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        for watch in watches:
            watch.start()
        yield
        for watch in watches:
            watch.stop()
        engine.close()

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
    for module in (linking, batches, concepts, status):
        api.include_router(module.router)
    app.include_router(api)
    reference(app, at="/docs")
    problems.install(app)
    _describe_problems(app)
    service.gate = Gate(app, settings=settings, keeper=keeper, keys=keys, metrics=metrics)
    return app, service, service.gate


def _describe_problems(app: FastAPI) -> None:
    """Put `Problem` into the OpenAPI document, to which the answers refer, instead of FastAPI's own errors."""
    written = app.openapi

    def openapi() -> dict[str, object]:
        document = written()
        schemas = document.setdefault("components", {}).setdefault("schemas", {})
        schemas["Problem"] = problems.Problem.model_json_schema()
        for name in ("HTTPValidationError", "ValidationError"):
            schemas.pop(name, None)
        return document

    app.openapi = openapi  # type: ignore[method-assign]
