"""BioC documents as plain records, shared by the XML and JSON formats.

    {"id", "infons", "passages": [{"offset", "infons", "text" or "sentences", "annotations", "relations"}],
     "annotations", "relations"}
    an annotation: {"id", "infons", "text", "locations": [{"offset", "length"}]}

Offsets count from the beginning of the document. Passages are joined into one text that fits them: a gap of one becomes a
space, a longer one line breaks. Everything else is kept and written back. The document's `extra["bioc"]` has its record
without texts and mentions; relations and annotations without a location are listed with their places. A mention's
`extra["bioc"]` has the id, infons and place of its annotation. A place is the indexes of passage and sentence, empty for
the document.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from linnet.advice import Step
from linnet.corpora.bioc_infons import Census, concepts_of, relinked, type_of
from linnet.corpora.reading import FileReading
from linnet.corpora.spans import checked, hull, spans_of
from linnet.errors import DataError, OffsetError
from linnet.types import Document, Mention

__all__ = ["HOLDS", "document_of", "record_of"]

HOLDS = frozenset({"mentions", "type", "concepts", "title", "spans", "combined", "attributes", "bioc"})
_SHAPES = (
    ("infons", dict, "an object"),
    ("sentences", list, "a list"),
    ("annotations", list, "a list"),
    ("relations", list, "a list"),
)
_KEYS = frozenset(
    {"infons", "passages", "offset", "text", "sentences", "annotations", "relations", "locations", "nodes"}
)
_PLACES = frozenset({"locations", "span", "spans", "start", "begin", "offset", "start_offset"})
_ASIDE = frozenset({"relations", "annotations", "collection"})


def document_of(
    record: Any, number: int, collection: Mapping[str, Any], census: Census, reading: FileReading
) -> Document:
    """The document of a record. Raises DataError; annotations that do not fit are refused alone.

    number      the id, if the record has none
    collection  fields of the collection, kept with its first document
    census      counts the annotations without a concept
    """
    if not isinstance(record, dict) or not isinstance(record.get("passages"), list):
        raise reading.error("expected a BioC document with 'passages'. Is it BioC?")
    id = str(number if record.get("id") in (None, "") else record["id"])
    file, reading = reading, reading.at(f"document {id}")
    _check_shape(record, file, reading)
    try:
        rest = deepcopy(record)
    except RecursionError:
        raise reading.error("nested too deeply.") from None
    rest.pop("id", None)
    pieces: list[str] = []
    length = 0
    for holder in _text_holders(rest):
        offset, text = holder.get("offset"), holder.pop("text", None) or ""
        if type(offset) is not int or not isinstance(text, str):
            raise reading.error(
                f"expected passages with a whole number as offset and a text; got offset "
                f"{offset!r} and {'a text' if isinstance(text, str) else repr(text)[:40]}."
            )
        if offset < length:
            raise reading.error(
                f"the passage at offset {offset} begins before the previous one ends ({length}). "
                "Do the offsets count characters from the beginning of the document?"
            )
        gap = offset - length
        if gap > max(1_000_000, 10 * length):
            raise reading.error(f"passage offset {offset} is far outside the text.")
        pieces += [" " if gap == 1 else "\n" * gap, text]
        length = offset + len(text)
        holder["length"] = len(text)
    home = Document(id, "".join(pieces))
    mentions: list[Mention] = []
    aside: dict[str, list[Any]] = {"relations": [], "annotations": []}
    for place, holder in _holders(rest):
        for name in ("infons", "sentences"):
            if name in holder and not holder[name]:
                del holder[name]
        aside["relations"] += [[list(place), relation] for relation in holder.pop("relations", None) or ()]
        for annotation in holder.pop("annotations", None) or ():
            if isinstance(annotation, dict) and not annotation.get("locations"):
                aside["annotations"].append([list(place), annotation])
                census.note("annotations without a place in the text, kept aside", unread=True)
                continue
            try:
                mentions.append(_mention(annotation, place, home, census, reading))
            except DataError as error:
                reading.refuse(error)
    own = rest | {name: held for name, held in aside.items() if held}
    if collection:
        own["collection"] = dict(collection)
    return Document(id, home.text, tuple(mentions), _title(record) | {"bioc": own})


def record_of(document: Document, lost: Counter[str]) -> dict[str, Any]:
    """The record of a document, with the passages as read, else title and abstract, else one passage."""
    own = document.extra.get("bioc", {})
    fits = "passages" in own and _fits(own, document)
    record: dict[str, Any] = (
        deepcopy({k: v for k, v in own.items() if k not in _ASIDE}) if fits else _fresh(document)
    )
    for holder in _text_holders(record):
        holder["text"] = document.text[holder["offset"] : holder["offset"] + holder.pop("length")]
    holders = dict(_holders(record))
    for name in ("relations", "annotations"):
        for place, item in own.get(name, ()):
            holders.get(tuple(place), record).setdefault(name, []).append(item)
    taken = {m.extra.get("bioc", {}).get("id") for m in document.mentions}
    number = 0
    used: set[Any] = set()
    for mention in document.mentions:
        read = mention.extra.get("bioc", {})
        id = read.get("id")
        if id is None or id in used:
            number += 1
            while str(number) in taken:
                number += 1
            id = str(number)
        used.add(id)
        place = tuple(read["place"]) if fits and "place" in read else None
        holder = holders[place] if place in holders else _holder(mention, holders)
        holder.setdefault("annotations", []).append(_annotation(mention, id, lost))
    return {"id": document.id, **record}


def _holders(record: Mapping[str, Any]) -> Iterator[tuple[tuple[int, ...], Any]]:
    """All that can hold annotations, with its place: the document, its passages, their sentences."""
    yield (), record
    for p, passage in enumerate(record.get("passages") or ()):
        yield (p,), passage
        inner = passage.get("sentences") if isinstance(passage, dict) else None
        for s, sentence in enumerate(inner if isinstance(inner, list) else ()):
            yield (p, s), sentence


def _check_shape(record: Mapping[str, Any], file: FileReading, document: FileReading) -> None:
    """Raise DataError for a field of another type or spelling than BioC's; note other fields that look like annotations."""
    for place, holder in _holders(record):
        if not isinstance(holder, dict):
            raise file.error("expected objects as passages and sentences. Is it BioC?")
        reading = document.inside(f"passage {place[0] + 1}") if place else document
        _check_spelling(holder, reading)
        for name, kind, shown in _SHAPES:
            if not isinstance(holder.get(name), (kind, type(None))):
                raise reading.error(f"expected {shown} as '{name}', got {repr(holder[name])[:40]}.")
        for name, value in holder.items():
            if name.casefold() not in _KEYS and isinstance(value, list) and any(map(_is_placed, value)):
                reading.note(
                    f"items of '{name}', which look like annotations but are not BioC's, kept aside",
                    len(value),
                )


def _check_spelling(holder: Mapping[str, Any], reading: FileReading) -> None:
    for key in holder:
        if key not in _KEYS and key.casefold() in _KEYS:
            raise reading.error(f"got the key '{key}', expected '{key.casefold()}'. Rename it.")


def _is_placed(value: Any) -> bool:
    return isinstance(value, dict) and not _PLACES.isdisjoint(value)


def _text_holders(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """All that holds text: passages, or their sentences."""
    for passage in record["passages"]:
        inner = passage.get("sentences")
        if inner and not passage.get("text"):
            yield from inner
        else:
            yield passage


def _mention(
    record: Any, place: Sequence[int], home: Document, census: Census, reading: FileReading
) -> Mention:
    id = record.get("id", "") if isinstance(record, dict) else ""
    reading = reading.inside(f"annotation {id}".rstrip())
    try:
        infons = dict(record.get("infons") or {})
        spans = [[place["offset"], place["offset"] + place["length"]] for place in record["locations"]]
        stated = record.get("text")
        valid = all(type(number) is int for span in spans for number in span) and isinstance(
            stated, (str, type(None))
        )
    except (AttributeError, KeyError, TypeError, ValueError):
        valid = False
    if isinstance(record, dict):
        _check_spelling(record, reading)
    if not valid:
        raise reading.error("expected infons, text, and locations with offset and length.")
    surface = stated if len(spans) == 1 else None
    pieces = [checked(home.text, low, high, surface, reading) for low, high in spans]
    if stated is not None and not all(_spaced(piece) in _spaced(stated) for piece in pieces):
        raise reading.error(
            f"the text at {', '.join(f'{low}–{high}' for low, high in spans)} is '{' … '.join(pieces)}', the "
            f"annotation says '{stated}'.",
            Step.SKIP_BAD_RECORD(),
            kind=OffsetError,
        )
    start, end = hull(spans)
    type_ = type_of(infons)
    key, concepts, combined = concepts_of(infons, type_)
    census.add(infons, key, concepts)
    own: dict[str, Any] = {"place": list(place), "infons": infons}
    if record.get("id") is not None:
        own["id"] = record["id"]
    own |= {
        name: value for name, value in record.items() if name not in ("id", "infons", "text", "locations")
    }
    if len(spans) > 1 and stated is not None and stated != " ".join(pieces):
        own["text"] = stated
    extra: dict[str, Any] = {"spans": spans} if len(spans) > 1 else {}
    if combined:
        extra["combined"] = True
    return Mention(home, start, end, home.text[start:end], type_, concepts, extra=extra | {"bioc": own})


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _annotation(mention: Mention, id: Any, lost: Counter[str]) -> dict[str, Any]:
    own = dict(mention.extra.get("bioc", {}))
    own.pop("place", None)
    own.pop("id", None)
    combined = bool(mention.extra.get("combined")) and len(mention.concepts) > 1
    infons = relinked(own.pop("infons", {}), mention.type, mention.concepts, combined=combined)
    lost["exact concept ids"] += concepts_of(infons, mention.type)[1:] != (
        tuple(mention.concepts),
        combined,
    )
    for name, value in mention.extra.get("attributes", {}).items():
        further = {**infons, name: "true" if value is True else str(value)}
        kept = _read(further, mention.type) == _read(infons, mention.type)
        lost["attributes with a name that stands for the type or the concepts"] += not kept
        infons = further if kept else infons
    spans = spans_of(mention)
    text = " ".join(mention.document.text[low:high] for low, high in spans)
    return {
        "id": id,
        "infons": infons,
        "text": own.pop("text", text) if len(spans) > 1 else text,
        "locations": [{"offset": low, "length": high - low} for low, high in spans],
        **own,
    }


def _read(infons: Mapping[str, Any], type: str) -> tuple[str, tuple[str, ...], bool]:
    """Type and concepts as a reader finds them."""
    return (type_of(infons), *concepts_of(infons, type)[1:])


def _fits(record: Mapping[str, Any], document: Document) -> bool:
    """Whether the passages as read still cover the text."""
    covered = 0
    for holder in _text_holders(record):
        if document.text[covered : holder["offset"]].strip() or holder["offset"] > len(document.text):
            return False
        covered = holder["offset"] + holder["length"]
    return covered == len(document.text)


def _fresh(document: Document) -> dict[str, Any]:
    text, title = document.text, document.extra.get("title")
    if isinstance(title, int) and 0 < title < len(text) and text[title].isspace():
        return {
            "passages": [
                {"infons": {"type": "title"}, "offset": 0, "length": title},
                {"infons": {"type": "abstract"}, "offset": title + 1, "length": len(text) - title - 1},
            ]
        }
    kind = {"type": "title"} if title == len(text) and text else {}
    return {"passages": [{"infons": kind, "offset": 0, "length": len(text)}]}


def _holder(mention: Mention, holders: Mapping[tuple[int, ...], dict[str, Any]]) -> dict[str, Any]:
    """The passage in which the mention begins."""
    passages = [holder for place, holder in holders.items() if len(place) == 1]
    return next((p for p in reversed(passages) if p["offset"] <= mention.start), passages[0])


def _title(record: Mapping[str, Any]) -> dict[str, int]:
    """The length of the title, if the first passage is one."""
    first = record["passages"][0] if record["passages"] else {}
    kind = str((first.get("infons") or {}).get("type", "")).lower()
    if kind == "title" and not first.get("sentences") and first.get("offset") == 0:
        return {"title": len(first.get("text") or "")}
    return {}
