"""The folder in which an index is being built, so that a build that was killed goes on where it was.

    index/.NAME.work/   lock        held by the process that builds
                        stamp.json  what the work is made from; work of another stamp is thrown away
                        done.json   how far each step is
                        index/      files of the index to be; the rest is needed only while building

It is never taken for an index: what is finished is moved out of it, and the stamp goes first.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numpy.lib.format import open_memmap

from linnet.errors import StoreError
from linnet.files import replacing
from linnet.lockfile import locked

__all__ = ["BuildCheckpoint", "open_array", "open_checkpoint"]

# Seconds between two records of how far a step is.
_OFTEN = 2.0


class BuildCheckpoint:
    """What is done of a build."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.index = path / "index"
        self._done: dict[str, int] = {}
        self._recorded = time.monotonic()

    def begin(self, stamp: Mapping[str, Any]) -> None:
        """Go on with what is there if it is made from the same, `stamp`, else start anew."""
        file = self.path / "stamp.json"
        try:
            old = json.loads(file.read_text(encoding="utf-8"))
            self._done = json.loads((self.path / "done.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            old = None
        if old == stamp:
            return
        self._done = {}
        for name in ("stamp.json", "done.json"):
            (self.path / name).unlink(missing_ok=True)
        self._written("done.json", {})
        self._written("stamp.json", stamp)

    def done(self, step: str) -> int:
        """How far a step is, 0 where it has not begun."""
        return self._done.get(step, 0)

    def due(self) -> bool:
        """Whether the last record is so old that what is done since should be brought to disk and recorded."""
        return time.monotonic() - self._recorded > _OFTEN

    def record(self, step: str, count: int) -> None:
        """A step is so far, on disk."""
        self._done[step] = count
        self._written("done.json", self._done)
        self._recorded = time.monotonic()

    def move(self, draft: Path) -> None:
        """Bring the files of the index to `draft`; the work is over."""
        (self.path / "stamp.json").unlink()
        for file in self.index.iterdir():
            file.rename(draft / file.name)

    def _written(self, name: str, fields: Mapping[str, Any]) -> None:
        with replacing(self.path / name) as draft:
            draft.write_text(json.dumps(fields), encoding="utf-8")


@contextmanager
def open_checkpoint(index: Path) -> Iterator[BuildCheckpoint]:
    """The work folder of the index that is to be at `index`; removed when the block ends without an error.

    Raises StoreError when the disk refuses, or where another process is building the same index.
    """
    path = index.with_name(f".{index.name}.work")
    try:
        (path / "index").mkdir(parents=True, exist_ok=True)
        busy = StoreError(
            f"{index} is being built by another process. Wait for it, or end it and run this again."
        )
        with locked(path / "lock", busy=busy):
            yield BuildCheckpoint(path)
            shutil.rmtree(path, ignore_errors=True)  # Windows keeps the lock file, which is open
    except OSError as error:
        raise StoreError(
            f"{path}: cannot be written: {error.strerror or error}. What is done is kept: free some space and run this again."
        ) from error


def open_array(path: Path, kind: Any, shape: tuple[int, ...], *, keep: bool = False) -> Any:
    """An array on disk to fill; what is there is kept where work goes on."""
    return open_memmap(path, mode="r+") if keep else open_memmap(path, mode="w+", dtype=kind, shape=shape)
