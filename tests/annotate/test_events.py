from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from linnet.annotate import events as module
from linnet.annotate.api.routes import learning
from linnet.annotate.api.routes.learning import _encoded, _written
from linnet.annotate.api.schemas.events import EVENTS
from linnet.annotate.events import Event, EventFeed
from linnet.annotate.store import Database, open_database
from linnet.annotate.store.tables import LogEntry


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(f"sqlite:///{tmp_path / 'linnet.db'}")
    yield opened
    opened.close()


def _edit(database: Database, project: int, *revisions: int) -> None:
    with database.write() as session:
        for revision in revisions:
            session.add(
                LogEntry(
                    by="ada", action="annotation.create", project_id=project, document_id=7, revision=revision,
                    changes={},
                )
            )  # fmt: skip


def test_all_of_one_look_comes_together_and_once_for_all_who_listen(database: Database) -> None:
    async def listen() -> None:
        feed = EventFeed(database)
        async with (
            aclosing(feed.listen(1)) as first,
            aclosing(feed.listen(1)) as second,
            aclosing(feed.listen(2)) as other,
        ):
            for stream in (first, second, other):
                assert [event.kind for event in await anext(stream)] == ["begin"]
            await asyncio.to_thread(_edit, database, 1, 4, 5)
            found = await anext(first)
            while not found:
                found = await anext(first)
            assert [event.data["revision"] for event in found] == [4, 5]
            also = await anext(second)
            while not also:
                also = await anext(second)
            assert [id(event) for event in also] == [id(event) for event in found]
            assert list(await anext(other)) == []  # of another project
            assert _encoded(found[0]) is _encoded(also[0])
            assert b'"revision":4' in _encoded(found[0])
            feed.close()

    asyncio.run(listen())


def test_a_page_that_comes_back_is_told_what_it_missed(database: Database) -> None:
    async def listen() -> None:
        feed = EventFeed(database)
        _edit(database, 1, 1, 2, 3)
        async with aclosing(feed.listen(1, after=1)) as stream:
            *missed, begin = await anext(stream)
            assert [event.data["revision"] for event in missed] == [2, 3]
            assert (begin.kind, begin.id) == ("begin", 3)
            feed.close()

    asyncio.run(listen())


def test_one_stream_tells_of_several_projects_and_of_no_other(database: Database) -> None:
    async def listen() -> None:
        feed = EventFeed(database)
        for project in (1, 2, 3):
            _edit(database, project, 4)
        async with aclosing(feed.listen(1, 3, after=0)) as stream:
            *missed, _ = await anext(stream)
            assert [event.data["project"] for event in missed] == [1, 3]
            for project in (2, 3, 1):
                await asyncio.to_thread(_edit, database, project, 5)
            heard: list[Event] = []
            while len(heard) < 2:
                heard += await anext(stream)
            assert [(event.project, event.data["revision"]) for event in heard] == [(3, 5), (1, 5)]
            feed.close()

    asyncio.run(listen())


def test_a_page_that_lags_too_far_behind_is_hung_up_on(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LAG", 1)

    async def listen() -> None:
        feed = EventFeed(database)
        async with aclosing(feed.listen(1)) as stream:
            await anext(stream)
            [queue] = feed._listeners
            event = Event(1, "project", 1, {})
            assert module._offer(queue, [event])
            assert not module._offer(queue, [event])
            with pytest.raises(StopAsyncIteration):
                await anext(stream)

    asyncio.run(listen())


def test_a_stream_ends_with_the_session_of_whoever_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "_CHECK_INTERVAL", 0.0)

    async def looks() -> AsyncGenerator[Sequence[Event]]:
        for number in range(9):
            yield [Event(number, "documents", 1, {"project": 1, "by": "ada"})]

    async def listen() -> list[bytes]:
        answers = iter([True, True, False])
        return [sent async for sent in _written(looks(), lambda: next(answers))]

    sent = asyncio.run(listen())
    assert [b"id: 0" in sent[0], b"id: 1" in sent[1], len(sent)] == [True, True, 2]


def test_the_openapi_document_shows_the_data_of_every_event(quiet: Any) -> None:
    paths = quiet.app.openapi()["paths"]
    for path in ("/api/events", "/api/projects/{project}/events"):
        [(media_type, content)] = paths[path]["get"]["responses"]["200"]["content"].items()
        assert (media_type, content["schema"]["type"]) == ("text/event-stream", "object")
        shown = {choice["$ref"].rpartition("/")[2] for choice in content["schema"]["anyOf"]}
        assert shown == {model.__name__ for model in EVENTS.values()} | {"Job"}
