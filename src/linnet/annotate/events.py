"""Events of projects, sent to every page that shows them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import defer

from linnet.annotate.store import Database
from linnet.annotate.store.tables import Job, LogEntry, Sheet

__all__ = ["Event", "EventFeed"]

_POLL = 0.4  # seconds between two polls of the database, one for all pages
_MOST_MISSED = 500  # events sent to a page that reconnects
_LAG = 200  # batches that a slow page may lag behind
_JOBS = 20
_ENTRIES = (
    select(LogEntry, Sheet.owner)
    .outerjoin(Sheet, Sheet.id == LogEntry.sheet_id)
    .options(defer(LogEntry.changes))
    .order_by(LogEntry.id)
)
_NEW_ENTRIES = _ENTRIES.where(LogEntry.id > bindparam("last"))
_NEW_JOBS = select(Job).order_by(Job.id.desc()).limit(_JOBS)


@dataclass(frozen=True, slots=True, eq=False)
class Event:
    """Something that happened; all listeners share the object.

    id     of the newest log entry then     project  0 for `begin`
    job    the row of a changed job
    owner  of the sheet that changed: "" for the shared one, and without a sheet; None if it was removed
    """

    id: int
    kind: str
    project: int
    data: dict[str, Any]
    job: Job | None = None
    owner: str | None = ""

    def is_seen_by(self, name: str, independent: Collection[int]) -> bool:
        """Whether a user may know of it. independent: projects in which the user sees only their own and the shared sheets."""
        return self.project not in independent or self.owner in ("", name)


_Queue = asyncio.Queue[Sequence[Event] | None]


class EventFeed:
    """Polls log and jobs while anybody listens, so that it sees the changes of every process."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._listeners: dict[_Queue, frozenset[int]] = {}  # each with its projects
        self._task: asyncio.Task[None] | None = None
        self._last = 0
        self._jobs: dict[int, tuple[Any, ...]] = {}
        self.closing = False

    async def listen(self, *projects: int, after: int | None = None) -> AsyncGenerator[Sequence[Event]]:
        """The events of projects as they happen, in batches; [] about once a second while nothing happens.

        after  id of the last event seen, for a page that reconnects: what it missed comes first

        The first batch holds the queued and running jobs and ends with the event `begin`, whose id is that of the newest
        event before it; nothing after it is missed.
        """
        queue: _Queue = asyncio.Queue(_LAG)
        self._listeners[queue] = frozenset(projects)
        if self._task is None or self._task.done():
            self._last, self._jobs = await asyncio.to_thread(self._state)
            self._task = asyncio.create_task(self._watch())
        try:
            yield await asyncio.to_thread(self._missed, projects, after)
            while not self.closing:
                try:
                    async with asyncio.timeout(1):
                        events = await queue.get()
                except TimeoutError:
                    events = ()
                if events is None:
                    return  # it lags too far behind, or the server is stopping; the page reconnects
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
                for queue, projects in list(self._listeners.items()):
                    own = [event for event in events if event.project in projects]
                    if own and not _offer(queue, own):
                        del self._listeners[queue]
            await asyncio.sleep(_POLL)

    def _state(self) -> tuple[int, dict[int, tuple[Any, ...]]]:
        with self._database.read() as session:
            last = session.scalar(select(func.max(LogEntry.id))) or 0
            jobs = session.scalars(_NEW_JOBS).all()
            return last, {job.id: _fingerprint(job) for job in jobs}

    def _look(self) -> list[Event]:
        with self._database.read() as session:
            entries = session.execute(_NEW_ENTRIES, {"last": self._last}).all()
            jobs = session.scalars(_NEW_JOBS).all()
        self._last = entries[-1][0].id if entries else self._last
        events = [event for entry in entries if (event := _of_entry(*entry))]
        for job in reversed(jobs):
            if self._jobs.get(job.id) != _fingerprint(job):
                self._jobs[job.id] = _fingerprint(job)
                events.append(Event(self._last, "job", job.project_id, {}, job))
        return events

    def _missed(self, projects: Iterable[int], after: int | None) -> list[Event]:
        with self._database.read() as session:
            last = session.scalar(select(func.max(LogEntry.id))) or 0
            events = []
            for project in projects:
                jobs = select(Job).where(Job.project_id == project, Job.state.in_(("queued", "running")))
                if after is not None:
                    query = _ENTRIES.where(LogEntry.project_id == project, LogEntry.id > after)
                    missed = session.execute(query.limit(_MOST_MISSED)).all()
                    events += [event for entry in missed if (event := _of_entry(*entry))]
                    jobs = select(Job).where(Job.project_id == project).order_by(Job.id.desc()).limit(3)
                events += [Event(last, "job", project, {}, job) for job in session.scalars(jobs).all()]
            return [*events, Event(last, "begin", 0, {"projects": list(projects)})]


def _offer(queue: _Queue, events: Sequence[Event] | None) -> bool:
    try:
        queue.put_nowait(events)
    except asyncio.QueueFull:
        while not queue.empty():
            queue.get_nowait()
        queue.put_nowait(None)
        return False
    return True


def _of_entry(entry: LogEntry, owner: str | None) -> Event | None:
    project = entry.project_id
    if project is None:
        return None
    if entry.action in ("model.train", "model.correct", "model.rollback"):
        return Event(entry.id, "model", project, {"project": project, "number": entry.model})
    if entry.document_id is None:
        kind = {
            "document.upload": "documents",
            "document.accept": "documents",  # accepted on upload
            "documents.assign": "documents",
            "project.change": "project",
        }.get(entry.action)
        return Event(entry.id, kind, project, {"project": project, "by": entry.by}) if kind else None
    if entry.action.startswith("comment."):
        data = {"id": entry.document_id, "by": entry.by, "action": entry.action}
        # Independent annotators learn nothing of each other's comments.
        return Event(entry.id, "comments", project, {"project": project, **data}, owner=entry.by)
    data = {"id": entry.document_id, "revision": entry.revision, "by": entry.by, "action": entry.action}
    if entry.sheet_id is None:
        owner = ""
    return Event(entry.id, "document", project, {"project": project, **data}, owner=owner)


def _fingerprint(job: Job) -> tuple[Any, ...]:
    return (job.state, job.wanted, round(job.progress, 3), job.message, job.attempts)
