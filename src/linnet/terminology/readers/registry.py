"""All terminology formats, and one call that reads any of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from linnet.errors import DataError, RequestError, UnknownNameError
from linnet.io.files import exists
from linnet.plural import counted
from linnet.terminology.readers.ctd import read_ctd
from linnet.terminology.readers.detect import detect
from linnet.terminology.readers.fhir import read_fhir
from linnet.terminology.readers.gene_info import read_gene_info
from linnet.terminology.readers.gilda import read_gilda
from linnet.terminology.readers.icd10cm import read_icd10cm
from linnet.terminology.readers.jsonl import read_jsonl
from linnet.terminology.readers.meddra import read_meddra
from linnet.terminology.readers.medic import read_medic
from linnet.terminology.readers.mesh import read_mesh
from linnet.terminology.readers.obo import read_obo
from linnet.terminology.readers.obograph import read_obograph
from linnet.terminology.readers.omop import read_omop
from linnet.terminology.readers.options import DEFAULTS, ReadOptions, SourceFile
from linnet.terminology.readers.permuted import add_natural_order
from linnet.terminology.readers.rf2 import read_rf2
from linnet.terminology.readers.rxnorm import read_rxnorm
from linnet.terminology.readers.ssslm import read_ssslm
from linnet.terminology.readers.suspect_names import SuspectNames
from linnet.terminology.readers.table import read_table
from linnet.terminology.readers.umls import read_umls
from linnet.terminology.readers.unii import read_unii
from linnet.types import Concept

__all__ = ["Reader", "read", "readers"]


@dataclass(frozen=True, slots=True)
class Reader:
    """A format: its reader, the options it honours besides the common ones, and a description."""

    read: Callable[[Path, ReadOptions], Iterator[Concept]]
    honours: frozenset[str]
    about: str


def _reader(read: Callable[[Path, ReadOptions], Iterator[Concept]], honours: str, about: str) -> Reader:
    return Reader(read, frozenset(honours.split()), about)


# `read` applies these to every format.
_COMMON = frozenset({"only_prefixes", "type", "on_error", "report", "notice"})

readers: dict[str, Reader] = {
    "ctd": _reader(read_ctd, "types permuted", "CTD_diseases.tsv, CTD_chemicals.tsv"),
    "fhir": _reader(
        read_fhir,
        "types languages suppressed permuted prefix",
        "FHIR CodeSystem or expanded ValueSet in JSON",
    ),
    "gene_info": _reader(read_gene_info, "types", "NCBI Gene's gene_info"),
    "gilda": _reader(read_gilda, "vocabularies permuted", "terms table of Gilda or Biolexica"),
    "icd10cm": _reader(read_icd10cm, "permuted", "ICD-10-CM order file, tabular XML, or a directory of both"),
    "jsonl": _reader(read_jsonl, "types permuted columns prefix", "JSON, one object per line or an array"),
    "meddra": _reader(read_meddra, "types permuted suppressed", "MedDRA directory of .asc files"),
    "medic": _reader(read_medic, "permuted prefix", "MEDIC in the BioSyn form id||name|synonym"),
    "mesh": _reader(read_mesh, "types trees", "MeSH descriptor or supplementary XML, or a directory of them"),
    "obo": _reader(read_obo, "types scopes suppressed permuted prefix", "OBO"),
    "obograph": _reader(read_obograph, "types scopes suppressed permuted prefix", "OBO Graphs JSON"),
    "omop": _reader(
        read_omop,
        "types vocabularies languages standard suppressed permuted",
        "OMOP vocabulary directory from Athena (CONCEPT.csv …)",
    ),
    "rf2": _reader(
        read_rf2, "types languages suppressed permuted", "SNOMED CT release directory (RF2 snapshot)"
    ),
    "rxnorm": _reader(
        read_rxnorm, "types vocabularies languages suppressed permuted", "RxNorm directory (RXNCONSO.RRF …)"
    ),
    "ssslm": _reader(read_ssslm, "vocabularies languages scopes permuted", "SSSLM TSV"),
    "table": _reader(
        read_table,
        "types permuted columns header delimiter separator sheet suppressed prefix",
        "CSV, TSV or a workbook (.xlsx) by named or numbered columns",
    ),
    "umls": _reader(
        read_umls, "types vocabularies languages suppressed permuted", "UMLS directory (MRCONSO.RRF …)"
    ),
    "unii": _reader(read_unii, "name_types permuted", "the FDA's list of UNII names"),
}


def read(
    path: str | Path, *, format: str | None = None, options: ReadOptions = DEFAULTS
) -> Iterator[Concept]:
    """The concepts of a file or directory, in the order of its reader; read lazily.

    format  a name in `readers`; None: detected from the content (`detect`)

    Concepts filtered out by `types` or `only_prefixes` are dropped; ids that they replaced then resolve to nothing.
    Raises UnknownNameError for an unknown format, RequestError immediately for an option that the format cannot
    honour, DataError if the file is refused or holds no concept that the filters keep.
    """
    path = Path(path)
    name = detect(path, columns=options.columns) if format is None else format
    if name not in readers:
        raise UnknownNameError("terminology format", name, readers)
    reader = readers[name]
    unsupported = options.changed() - reader.honours - _COMMON
    if unsupported:
        option = min(unsupported)
        formats = sorted(other for other, candidate in readers.items() if option in candidate.honours)
        raise RequestError(
            f"Format '{name}' does not support the option '{option}'. Leave it out; it is for: {', '.join(formats)}."
        )
    if str(path) != "-" and not exists(path):
        raise DataError("no such file or directory. Check the path.", path=path)
    return _kept(reader.read(path, options), name, path, options)


def _kept(concepts: Iterator[Concept], format: str, path: Path, options: ReadOptions) -> Iterator[Concept]:
    types = {type.casefold() for type in options.types or ()}
    prefixes = {prefix.rstrip(":").casefold() for prefix in options.only_prefixes or ()}
    seen = kept = 0
    suspects = SuspectNames()
    for concept in concepts:
        seen += 1
        if prefixes and concept.id.partition(":")[0].casefold() not in prefixes:
            continue
        if concept.name or not concept.replaced_by:
            if types and types.isdisjoint(type.casefold() for type in concept.types):
                continue
            if options.type:
                concept = replace(concept, types=(options.type,))
            if options.permuted:
                concept = add_natural_order(concept)
        kept += 1
        suspects.add(concept)
        yield concept
    if not kept:
        count = counted(seen, "concepts")
        result = f"{count}, none of which the filters keep. Loosen them" if seen else "no concept"
        raise DataError(
            f"{result}; read as '{format}'. If that is wrong, name the format with --format.", path=path
        )
    for note in suspects.notes():
        SourceFile(path, options).tell(note)
