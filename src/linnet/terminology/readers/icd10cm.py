"""ICD-10-CM as CDC and CMS publish it: the order file (every code) and the tabular XML (inclusion terms)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from linnet.formats import formats
from linnet.io.files import open_bytes, read_lines
from linnet.io.xml import line_of, parse, text_at, text_of
from linnet.terminology.readers.clean import clean
from linnet.terminology.readers.entry import Entries
from linnet.terminology.readers.folder import SourceFolder, is_folder
from linnet.terminology.readers.options import DEFAULTS, ReadOptions, SourceFile
from linnet.types import Concept

__all__ = ["read_icd10cm"]

_FORMAT = formats("terminology")["icd10cm"]
_CODE = re.compile(r"[A-Z]\d[0-9A-Z]{1,5}")


def read_icd10cm(path: Path, options: ReadOptions = DEFAULTS) -> Iterator[Concept]:
    """Codes `ICD10CM:E11.9` in file order; the files of a directory are united.

    From the order file: the long description is preferred, the short one a further name; the parent is the longest code
    that this one begins with. From the tabular XML: description and inclusion terms; the parent is the enclosing code.
    The XML does not list seventh characters.
    Raises DataError with the line for a row with another layout than the order file's, and for XML that is cut off.
    """
    files = [path]
    if is_folder(path):
        # the order file ("o") first: its long descriptions are complete, those of the tabular list rely on the level above
        files = sorted(
            SourceFolder.of(path).data_files(_FORMAT.owns, example="icd10cm-order-2026.txt"),
            key=lambda file: file.name.lower(),
        )
        changes = [file.name for file in files if "addenda" in file.name.lower()]
        if changes:
            SourceFile(path, options).tell(
                f"{', '.join(changes)} were not read: they list the changes of a release."
            )
            files = [file for file in files if file.name not in changes]
    entries = Entries()
    for file in files:
        with open_bytes(file) as stream:
            start = stream.read(512).lstrip(b"\xef\xbb\xbf \r\n")
        if start.startswith(b"<"):
            _tabular(SourceFile(file, options), entries)
        else:
            _order(SourceFile(file, options), entries)
    yield from entries.concepts()


def _order(file: SourceFile, entries: Entries) -> None:
    """Columns: order number 1–5, code 7–13, header or billable 15, short description 17–76, long description 78–."""
    seen: set[str] = set()
    for number, line in read_lines(file.path):
        if not line.strip():
            continue
        code, flag, short, long = line[6:13].strip(), line[14:15], clean(line[16:76]), clean(line[77:])
        if not _CODE.fullmatch(code) or flag not in ("0", "1") or not (short or long):
            file.malformed(f"'{line[:40]}' has not the layout of icd10cm-order.", number)
            continue
        if code in seen:
            file.malformed(f"{code} occurs twice.", number)
            continue
        seen.add(code)
        entry = entries[_id(code)]
        entry.names.extend((long, short))
        above = next((code[:end] for end in range(len(code) - 1, 2, -1) if code[:end] in seen), "")
        if above:
            entry.parents.append(_id(above))


def _tabular(file: SourceFile, entries: Entries) -> None:
    for diagnosis in parse(file.path).iter("diag"):
        code = text_at(diagnosis, "name").replace(".", "").strip()
        name = clean(text_at(diagnosis, "desc"))
        if not _CODE.fullmatch(code) or not name:
            file.malformed(f"<diag> with name '{code}' and description '{name}'.", line_of(diagnosis))
            continue
        entry = entries[_id(code)]
        entry.names.append(name)
        entry.names.extend(clean(text_of(note)) for note in diagnosis.iterfind("inclusionTerm/note"))
        above = diagnosis.getparent()
        if above is not None and above.tag == "diag":
            entry.parents.append(_id(text_at(above, "name").replace(".", "").strip()))


def _id(code: str) -> str:
    return f"ICD10CM:{code[:3]}.{code[3:]}" if len(code) > 3 else f"ICD10CM:{code}"
