"""The application: routes, protection, the page."""

from __future__ import annotations

from fastapi import APIRouter, Depends, FastAPI
from starlette.middleware.gzip import GZipMiddleware

from linnet.advice import Step
from linnet.annotate.api import pages, problems
from linnet.annotate.api.mapping import concepts, many, routes
from linnet.annotate.api.mapping.access import of_folder, sent_by_the_page
from linnet.annotate.api.middleware import ProtectionMiddleware
from linnet.annotate.domain.mappings.open_mapping import OpenMapping
from linnet.http.listening import LOOPBACK
from linnet.http.reference import reference

__all__ = ["create_app"]


def create_app(mapping: OpenMapping) -> FastAPI:
    """The application; it answers to the names of this machine only."""
    from linnet import __version__

    app = FastAPI(
        title="linnet map review",
        version=__version__,
        summary="A mapping is checked.",
        description="Every request but GET needs the header `X-Linnet: review`.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.mapping = mapping
    api = APIRouter(
        prefix="/api",
        dependencies=[Depends(sent_by_the_page), Depends(of_folder)],
        responses=problems.RESPONSES,
    )
    for module in (routes, many, concepts):
        api.include_router(module.router)
    app.include_router(api)
    reference(app, at="/api/docs")
    pages.install(app, page=pages.MAPPING)
    problems.install(app)
    app.add_middleware(GZipMiddleware, minimum_size=1024, compresslevel=5)
    app.add_middleware(ProtectionMiddleware, hosts=LOOPBACK, other_host=Step.REVIEW_HERE)
    return app
