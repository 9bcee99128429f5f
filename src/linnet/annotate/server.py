"""The server: database, trainer and application."""

from __future__ import annotations

import threading
import webbrowser
from collections.abc import Callable, Sequence
from pathlib import Path

import uvicorn

from linnet.advice import Step
from linnet.annotate.api import pages
from linnet.annotate.api.app import create_app
from linnet.annotate.api.app_state import AppState
from linnet.annotate.domain.accounts.users import any_user
from linnet.annotate.jobs.supervisor import Supervisor
from linnet.annotate.public_url import public_origin
from linnet.annotate.server_lock import lock_data
from linnet.annotate.settings import Settings
from linnet.annotate.store import open_database
from linnet.errors import RequestError
from linnet.http.listening import LOOPBACK, address_of, is_loopback, listen
from linnet.terminology import Terminology

__all__ = ["serve"]


def serve(
    settings: Settings,
    *,
    host: str = "127.0.0.1",
    port: int = 8765,
    public_url: str = "",
    browser: bool = True,
    report: Callable[[str], None] = print,
) -> None:
    """Serve until interrupted.

    port        0 for any free port
    public_url  address of the proxy, "" for none
    report      called with each line to show the user

    Raises RequestError if the page has not been built, the public URL is invalid, the port is taken, another server uses
    the data folder, or others could reach a server without an account; StoreError if the database or a terminology
    cannot be used.
    """
    pages.check()
    public = public_origin(public_url)
    _check(settings.terminologies)
    with lock_data(settings.data):
        _serve(settings, host, port, public, browser=browser, report=report)


def _check(terminologies: Sequence[Path]) -> None:
    """Raise StoreError for one that cannot be used, RequestError for two of the same name: projects refer to the name."""
    places: dict[str, Path] = {}
    for path in terminologies:
        Terminology.open(path)
        other = places.setdefault(path.name, path)
        if other != path:
            raise RequestError(
                f"{other} and {path} have the same name, '{path.name}'. Rename one of the folders."
            )


def _serve(
    settings: Settings, host: str, port: int, public: str, *, browser: bool, report: Callable[[str], None]
) -> None:
    database = open_database(settings.database_url)
    try:
        if not is_loopback(host) or public:
            with database.read() as session:
                if not any_user(session):
                    raise RequestError(
                        f"At {public or host} others can reach the server, and its first visitor becomes an admin. Start it once "
                        "for this machine alone, and create the first account.",
                        Step.START_WITHOUT_PUBLIC_URL() if public else Step.START_WITHOUT_HOST(),
                    )
        listening = listen(host, port, program="linnet annotate")
    except BaseException:
        database.close()
        raise
    supervisor = Supervisor(settings)
    state = AppState.open(settings, database)
    hosts = LOOPBACK if is_loopback(host) else None
    app = create_app(state, hosts=hosts, public=public)
    config = uvicorn.Config(
        app,
        log_level="warning",
        timeout_graceful_shutdown=5,
        server_header=False,
        # Trusts X-Forwarded-For from a proxy on this machine, or the one in $FORWARDED_ALLOW_IPS, only.
        proxy_headers=bool(public),
    )
    server = uvicorn.Server(config)
    address = address_of(listening, host)
    reached = f"{public}, through a proxy to {address}" if public else address
    supervisor.start()
    report(f"linnet annotate is at {reached} (data in {settings.data}). Press Ctrl-C to stop it.")
    if browser:
        threading.Timer(0.5, webbrowser.open, [public or address]).start()
    try:
        server.run(sockets=[listening])
    finally:
        supervisor.stop()
        database.close()
