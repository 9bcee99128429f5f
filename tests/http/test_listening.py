"""Sockets that servers listen at."""

from __future__ import annotations

import asyncio
import socket

import pytest
from tests.advised import advises

from linnet.advice import Step
from linnet.errors import RequestError
from linnet.http.listening import address_of, is_loopback, listen


def test_what_is_written_is_sent_at_once() -> None:
    async def accepted() -> int:
        made: asyncio.Queue[asyncio.BaseTransport] = asyncio.Queue()

        class Noted(asyncio.Protocol):
            def connection_made(self, transport: asyncio.BaseTransport) -> None:
                made.put_nowait(transport)

        listening = listen("127.0.0.1", 0, program="a test")
        server = await asyncio.get_running_loop().create_server(Noted, sock=listening)
        _, writer = await asyncio.open_connection(*listening.getsockname())
        transport = await made.get()
        found: int = transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        transport.close()
        writer.close()
        server.close()
        return found

    assert asyncio.run(accepted())


@pytest.mark.parametrize(
    ("host", "loopback"),
    [("127.0.0.1", True), ("localhost", True), ("::1", True), ("0.0.0.0", False), ("lab.example", False)],
)
def test_who_can_reach_it_is_known(host: str, loopback: bool) -> None:
    assert is_loopback(host) == loopback


def test_why_an_address_cannot_be_used_is_said() -> None:
    with listen("127.0.0.1", 0, program="a test") as taken:
        assert address_of(taken, "127.0.0.1") == f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(RequestError, check=advises(Step.OTHER_PORT, program="linnet serve")):
            listen("127.0.0.1", taken.getsockname()[1], program="linnet serve")
    with pytest.raises(RequestError, match="an address of this machine"):
        listen("192.0.2.1", 0, program="linnet serve")
