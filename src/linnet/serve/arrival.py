"""The body of a request, read within its size and time; and whether its client is still there."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from starlette.types import Receive

from linnet.serve.refusals import Malformed, TooLarge, TooSlow

__all__ = ["Gone", "gone", "read_body"]


class Gone(Exception):
    """Nobody waits for the answer."""


async def read_body(receive: Receive, headers: Mapping[bytes, bytes], *, most: int, seconds: float) -> bytes:
    """The whole body, of at most so many bytes, within so many seconds.

    Raises TooLarge, TooSlow, Malformed; Gone where the client goes away.
    """
    too_large = TooLarge(
        f"The request is larger than {most:,} bytes.",
        advice="Send it in parts, or line by line to /v1/batch/link or /v1/batch/annotate.",
    )
    length = headers.get(b"content-length", b"0")
    if not length.isdigit():
        raise Malformed("Content-Length is no number.")
    if int(length) > most:
        raise too_large
    parts, size = [], 0
    try:
        async with asyncio.timeout(seconds):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise Gone
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                if size > most:
                    raise too_large
                if not message.get("more_body", False):
                    return b"".join(parts)
    except TimeoutError:
        raise TooSlow(
            f"The body did not arrive within {seconds:g} seconds; {size:,} bytes did.",
            advice="Send it faster, or less at once.",
        ) from None


async def gone(receive: Receive) -> None:
    """Wait until the client goes away; its whole request has been read."""
    while (await receive())["type"] != "http.disconnect":
        pass
