"""The socket that a server listens at, and who can reach it."""

from __future__ import annotations

import errno
import ipaddress
import socket
import sys

from linnet.advice import Step
from linnet.errors import RequestError

__all__ = ["BACKLOG", "LOOPBACK", "address_of", "is_loopback", "listen"]

# Host names that a server on loopback answers to: the page of another site must not reach it by a name of its own.
LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
_ADVICE = {
    errno.EADDRINUSE: Step.OTHER_PORT,
    errno.EACCES: Step.HIGHER_PORT,
}
BACKLOG = 1024  # connections that wait in the system until they are accepted


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server at this address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def listen(host: str, port: int, *, program: str) -> socket.socket:
    """A bound, listening socket: a port that is taken is reported before anything starts.

    port     0 for any free port
    program  for the message: "linnet annotate"

    Raises RequestError where the port is taken or not allowed, or the address is of another machine.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named as TCP: only then does asyncio send at once what is written. Else the end of every answer waits for the
    # client to acknowledge its beginning, which clients put off for 40 ms.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if sys.platform != "win32":
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        advice = _ADVICE.get(error.errno or 0, Step.OWN_ADDRESS)
        raise RequestError(
            f"Cannot listen on {host}:{port}: {error.strerror}.", advice(program=program)
        ) from None
    # Clients that come before the server is ready wait.
    listening.listen(BACKLOG)
    return listening


def address_of(listening: socket.socket, host: str) -> str:
    """Its URL."""
    return f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}"
