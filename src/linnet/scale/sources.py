"""The files of a large corpus: a Parquet or JSON Lines file, or a folder of them."""

from __future__ import annotations

import stat
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from linnet import corpora
from linnet.advice import Step
from linnet.errors import DataError, RequestError
from linnet.formats.refusal import Refuse, stop
from linnet.io.compression import SUFFIXES
from linnet.io.folders import files_below

__all__ = ["Source", "count_unread", "find_sources", "holds_sources"]

_JSON = (".jsonl", ".ndjson", ".json")
_ENDINGS = {
    ".parquet": "parquet",
    **dict.fromkeys(_JSON, "jsonl"),
    **dict.fromkeys((ending + packed for ending in _JSON for packed in SUFFIXES), "jsonl"),
}
_READ = "Supported: .parquet, and .jsonl, .ndjson or .json with one object per line, also compressed (.jsonl.gz, .bz2, .xz, .zip)"


@dataclass(frozen=True, slots=True)
class Source:
    """An input file, as it was when found. Field names are keys in recorded scans.

    name      path inside the folder, with slashes; of a single file its name
    kind      "parquet" or "jsonl"
    bytes, modified  size and time of last change (ns), by which an unchanged file is recognised
    """

    name: str
    path: str
    kind: str
    bytes: int
    modified: int

    @classmethod
    def of(cls, path: Path, name: str, kind: str) -> Source:
        """The file as it is now. Raises DataError where it is unreadable or not a regular file."""
        try:
            status = path.stat()
        except OSError as error:
            raise DataError(f"cannot be read: {error.strerror}.", path=path) from None
        if not stat.S_ISREG(status.st_mode):
            raise DataError("is not a regular file; only regular files can be read in chunks.", path=path)
        return cls(name, str(path), kind, status.st_size, status.st_mtime_ns)

    @property
    def stem(self) -> str:
        """The name without its endings, with which ids and the names of chunks begin."""
        ending = _ending(self.name)
        return self.name[: -len(ending)] if ending else self.name

    def check(self) -> None:
        """Raise DataError where the file has changed."""
        now = Source.of(Path(self.path), self.name, self.kind)
        if now != self:
            raise DataError(
                f"has changed during linking: {self.bytes:,} bytes then, {now.bytes:,} now.",
                Step.RESUME(),
                path=self.path,
            )


def holds_sources(folder: Path) -> bool:
    """Whether a Parquet or JSON Lines file is in the folder or below."""
    refused: list[DataError] = []
    return any(files_below(folder, named=_is_read, refuse=refused.append))


def count_unread(input: str) -> Counter[str]:
    """Note → number of a folder's files that are not read, by ending. Names that begin with `.` or `_` are not counted."""
    counts: Counter[str] = Counter()
    if Path(input).is_dir():
        for file in files_below(Path(input), named=_is_other, refuse=lambda error: None):
            ending = file.suffix
            counts[f"files '{ending}', not read" if ending else "files without an ending, not read"] += 1
    return counts


def find_sources(input: str, *, column: bool = False, refuse: Refuse = stop) -> list[Source]:
    """The file `input`, or the files in and below the folder, by name.

    column  the text's field was named, so that JSON Lines need no field `text`
    refuse  called with a DataError for each unreadable file of the folder

    Links are followed. Names that begin with `.` or `_` are skipped, as by Spark and Hadoop. Raises DataError for a missing
    file and a folder without files, RequestError for a folder that mixes Parquet and JSON Lines, or has two files whose names
    differ only in the ending.
    """
    folder = Path(input)
    if input == "-":
        raise RequestError("Standard input cannot be read in chunks. Name a file or folder.")
    if not folder.is_dir():
        return [Source.of(folder.absolute(), folder.name, _kind_of_file(folder, column))]
    sources: list[Source] = []
    for path in files_below(folder, named=_is_read, refuse=refuse):
        try:
            name, kind = path.relative_to(folder).as_posix(), _ENDINGS[_ending(path.name)]
            sources.append(Source.of(path.absolute(), name, kind))
        except DataError as error:
            refuse(error)
    if not sources:
        raise DataError(f"the folder holds no Parquet or JSON Lines files. {_READ}.", path=folder)
    kinds = {source.kind: source.name for source in sources}
    if len(kinds) > 1:
        raise RequestError(
            f"{folder} holds Parquet and JSON Lines files ({', '.join(sorted(kinds.values()))}). "
            "Put them into separate folders and link these one by one."
        )
    stems: dict[str, str] = {}
    for source in sources:
        if stems.setdefault(source.stem, source.name) != source.name:
            raise RequestError(
                f"{folder} holds {stems[source.stem]} and {source.name}, whose output files would have the same names. Rename one."
            )
    return sorted(sources, key=lambda source: source.name)


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
        f"{path} is read as '{format}', which cannot be read in chunks. {_READ}.",
        Step.WITHOUT_CHUNKS(),
    )


def _ending(name: str) -> str:
    lower = name.lower()
    return next((ending for ending in _ENDINGS if lower.endswith(ending)), "")
