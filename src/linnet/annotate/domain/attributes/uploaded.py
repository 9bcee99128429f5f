"""Values of a project's attributes in uploaded files.

Formats keep them in different places: brat in `A` and `M` lines, BioC in infons, JSON Lines in `attributes` or fields of their own,
PubAnnotation in `attributes`. What matches a definition becomes an attribute of the annotation; the rest stays where it was, and goes
out again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

from linnet.annotate.domain.attributes.definitions import Attribute, Values
from linnet.types import Document

__all__ = ["lifted"]

_ON = frozenset({"true", "yes", "1", "on"})
_OFF = frozenset({"false", "no", "0", "off", "none", ""})
_Definitions = Sequence[Attribute]


def lifted(
    document: Document, attributes: _Definitions
) -> tuple[dict[str, Any], list[tuple[dict[str, Any], Values]]]:
    """The document's extra, and for each mention its extra and the values of attributes, which are taken out of both. Order kept."""
    if not attributes:
        return dict(document.extra), [(dict(mention.extra), {}) for mention in document.mentions]
    home = deepcopy(dict(document.extra))
    about = _brat(home, attributes)
    read = []
    for mention in document.mentions:
        extra = deepcopy(dict(mention.extra))
        values = dict(about.get(extra.get("brat", {}).get("id"), {}))
        for fields in _fields(extra):
            for name in list(fields):
                if (found := _match(attributes, name, fields[name])) is not None:
                    del fields[name]
                    values.update(found)
        values.update(_pubannotation(extra, attributes))
        for key in ("attributes", "jsonl"):
            if extra.get(key) == {}:
                del extra[key]
        read.append((extra, values))
    return home, read


def _fields(extra: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Records of names and values."""
    own = extra.get("jsonl", {})
    for fields in (extra.get("attributes"), extra.get("bioc", {}).get("infons"), own):
        if isinstance(fields, dict):
            yield fields


def _match(attributes: _Definitions, name: object, value: object) -> Values | None:
    """The attribute and value that are meant; {} for a flag that is off; None if the project has no such attribute or value."""
    defined = next((each for each in attributes if _plain(each["name"]) == _plain(name)), None)
    if defined is None or isinstance(value, (dict, list)):
        return None
    if defined["values"]:
        known = next((each for each in defined["values"] if _plain(each) == _plain(value)), None)
        return None if known is None else {defined["name"]: known}
    flag = "true" if value is True else "" if value in (None, False) else str(value).strip().casefold()
    if flag in _ON:
        return {defined["name"]: True}
    return {} if flag in _OFF else None


def _plain(name: object) -> str:
    """Formats that allow no spaces in names write `_`."""
    return " ".join(str(name).replace("_", " ").replace("-", " ").casefold().split())


def _brat(extra: dict[str, Any], attributes: _Definitions) -> dict[str, Values]:
    """Id of the annotation → values, from the lines `A1<tab>Negated T1` and `A2<tab>Severity T1 mild`."""
    rows = extra.get("brat", {}).get("rows")
    if not isinstance(rows, list):
        return {}
    referred = {
        word
        for row in rows
        for word in row.split("\t", 2)[1:2]
        for word in word.replace(":", " ").split()[1:]
    }
    found: dict[str, Values] = {}
    kept = []
    for row in rows:
        cells = row.split("\t")
        words = cells[1].split(" ", 2) if row[:1] in "AM" and len(cells) == 2 else []
        value: object = words[2] if len(words) == 3 else True
        match = _match(attributes, words[0], value) if len(words) >= 2 and words[1][:1] == "T" else None
        if match is None or cells[0] in referred:
            kept.append(row)
        else:
            found.setdefault(words[1], {}).update(match)
    extra["brat"]["rows"] = kept
    if extra["brat"] == {"rows": []}:
        del extra["brat"]
    return found


def _pubannotation(extra: dict[str, Any], attributes: _Definitions) -> Values:
    """From `{"subj": "T1", "pred": "negated", "obj": true}`; removes them."""
    own = extra.get("pubannotation", {})
    listed = own.get("attributes")
    if not isinstance(listed, list):
        return {}
    values: Values = {}
    kept = []
    for item in listed:
        match = _match(attributes, item.get("pred"), item.get("obj")) if isinstance(item, dict) else None
        if match is None:
            kept.append(item)
        else:
            values.update(match)
    own["attributes"] = kept
    if not kept:
        del own["attributes"]
    if not own:
        del extra["pubannotation"]
    return values
