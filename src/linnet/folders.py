"""The files below a folder, through symbolic links, each of them once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from linnet.errors import DataError

__all__ = ["files_below"]

_Place = tuple[int, int]  # device and inode: where two paths have the same, they lead to one file or folder


def files_below(
    folder: Path, *, named: Callable[[str], bool], refuse: Callable[[DataError], None] | None = None
) -> Iterator[Path]:
    """The files of a folder and of the folders in it whose names `named` accepts; links to folders are followed.

    refuse  called with a DataError for each folder that cannot be listed, and for each link that leads nowhere, in a circle, or
            to what is read already under another path: its contents would be there twice. Without it, the first is raised

    Order: what is reached without links first, then by path. Folders whose names begin with `.` or `_` are passed over.
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
            refuse(DataError(f"is a link to {seen[place]}, which is read already. Remove it.", path=link))
        elif any(inner.resolve().is_relative_to(link.resolve()) for inner in (folder, link.parent)):
            refuse(DataError(f"is a link to {link.resolve()}, which holds it. Remove it.", path=link))
        elif link.is_dir():
            more: list[Path] = []
            yield from _files(link, seen, more, named, refuse)
            links += more
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
    """What is below a folder but for links, which are added to `links`."""
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
                DataError(f"is the folder {seen[place]}, which is read already. Remove a link.", path=here)
            )
            continue
        seen[place] = here
        inner: list[Path] = []
        for entry in entries:
            path = here / entry.name
            passed_over = entry.name.startswith((".", "_"))
            if entry.is_symlink():
                # A link that leads nowhere counts where its name could be that of a file or folder that is read.
                if named(entry.name) or (not passed_over and (path.is_dir() or not path.exists())):
                    links.append(path)
            elif entry.is_dir():
                inner += [] if passed_over else [path]
            elif named(entry.name):
                with suppress(OSError):  # removed meanwhile: whoever reads it will say so
                    seen[_place(path)] = path
                yield path
        folders += reversed(inner)


def _raise(error: DataError) -> None:
    raise error


def _place(path: Path) -> _Place:
    status = path.stat()
    return status.st_dev, status.st_ino
