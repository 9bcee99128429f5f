"""What linnet expects of uvicorn, all of it documented: a new version that fails here cannot be allowed."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason="needs the serve extra")

import uvicorn

from linnet.http.listening import listen
from linnet.serve.process import _ended_by_signals, _serve


async def answer(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"x"})


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize("sig", [signal.SIGTERM, signal.SIGINT])
def test_a_server_ends_by_a_signal_and_the_process_goes_on(sig: signal.Signals) -> None:
    server = uvicorn.Server(uvicorn.Config(answer, lifespan="off", log_level="critical", http="h11"))
    seen: list[str] = []

    def ready() -> None:
        seen.append(f"{server.started} {server.should_exit}")
        os.kill(os.getpid(), sig)

    before = signal.getsignal(sig)
    with _ended_by_signals(server):
        asyncio.run(_serve(server, listen("127.0.0.1", 0, program="a test"), ready))
    assert seen == ["True False"]
    assert server.should_exit
    assert signal.getsignal(sig) == before


def test_a_server_that_is_to_end_before_it_has_started_does_not_answer() -> None:
    server = uvicorn.Server(uvicorn.Config(answer, lifespan="off", log_level="critical", http="h11"))
    server.should_exit = True
    seen: list[str] = []
    asyncio.run(_serve(server, listen("127.0.0.1", 0, program="a test"), lambda: seen.append("ready")))
    assert seen == []
