"""What linnet uses of uvicorn beside its documented interface; `pyproject.toml` names the versions that have it.

A new version of uvicorn that fails here cannot be allowed before `serve/connection.py`, `serve/process.py` and
`annotate/server.py` do without what it has lost.
"""

from __future__ import annotations

import asyncio
import inspect
import subprocess
import sys
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason="needs the serve extra")

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState


async def answer(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"x"})


class Transport(asyncio.Transport):
    """Takes what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.written, self.closed = b"", False

    def write(self, data: Any) -> None:
        self.written += data

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed


def connected(protocol: type[H11Protocol], transport: Transport) -> H11Protocol:
    """A connection as `serve/connection.py` makes it: with keyword arguments alone. Needs a running loop."""
    config = uvicorn.Config(answer, lifespan="off", ws="none")
    config.load()
    made = protocol(config=config, server_state=ServerState(), app_state={})
    made.connection_made(transport)
    return made


@pytest.mark.parametrize(
    ("method", "breaks"),
    [
        ("connection_made", "the cap of connections"),
        ("connection_lost", "the clocks of a connection that has gone"),
        ("data_received", "the clock for the head of a request"),
        ("on_response_complete", "the clock for a body that was refused"),
        ("send_400_response", "the problem details of what is no HTTP"),
        ("timeout_keep_alive_handler", "the end of a connection that reads nothing"),
        ("shutdown", "the end of a connection when the server ends"),
        ("pause_writing", "the clock for answers that are not read"),
        ("resume_writing", "the clock for answers that are not read"),
        ("_unset_keepalive_if_required", "the timer of a connection that has gone"),
    ],
)
def test_a_connection_has_the_methods_that_linnet_overrides_or_calls(method: str, breaks: str) -> None:
    assert callable(getattr(H11Protocol, method, None)), f"uvicorn has lost {method}; it breaks: {breaks}"


def test_a_connection_says_where_its_request_stands() -> None:
    """`conn` is h11's connection and `cycle` the request; both decide which clock runs and who makes room."""

    async def check() -> None:
        transport = Transport()
        connection = connected(H11Protocol, transport)
        assert connection in connection.connections
        assert connection.loop is asyncio.get_running_loop()
        assert connection.transport is transport
        assert (connection.cycle, connection.conn.their_state) == (None, h11.IDLE)
        connection.data_received(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert connection.cycle is not None
        assert not connection.cycle.response_complete
        while not connection.cycle.response_complete:
            await asyncio.sleep(0)
        assert transport.written.startswith(b"HTTP/1.1 200")
        connection.connection_lost(None)
        assert connection not in connection.connections

    asyncio.run(check())


def test_a_connection_that_sends_no_http_is_answered_by_send_400_response() -> None:
    refused: list[str] = []

    class Refusing(H11Protocol):
        def send_400_response(self, msg: str) -> None:
            refused.append(msg)

    async def check() -> None:
        connected(Refusing, Transport()).data_received(b"\x16\x03\x01 no http\r\n\r\n")

    asyncio.run(check())
    assert len(refused) == 1


def test_a_server_lets_signals_and_its_start_be_overridden() -> None:
    """`handle_exit` is what Ctrl-C calls, `capture_signals` the block in which it does, `startup` gets the sockets."""
    # In a process of its own: sse-starlette, which MCP needs, replaces the method in any that imports it.
    code = "import inspect, uvicorn; print(*inspect.signature(uvicorn.Server.handle_exit).parameters)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.split() == ["self", "sig", "frame"]
    assert list(inspect.signature(uvicorn.Server.startup).parameters) == ["self", "sockets"]
    entered: list[str] = []

    class Server(uvicorn.Server):
        def capture_signals(self) -> Any:
            entered.append("signals")
            return super().capture_signals()

        async def startup(self, sockets: Any = None) -> None:
            entered.append("startup")
            self.should_exit = True

    Server(uvicorn.Config(answer, lifespan="off", log_level="error")).run(sockets=[])
    assert entered == ["signals", "startup"]
