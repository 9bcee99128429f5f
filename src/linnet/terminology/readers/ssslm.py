"""SSSLM, the Simple Standard for Sharing Literal Mappings (biopragmatics): one row a name.

Source: https://github.com/biopragmatics/ssslm (column names of its table).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from linnet.curies import curie
from linnet.files import read_lines
from linnet.terminology.readers.clean import clean
from linnet.terminology.readers.delimited import delimiter_of, split
from linnet.terminology.readers.entry import Entries
from linnet.terminology.readers.options import DEFAULTS, ReadOptions
from linnet.terminology.readers.rows import columns_of
from linnet.types import Concept

__all__ = ["read_ssslm"]

_SCOPES = {
    "oboinowl:hasexactsynonym": "exact",
    "skos:altlabel": "exact",
    "oboinowl:hasnarrowsynonym": "narrow",
    "oboinowl:hasbroadsynonym": "broad",
    "oboinowl:hasrelatedsynonym": "related",
    "oboinowl:hassynonym": "related",
}
_LABELS = {"rdfs:label", "skos:preflabel"}


def read_ssslm(path: Path, options: ReadOptions = DEFAULTS) -> Iterator[Concept]:
    """Concepts by first appearance; preferred is the row's `name`, then labels, then synonyms.

    Sources are the `source` column in the spelling of CURIE prefixes ("doid" → "DOID"). Rows without a language are
    kept whatever `languages` says. Names with another predicate come after those, and the predicates are told.
    """
    lines = read_lines(path)
    number, header = next(lines, (1, ""))
    delimiter = delimiter_of(header)
    columns = split(header, delimiter)
    text_at, id_at = columns_of(columns, ("text", "curie"), path=path, line=number)
    # a table without one of these gets an empty cell for it, at its end
    places = [
        columns.index(name) if name in columns else len(columns)
        for name in ("name", "predicate", "language", "source")
    ]
    entries = Entries()
    labels: dict[str, dict[str, None]] = {}
    prefixes: dict[str, str] = {}
    last: dict[str, list[str]] = {}
    unknown: Counter[str] = Counter()
    spelt = ("", "")  # the latest id as it is written, and as a CURIE: rows of one concept stand together
    for number, line in lines:
        if not line:
            continue
        cells = split(line, delimiter)
        if len(cells) != len(columns):
            options.malformed(
                f"row has {len(cells)} columns; the header has {len(columns)}.", path=path, line=number
            )
            continue
        text, id = clean(cells[text_at]), cells[id_at].strip()
        if not text or ":" not in id:
            options.malformed(
                f"expected a text and a CURIE, got '{cells[text_at]}' and '{id}'.", path=path, line=number
            )
            continue
        cells.append("")
        name, predicate, language, source = [cells[place] for place in places]
        if options.languages and language and language not in options.languages:
            continue
        if source not in prefixes:
            prefixes[source] = curie(f"{source}:x").partition(":")[0] if source else ""
        if options.vocabularies and not {source, prefixes[source]} & options.vocabularies:
            continue
        scope = _SCOPES.get(predicate.lower())
        if scope and scope not in options.scopes:
            continue
        if id != spelt[0]:
            spelt = (id, curie(id))
        id = spelt[1]
        preferred = labels.setdefault(id, {})
        if name:
            preferred[clean(name)] = None
        entry = entries[id]
        if predicate.lower() in _LABELS:
            preferred[text] = None
        elif scope is None and predicate:
            unknown[predicate] += 1
            last.setdefault(id, []).append(text)
        else:
            entry.names.append(text)
        if source:
            entry.sources.append(prefixes[source])
    for id, preferred in labels.items():
        entries[id].names = [*preferred, *entries[id].names, *last.get(id, ())]
    if unknown:
        listed = ", ".join(f"{predicate} ({count:,})" for predicate, count in unknown.most_common())
        options.tell(f"predicates that are neither labels nor synonyms, read as names: {listed}.", path=path)
    yield from entries.concepts()
