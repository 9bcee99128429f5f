"""The folder of an unfinished index, from which a build that was killed continues.

    index/.NAME.work/   lock        held by the process that builds
                        stamp.json  what the index is built from; files of another stamp are discarded
                        done.json   the progress of each step
                        index/      files of the future index; all else is needed only during the build

The folder is never taken for an index: finished files are moved out of it, and the stamp is removed first.
"""

from __future__ import annotations

import errno
import json
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numpy.lib.format import open_memmap

from linnet.errors import StoreError
from linnet.io.files import replacing
from linnet.system.lockfile import locked

__all__ = ["BuildCheckpoint", "open_array", "open_checkpoint"]

# Seconds between two records of progress.
_INTERVAL = 2.0
# Errors of a full disk; Windows knows no quota.
_FULL = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}


class BuildCheckpoint:
    """The progress of a build."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.index = path / "index"
        self._done: dict[str, int] = {}
        self._recorded = time.monotonic()

    def begin(self, stamp: Mapping[str, Any]) -> None:
        """Continue if the existing files have the same `stamp`, otherwise start over."""
        try:
            old = json.loads((self.path / "stamp.json").read_text(encoding="utf-8"))
            self._done = json.loads((self.path / "done.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            old = None
        if old == stamp:
            return
        self._done = {}
        for name in ("stamp.json", "done.json"):
            (self.path / name).unlink(missing_ok=True)
        self._write("done.json", {})
        self._write("stamp.json", stamp)

    def done(self, step: str) -> int:
        """The recorded progress of a step, 0 before it begins."""
        return self._done.get(step, 0)

    def due(self) -> bool:
        """Whether it is time to flush finished work to disk and record it."""
        return time.monotonic() - self._recorded > _INTERVAL

    def record(self, step: str, count: int) -> None:
        """Record the progress of a step, whose results are on disk."""
        self._done[step] = count
        self._write("done.json", self._done)
        self._recorded = time.monotonic()

    def move(self, draft: Path) -> None:
        """Move the files of the finished index to `draft`."""
        (self.path / "stamp.json").unlink()
        for file in self.index.iterdir():
            file.rename(draft / file.name)

    def _write(self, name: str, fields: Mapping[str, Any]) -> None:
        with replacing(self.path / name) as draft:
            draft.write_text(json.dumps(fields), encoding="utf-8")


@contextmanager
def open_checkpoint(index: Path) -> Iterator[BuildCheckpoint]:
    """Lock the checkpoint of the index to be built at `index`; remove it when the block ends without an error.

    Raises StoreError if the disk cannot be written, or if another process is building the same index.
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
        full = error.errno in _FULL
        advice = (
            "Finished work is kept: free some space and run this again."
            if full
            else f"Make {index.parent} writable and run this again."
        )
        raise StoreError(f"{path}: cannot be written: {error.strerror or error}. {advice}") from error


def open_array(path: Path, kind: Any, shape: tuple[int, ...], *, keep: bool = False) -> Any:
    """A memory-mapped array to fill; `keep` continues with the existing file."""
    return open_memmap(path, mode="r+") if keep else open_memmap(path, mode="w+", dtype=kind, shape=shape)
