"""One connection: whoever sends its requests too slowly, or leaves the answers unread, is cut off."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from linnet.serve.problems import MEDIA_TYPE, problem_of
from linnet.serve.refusals import Malformed, Refusal, TooSlow
from linnet.serve.settings import Limits

__all__ = ["Connection"]

Headers = list[tuple[bytes, bytes]]


class Connection(H11Protocol):
    """HTTP/1.1 by uvicorn, with clocks that it has not: for the head of a request, for what is sent after the answer is
    complete, and for answers that are not read. The clock of the body is the gate's.

    marks  headers of every answer, those included that the gate does not see
    """

    def __init__(self, *, limits: Limits, marks: Callable[[], Headers], **settings: Any) -> None:
        super().__init__(**settings)
        self._limits, self._marks = limits, marks
        self._arriving: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None
        self._since = self.loop.time()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self._limits.connections:
            self._make_room()
        self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._arrived()
        self._read()
        self._unset_keepalive_if_required()

    def data_received(self, data: bytes) -> None:
        self._since = self.loop.time()
        super().data_received(data)
        if self.transport.is_closing():
            return
        if self.conn.their_state is h11.IDLE:
            self._expect()
        elif self.conn.their_state is not h11.SEND_BODY or not self._answered:
            self._arrived()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self.transport.is_closing() and self.conn.their_state is h11.SEND_BODY:
            # Refused before all of it was there: the rest is passed over, for a while.
            self._expect()

    def send_400_response(self, msg: str) -> None:
        """As uvicorn's, as a problem."""
        self._refuse(
            Malformed(
                "This is no HTTP request that can be read.",
                expected="Expected HTTP/1.1, with a head of at most 64 KB.",
                advice="Use http:// in the address, not https://, where there is no proxy before the server.",
            )
        )

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self._abort_soon()

    def shutdown(self) -> None:
        super().shutdown()
        if self.transport.is_closing():
            self._abort_soon()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._abort_soon()

    def resume_writing(self) -> None:
        super().resume_writing()
        if not self.transport.is_closing():
            self._read()

    @property
    def _answered(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _make_room(self) -> None:
        """Close the connection that has waited longest for a request, or this one where all of them have one."""
        idle = [one for one in self.connections if isinstance(one, Connection) and one._answered]
        oldest = min(idle, key=lambda one: one._since, default=self)
        oldest.transport.abort()

    def _expect(self) -> None:
        """The rest of the head has to arrive soon. The clock is not set back by every byte."""
        if self._arriving is None:
            self._arriving = self.loop.call_later(self._limits.arriving, self._too_slow)

    def _too_slow(self) -> None:
        self._arriving = None
        if self.transport.is_closing():
            return
        if self.conn.their_state is not h11.IDLE or not self.conn.trailing_data[0]:
            self.transport.abort()
            return
        self._refuse(
            TooSlow(
                f"The head of the request did not arrive within {self._limits.arriving:g} seconds.",
                advice="Send it faster.",
            )
        )

    def _refuse(self, refusal: Refusal) -> None:
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.abort()
            return
        body = json.dumps(problem_of(refusal)).encode()
        headers = [
            (b"content-type", MEDIA_TYPE.encode()),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
            *self._marks(),
        ]
        reason = HTTPStatus(refusal.status).phrase.encode()
        for event in (
            h11.Response(status_code=refusal.status, headers=headers, reason=reason),
            h11.Data(data=body),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
        self._abort_soon()

    def _abort_soon(self) -> None:
        """Unless what is to be sent is read in time."""
        if self._stalled is None:
            self._stalled = self.loop.call_later(self._limits.stalled, self.transport.abort)

    def _arrived(self) -> None:
        if self._arriving is not None:
            self._arriving.cancel()
            self._arriving = None

    def _read(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None
