"""Tables of terms as Gilda and Biolexica write them: one row per name, the id in two columns.

Source: the columns of `gilda.term.Term` (gyorilab/gilda) and of biolexica's `terms.tsv.gz`:
norm_text, text, db, id, entry_name, status, source, organism, source_db, source_id.
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

__all__ = ["read_gilda"]

# Status of a name → its rank; Gilda scores them in this order.
_STATUSES = {"name": 0, "curated": 1, "synonym": 2, "former_name": 3}
_OPTIONAL = ("entry_name", "status", "source", "source_db", "source_id")


def read_gilda(path: Path, options: ReadOptions = DEFAULTS) -> Iterator[Concept]:
    """Concepts `db:id` by first appearance.

    `entry_name` is preferred, then names by status: name, curated, synonym, former. An id that repeats its db ("CHEBI",
    "CHEBI:15377") is one CURIE. Sources are the `source` column, spelt as CURIE prefixes; `source_db` and `source_id`
    (where a term was mapped from) give an xref. The organism is not kept.
    Raises DataError for a missing column, and with the line for a row of another width or without text, db or id.
    """
    file = SourceFile(path, options)
    lines = read_lines(path)
    number, first = next(lines, (1, ""))
    if not first:
        raise file.error("the file is empty. Fetch it again.")
    delimiter = delimiter_of(first)
    header = [cell.strip().lower() for cell in split(first, delimiter)]
    text_at, db_at, id_at = columns_of(header, ("text", "db", "id"), file, number)
    places = {name: header.index(name) for name in _OPTIONAL if name in header}
    entries = Entries()
    preferred: dict[str, list[str]] = {}
    others: dict[str, list[tuple[int, str]]] = {}
    unknown: Counter[str] = Counter()
    body = ((number, split(line, delimiter)) for number, line in lines if line)
    for number, cells in of_width(body, len(header), file):
        text, db, local = clean(cells[text_at]), cells[db_at].strip(), cells[id_at].strip()
        if not text or not db or not local:
            file.malformed(
                f"expected a text, a db and an id, got '{cells[text_at]}', '{db}', '{local}'.", number
            )
            continue
        name, status, source, source_db, source_id = (
            cells[places[column]].strip() if column in places else "" for column in _OPTIONAL
        )
        prefix = _prefix(source) if source else ""
        if options.vocabularies and not {source, prefix} & options.vocabularies:
            continue
        if status not in _STATUSES:
            unknown[status or "(empty)"] += 1
        id = _id(db, local)
        preferred.setdefault(id, []).append(clean(name))
        others.setdefault(id, []).append((_STATUSES.get(status, _STATUSES["synonym"]), text))
        entry = entries[id]
        entry.sources.append(prefix)
        if source_db and source_id:
            entry.xrefs.append(_id(source_db, source_id))
    if unknown and "status" in places:
        file.tell(f"rows with an unknown status were read as synonyms: {tally(unknown)}.")
    for id, rows in others.items():
        entries[id].names = [*preferred[id], *(text for _, text in sorted(rows, key=lambda row: row[0]))]
    yield from entries.concepts()


def _id(db: str, local: str) -> str:
    return curie(local if local.lower().startswith(f"{db.lower()}:") else f"{db}:{local}")


def _prefix(source: str) -> str:
    return curie(f"{source}:x").partition(":")[0]
