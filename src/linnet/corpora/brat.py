"""BRAT standoff: `NAME.txt` with the text and `NAME.ann` with one line per annotation; one pair, or a folder of pairs.

    T1<tab>Disease 0 4;9 15<tab>Gout ataxia        a mention; several fragments make a discontinuous one
    N1<tab>Reference T1 MESH:D006073<tab>Gout      its concept; `brat_concepts` lists other places

`NAME.a1` and `NAME.a2` of BioNLP shared tasks are read as one `.ann`. A mention covers the hull of its fragments, which
`extra["spans"]` keeps. Events, relations, attributes, notes and `*` lines are kept in `extra["brat"]["rows"]` and written
back; a mention's `extra["attributes"]` is written as further attributes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from linnet.corpora.brat_concepts import concepts_of_rows, is_cui, target
from linnet.corpora.ids import as_curie
from linnet.corpora.lines import decoded
from linnet.corpora.losses import Losses, unheld
from linnet.corpora.marks import ANNOTATIONS
from linnet.corpora.notes import Note, ignore
from linnet.corpora.packed_brat import check_unpacked
from linnet.corpora.plain import count_others, marked, new_folder, write_new
from linnet.corpora.reading import FileReading
from linnet.corpora.spans import checked, hull, spans_of
from linnet.corpora.tools.concept_fields import concepts_in
from linnet.errors import DataError, RequestError
from linnet.formats.refusal import Refuse, stop
from linnet.io.control_characters import spaced, spaced_text
from linnet.io.files import open_bytes, read_text, replacing
from linnet.types import Document, Mention

__all__ = ["read_brat", "write_brat"]

_SPAN = re.compile(r"^(\S+) (\d+ \d+(?:;\d+ \d+)*)$")
_ID = re.compile(r"(?<=[ :])[A-Z]\w*\d\w*(?= |$)")
_BREAKS = str.maketrans("\n\r\t", "   ")
_HOLDS = frozenset({"mentions", "type", "concepts", "spans", "attributes", "brat"})
_OF_TEXT = re.compile(r"^\S+ (?:Annotation:)?T")  # normalisation of a text annotation
_Row = tuple[int, list[str]]


def read_brat(path: str | Path, *, refuse: Refuse = stop, note: Note = ignore) -> Iterator[Document]:
    """Documents in the order of their file names, which are their ids; `path` may be either file of a pair.

    A `.txt` without `.ann` has no mentions. Raises or refuses DataError and OffsetError, one annotation at a time.
    """
    check_unpacked(path)
    reading = FileReading(path, refuse, note)
    yield from reading.each(((name, reading) for name in _names(Path(path), note)), _document)


def write_brat(documents: Iterable[Document], path: str | Path) -> Losses:
    """Write one document to the pair of `NAME.ann`, or any number to a new folder (any other path).

    Annotations keep the ids they were read with; rows about missing annotations are dropped and counted.
    Raises RequestError for several documents in one pair, and for a folder that is not empty.
    """
    lost: Counter[str] = Counter()
    place = Path(path)
    if str(path) == "-":
        raise RequestError("BRAT needs two files, so it cannot be written to standard output. Name a folder.")
    if place.suffix in (".ann", ".txt"):
        pairs = list(zip(range(2), documents, strict=False))
        if len(pairs) != 1:
            count = "several documents" if pairs else "no document"
            raise RequestError(f"{path} holds one document; got {count}. Name a folder: -o {place.stem}")
        document = pairs[0][1]
        rows, written = spaced(_rows(document, lost)), spaced_text(marked(document.text), lost)
        with replacing(place.with_suffix(".txt")) as text, replacing(place.with_suffix(".ann")) as notes:
            text.write_bytes(written.encode())
            notes.write_bytes(rows.encode())
        return Losses(+lost)
    with new_folder(place) as folder:
        for document in documents:
            missed: Counter[str] = Counter()
            rows, written = spaced(_rows(document, missed)), spaced_text(marked(document.text), missed)
            files = {".txt": written, ".ann": rows}
            if write_new(folder, document.id, files, lost, path):
                lost += missed
    return Losses(+lost)


def _names(place: Path, note: Note) -> list[Path]:
    """The sorted paths of the documents, without ending."""
    endings = (".txt", *ANNOTATIONS)
    if not place.is_dir():
        return [place.with_suffix("") if place.suffix in endings else place]
    count_others(place, endings, note)
    return sorted({file.with_suffix("") for file in place.iterdir() if file.suffix in endings}, key=str)


def _with(name: Path, ending: str) -> Path:
    return name.with_name(name.name + ending)


def _document(name: Path, folder: FileReading) -> Document:
    files = [file for ending in ANNOTATIONS if (file := _with(name, ending)).is_file()]
    text_file = _with(name, ".txt")
    if not text_file.is_file():
        raise DataError(
            f"its text is missing. Put {text_file.name} beside it.", path=files[0] if files else text_file
        )
    text = read_text(text_file)
    home = Document(text_file.name.removesuffix(".txt"), text)
    annotations: dict[str, dict[str, Any]] = {}
    about: dict[str, list[list[str]]] = {}
    rows: list[str] = []
    for notes in files:
        ann = FileReading(notes, folder.refuse, folder.note)
        for number, cells in _cells(ann):
            reading = ann.on(number)
            try:
                if cells[0].startswith("T"):
                    if cells[0] in annotations:
                        raise reading.error(f"annotation {cells[0]} occurs twice. Renumber one.")
                    annotations[cells[0]] = _span(cells, home, reading)
                elif id := target(cells):
                    about.setdefault(id, []).append(cells)
                else:
                    rows.append("\t".join(cells))
                    _note_unread(cells, reading)
            except DataError as error:
                reading.refuse(error)
    for id, notes_ in about.items():
        if id not in annotations:
            folder.note("rows with a concept for a missing annotation, kept aside", len(notes_), unread=True)
            rows.extend("\t".join(cells) for cells in notes_)
    mentions = [_mention(home, id, span, about.get(id, ())) for id, span in annotations.items()]
    return Document(home.id, text, tuple(mentions), {"brat": {"rows": rows}} if rows else {})


def _note_unread(cells: Sequence[str], reading: FileReading) -> None:
    """Count possible concepts that were not read; raise DataError for malformed normalisation rows."""
    row = cells[1] if len(cells) > 1 else ""
    if cells[0].startswith("N"):
        if len(row.split()) < 3 or _OF_TEXT.search(row):
            shown = "<tab>".join(cells)[:60]
            raise reading.error(f"expected 'N1<tab>Reference T1 ID<tab>name', got '{shown}'.")
        reading.note("normalisation rows of other annotations than T, kept aside")
    elif row.startswith("AnnotatorNotes T") and any(map(concepts_in, cells[-1].split())):
        reading.note("notes with a concept id among other words, not read as concepts", unread=True)


def _cells(reading: FileReading) -> Iterator[_Row]:
    """Rows split at tabs. Only `\\n` ends a line: `lines` would drop a `\\r` that the text still counts."""
    with open_bytes(reading.path) as stream:
        for number, raw in enumerate(stream, start=1):
            line = decoded(raw.removesuffix(b"\n").removesuffix(b"\r"), reading.path, number)
            if isinstance(line, DataError):
                reading.refuse(line)
            elif line.strip():
                yield number, line.split("\t")


def _span(cells: Sequence[str], home: Document, reading: FileReading) -> dict[str, Any]:
    match = _SPAN.match(cells[1]) if len(cells) > 1 else None
    if not match or len(cells) > 3:
        shown = "<tab>".join(cells)[:60]
        raise reading.error(
            f"expected 'T1<tab>TYPE START END<tab>text', got '{shown}'. Put tabs between columns."
        )
    surface = cells[2] if len(cells) == 3 else None
    spans = [[int(number) for number in fragment.split()] for fragment in match[2].split(";")]
    place = reading.at(f"document {home.id}, {cells[0]}")
    if len(spans) == 1:
        checked(home.text, spans[0][0], spans[0][1], surface, place)
    else:
        text = " ".join(checked(home.text, low, high, None, place) for low, high in spans)
        if surface is not None and text.split() != surface.split():
            checked(text, 0, len(text), surface, place.inside("fragments"))
    return {"type": match[1], "spans": spans}


def _mention(home: Document, id: str, span: dict[str, Any], about: Sequence[list[str]]) -> Mention:
    spans, type = span["spans"], span["type"]
    start, end = hull(spans)
    concepts = concepts_of_rows(about, type=type)
    extra: dict[str, Any] = {"spans": spans} if len(spans) > 1 else {}
    extra["brat"] = {"id": id} | ({"notes": [list(cells) for cells in about]} if about else {})
    if is_cui(type):
        extra["brat"]["type"] = type
        concepts = concepts or (as_curie(type.replace("_", ":")),)
        type = ""
    return Mention(home, start, end, home.text[start:end], type, concepts, extra=extra)


def _rows(document: Document, lost: Counter[str]) -> str:
    lost += unheld(document, _HOLDS)
    rows = document.extra.get("brat", {}).get("rows", [])
    named = [m.extra.get("brat", {}).get("id") for m in document.mentions]
    taken = {row.split("\t")[0] for row in rows} | {name for name in named if name}
    taken |= {note[0] for m in document.mentions for note in m.extra.get("brat", {}).get("notes", ())}
    used: set[str] = set()
    spans: list[str] = []
    notes: list[str] = []
    for mention, name in zip(document.mentions, named, strict=True):
        id = name if name and name not in used else _fresh("T", taken)
        used.add(id)
        cui = mention.extra.get("brat", {}).get("type", "") if _as_read(mention) else ""
        type = "_".join(mention.type.split()) or cui or "Entity"
        lost["exact types"] += type != mention.type and not cui
        spans.append(f"{id}\t{type} {_fragments(mention)}")
        notes.extend(_references(mention, id, taken))
        notes.extend(_attributes(mention, id, taken, lost))
    return "".join(f"{row}\n" for row in [*spans, *notes, *_still_valid(rows, used, lost)])


def _fresh(letter: str, taken: set[str]) -> str:
    number = len([id for id in taken if id.startswith(letter)]) + 1
    while f"{letter}{number}" in taken:
        number += 1
    taken.add(f"{letter}{number}")
    return f"{letter}{number}"


def _fragments(mention: Mention) -> str:
    """Offsets and text, with spaces for line breaks, as in BRAT."""
    text, spans = mention.document.text, spans_of(mention)
    offsets = ";".join(f"{low} {high}" for low, high in spans)
    words = " ".join(text[low:high] for low, high in spans)
    return f"{offsets}\t{words.translate(_BREAKS)}"


def _as_read(mention: Mention) -> bool:
    """Whether the mention still has the concepts that its rows, or its type, gave it."""
    own = mention.extra.get("brat", {})
    cui = own.get("type", "")
    concepts = concepts_of_rows(own.get("notes", ()), type=cui or mention.type)
    return tuple(mention.concepts) == (concepts or ((as_curie(cui.replace("_", ":")),) if cui else ()))


def _references(mention: Mention, id: str, taken: set[str]) -> list[str]:
    own = mention.extra.get("brat", {})
    if own.get("id") == id and _as_read(mention):
        return ["\t".join(cells) for cells in own.get("notes", ())]
    name = mention.text.translate(_BREAKS)
    return [f"{_fresh('N', taken)}\tReference {id} {concept}\t{name}" for concept in mention.concepts]


def _attributes(mention: Mention, id: str, taken: set[str], lost: Counter[str]) -> Iterator[str]:
    """`A1<tab>negated T1` for a flag, `A2<tab>severity T1 mild` for a value."""
    for name, value in mention.extra.get("attributes", {}).items():
        words = [name] if value is True else [name, str(value)]
        written = ["_".join(word.split()) for word in words]
        lost["exact names and values of attributes"] += written != words
        yield f"{_fresh('A', taken)}\t{' '.join([written[0], id, *written[1:]])}"


def _still_valid(rows: Sequence[str], used: set[str], lost: Counter[str]) -> list[str]:
    """The rows that refer only to written annotations and rows; repeated until no more rows are dropped."""
    kept = list(rows)
    gone = {id for row in rows for id in _ID.findall(_arguments(row)) if id.startswith("T")} - used
    while True:
        valid = [row for row in kept if not gone & set(_ID.findall(_arguments(row)))]
        gone |= {row.split("\t")[0] for row in kept} - {row.split("\t")[0] for row in valid}
        if len(valid) == len(kept):
            break
        kept = valid
    lost["rows about annotations that are gone (brat)"] += len(rows) - len(kept)
    return kept


def _arguments(row: str) -> str:
    """The column of a row that names other annotations."""
    return row.split("\t")[1] if "\t" in row else ""
