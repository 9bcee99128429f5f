"""Files of one or several SNOMED CT releases below a folder, recognised by name, and the latest state of their rows.

Names follow the release file specification, with the edition before or after the content
(`sct2_Concept_UKCLSnapshot_GB1000000_20260401.txt`, `sct2_Description_SpanishExtensionSnapshot-es_INT_20260331.txt`,
`der2_cRefset_LanguageUKDGSnapshot-en_GB1000001_20260401.txt`, `sct2_Concept_MONOSnapshot_GB_20260401.txt`).
Source: SNOMED CT Release File Specification, section 3.3 (file naming).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from linnet.errors import DataError
from linnet.terminology.readers.folder import SourceFolder, plain_name
from linnet.terminology.readers.options import ReadOptions
from linnet.terminology.readers.rows import named_rows

__all__ = ["Release"]

_CONTENTS = {
    "concepts": r"sct2_Concept_",
    "descriptions": r"sct2_Description_",
    "definitions": r"sct2_TextDefinition_",
    "relationships": r"sct2_Relationship_",
    "languages": r"der2_cRefset_[A-Za-z]*Language",
    "associations": r"der2_cRefset_[A-Za-z]*Association",
}
# Beta releases prefix an "x". After the content: edition, kind of release, language, country or namespace, date.
_NAMES = {
    content: re.compile(
        rf"x?{start}(?P<edition>\w*?)(?P<kind>Snapshot|Full|Delta)(?P<rest>[\w-]*)\.txt",
        re.IGNORECASE,
    )
    for content, start in _CONTENTS.items()
}
_DATE = re.compile(r"_(\d{8})(T\d{6}Z)?$", re.IGNORECASE)


class Release:
    """The snapshot files below a folder, by content.

    Raises DataError if concepts or descriptions are missing, or if a file is there in two releases.
    """

    def __init__(self, folder: Path) -> None:
        self._files: dict[str, list[Path]] = {content: [] for content in _NAMES}
        snapshots = {content: dict[str, Path]() for content in _NAMES}
        others: set[str] = set()
        for file in sorted(SourceFolder.of(folder).files):
            for content, pattern in _NAMES.items():
                match = pattern.fullmatch(plain_name(file))
                if match and match["kind"].lower() == "snapshot":
                    snapshots[content].setdefault(plain_name(file).removesuffix(".txt"), file)
                elif match:
                    others.add(match["kind"].capitalize())
        for content, files in snapshots.items():
            _refuse_two_releases(files)
            self._files[content] = list(files.values())
        for content in ("concepts", "descriptions"):
            if not self._files[content]:
                only = (
                    f"; only {' and '.join(sorted(others))} files, which linnet does not read"
                    if others
                    else ""
                )
                raise DataError(
                    f"no {_CONTENTS[content]}…Snapshot….txt below it{only}. Give the release folder with the Snapshot files.",
                    path=folder,
                )

    def rows(
        self, content: str, columns: Sequence[str], options: ReadOptions
    ) -> Iterator[tuple[Path, int, list[str]]]:
        """File, line, and the cells of `columns` of each row; for a row in several files, only its latest state.

        content  "concepts", "descriptions", "definitions", "relationships", "languages" or "associations"
        """
        return current_rows(self._files[content], columns, options)


def current_rows(
    files: Sequence[Path], columns: Sequence[str], options: ReadOptions, *, several: bool = False
) -> Iterator[tuple[Path, int, list[str]]]:
    """Rows of files as in `Release.rows`; `several`: even one file may have several states of a row."""
    newest: dict[int, int] = {}
    together = several or len(files) > 1
    if together:
        for file in files:
            for _, (id, time) in named_rows(file, ("id", "effectiveTime"), options):
                newest[_key(id)] = max(newest.get(_key(id), 0), _time(time))
    for file in files:
        for number, (id, time, *row) in named_rows(file, ("id", "effectiveTime", *columns), options):
            if together:
                # 64-bit keys instead of ids of 36 characters, as millions are held at once
                if newest.get(_key(id)) != _time(time):
                    continue
                newest[_key(id)] = -1
            yield file, number, row


def _key(id: str) -> int:
    return int(id) if id.isdigit() and id.isascii() else hash(id)


def _time(effective: str) -> int:
    return int(effective) if effective.isdigit() and effective.isascii() else 0


def _refuse_two_releases(files: dict[str, Path]) -> None:
    dates: dict[str, Path] = {}
    for name, file in files.items():
        other = dates.setdefault(_DATE.sub("", name), file)
        if other is not file:
            raise DataError(
                f"is also there in another release: {other.name}. Give a folder with one release of each edition.",
                path=file,
            )
