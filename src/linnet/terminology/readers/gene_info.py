"""NCBI Gene's `gene_info` tables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from linnet.io.files import read_lines
from linnet.terminology.readers.clean import clean
from linnet.terminology.readers.entry import Entry
from linnet.terminology.readers.options import DEFAULTS, ReadOptions, SourceFile
from linnet.terminology.readers.rows import columns_of
from linnet.types import Concept
from linnet.words.curies import curie

__all__ = ["read_gene_info"]

_COLUMNS = ("GeneID", "Symbol", "Synonyms", "dbXrefs", "description", "type_of_gene",
            "Full_name_from_nomenclature_authority", "Other_designations", "LocusTag", "Symbol_from_nomenclature_authority")  # fmt: skip


def read_gene_info(path: Path, options: ReadOptions = DEFAULTS) -> Iterator[Concept]:
    """Genes `NCBIGENE:7157` in file order.

    Names are the symbol (preferred), the authority's symbol and full name, synonyms, locus tag, description and
    designations. The header may be the old `#Format: tax_id GeneID …` or the new tab-separated one.
    """
    file = SourceFile(path, options)
    header: list[str] = []
    positions: list[int] = []
    seen: set[str] = set()
    for number, line in read_lines(path):
        if line.startswith("#"):
            if not header:
                header = line.removeprefix("#Format:").removeprefix("#").partition(" (tab")[0].split()
                positions = columns_of(header, _COLUMNS, file, number)
            continue
        if not header:
            raise file.error("no header line '#tax_id GeneID …': not gene_info.", number)
        cells = line.split("\t")
        if len(cells) != len(header):
            file.malformed(f"row has {len(cells)} columns; the header has {len(header)}.", number)
            continue
        values = ["" if cells[position] == "-" else cells[position] for position in positions]
        id, symbol, synonyms, xrefs, description, type, full, designations, locus, official = values
        if id in seen or not id.isdigit():
            file.malformed(f"GeneID '{id}' {'occurs twice' if id in seen else 'is not a number'}.", number)
            continue
        if symbol == "NEWENTRY":  # placeholder for records without a gene
            continue
        seen.add(id)
        names = [symbol, official, full, *synonyms.split("|"), locus, description, *designations.split("|")]
        yield Entry(
            f"NCBIGENE:{id}",
            names=[clean(name) for name in names],
            types=[type],
            # "HGNC:HGNC:5" repeats the prefix inside the accession
            xrefs=[
                curie(xref.replace("HGNC:HGNC:", "HGNC:").replace("MGI:MGI:", "MGI:"))
                for xref in xrefs.split("|")
            ],
        ).concept()
