"""One process that serves: the application under uvicorn, until a signal ends it gracefully."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import Any, cast

import uvicorn

from linnet.serve.app import create_app
from linnet.serve.connection import Connection
from linnet.serve.gate import Gate
from linnet.serve.listening import WAITING
from linnet.serve.settings import Settings
from linnet.serve.shared import Service
from linnet.serve.signals import handles_signals, ignore_hangups
from linnet.serve.snapshot import Snapshot

__all__ = ["run"]


def run(
    settings: Settings,
    listening: socket.socket,
    *,
    writes_indexes: bool = True,
    started: Callable[[Snapshot], None] = lambda snapshot: None,
) -> bool:
    """Serve until SIGTERM or Ctrl-C: no new request is taken then, and those that have begun are finished. SIGHUP reads
    terminologies and keys again; until there are requests it is passed over.

    writes_indexes  whether missing search indexes are written: by one process of several
    started  called when requests are answered

    Returns whether threads are still busy with what nobody waits for any more; the interpreter would wait for them.
    Raises what `create_app` raises.
    """
    ignore_hangups()
    _, service, gate = create_app(settings, writes_indexes=writes_indexes)
    keeper = service.keeper
    connection = partial(Connection, limits=settings.limits, marks=lambda: keeper.current.headers())
    config = uvicorn.Config(
        gate,
        loop="asyncio",
        http=cast(Any, connection),
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=max(1, round(settings.limits.idle)),
        timeout_graceful_shutdown=max(1, round(settings.limits.drain)),
        # So many connections does asyncio take at a time before it does anything else. Several processes wait at one
        # socket: whoever takes one at a time leaves the next to whoever has nothing to do.
        backlog=1,
    )
    _Server(config, gate, service, started).run(sockets=[listening])
    return service.engine.busy


class _Server(uvicorn.Server):
    """Ends with success where uvicorn would end by the signal; a second Ctrl-C ends at once."""

    def __init__(
        self, config: uvicorn.Config, gate: Gate, service: Service, started: Callable[[Snapshot], None]
    ) -> None:
        super().__init__(config)
        self._gate, self._service, self._told = gate, service, started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        for one in sockets or ():
            one.listen(WAITING)  # which asyncio has set to `backlog`
        if handles_signals() and sys.platform != "win32":
            # By the loop: a handler that is interrupted by the next signal could wait for a lock that it holds itself.
            asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, self._service.reload)
        self._told(self._service.keeper.current)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._gate.ending = True
        super().handle_exit(sig, frame)

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        if not handles_signals():
            yield
            return
        before = {sig: signal.signal(sig, self.handle_exit) for sig in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for sig, handler in before.items():
                signal.signal(sig, handler)
