"""The server: checks who could reach it, listens, and runs one process or several."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from linnet.advice import Step
from linnet.errors import RequestError
from linnet.http.listening import LOOPBACK, address_of, is_loopback, listen
from linnet.serve.keys import VARIABLE, Keys
from linnet.serve.settings import Settings
from linnet.serve.startup import ignore_hangups, log_to_stderr

__all__ = ["serve"]


def serve(
    settings: Settings,
    *,
    host: str = "127.0.0.1",
    port: int = 8766,
    open_to_all: bool = False,
    notify: Callable[[str], None] = print,
) -> bool:
    """Serve until SIGTERM or Ctrl-C, then finish running requests. SIGHUP reloads terminologies and API keys.

    port         0 for any free port
    open_to_all  answer other machines even without API keys
    notify       called with each line for the user

    Returns whether threads are still running abandoned requests; the interpreter would wait for them.
    Raises RequestError if the port is taken, or if others could reach a server without API keys; StoreError and its
    kin if a terminology cannot be used; DataError for a file without API keys.
    """
    ignore_hangups()
    keys = Keys.read(settings.keys)
    if not is_loopback(host) and not keys and not open_to_all:
        raise RequestError(
            f"At {host} others can reach the server, and there are no API keys: everybody could use it.",
            Step.NAME_KEYS(variable=VARIABLE),
        )
    settings = replace(settings, hosts=LOOPBACK if is_loopback(host) and not keys else None)
    listening = listen(host, port, program="linnet serve")
    address = address_of(listening, host)
    log_to_stderr()

    def announce(served: Mapping[str, Any]) -> None:
        terminologies = ", ".join(
            f"{terminology['name']} ({terminology['concepts']:,} concepts)"
            for terminology in served["terminologies"]
        )
        for_keys = f", for {len(keys):,} API keys" if keys else ""
        notify(
            f"linnet serve is at {address} with {terminologies}{for_keys}. API reference: {address}/docs. Stop it with Ctrl-C."
        )

    if not is_loopback(host):
        notify(
            "Others can reach this server: put a proxy in front of it, see 'Deployment' in docs/serving.md."
        )
    # Each needs half a second of imports that the other does not.
    if settings.workers > 1:
        from linnet.serve.supervisor import Supervisor

        Supervisor(settings, listening).run(announce)
        return False
    from linnet.serve.process import run

    return run(settings, listening, started=lambda snapshot: announce(snapshot.served))
