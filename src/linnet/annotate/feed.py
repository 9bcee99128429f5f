"""What happens in a project, told to every page that shows it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select

from linnet.annotate.store import Database
from linnet.annotate.store.tables import Job, LogEntry

__all__ = ["Event", "Feed"]

_OFTEN = 0.4  # seconds between two looks at the database, one for all pages
_KEPT = 500  # events a page that is slow may lag behind
_JOBS = 20


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened. id: of the log's last entry then; job: the row of a job that changed."""

    id: int
    kind: str
    project: int
    data: dict[str, Any]
    job: Job | None = None


class Feed:
    """Looks at log and jobs while anybody listens; works whatever process changed them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._listeners: set[asyncio.Queue[Event | None]] = set()
        self._task: asyncio.Task[None] | None = None
        self._last = 0
        self._jobs: dict[int, tuple[Any, ...]] = {}
        self.closing = False

    async def listen(self, project: int, *, after: int | None = None) -> AsyncIterator[Event | None]:
        """Events of a project as they happen, None now and then where nothing does.

        after  id of the last event seen, for a page that lost its connection: what it missed comes first. The jobs that
               wait or run come first in any case.
        """
        queue: asyncio.Queue[Event | None] = asyncio.Queue(_KEPT)
        self._listeners.add(queue)
        if self._task is None or self._task.done():
            self._last, self._jobs = await asyncio.to_thread(self._state)
            self._task = asyncio.create_task(self._watch())
        try:
            for event in await asyncio.to_thread(self._missed, project, after):
                yield event
            while not self.closing:
                try:
                    event_or_end = await asyncio.wait_for(queue.get(), timeout=1)
                except TimeoutError:
                    yield None
                    continue
                if event_or_end is None:
                    return  # it lagged too far behind, or the server ends; the page comes back by itself
                if event_or_end.project == project:
                    yield event_or_end
        finally:
            self._listeners.discard(queue)

    def close(self) -> None:
        """End all streams."""
        self.closing = True
        for queue in self._listeners:
            _offer(queue, None)

    async def _watch(self) -> None:
        while self._listeners and not self.closing:
            for event in await asyncio.to_thread(self._look):
                for queue in list(self._listeners):
                    if not _offer(queue, event):
                        self._listeners.discard(queue)
            await asyncio.sleep(_OFTEN)

    def _state(self) -> tuple[int, dict[int, tuple[Any, ...]]]:
        with self._database.read() as session:
            last = session.scalar(select(func.max(LogEntry.id))) or 0
            jobs = session.scalars(select(Job).order_by(Job.id.desc()).limit(_JOBS)).all()
            return last, {job.id: _fingerprint(job) for job in jobs}

    def _look(self) -> list[Event]:
        with self._database.read() as session:
            entries = session.scalars(
                select(LogEntry).where(LogEntry.id > self._last).order_by(LogEntry.id)
            ).all()
            jobs = session.scalars(select(Job).order_by(Job.id.desc()).limit(_JOBS)).all()
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


def _offer(queue: asyncio.Queue[Event | None], event: Event | None) -> bool:
    try:
        queue.put_nowait(event)
    except asyncio.QueueFull:
        while not queue.empty():
            queue.get_nowait()
        queue.put_nowait(None)
        return False
    return True


def _of_entry(entry: LogEntry) -> Event | None:
    if entry.project_id is None:
        return None
    if entry.action in ("model.train", "model.rollback"):
        return Event(entry.id, "model", entry.project_id, {"number": entry.model})
    if entry.document_id is None:
        kind = {"document.upload": "documents", "project.change": "project"}.get(entry.action)
        return Event(entry.id, kind, entry.project_id, {"by": entry.by}) if kind else None
    return Event(
        entry.id,
        "document",
        entry.project_id,
        {"id": entry.document_id, "revision": entry.revision, "by": entry.by, "action": entry.action},
    )


def _fingerprint(job: Job) -> tuple[Any, ...]:
    return (job.state, job.wanted, round(job.progress, 3), job.message, job.attempts)
