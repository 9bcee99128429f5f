"""Who is linked when, and with whom."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from linnet.serve.fair_queue import FairQueue
from linnet.serve.metrics import Metrics
from linnet.serve.request_models import MentionIn
from linnet.serve.scheduler import Scheduler
from linnet.serve.tasks import LinkTask, Result


def test_flows_take_turns_however_much_one_asks_for() -> None:
    queue: FairQueue[str] = FairQueue()
    for number in range(4):
        queue.put(f"a{number}", flow="a", cost=10)
    queue.put("b0", flow="b", cost=10)
    queue.put("c0", flow="c", cost=1)
    assert queue.ordered()[:3] == ["a0", "b0", "c0"]
    for _ in range(3):
        queue.take(queue.ordered()[0])
    queue.put("c1", flow="c", cost=1)
    queue.put("b1", flow="b", cost=10)
    assert queue.ordered() == ["c1", "a1", "b1", "a2", "a3"]
    queue.drop("a2")
    assert len(queue) == 4


def test_who_has_waited_has_no_credit() -> None:
    queue: FairQueue[str] = FairQueue()
    for number in range(3):
        queue.put(f"a{number}", flow="a", cost=10)
        queue.take(f"a{number}")
    for number in range(3):
        queue.put(f"b{number}", flow="b", cost=10)
    queue.put("a3", flow="a", cost=10)
    assert queue.ordered() == ["b0", "b1", "a3", "b2"] or queue.ordered() == ["b0", "a3", "b1", "b2"]


def test_whoever_has_had_a_turn_gets_another_though_there_are_ever_new_ones() -> None:
    queue: FairQueue[str] = FairQueue()
    queue.put("old 1", flow="old", cost=10)
    queue.put("old 2", flow="old", cost=10)
    done = []
    for number in range(100):
        queue.put(f"new {number}", flow=f"{number}", cost=10)
        done.append(queue.ordered()[0])
        queue.take(done[-1])
    assert "old 2" in done[:5]


def test_flows_that_are_over_are_forgotten_though_there_is_always_work() -> None:
    queue: FairQueue[str] = FairQueue()
    for number in range(5000):
        queue.put(f"{number}", flow=f"{number}", cost=1)
        if number >= 3:
            queue.take(queue.ordered()[0])
    assert len(queue) == 3
    assert len(queue._ends) < 500


def test_what_stands_around_a_mention_costs_too() -> None:
    near, far = ([MentionIn(text="gout", left="x" * n)] for n in (10, 1_000_000))
    assert LinkTask(near, k=1).cost < 5 < 1000 < LinkTask(far, k=1).cost


@dataclass(frozen=True)
class Fake:
    """Work that waits until it may go on, and notes what was done together."""

    name: str
    cost: float = 1.0
    kind: tuple[Any, ...] = ("fake",)

    def run(self, snapshot: Any, together: Sequence[Fake]) -> list[Result]:
        snapshot.done.append([one.name for one in together])
        if any(one.name.startswith("wait") for one in together):
            snapshot.go.wait(10)
        if any(one.name == "bad" for one in together):
            raise ValueError("bad")
        return [Result([one.name], 1, 1) for one in together]


class Notes:
    def __init__(self) -> None:
        self.done: list[list[str]] = []
        self.go = threading.Event()


@pytest.fixture(autouse=True)
def _fake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("linnet.serve.scheduler._run", lambda snapshot, works: works[0].run(snapshot, works))


def _asked(scheduler: Scheduler, notes: Notes, work: Fake, flow: str = "") -> asyncio.Task[Result]:
    return asyncio.create_task(scheduler.run(work, notes, flow=flow or work.name))  # type: ignore[arg-type]


def test_small_requests_that_wait_are_linked_together() -> None:
    async def run() -> None:
        scheduler, notes = Scheduler(threads=1, metrics=Metrics()), Notes()
        asked = [_asked(scheduler, notes, Fake("wait"))]
        await asyncio.sleep(0.05)
        asked += [_asked(scheduler, notes, Fake(f"s{number}")) for number in range(5)]
        asked += [_asked(scheduler, notes, Fake("other", kind=("k", 9)))]
        asked += [_asked(scheduler, notes, Fake("large", cost=300.0))]
        await asyncio.sleep(0.05)
        notes.go.set()
        answers = await asyncio.gather(*asked)
        assert [one.answers for one in answers] == [
            ["wait"],
            *[[f"s{n}"] for n in range(5)],
            ["other"],
            ["large"],
        ]
        assert notes.done == [["wait"], ["s0", "s1", "s2", "s3", "s4"], ["other"], ["large"]]
        scheduler.close()

    asyncio.run(run())


def test_what_fails_fails_alone() -> None:
    async def run() -> None:
        scheduler, notes = Scheduler(threads=1, metrics=Metrics()), Notes()
        waiting = _asked(scheduler, notes, Fake("wait"))
        await asyncio.sleep(0.05)
        asked = [_asked(scheduler, notes, Fake(name)) for name in ("a", "bad", "b")]
        await asyncio.sleep(0.05)
        notes.go.set()
        await waiting
        found = await asyncio.gather(*asked, return_exceptions=True)
        assert [isinstance(one, ValueError) for one in found] == [False, True, False]
        assert notes.done[1:] == [["a", "bad", "b"], ["a"], ["bad"], ["b"]]
        scheduler.close()

    asyncio.run(run())


def test_what_nobody_waits_for_any_more_is_not_done() -> None:
    async def run() -> None:
        scheduler, notes = Scheduler(threads=1, metrics=Metrics()), Notes()
        asked = [_asked(scheduler, notes, Fake(name)) for name in ("wait", "a", "b")]
        await asyncio.sleep(0.05)
        asked[1].cancel()
        asked[0].cancel()
        await asyncio.sleep(0.05)
        notes.go.set()
        assert (await asked[2]).answers == ["b"]
        assert notes.done == [["wait"], ["b"]]
        scheduler.close()

    asyncio.run(run())


def test_large_requests_leave_a_thread_to_small_ones() -> None:
    async def run() -> None:
        scheduler, notes = Scheduler(threads=2, metrics=Metrics()), Notes()
        large = [_asked(scheduler, notes, Fake(f"wait{number}", cost=5000.0)) for number in range(3)]
        await asyncio.sleep(0.05)
        assert (await _asked(scheduler, notes, Fake("small"))).answers == ["small"]
        assert notes.done == [["wait0"], ["small"]]
        notes.go.set()
        await asyncio.gather(*large)
        scheduler.close()

    asyncio.run(run())
