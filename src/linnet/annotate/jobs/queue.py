"""The queue between server and trainer: huey on a SQLite file, which works alike on Linux, macOS and Windows."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from huey import SqliteHuey
from huey.registry import Message
from huey.serializer import Serializer

__all__ = ["open_queue"]


class _Json(Serializer):  # type: ignore[misc]
    """A message is a list of a task's name, a job's number and settings: no pickle, which would run what it reads."""

    def _serialize(self, data: Any) -> bytes:
        return json.dumps(data).encode()

    def _deserialize(self, data: bytes) -> Any:
        fields = json.loads(data)
        return Message(*fields) if isinstance(fields, list) else fields


def open_queue(
    data: Path, work: Callable[[int], None] | None = None
) -> tuple[SqliteHuey, Callable[[int], Any]]:
    """The queue in a data folder, and what puts a job's number on it.

    work  what the trainer does with a number; None in the server, which only puts numbers on
    """
    data.mkdir(parents=True, exist_ok=True)
    queue = SqliteHuey("linnet", filename=str(data / "queue.db"), results=False, serializer=_Json())

    def job(number: int) -> None:
        if work is None:
            raise RuntimeError(f"job {number} is the trainer's to do")
        work(number)

    return queue, queue.task()(job)
