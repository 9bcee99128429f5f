"""The files below a folder, following symbolic links, each file once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from linnet.errors import DataError

__all__ = ["files_below"]

_Place = tuple[int, int]  # device and inode, equal for paths to the same file or folder


def files_below(
    folder: Path, *, named: Callable[[str], bool], refuse: Callable[[DataError], None] | None = None
) -> Iterator[Path]:
    """The files in a folder and its subfolders whose names `named` accepts; links to folders are followed.

    refuse  called with a DataError for each folder that cannot be listed, and for each link that is broken, circular, or
            leads to files already read under another path. None: raise the first error

    Files reached without links come first, then by path. Folders whose names begin with `.` or `_` are skipped.
    """
    refuse = refuse or _raise
    seen: dict[_Place, Path] = {}
    links: list[Path] = []
    yield from _files(folder, seen, links, named, refuse)
    while links:
        link = links.pop(0)
        try:
            place = _place(link)
        except OSError as error:
            refuse(DataError(f"is a link to {link.readlink()}: {error.strerror}. Remove it.", path=link))
            continue
        if place in seen:
            refuse(DataError(f"is a link to {seen[place]}, which is already read. Remove it.", path=link))
        elif any(inner.resolve().is_relative_to(link.resolve()) for inner in (folder, link.parent)):
            refuse(DataError(f"is a link to {link.resolve()}, which holds it. Remove it.", path=link))
        elif link.is_dir():
            inner_links: list[Path] = []
            yield from _files(link, seen, inner_links, named, refuse)
            links += inner_links
        else:
            seen[place] = link
            yield link


def _files(
    folder: Path,
    seen: dict[_Place, Path],
    links: list[Path],
    named: Callable[[str], bool],
    refuse: Callable[[DataError], None],
) -> Iterator[Path]:
    """The files below a folder, except links, which are added to `links`."""
    folders = [folder]
    while folders:
        here = folders.pop()
        try:
            place = _place(here)
            entries = sorted(os.scandir(here), key=lambda entry: entry.name)
        except OSError as error:
            refuse(DataError(f"cannot be read: {error.strerror}.", path=here))
            continue
        if place in seen:
            refuse(
                DataError(f"is the folder {seen[place]}, which is already read. Remove a link.", path=here)
            )
            continue
        seen[place] = here
        inner: list[Path] = []
        for entry in entries:
            path = here / entry.name
            skipped = entry.name.startswith((".", "_"))
            if entry.is_symlink():
                # A broken link counts if its name could be that of a file or folder to read.
                if named(entry.name) or (not skipped and (path.is_dir() or not path.exists())):
                    links.append(path)
            elif entry.is_dir():
                inner += [] if skipped else [path]
            elif named(entry.name):
                with suppress(OSError):  # removed meanwhile; reading it will raise the error
                    seen[_place(path)] = path
                yield path
        folders += reversed(inner)


def _raise(error: DataError) -> None:
    raise error


def _place(path: Path) -> _Place:
    status = path.stat()
    return status.st_dev, status.st_ino
