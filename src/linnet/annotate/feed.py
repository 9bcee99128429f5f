"""What happens in a project, told to every page that shows it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import defer

from linnet.annotate.store import Database
from linnet.annotate.store.tables import Job, LogEntry

__all__ = ["Event", "Feed"]

_OFTEN = 0.4  # seconds between two looks at the database, one for all pages
_KEPT = 500  # events that a page which comes back is told at most
_LAG = 200  # looks that a page which is slow may lag behind
_JOBS = 20
_NEW_ENTRIES = (
    select(LogEntry)
    .options(defer(LogEntry.changes))
    .where(LogEntry.id > bindparam("last"))
    .order_by(LogEntry.id)
)
_NEW_JOBS = select(Job).order_by(Job.id.desc()).limit(_JOBS)


@dataclass(frozen=True, slots=True, eq=False)
class Event:
    """Something that happened; one object for all who are told. id: of the log's last entry then; job: the row of a job that
    changed."""

    id: int
    kind: str
    project: int
    data: dict[str, Any]
    job: Job | None = None


_Queue = asyncio.Queue[Sequence[Event] | None]


class Feed:
    """Looks at log and jobs while anybody listens; works whatever process changed them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._listeners: dict[_Queue, int] = {}  # each with its project
        self._task: asyncio.Task[None] | None = None
        self._last = 0
        self._jobs: dict[int, tuple[Any, ...]] = {}
        self.closing = False

    async def listen(self, project: int, *, after: int | None = None) -> AsyncGenerator[Sequence[Event]]:
        """What happens in a project, as it happens, all of one look together; [] now and then where nothing does.

        after  id of the last event seen, for a page that lost its connection: what it missed comes first. The jobs that
               wait or run come first in any case.
        """
        queue: _Queue = asyncio.Queue(_LAG)
        self._listeners[queue] = project
        if self._task is None or self._task.done():
            self._last, self._jobs = await asyncio.to_thread(self._state)
            self._task = asyncio.create_task(self._watch())
        try:
            yield await asyncio.to_thread(self._missed, project, after)
            while not self.closing:
                try:
                    async with asyncio.timeout(1):
                        events = await queue.get()
                except TimeoutError:
                    events = ()
                if events is None:
                    return  # it lagged too far behind, or the server ends; the page comes back by itself
                yield events
        finally:
            self._listeners.pop(queue, None)

    def close(self) -> None:
        """End all streams."""
        self.closing = True
        for queue in self._listeners:
            _offer(queue, None)

    async def _watch(self) -> None:
        while self._listeners and not self.closing:
            if events := await asyncio.to_thread(self._look):
                told: dict[int, list[Event]] = {}
                for event in events:
                    told.setdefault(event.project, []).append(event)
                for queue, project in list(self._listeners.items()):
                    if project in told and not _offer(queue, told[project]):
                        del self._listeners[queue]
            await asyncio.sleep(_OFTEN)

    def _state(self) -> tuple[int, dict[int, tuple[Any, ...]]]:
        with self._database.read() as session:
            last = session.scalar(select(func.max(LogEntry.id))) or 0
            jobs = session.scalars(_NEW_JOBS).all()
            return last, {job.id: _fingerprint(job) for job in jobs}

    def _look(self) -> list[Event]:
        with self._database.read() as session:
            entries = session.scalars(_NEW_ENTRIES, {"last": self._last}).all()
            jobs = session.scalars(_NEW_JOBS).all()
        self._last = entries[-1].id if entries else self._last
        events = [event for entry in entries if (event := _of_entry(entry))]
        for job in reversed(jobs):
            if self._jobs.get(job.id) != _fingerprint(job):
                self._jobs[job.id] = _fingerprint(job)
                events.append(Event(self._last, "job", job.project_id, {}, job))
        return events

    def _missed(self, project: int, after: int | None) -> list[Event]:
        with self._database.read() as session:
            jobs = select(Job).where(Job.project_id == project, Job.state.in_(("queued", "running")))
            last = session.scalar(select(func.max(LogEntry.id))) or 0
            events = []
            if after is not None:
                query = select(LogEntry).where(LogEntry.project_id == project, LogEntry.id > after)
                missed = session.scalars(query.order_by(LogEntry.id).limit(_KEPT)).all()
                events = [event for entry in missed if (event := _of_entry(entry))]
                jobs = select(Job).where(Job.project_id == project).order_by(Job.id.desc()).limit(3)
            return events + [Event(last, "job", project, {}, job) for job in session.scalars(jobs).all()]


def _offer(queue: _Queue, events: Sequence[Event] | None) -> bool:
    try:
        queue.put_nowait(events)
    except asyncio.QueueFull:
        while not queue.empty():
            queue.get_nowait()
        queue.put_nowait(None)
        return False
    return True


def _of_entry(entry: LogEntry) -> Event | None:
    if entry.project_id is None:
        return None
    if entry.action in ("model.train", "model.correct", "model.rollback"):
        return Event(entry.id, "model", entry.project_id, {"number": entry.model})
    if entry.document_id is None:
        kind = {
            "document.upload": "documents",
            "document.accept": "documents",  # of those that an upload vouched for
            "project.change": "project",
        }.get(entry.action)
        return Event(entry.id, kind, entry.project_id, {"by": entry.by}) if kind else None
    return Event(
        entry.id,
        "document",
        entry.project_id,
        {"id": entry.document_id, "revision": entry.revision, "by": entry.by, "action": entry.action},
    )


def _fingerprint(job: Job) -> tuple[Any, ...]:
    return (job.state, job.wanted, round(job.progress, 3), job.message, job.attempts)
