"""Waiting for an answer: until it is there, its client goes away, or its time is over."""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from linnet.serve.arrival import Gone, gone
from linnet.serve.refusals import TookTooLong

__all__ = ["answer_in_time"]

_CANCELLING = 0.1  # seconds that what is given up has to end
_NOTHING: Message = {"type": "http.request", "body": b"", "more_body": False}


async def answer_in_time(
    app: ASGIApp, scope: Scope, receive: Receive, send: Send, *, body: bytes, seconds: float
) -> None:
    """The application's answer to a request whose body has been read, for as long as the client waits for it, and no
    longer than so many seconds until it begins.

    Raises TookTooLong, Gone where the client goes away, and whatever the application raises.
    """
    message: Message | None = {"type": "http.request", "body": body, "more_body": False}
    started = over = False

    async def replayed() -> Message:
        nonlocal message
        if message is None:
            await asyncio.Event().wait()  # whether the client goes away is looked after below
        given, message = message or _NOTHING, None
        return given

    async def noted(answer: Message) -> None:
        nonlocal started
        if over:
            return  # a thread that could not be stopped has come to its end
        started = True
        await send(answer)

    answering = asyncio.ensure_future(app(scope, replayed, noted))
    leaving = asyncio.ensure_future(gone(receive))
    try:
        await asyncio.wait({answering, leaving}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if not answering.done() and started and not leaving.done():
            # It is being sent: the connection looks after a client that does not read.
            await asyncio.wait({answering, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if answering.done():
            answering.result()
        elif leaving.done():
            raise Gone
        else:
            raise TookTooLong(
                f"No answer within {seconds:g} seconds.",
                advice="Send less at once, or try again when there is less to do.",
                wait=5,
            )
    finally:
        over = True
        for task in (answering, leaving):
            task.cancel()
            task.add_done_callback(_heard)
        # One that reads from a disk that hangs does not end; nobody waits for it.
        await asyncio.wait({answering, leaving}, timeout=_CANCELLING)


def _heard(task: asyncio.Future[None]) -> None:
    """What was raised by one that is given up is of no interest."""
    if not task.cancelled():
        task.exception()
