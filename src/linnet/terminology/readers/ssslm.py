"""SSSLM, the Simple Standard for Sharing Literal Mappings (biopragmatics): one row per name.

Source: https://github.com/biopragmatics/ssslm (column names of its table).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from linnet.formats.delimited import delimiter_of, split
from linnet.io.files import read_lines
from linnet.listing import tally
from linnet.terminology.readers.clean import clean
from linnet.terminology.readers.entry import Entries
from linnet.terminology.readers.options import DEFAULTS, ReadOptions, SourceFile
from linnet.terminology.readers.rows import columns_of, of_width
from linnet.types import Concept
from linnet.words.curies import curie

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
    """Concepts by first appearance; the row's `name` is preferred, then labels, then synonyms.

    Sources are the `source` column, spelt as CURIE prefixes ("doid" → "DOID"). `languages` keeps rows without a
    language. Names with unknown predicates come last, and the predicates are reported.
    """
    file = SourceFile(path, options)
    lines = read_lines(path)
    number, header = next(lines, (1, ""))
    delimiter = delimiter_of(header)
    columns = split(header, delimiter)
    text_at, id_at = columns_of(columns, ("text", "curie"), file, number)
    # an optional column that is missing points to the empty cell appended to each row
    positions = [
        columns.index(name) if name in columns else len(columns)
        for name in ("name", "predicate", "language", "source")
    ]
    entries = Entries()
    labels: dict[str, dict[str, None]] = {}
    prefixes: dict[str, str] = {}
    last: dict[str, list[str]] = {}
    unknown: Counter[str] = Counter()
    spelt = ("", "")  # the latest id as written and as a CURIE, as rows of one concept are adjacent
    body = ((number, split(line, delimiter)) for number, line in lines if line)
    for number, cells in of_width(body, len(columns), file):
        text, id = clean(cells[text_at]), cells[id_at].strip()
        if not text or ":" not in id:
            file.malformed(f"expected a text and a CURIE, got '{cells[text_at]}' and '{id}'.", number)
            continue
        cells.append("")
        name, predicate, language, source = [cells[position] for position in positions]
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
        file.tell(f"predicates other than labels and synonyms were read as names: {tally(unknown)}.")
    yield from entries.concepts()
