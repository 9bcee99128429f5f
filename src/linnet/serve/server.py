"""The server: who may reach it, one process or several, and what is said when it is there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from linnet.errors import RequestError
from linnet.serve.keys import VARIABLE, Keys
from linnet.serve.listening import LOOPBACK, address_of, is_loopback, listen
from linnet.serve.log import log_to_stderr
from linnet.serve.open_files import fitting_connections
from linnet.serve.settings import Settings
from linnet.serve.signals import ignore_hangups

__all__ = ["serve"]


def serve(
    settings: Settings,
    *,
    host: str = "127.0.0.1",
    port: int = 8766,
    open_to_all: bool = False,
    told: Callable[[str], None] = print,
) -> bool:
    """Serve until SIGTERM or Ctrl-C; then requests that have begun are finished. SIGHUP reads terminologies and keys again.

    port         0 for any that is free
    open_to_all  answer others than this machine without API keys, too
    told         what to tell the user, a line at a time

    Returns whether threads are still busy with what nobody waits for any more; the interpreter would wait for them.
    Raises RequestError where the port is taken, or others could reach a server without keys; StoreError and its kin where a
    terminology cannot be used; DataError for a file of keys that has none.
    """
    ignore_hangups()
    keys = Keys.read(settings.keys)
    if not is_loopback(host) and not keys and not open_to_all:
        raise RequestError(
            f"With --host {host} others can reach the server, and there are no API keys: everybody could use it. "
            f"Name a file of keys with --api-keys, or set ${VARIABLE}; if everybody may, add --open."
        )
    wanted = settings.limits.connections
    connections = fitting_connections(wanted)
    if connections < wanted:
        told(
            f"The limit of open files (ulimit -n) leaves room for {connections:,} connections at once, not {wanted:,}."
        )
    chosen = replace(
        settings,
        hosts=LOOPBACK if is_loopback(host) and not keys else None,
        limits=replace(settings.limits, connections=connections),
    )
    listening = listen(host, port, program="linnet serve")
    address = address_of(listening, host)
    log_to_stderr()

    def say(served: Mapping[str, Any]) -> None:
        what = ", ".join(f"{one['name']} ({one['concepts']:,} concepts)" for one in served["terminologies"])
        said = f"linnet serve is at {address} with {what}"
        asked = f", for {len(keys):,} API keys" if keys else ""
        told(f"{said}{asked}. What it answers: {address}/docs. Stop it with Ctrl-C.")

    # Either brings half a second of imports that the other does not need.
    if chosen.workers > 1:
        from linnet.serve.supervisor import Supervisor

        Supervisor(chosen, listening).run(say)
        return False
    from linnet.serve.process import run

    return run(chosen, listening, started=lambda snapshot: say(snapshot.served))
