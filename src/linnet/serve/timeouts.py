"""Limits on the time of a request: it ends when it is answered, its client leaves or stops reading, or its time is over."""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from linnet.http.refusals import TookTooLong
from linnet.serve.settings import Limits

__all__ = ["Disconnected", "answer_in_time"]

_CANCELLING = 0.1  # seconds for a cancelled request to end


class Disconnected(Exception):
    """The client disconnected, or does not read the answer."""


async def answer_in_time(
    app: ASGIApp, scope: Scope, receive: Receive, send: Send, *, body: bytes, limits: Limits
) -> None:
    """The application's answer to a request whose body has been read: it must begin within `limits.timeout` seconds, and
    the client must read it, leaving no piece unread for `limits.write_timeout` seconds.

    Raises TookTooLong, Disconnected, and what the application raises.
    """
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
    started = over = False

    async def receive_body() -> Message:
        if not messages:
            await asyncio.Event().wait()  # `_disconnected` below waits for the client
        return messages.pop()

    async def send_in_time(message: Message) -> None:
        nonlocal started
        if over:
            return  # from a thread that could not be stopped
        started = True
        try:
            async with asyncio.timeout(limits.write_timeout):
                await send(message)
        except TimeoutError:
            raise Disconnected from None

    answering = asyncio.ensure_future(app(scope, receive_body, send_in_time))
    leaving = asyncio.ensure_future(_disconnected(receive))
    try:
        await asyncio.wait({answering, leaving}, timeout=limits.timeout, return_when=asyncio.FIRST_COMPLETED)
        if started and not answering.done() and not leaving.done():
            await asyncio.wait({answering, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if answering.done():
            answering.result()
        elif leaving.done():
            raise Disconnected
        else:
            raise TookTooLong(
                f"No answer within {limits.timeout:g} seconds.",
                next_step="Send less at once, or try again when the server is less busy.",
                retry_after=5,
            )
    finally:
        over = True
        for task in (answering, leaving):
            task.cancel()
            task.add_done_callback(_discard_error)
        # A thread that reads from a disk that hangs does not end; do not wait for it.
        await asyncio.wait({answering, leaving}, timeout=_CANCELLING)


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _discard_error(task: asyncio.Future[None]) -> None:
    if not task.cancelled():
        task.exception()
