"""The vocabularies of the Comparative Toxicogenomics Database: `CTD_diseases.tsv` (MEDIC), `CTD_chemicals.tsv`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from linnet.formats.delimited import split
from linnet.io.files import read_lines
from linnet.terminology.readers.clean import clean
from linnet.terminology.readers.entry import Entry
from linnet.terminology.readers.options import DEFAULTS, ReadOptions, SourceFile
from linnet.terminology.readers.rows import columns_of
from linnet.types import Concept
from linnet.words.curies import curie

__all__ = ["read_ctd"]

_TYPES = {"DiseaseID": "Disease", "ChemicalID": "Chemical"}
# MEDIC merges concepts of these vocabularies: their alternative ids are ids of the concept.
_MERGED = ("MESH:", "OMIM:")
_NAMES = ("MESHSynonyms", "CTDCuratedSynonyms", "Synonyms")
_XREFS = {"CasRN": "CAS", "PubChemCID": "PUBCHEM", "DTXSID": "DTXSID", "InChIKey": "INCHIKEY"}


def read_ctd(path: Path, options: ReadOptions = DEFAULTS) -> Iterator[Concept]:
    """Concepts in file order, then their alternative MeSH and OMIM ids as retired ids.

    Other alternative ids ("DO:DOID:0110924") become xrefs. The line after `# Fields:` names the columns.
    Raises DataError if these are neither of diseases nor of chemicals, or for a repeated id.
    """
    file = SourceFile(path, options)
    header: list[str] = []
    announced = False
    delimiter = "\t"
    seen: set[str] = set()
    alternatives: dict[str, list[str]] = {}
    for number, line in read_lines(path):
        if line.startswith("#"):
            text = line.removeprefix("#").strip()
            if announced and text and not header:
                delimiter = "\t" if "\t" in text else ","
                header = split(text, delimiter)
            announced = announced or text == "Fields:"
            continue
        if not line:
            continue
        column = next((name for name in _TYPES if name in header), "")
        if not column:
            raise file.error(
                "no '# Fields:' with DiseaseID or ChemicalID above the rows: not a CTD vocabulary.", number
            )
        cells = split(line, delimiter)
        if len(cells) != len(header):
            file.malformed(f"row has {len(cells)} columns; the header has {len(header)}.", number)
            continue
        row = dict(zip(header, cells, strict=True))
        entry = _entry(row, column, file, number)
        if not entry.names[0] or entry.id in seen:
            problem = "occurs twice" if entry.id in seen else "has no name"
            file.malformed(f"{entry.id} {problem}.", number)
            continue
        seen.add(entry.id)
        for id in row.get("AltDiseaseIDs", "").split("|"):
            if id.startswith(_MERGED):
                alternatives.setdefault(curie(id), []).append(entry.id)
            elif id:
                entry.xrefs.append(curie(id.removeprefix("DO:")))
        yield entry.concept()
    for id, targets in alternatives.items():
        if id not in seen:
            yield Entry(id, replaced_by=targets).concept()


def _entry(row: dict[str, str], column: str, file: SourceFile, line: int) -> Entry:
    name_column = column.replace("ID", "Name")
    columns_of(list(row), [name_column], file, line)
    names = [row[name_column]]
    for key in _NAMES:
        names.extend(row.get(key, "").split("|"))
    return Entry(
        curie(row[column], prefix="MESH"),
        names=[clean(name) for name in names],
        types=[_TYPES[column]],
        definition=clean(row.get("Definition", "")),
        parents=[curie(id, prefix="MESH") for id in row.get("ParentIDs", "").split("|") if id],
        xrefs=[f"{prefix}:{row[key].split(':')[-1]}" for key, prefix in _XREFS.items() if row.get(key)],
    )
