"""Checks of a request's headers, before its body is read."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from linnet.advice import Step
from linnet.http.refusals import Malformed, TooLarge

__all__ = ["check_host", "check_size", "host_of"]


def check_host(headers: Mapping[bytes, bytes], hosts: Collection[str] | None, *, advice: Step) -> None:
    """Refuse a request to another host name. On loopback this stops other sites from reaching the server by pointing a name of
    theirs at 127.0.0.1 (DNS rebinding).

    hosts   names that the server answers to; None for any
    advice  what to do

    Raises Malformed.
    """
    host = host_of(headers.get(b"host", b"").decode("latin-1"))
    if hosts is not None and host not in hosts:
        raise Malformed(
            f"This server does not answer to '{host[:100]}'.",
            advice(host=host[:100]),
            expected=f"It answers to {', '.join(sorted(hosts))}.",
        )


def host_of(header: str) -> str:
    """The name in a Host header, in lower case and without the port; an IPv6 address in its brackets."""
    name, bracket, _ = header.lower().partition("]")
    return name + bracket if name.startswith("[") else name.partition(":")[0]


def check_size(headers: Mapping[bytes, bytes], most: int, *, too_large: TooLarge) -> None:
    """Raise `too_large` if the request says that its body has more than `most` bytes, Malformed if what it says is no number."""
    length = headers.get(b"content-length", b"0")
    if not length.isdigit():
        raise Malformed("Content-Length is not a number.")
    if int(length) > most:
        raise too_large
