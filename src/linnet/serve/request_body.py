"""The body of a request, read within its size and time."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from starlette.types import Receive

from linnet.http.guards import check_size
from linnet.http.refusals import TooLarge, TooSlow
from linnet.serve.timeouts import Disconnected

__all__ = ["read_body"]


async def read_body(
    receive: Receive, headers: Mapping[bytes, bytes], *, max_bytes: int, seconds: float
) -> bytes:
    """The whole body. Raises TooLarge, TooSlow, Malformed; Disconnected if the client disconnects."""
    too_large = TooLarge(
        f"The request is larger than {max_bytes:,} bytes.",
        next_step="Send it in parts, or line by line to /v1/batch/link or /v1/batch/annotate.",
    )
    check_size(headers, max_bytes, too_large=too_large)
    pieces, size = [], 0
    try:
        async with asyncio.timeout(seconds):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise Disconnected
                pieces.append(message.get("body", b""))
                size += len(pieces[-1])
                if size > max_bytes:
                    raise too_large
                if not message.get("more_body", False):
                    return b"".join(pieces)
    except TimeoutError:
        raise TooSlow(
            f"The body did not arrive within {seconds:g} seconds; {size:,} bytes did.",
            next_step="Send it faster, or less at once.",
        ) from None
