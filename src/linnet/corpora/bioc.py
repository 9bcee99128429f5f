"""BioC documents, as plain records: what the XML and the JSON form have in common.

    {"id", "infons", "passages": [{"offset", "infons", "text" or "sentences", "annotations", "relations"}],
     "annotations", "relations"}
    an annotation: {"id", "infons", "text", "locations": [{"offset", "length"}]}

Offsets count from the document's beginning. Passages are laid out in one text so that they hold: a gap of one is a
space, a longer one line breaks. All else is kept and written back: in the document's `extra["bioc"]` its record without
texts and mentions, relations and annotations without a location being listed with their places; in a mention's the
id, infons and place of its annotation. A place is the indexes of passage and sentence, empty for the document.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

from linnet.corpora.ids import format_concepts, parse_concepts
from linnet.corpora.refusal import Refuse
from linnet.corpora.spans import checked
from linnet.errors import DataError
from linnet.types import Document, Mention

__all__ = ["HOLDS", "document_of", "record_of"]

HOLDS = frozenset({"mentions", "type", "concepts", "title", "spans", "combined", "bioc"})
# Infons that hold concept ids, in the order looked at, and the vocabulary of ids without prefix.
_CONCEPT_KEYS = {
    "identifier": "", "concept_id": "", "MESH": "MESH", "mesh": "MESH", "MEDIC": "", "OMIM": "OMIM", "UMLS": "UMLS",
    "CUI": "UMLS", "NCBI Gene": "NCBIGENE", "NCBI GENE": "NCBIGENE", "ncbi_gene": "NCBIGENE", "ncbitaxon": "NCBITAXON",
    "NCBI Taxonomy": "NCBITAXON", "normalized_id": "", "database_id": "",
}  # fmt: skip
_ASIDE = frozenset({"relations", "annotations", "collection"})
_TYPE_KEYS = ("type", "semantic_type", "class")


def document_of(
    record: Any,
    *,
    number: int,
    collection: Mapping[str, Any],
    path: str | Path,
    line: int | None,
    refuse: Refuse,
) -> Document:
    """The document of a record. Raises DataError; annotations that do not fit are refused alone.

    number      stands for the id where there is none
    collection  fields of the collection, kept with its first document
    """
    if not isinstance(record, dict) or not isinstance(record.get("passages"), list):
        raise DataError("expected a BioC document with 'passages'. Is it BioC?", path=path, line=line)
    rest = deepcopy(record)
    id = str(rest.pop("id", None) or number)
    pieces: list[str] = []
    length = 0
    for holder in _text_holders(rest, path, line):
        offset, text = holder.get("offset"), holder.pop("text", None) or ""
        if type(offset) is not int or not isinstance(text, str):
            raise DataError(
                f"document {id}: a passage without a whole-number offset or with text that is none.",
                path=path,
                line=line,
            )
        if offset < length:
            raise DataError(
                f"document {id}: the passage at offset {offset} begins before the one before it ends ({length}). "
                "Do the offsets count characters from the beginning of the document?",
                path=path,
                line=line,
            )
        gap = offset - length
        if gap > max(1_000_000, 10 * length):
            raise DataError(
                f"document {id}: passage offset {offset} is far outside the text.", path=path, line=line
            )
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
        aside["relations"] += [[list(place), one] for one in holder.pop("relations", None) or ()]
        for one in holder.pop("annotations", None) or ():
            if isinstance(one, dict) and not one.get("locations"):
                aside["annotations"].append([list(place), one])
                continue
            try:
                mentions.append(_mention(one, place, home, path, line))
            except DataError as error:
                refuse(error)
    own = rest | {name: held for name, held in aside.items() if held}
    if number == 1 and collection:
        own["collection"] = dict(collection)
    return Document(id, home.text, tuple(mentions), _title(record) | {"bioc": own})


def record_of(document: Document, lost: Counter[str]) -> dict[str, Any]:
    """The record of a document: laid out as it was read, else as title and abstract, else as one passage."""
    own = document.extra.get("bioc", {})
    fits = "passages" in own and _fits(own, document)
    record: dict[str, Any] = (
        deepcopy({k: v for k, v in own.items() if k not in _ASIDE}) if fits else _fresh(document)
    )
    for holder in _text_holders(record, "", None):
        holder["text"] = document.text[holder["offset"] : holder["offset"] + holder.pop("length")]
    holders = dict(_holders(record))
    for name in ("relations", "annotations"):
        for place, one in own.get(name, ()):
            holders.get(tuple(place), record).setdefault(name, []).append(one)
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


def _holders(record: dict[str, Any]) -> Iterator[tuple[tuple[int, ...], dict[str, Any]]]:
    """Whatever can hold annotations: the document, its passages, their sentences, each with its place."""
    yield (), record
    for p, passage in enumerate(record.get("passages") or ()):
        yield (p,), passage
        for s, sentence in enumerate(passage.get("sentences") or ()):
            yield (p, s), sentence


def _text_holders(record: dict[str, Any], path: str | Path, line: int | None) -> Iterator[dict[str, Any]]:
    """Whatever holds text: passages, or their sentences."""
    for passage in record["passages"]:
        inner = passage.get("sentences") if isinstance(passage, dict) else None
        if not isinstance(passage, dict) or not all(isinstance(one, dict) for one in inner or ()):
            raise DataError("expected objects as passages and sentences. Is it BioC?", path=path, line=line)
        if inner and not passage.get("text"):
            yield from inner
        else:
            yield passage


def _mention(
    record: Any, place: Sequence[int], home: Document, path: str | Path, line: int | None
) -> Mention:
    where = (
        f"document {home.id}, annotation {record.get('id', '') if isinstance(record, dict) else ''}".rstrip()
    )
    try:
        infons = dict(record.get("infons") or {})
        spans = [[one["offset"], one["offset"] + one["length"]] for one in record["locations"]]
        said = record.get("text")
        well = all(type(number) is int for span in spans for number in span) and isinstance(
            said, (str, type(None))
        )
    except (AttributeError, KeyError, TypeError, ValueError):
        well = False
    if not well:
        raise DataError(
            f"{where}: expected infons, text, and locations with offset and length.", path=path, line=line
        )
    only = said if len(spans) == 1 else None
    pieces = [checked(home.text, low, high, only, path=path, line=line, where=where) for low, high in spans]
    start, end = min(low for low, _ in spans), max(high for _, high in spans)
    type_ = next((str(infons[key]) for key in _TYPE_KEYS if infons.get(key) is not None), "")
    _, concepts, combined = _concepts(infons, type_)
    own: dict[str, Any] = {"place": list(place), "infons": infons}
    if record.get("id") is not None:
        own["id"] = record["id"]
    own |= {
        name: value for name, value in record.items() if name not in ("id", "infons", "text", "locations")
    }
    if len(spans) > 1 and said is not None and said != " ".join(pieces):
        own["text"] = said
    extra: dict[str, Any] = {"spans": spans} if len(spans) > 1 else {}
    if combined:
        extra["combined"] = True
    return Mention(home, start, end, home.text[start:end], type_, concepts, extra=extra | {"bioc": own})


def _concepts(infons: Mapping[str, Any], type: str) -> tuple[str, tuple[str, ...], bool]:
    """The infon that holds the concepts, "" if none does; the concepts; whether they hold only together."""
    for key, prefix in _CONCEPT_KEYS.items():
        if infons.get(key) is not None:
            return key, *parse_concepts(str(infons[key]), prefix=prefix, type=type)
    return "", (), False


def _annotation(mention: Mention, id: Any, lost: Counter[str]) -> dict[str, Any]:
    own = dict(mention.extra.get("bioc", {}))
    own.pop("place", None)
    own.pop("id", None)
    infons = dict(own.pop("infons", {}))
    if next((str(infons[key]) for key in _TYPE_KEYS if infons.get(key) is not None), "") != mention.type:
        infons["type"] = mention.type
    combined = bool(mention.extra.get("combined")) and len(mention.concepts) > 1
    key, read, together = _concepts(infons, mention.type)
    if (read, together) != (tuple(mention.concepts), combined):
        for stale in _CONCEPT_KEYS:
            infons.pop(stale, None)
        infons[key or "identifier"] = format_concepts(mention.concepts, combined=combined, bare_mesh=False)
        lost["exact concept ids"] += _concepts(infons, mention.type)[1:] != (
            tuple(mention.concepts),
            combined,
        )
    spans = mention.extra.get("spans") or [[mention.start, mention.end]]
    if (min(low for low, _ in spans), max(high for _, high in spans)) != (mention.start, mention.end):
        spans = [[mention.start, mention.end]]
    text = " ".join(mention.document.text[low:high] for low, high in spans)
    return {
        "id": id,
        "infons": infons,
        "text": own.pop("text", text) if len(spans) > 1 else text,
        "locations": [{"offset": low, "length": high - low} for low, high in spans],
        **own,
    }


def _fits(record: Mapping[str, Any], document: Document) -> bool:
    """Whether the passages that were read still cover the text."""
    covered = 0
    for holder in _text_holders(dict(record), "", None):
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
    """The passage the mention begins in."""
    passages = [holder for place, holder in holders.items() if len(place) == 1]
    return next((p for p in reversed(passages) if p["offset"] <= mention.start), passages[0])


def _title(record: Mapping[str, Any]) -> dict[str, int]:
    """The length of the title, where the first passage is one."""
    first = record["passages"][0] if record["passages"] else {}
    kind = str((first.get("infons") or {}).get("type", "")).lower()
    if kind == "title" and not first.get("sentences") and first.get("offset") == 0:
        return {"title": len(first.get("text") or "")}
    return {}
