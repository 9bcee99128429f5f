"""One process that serves: the application under uvicorn, until a signal ends it gracefully."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn

from linnet.http.listening import BACKLOG
from linnet.serve.app import create_app
from linnet.serve.settings import Settings
from linnet.serve.snapshot import Snapshot
from linnet.serve.startup import handles_signals, ignore_hangups

__all__ = ["run"]

_PARTING = 1.0
"""Seconds after a signal in which clients are still answered, and told to close their connections."""


def run(
    settings: Settings,
    listening: socket.socket,
    *,
    writes_indexes: bool = True,
    started: Callable[[Snapshot], None] = lambda snapshot: None,
) -> bool:
    """Serve until SIGTERM or Ctrl-C, then finish running requests. SIGHUP reloads terminologies and API keys.

    writes_indexes  whether missing search indexes are written: by one process of several
    started         called when requests are answered

    Returns whether threads are still running abandoned requests; the interpreter would wait for them.
    Raises what `create_app` raises.
    """
    ignore_hangups()
    parting: list[asyncio.Task[None]] = []
    service, application = create_app(
        settings,
        writes_indexes=writes_indexes,
        leaving=lambda: bool(parting) or server.should_exit,
        ending=lambda: server.should_exit,
    )
    config = uvicorn.Config(
        application,
        loop="asyncio",
        http="h11",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=max(1, round(settings.limits.keep_alive)),
        timeout_graceful_shutdown=max(1, round(settings.limits.drain)),
        # asyncio accepts as many connections in a row. Several processes wait at one socket: a process that takes one at
        # a time leaves the next to a process that has nothing to do.
        backlog=1,
    )
    server = uvicorn.Server(config)

    def ready() -> None:
        listening.listen(BACKLOG)  # asyncio has set it to `backlog`
        if handles_signals() and sys.platform != "win32":
            # Handled by the loop: a handler that interrupts Python code could wait for a lock which that code holds.
            loop = asyncio.get_running_loop()
            loop.add_signal_handler(signal.SIGHUP, service.reload)
            loop.add_signal_handler(signal.SIGTERM, leave)
            loop.add_signal_handler(signal.SIGINT, leave)
        started(service.reloader.current)

    def leave() -> None:
        # A second signal means: do not wait.
        server.force_exit = server.should_exit
        server.should_exit = bool(parting)
        parting.append(asyncio.create_task(_part(server)))

    with _ended_by_signals(server):
        asyncio.run(_serve(server, listening, ready))
    return service.scheduler.busy


async def _serve(server: uvicorn.Server, listening: socket.socket, ready: Callable[[], None]) -> None:
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    while not server.started and not serving.done():
        await asyncio.sleep(0.01)
    if server.started and not server.should_exit:
        ready()
    await serving


async def _part(server: uvicorn.Server) -> None:
    """End once all connections are closed. uvicorn closes the idle ones at once, and would reset those on which a request arrives."""
    last = time.monotonic() + _PARTING
    while server.server_state.connections and time.monotonic() < last:
        await asyncio.sleep(0.02)
    server.should_exit = True


@contextmanager
def _ended_by_signals(server: uvicorn.Server) -> Iterator[None]:
    """SIGTERM and SIGINT end the server and nothing else: uvicorn raises them again, for these handlers, when it is done."""
    if not handles_signals():
        yield
        return

    def end(*_: object) -> None:
        server.should_exit = True

    previous = {sig: signal.signal(sig, end) for sig in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for sig, handler in previous.items():
            signal.signal(sig, handler)
