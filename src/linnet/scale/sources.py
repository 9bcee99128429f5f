"""The files of a large corpus: Parquet or JSON Lines, one or a folder of them."""

from __future__ import annotations

import stat
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from linnet import corpora
from linnet.compression import SUFFIXES
from linnet.corpora.refusal import Refuse, stop
from linnet.errors import DataError, RequestError
from linnet.folders import files_below

__all__ = ["Source", "find_sources", "holds_sources", "others"]

_JSON = (".jsonl", ".ndjson", ".json")
_ENDINGS = {
    ".parquet": "parquet",
    **dict.fromkeys(_JSON, "jsonl"),
    **dict.fromkeys((ending + packed for ending in _JSON for packed in SUFFIXES), "jsonl"),
}
_READ = "Read are .parquet, .jsonl, .ndjson and .json with an object a line, also packed (.jsonl.gz, .bz2, .xz, .zip)"


@dataclass(frozen=True, slots=True)
class Source:
    """One file of the input, as it was when it was looked at.

    name      path inside the folder, with slashes; the file's name where the input is one file
    kind      "parquet" or "jsonl"
    bytes, modified  size and time of last change (ns): where they are the same, so is the file
    """

    name: str
    path: str
    kind: str
    bytes: int
    modified: int

    @classmethod
    def of(cls, path: Path, name: str, kind: str) -> Source:
        """The file as it is now. Raises DataError where it cannot be looked at."""
        try:
            found = path.stat()
        except OSError as error:
            raise DataError(f"cannot be read: {error.strerror}.", path=path) from None
        if not stat.S_ISREG(found.st_mode):
            raise DataError("is not a regular file, and only those can be read in parts.", path=path)
        return cls(name, str(path), kind, found.st_size, found.st_mtime_ns)

    @property
    def stem(self) -> str:
        """The name without its endings: what ids and the names of parts begin with."""
        ending = _ending(self.name)
        return self.name[: -len(ending)] if ending else self.name

    def check(self) -> None:
        """Raise DataError where the file is no longer what it was."""
        now = Source.of(Path(self.path), self.name, self.kind)
        if now != self:
            raise DataError(
                f"was changed while it was being linked: {self.bytes:,} bytes then, {now.bytes:,} now. "
                "Run it again with --resume.",
                path=self.path,
            )


def holds_sources(folder: Path) -> bool:
    """Whether there is a Parquet or JSON Lines file in it, or in a folder of it."""
    refused: list[DataError] = []
    return any(files_below(folder, named=_is_read, refuse=refused.append))


def others(input: str) -> Counter[str]:
    """What a folder holds that is not read, by ending; empty for a file. Names that begin with `.` or `_` are not counted."""
    counts: Counter[str] = Counter()
    if Path(input).is_dir():
        for file in files_below(Path(input), named=_is_other, refuse=lambda error: None):
            ending = file.suffix
            counts[f"files '{ending}', not read" if ending else "files without an ending, not read"] += 1
    return counts


def find_sources(input: str, *, column: bool = False, refuse: Refuse = stop) -> list[Source]:
    """The files of a folder and the folders in it, by name; or the one file that `input` is.

    column  the field with the text was named, so that JSON Lines need not have one called `text`
    refuse  called with a DataError for what is in the folder and cannot be read

    Links are followed. Names that begin with `.` or `_` are passed over, as Spark and Hadoop do. Raises DataError for no such
    file and for a folder without any, RequestError for a folder that mixes Parquet and JSON Lines, or has two files of one name
    but for the ending.
    """
    place = Path(input)
    if input == "-":
        raise RequestError("Standard input cannot be read in parts. Name a file or folder.")
    if not place.is_dir():
        return [Source.of(place.absolute(), place.name, _kind_of_file(place, column))]
    found: list[Source] = []
    for path in files_below(place, named=_is_read, refuse=refuse):
        try:
            name, kind = path.relative_to(place).as_posix(), _ENDINGS[_ending(path.name)]
            found.append(Source.of(path.absolute(), name, kind))
        except DataError as error:
            refuse(error)
    if not found:
        raise DataError(f"the folder holds no Parquet or JSON Lines files. {_READ}.", path=place)
    kinds = {source.kind: source.name for source in found}
    if len(kinds) > 1:
        raise RequestError(
            f"{place} holds Parquet and JSON Lines files ({', '.join(sorted(kinds.values()))}). "
            "Link them one after the other, from folders of their own."
        )
    stems: dict[str, str] = {}
    for source in found:
        if stems.setdefault(source.stem, source.name) != source.name:
            raise RequestError(
                f"{place} holds {stems[source.stem]} and {source.name}, whose parts would have the same names. Rename one."
            )
    return sorted(found, key=lambda source: source.name)


def _is_read(name: str) -> bool:
    return not name.startswith((".", "_")) and bool(_ending(name))


def _is_other(name: str) -> bool:
    return not name.startswith((".", "_")) and not _ending(name)


def _kind_of_file(path: Path, column: bool) -> str:
    ending = _ending(path.name)
    if column and _ENDINGS.get(ending) == "jsonl":
        return "jsonl"
    format = corpora.detect(path)
    if format == "table" and ending == ".parquet":
        return "parquet"
    if format in ("jsonl", "mentions"):
        return "jsonl"
    raise RequestError(
        f"{path} is read as '{format}', which cannot be read in parts. {_READ}. "
        "Leave --engine, --jobs and --resume out for this file."
    )


def _ending(name: str) -> str:
    lower = name.lower()
    return next((ending for ending in _ENDINGS if lower.endswith(ending)), "")
