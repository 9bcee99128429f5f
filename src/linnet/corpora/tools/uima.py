"""UIMA documents as exported by INCEpTION, WebAnno and cTAKES: CAS XMI (a file, a zip archive or a folder) and CAS JSON.

Mentions are DKPro's named entities, cTAKES' mentions, and the spans of all layers that are not UIMA's, DKPro's or cTAKES'.
Other layers are counted by name. No type system is needed, as XMI holds layers, offsets and features. Offsets count
UTF-16 units, as in Java.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from linnet.corpora.notes import Note, ignore
from linnet.corpora.reading import FileReading
from linnet.corpora.tools.marked_spans import MarkedSpan, document_of
from linnet.corpora.tools.uima_layers import Structure, is_mention, mention_fields
from linnet.corpora.tools.uima_xmi import xmi_structures
from linnet.errors import DataError
from linnet.formats.refusal import Refuse, stop
from linnet.io import archive
from linnet.io.files import open_bytes
from linnet.io.json import parse_json
from linnet.types import Document

__all__ = ["read_uima"]

_SILENT = frozenset({"Token", "Sentence", "DocumentMetaData", "DocumentAnnotation", "Paragraph", "Heading"})
_SHOWN = 5  # names of members in a message


def read_uima(path: str | Path, *, refuse: Refuse = stop, note: Note = ignore) -> Iterator[Document]:
    """Documents in the order of their file names; ids are the documents' own, else the file names.

    Raises or refuses DataError and OffsetError.
    """
    for name, content in _files(path):
        place = path if name is None else f"{path}/{name}"
        try:
            yield from _documents(content, Path(name or str(path)), FileReading(place, refuse, note))
        except DataError as error:
            refuse(error)


def _files(path: str | Path) -> Iterator[tuple[str | None, bytes]]:
    """Name in the folder or archive (None for a single file) and content."""
    place = Path(path)
    if str(path) == "-" or not (place.is_dir() or archive.is_archive(place)):
        with open_bytes(path) as stream:
            yield None, stream.read()
        return
    for file in _wanted(place):
        with open_bytes(file) as stream:
            yield file.name, stream.read()


def _wanted(place: Path) -> list[Path]:
    """The documents in a folder or archive: XMI, or JSON in an archive without XMI."""
    if place.is_dir():
        return sorted(file for file in place.iterdir() if file.suffix.lower() == ".xmi")
    members = archive.members(place)
    for ending in (".xmi", ".json"):
        if wanted := [file for file in members if file.suffix.lower() == ending]:
            return wanted
    names = ", ".join(file.relative_to(place).as_posix() for file in members[:_SHOWN]) or "nothing"
    raise DataError(
        f"the archive holds no .xmi or .json file, but {names}. Unpack it, and name a file.", path=place
    )


def _json_structures(content: bytes, reading: FileReading) -> list[Structure]:
    try:
        cas = parse_json(content.decode("utf-8-sig"), reading.path)
    except UnicodeDecodeError as error:
        raise reading.error(f"not valid UTF-8 at byte {error.start}. Export it again.") from None
    given = cas.get("%FEATURE_STRUCTURES") if isinstance(cas, dict) else None
    if isinstance(given, dict):
        given = [{"%ID": id, **fields} for id, fields in given.items() if isinstance(fields, dict)]
    if not isinstance(given, list) or not all(isinstance(fields, dict) for fields in given):
        raise reading.error(
            "expected UIMA CAS JSON 0.4 with '%FEATURE_STRUCTURES'. Export it as UIMA CAS XMI or CAS JSON 0.4."
        )
    structures = []
    for fields in given:
        # `@feature` refers to another structure; `%…` describes the structure itself.
        features = {
            name.removeprefix("@"): _written(value)
            for name, value in fields.items()
            if not name.startswith("%")
        }
        if "%ELEMENTS" in fields:
            features["elements"] = _written(fields["%ELEMENTS"])
        structures.append(Structure(str(fields.get("%ID")), str(fields.get("%TYPE", "")), features))
    return structures


def _written(value: object) -> str | list[str]:
    if isinstance(value, list):
        return [str(inner) for inner in value]
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)


def _documents(content: bytes, name: Path, reading: FileReading) -> Iterator[Document]:
    is_json = content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"[")
    structures = _json_structures(content, reading) if is_json else xmi_structures(content, reading)
    holders = [s for s in structures if s.layer == "Sofa" and isinstance(s.features.get("sofaString"), str)]
    sofas = {holder.id: holder for holder in holders}
    if len(sofas) < len(holders):
        raise reading.error("has two texts (Sofa) with the same id. Export it again.")
    if not sofas:
        raise reading.error("has no text (a Sofa with a sofaString). Export it again as UIMA CAS XMI.")
    for structure in structures:
        placed = {"begin", "end"} & structure.features.keys()
        if placed and str(structure.features.get("sofa")) not in sofas and is_mention(structure):
            what = f"{structure.layer} {structure.id} is in no text of the file"
            reading.refuse(
                reading.error(f"{what} (its sofa is {structure.features.get('sofa')}). Export it again.")
            )
    by_id = {structure.id: structure for structure in structures}
    for number, (sofa, holder) in enumerate(sofas.items(), start=1):
        inside = [s for s in structures if s.features.get("sofa") == sofa and s is not holder]
        metadata = next((s.features for s in inside if s.layer == "DocumentMetaData"), {})
        title = (
            metadata.get("documentTitle") or metadata.get("documentId") or name.name.removesuffix(name.suffix)
        )
        id = str(title) if number == 1 else f"{title}#{holder.features.get('sofaID', number)}"
        mentions: list[tuple[Structure, Mapping[str, Structure], FileReading]] = []
        other: Counter[str] = Counter()
        for structure in inside:
            if not {"begin", "end"} & structure.features.keys() and structure.layer != "NamedEntity":
                continue  # not an annotation, e.g. the filler of a slot
            if is_mention(structure):
                place = reading.at(f"document {id}, {structure.layer} {structure.id}")
                mentions.append((structure, by_id, place))
            else:
                other[structure.layer] += structure.layer not in _SILENT
        spans = list(reading.each(mentions, _span))
        for layer, count in sorted(other.items()):
            reading.note(f"annotations of the layer {layer}, left out", count)
        yield document_of(id, str(holder.features["sofaString"]), spans, "utf-16", reading)


def _span(structure: Structure, by_id: Mapping[str, Structure], reading: FileReading) -> MarkedSpan | None:
    """The span of a mention; None, counted, if it covers no character."""
    begin, end = (_offset(structure, name, reading) for name in ("begin", "end"))
    if begin == end:
        reading.note("annotations of no character (zero width), left out")
        return None
    type, concepts, extra = mention_fields(structure, by_id)
    return MarkedSpan(begin, end, None, type, concepts, reading.item, {"uima": extra} if extra else {})


def _offset(structure: Structure, feature: str, reading: FileReading) -> int:
    value = str(structure.features.get(feature, ""))
    if not (value.isascii() and value.isdigit()):
        raise reading.error(f"expected a whole number in '{feature}', got '{value[:60]}'.")
    return int(value)
