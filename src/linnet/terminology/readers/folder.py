"""The files of a release: a directory or a zip archive, which is read in place."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from linnet.errors import DataError
from linnet.io import archive
from linnet.io.compression import SUFFIXES
from linnet.listing import first_few
from linnet.terminology.readers.options import ReadOptions, SourceFile

__all__ = ["SourceFolder", "is_folder", "plain_name"]

_DEEPEST = 5  # depth of SNOMED's Snapshot/Terminology below a folder with an unpacked release
_SHOWN = 8  # files that a message lists


def is_folder(path: Path) -> bool:
    """Whether the path is a directory, a zip archive, or a folder in one."""
    return path.is_dir() or archive.is_archive(path)


def plain_name(file: Path) -> str:
    """The file name in lower case, without the suffix of its compression."""
    name = file.name.lower()
    return next((name.removesuffix(ending) for ending in SUFFIXES if name.endswith(ending)), name)


@dataclass(frozen=True, slots=True)
class SourceFolder:
    """The files below a directory or in an archive, nearest first, then by name, without hidden ones."""

    path: Path
    files: tuple[Path, ...]

    @classmethod
    def of(cls, path: Path) -> SourceFolder:
        """The folder at `path`; for a single file, its folder without subfolders."""
        if path.is_dir():
            files: Iterable[Path] = _below(path)
        elif archive.is_archive(path):
            files = archive.members(path)
        else:
            path = path.parent
            files = (file for file in _siblings(path) if file.parent == path)
        return cls(path, tuple(sorted(files, key=lambda file: (len(file.parts), str(file)))))

    def at(self, name: str) -> SourceFolder:
        """The nearest folder that directly holds the file `name` (compressed or not, in any case).

        Raises DataError if there is none, or if several are equally near.
        """
        holders = [file.parent for file in self.files if plain_name(file) == name.lower()]
        if not holders:
            raise DataError(self._missing(name), path=self.path)
        nearest = [place for place in dict.fromkeys(holders) if len(place.parts) == len(holders[0].parts)]
        if len(nearest) > 1:
            listed = ", ".join(str(place.relative_to(self.path)) for place in nearest[:_SHOWN])
            raise DataError(
                f"holds {name} in {len(nearest)} folders: {listed}. Give one of them, e.g. {nearest[0]}",
                path=self.path,
            )
        inside = tuple(file for file in self.files if file.parent == nearest[0])
        return SourceFolder(nearest[0], inside)

    def file(self, name: str) -> Path | None:
        """The file of this name, compressed or not, in any case; None if there is none.

        Raises DataError if it is there twice, e.g. compressed and not.
        """
        same = [file for file in self.files if plain_name(file) == name.lower()]
        if len(same) > 1:
            raise DataError(f"holds {same[0].name} and {same[1].name}. Keep one of them.", path=self.path)
        return same[0] if same else None

    def data_files(self, named: Callable[[str], bool], *, example: str) -> list[Path]:
        """The files whose `plain_name` is `named`; for an archive without any, its one data file.

        Raises DataError if there is none (the message names `example`), or if one is there twice.
        """
        files = [file for file in self.files if named(plain_name(file))]
        if not files and not self.path.is_dir():
            return [archive.only_member(self.path)]
        if not files:
            raise DataError(f"has no file like {example}. Give the directory that holds it.", path=self.path)
        for before, after in combinations(files, 2):
            if plain_name(before).removesuffix(".xml") == plain_name(after).removesuffix(".xml"):
                raise DataError(f"holds {self.listed([before, after])}. Keep one of them.", path=self.path)
        return files

    def name_unread(self, read: Iterable[Path | None], family: re.Pattern[str], options: ReadOptions) -> None:
        """Report the files whose `plain_name` begins with a match of `family` and that are not among `read`."""
        known = set(read)
        unread = [file for file in self.files if family.match(plain_name(file)) and file not in known]
        if unread:
            SourceFile(self.path, options).tell(f"not read: {self.listed(unread)}.")

    def _missing(self, name: str) -> str:
        stem = name.partition(".")[0].lower()
        similar = [file for file in self.files if file.name.lower().startswith(stem)]
        if similar:
            return f"has no {name}, but {self.listed(similar)}. If these are pieces of it, join them: cat PIECES > {name}"
        packed = [file for file in self.files if file.suffix.lower() == ".nlm"]
        if packed:
            return (
                f"has no {name}, but {self.listed(packed)}: the full UMLS before MetamorphoSys. "
                "Install it with MetamorphoSys, or get the Metathesaurus files (RRF) from NLM."
            )
        return f"has no {name}. Give the directory or zip archive that holds it."

    def listed(self, files: Sequence[Path]) -> str:
        """The paths of the first files relative to the folder, for a message."""
        return first_few([file.relative_to(self.path) for file in files], _SHOWN)


def _siblings(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from (entry for entry in folder.iterdir() if not entry.name.startswith(".") and entry.is_file())
    elif archive.is_archive(folder):
        yield from archive.members(folder)


def _below(top: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(top, followlinks=True):
        deep = len(Path(place).parts) - len(top.parts)
        folders[:] = [name for name in folders if not name.startswith(".")] if deep < _DEEPEST else []
        yield from (Path(place, name) for name in files if not name.startswith("."))
