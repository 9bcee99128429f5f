"""Drafts: files and folders written beside their target and renamed when complete.

A draft is called `.NAME.linnet-XXXXXXXX`, plus `.part` for a file. Its process holds a lock on it, so that drafts of killed
processes are recognised and removed. Windows cannot lock folders: there, drafts of killed processes remain.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from mmap import mmap
from pathlib import Path

from linnet.system.lockfile import lock

__all__ = ["draft_directory", "draft_file", "remove_abandoned"]

_MARK = "linnet-"
_FILE = ".part"
# A new draft may not be locked yet; younger ones are not removed.
_YOUNG = 60.0  # seconds
# Address space kept until a folder is removed: if memory ran out, listing the folder would fail too. Never touched.
_RESERVE = 4 << 20  # bytes


@contextmanager
def draft_directory(target: Path, *, kind: str = "") -> Iterator[Path]:
    """A new folder beside `target`, removed at the end unless it was renamed; its parent is created if needed.

    kind  part of the name, for auxiliary folders

    Raises OSError if the disk cannot be written.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    remove_abandoned(target)
    reserve = mmap(-1, _RESERVE)
    draft = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}.{kind}{_MARK}"))
    try:
        with _locked(draft):
            yield draft
    finally:
        reserve.close()
        shutil.rmtree(draft, ignore_errors=True)


@contextmanager
def draft_file(target: Path) -> Iterator[Path]:
    """A new file beside `target`, removed at the end unless it was renamed. Raises OSError if the disk cannot be written."""
    remove_abandoned(target)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.{_MARK}", suffix=_FILE)
    draft = Path(name)
    try:  # from here on an interrupt removes it
        os.close(handle)
        with _locked(draft):
            yield draft
    finally:
        draft.unlink(missing_ok=True)


def remove_abandoned(target: Path, *, young: bool = False) -> None:
    """Remove the drafts of `target` whose processes died.

    young  also remove new ones, if no process is about to create one

    If a process died after moving an old `target` aside and before renaming the new one, the old one is restored.
    """
    pattern = re.compile(rf"\.{re.escape(target.name)}\.(old\.)?{_MARK}[a-z0-9_]{{8}}(\{_FILE})?")
    try:
        drafts = [entry for entry in target.parent.iterdir() if pattern.fullmatch(entry.name)]
    except OSError:
        return
    for draft in drafts:
        if not _is_abandoned(draft, young=young):
            continue
        aside = draft / "old"
        if aside.exists() and not target.exists():
            with suppress(OSError):
                aside.rename(target)
        if draft.is_dir():
            shutil.rmtree(draft, ignore_errors=True)
        else:
            with suppress(OSError):
                draft.unlink()


@contextmanager
def _locked(draft: Path) -> Iterator[None]:
    if os.name == "nt":
        yield
        return
    handle = os.open(draft, os.O_RDONLY)
    try:
        with suppress(OSError, ModuleNotFoundError):  # a file system or a Python without locks
            lock(handle)
        yield
    finally:
        os.close(handle)


def _is_abandoned(draft: Path, *, young: bool) -> bool:
    """Whether no process holds a draft; False if unknown."""
    if os.name == "nt":
        return False
    try:
        if not young and time.time() - draft.lstat().st_mtime < _YOUNG:
            return False
        handle = os.open(draft, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        return lock(handle)
    except (OSError, ModuleNotFoundError):
        return False
    finally:
        os.close(handle)
