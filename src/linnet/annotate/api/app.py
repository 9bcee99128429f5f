"""The application: routes, protection, the page."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import urlsplit

from fastapi import APIRouter, Depends, FastAPI
from starlette.middleware.gzip import GZipMiddleware

from linnet.annotate.api import pages, problems
from linnet.annotate.api.access import note_token, signed_in
from linnet.annotate.api.app_state import AppState
from linnet.annotate.api.mapping import concepts as mapped_concepts
from linnet.annotate.api.mapping import many, team
from linnet.annotate.api.mapping import routes as rows
from linnet.annotate.api.mapping.access import of_project
from linnet.annotate.api.middleware import ProtectionMiddleware
from linnet.annotate.api.routes import (
    assigning,
    backups,
    changes,
    choices,
    comments,
    concepts,
    curation,
    documents,
    editing,
    exports,
    invitations,
    learned,
    learning,
    members,
    mentions,
    projects,
    session,
    tokens,
    users,
)
from linnet.annotate.api.schemas.described import describe_parameters
from linnet.http.listening import LOOPBACK
from linnet.http.reference import reference

__all__ = ["create_app"]


def create_app(
    state: AppState,
    *,
    hosts: Collection[str] | None = LOOPBACK,
    public: str = "",
) -> FastAPI:
    """The application.

    hosts   host names it answers to; None for any
    public  origin of the proxy's address, see `public_origin`; the application answers to that host too
    """
    from linnet import __version__

    if hosts is not None and public:
        hosts = {*hosts, urlsplit(public).hostname or ""}

    app = FastAPI(
        title="linnet annotate",
        version=__version__,
        summary="A medical expert teaches the linker.",
        description="Offsets count Unicode code points. Sign in with POST /api/session and send the answer's `csrf` "
        "in the header X-CSRF-Token of every request but GET; or send an API token: `Authorization: Bearer TOKEN`.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        # A redirect for a trailing slash would lose the body.
        redirect_slashes=False,
    )
    app.state.linnet = state
    app.state.public_origin = public
    api = APIRouter(prefix="/api", responses=problems.RESPONSES)
    api.include_router(session.public)
    api.include_router(invitations.public)
    # Every route but the public ones requires a session, whether or not it uses the user.
    guarded = APIRouter(dependencies=[Depends(signed_in), Depends(note_token)])
    for module in (
        session, users, tokens, invitations, choices, projects, members, assigning, backups, documents, editing, curation, comments,
        mentions, concepts, changes, learning, learned, exports,
    ):  # fmt: skip
        guarded.include_router(module.router)
    guarded.include_router(team.making)
    for module in (rows, many, mapped_concepts, team):
        guarded.include_router(
            module.router, prefix="/projects/{project}", dependencies=[Depends(of_project)]
        )
    api.include_router(guarded)
    app.include_router(api)
    reference(app, at="/api/docs")
    pages.install(app)
    problems.install(app)
    # Answers with a secret are shorter, so what else they say tells nothing of it by their length.
    app.add_middleware(GZipMiddleware, minimum_size=1024, compresslevel=5)
    undescribed = app.openapi
    app.openapi = lambda: describe_parameters(undescribed())  # type: ignore[method-assign]
    app.add_middleware(ProtectionMiddleware, hosts=hosts)
    return app
