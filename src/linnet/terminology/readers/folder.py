"""The files of a release: a directory, or the zip archive it was delivered in, which is read in place."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from linnet import archive
from linnet.compression import SUFFIXES
from linnet.errors import DataError
from linnet.terminology.readers.options import ReadOptions

__all__ = ["SourceFolder", "is_folder", "plain_name"]

_DEEPEST = 5  # SNOMED's Snapshot/Terminology lies so deep below a folder with an unpacked release
_SHOWN = 8  # files that a message lists


def is_folder(path: Path) -> bool:
    """Whether the path is a directory, or a zip archive or a folder in one."""
    return path.is_dir() or archive.is_archive(path)


def plain_name(file: Path) -> str:
    """The name of a file in lower case, without the ending of what it is packed in."""
    name = file.name.lower()
    return next((name.removesuffix(ending) for ending in SUFFIXES if name.endswith(ending)), name)


@dataclass(frozen=True, slots=True)
class SourceFolder:
    """The files below a directory or in an archive, nearest first, then by name; hidden ones are left out."""

    path: Path
    files: tuple[Path, ...]

    @classmethod
    def of(cls, path: Path) -> SourceFolder:
        """The folder that `path` is; of a single file the folder it lies in, without the folders below."""
        if path.is_dir():
            found: Iterable[Path] = _below(path)
        elif archive.is_archive(path):
            found = archive.members(path)
        else:
            path = path.parent
            found = (file for file in _siblings(path) if file.parent == path)
        return cls(path, tuple(sorted(found, key=lambda file: (len(file.parts), str(file)))))

    def at(self, name: str) -> SourceFolder:
        """The nearest folder that holds the file `name` (packed or not, in any case) itself.

        Raises DataError where there is none, and where several are equally near.
        """
        holders = [file.parent for file in self.files if plain_name(file) == name.lower()]
        if not holders:
            raise DataError(self._missing(name), path=self.path)
        nearest = [place for place in dict.fromkeys(holders) if len(place.parts) == len(holders[0].parts)]
        if len(nearest) > 1:
            listed = ", ".join(str(place.relative_to(self.path)) for place in nearest[:_SHOWN])
            raise DataError(
                f"holds {name} in {len(nearest)} folders: {listed}. Name one of them, e.g. {nearest[0]}",
                path=self.path,
            )
        inside = tuple(file for file in self.files if file.parent == nearest[0])
        return SourceFolder(nearest[0], inside)

    def file(self, name: str) -> Path | None:
        """The file of this name, packed or not, in any case; None where there is none.

        Raises DataError where it is there twice, e.g. packed and unpacked.
        """
        found = [file for file in self.files if plain_name(file) == name.lower()]
        if len(found) > 1:
            raise DataError(f"holds {found[0].name} and {found[1].name}. Keep one of them.", path=self.path)
        return found[0] if found else None

    def matching(self, pattern: re.Pattern[str]) -> list[Path]:
        """The files whose plain name (`plain_name`) is of the pattern as a whole."""
        return [file for file in self.files if pattern.fullmatch(plain_name(file))]

    def data_files(self, pattern: re.Pattern[str], *, example: str) -> list[Path]:
        """The files of the pattern; of an archive without any, its one data file.

        Raises DataError, saying that files like `example` were expected, where there is none, and where one is there twice.
        """
        found = self.matching(pattern)
        if not found and not self.path.is_dir():
            return [archive.only_member(self.path)]
        if not found:
            raise DataError(
                f"no file like {example} there. Give the directory that holds it.", path=self.path
            )
        for before, after in combinations(found, 2):
            if plain_name(before).removesuffix(".xml") == plain_name(after).removesuffix(".xml"):
                raise DataError(f"holds {self.listed([before, after])}. Keep one of them.", path=self.path)
        return found

    def name_unread(self, read: Iterable[Path | None], family: re.Pattern[str], options: ReadOptions) -> None:
        """Tell the user of files whose plain name begins as `family` says and that are not among `read`."""
        known = set(read)
        unread = [file for file in self.files if family.match(plain_name(file)) and file not in known]
        if unread:
            options.tell(f"not read: {self.listed(unread)}.", path=self.path)

    def _missing(self, name: str) -> str:
        stem = name.partition(".")[0].lower()
        similar = [file for file in self.files if file.name.lower().startswith(stem)]
        if similar:
            return f"no {name} there, but {self.listed(similar)}. If these are its parts, join them: cat PARTS > {name}"
        packed = [file for file in self.files if file.suffix.lower() == ".nlm"]
        if packed:
            return (
                f"no {name} there, but {self.listed(packed)}: the full UMLS before MetamorphoSys. "
                "Install it with MetamorphoSys, or get the Metathesaurus files (RRF) from NLM."
            )
        return f"no {name} there. Give the directory or zip archive that holds it."

    def listed(self, files: Sequence[Path]) -> str:
        """The names of files as a message gives them: where they lie in the folder, the first ones of many."""
        more = f" and {len(files) - _SHOWN:,} more" if len(files) > _SHOWN else ""
        return ", ".join(str(file.relative_to(self.path)) for file in files[:_SHOWN]) + more


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
