"""`linnet terminology build`: source files → a compiled terminology."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linnet.cli.corpora import OnError
from linnet.cli.progress import counting, note

if TYPE_CHECKING:
    from linnet.errors import DataError
    from linnet.terminology.readers import ReadOptions
    from linnet.types import Concept

__all__ = ["build", "record_of"]

# Malformed rows that are shown one by one; the others are only counted.
_SHOWN = 10


def build(
    src: Annotated[
        list[Path], typer.Argument(help="Files or directories; several are united by concept id.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Directory to write.", metavar="DIR")],
    format: Annotated[
        str | None,
        typer.Option(help="Format of all sources; default: detected from their content.", metavar="NAME"),
    ] = None,
    types: Annotated[
        list[str] | None,
        typer.Option(help="Keep concepts of these types (UMLS: T047 or its name; OMOP: domain)."),
    ] = None,
    prefixes: Annotated[
        list[str] | None,
        typer.Option(help="Keep concepts whose id begins so: drops what an ontology imports (DOID)."),
    ] = None,
    vocabularies: Annotated[
        list[str] | None,
        typer.Option(
            "--vocabularies", "--sources", help="Keep names from these vocabularies (UMLS: MSH SNOMEDCT_US)."
        ),
    ] = None,
    languages: Annotated[
        list[str] | None,
        typer.Option(
            help="Keep names in these languages, as the source writes them (UMLS: ENG; SNOMED CT, FHIR: en)."
        ),
    ] = None,
    trees: Annotated[
        list[str] | None, typer.Option(help="MeSH: keep descriptors in these trees (C F03).")
    ] = None,
    scopes: Annotated[
        list[str] | None, typer.Option(help="OBO: synonym scopes to keep; all but broad if left out.")
    ] = None,
    standard: Annotated[bool, typer.Option("--standard", help="OMOP: keep standard concepts only.")] = False,
    suppressed: Annotated[
        bool, typer.Option("--suppressed", help="Keep what the source marks obsolete or suppressed.")
    ] = False,
    permuted: Annotated[
        bool,
        typer.Option("--permuted", help='Add natural word order: "Anemia, Aplastic" → "Aplastic Anemia".'),
    ] = False,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            help="Tables and JSON: ROLE=COLUMN by name or number, e.g. id=code name=label synonyms=5 synonyms=6. "
            "Roles: id, name, synonyms, types, definition, parents, xrefs, sources, replaced_by, relation, obsolete; "
            "columns with usual names are found without."
        ),
    ] = None,
    header: Annotated[
        bool | None, typer.Option(help="Tables: whether the first row names the columns; told if left out.")
    ] = None,
    delimiter: Annotated[
        str, typer.Option(help="Tables: between columns; told if left out.", metavar="CHAR")
    ] = "",
    separator: Annotated[
        str | None,
        typer.Option(
            help="Tables: separator of several values in a cell; default: '|', else ';', as the cells show; '' for one value a cell.",
            metavar="CHAR",
        ),
    ] = None,
    sheet: Annotated[
        str, typer.Option(help="Workbooks (.xlsx): the sheet to read; default: the first.", metavar="NAME")
    ] = "",
    prefix: Annotated[str, typer.Option(help="Prefix of ids that have none (PUBCHEM).", metavar="TEXT")] = "",
    type: Annotated[
        str, typer.Option(help="Type of every concept, in place of the source's.", metavar="TEXT")
    ] = "",
    on_error: Annotated[
        OnError, typer.Option(help="A malformed row: stop, or skip and count.")
    ] = OnError.stop,
) -> None:
    """Compile source files into a terminology that opens in milliseconds.

    Formats: UMLS and RxNorm (umls, rxnorm: RRF directories), MeSH XML (mesh), OBO (obo), OBO Graphs JSON (obograph),
    CTD (ctd), MEDIC (medic), OMOP (omop), SNOMED CT RF2 releases and extensions (rf2), MedDRA (meddra), ICD-10-CM
    (icd10cm), FHIR CodeSystem and expanded ValueSet in JSON (fhir), SSSLM (ssslm), Gilda and Biolexica terms (gilda), NCBI
    gene_info (gene_info), CSV, TSV and Excel (.xlsx: table), JSON Lines (jsonl). A file may be packed (.gz, .bz2, .xz,
    .zip); a release may be the zip archive it came in, or a file in it (release.zip/names.csv). The content proves the
    format; a file that proves none is refused with what was found. A format that cannot honour an option refuses it.

    Examples:
      linnet terminology build desc2026.gz supp2026.gz -o mesh/
      linnet terminology build desc2026.gz -o diseases/ --trees C F03
      linnet terminology build vocabulary_download_v5.zip -o omop/ --standard
      linnet terminology build 2026AA/META -o umls/ --types T047 T191 --sources MSH NCI
      linnet terminology build doid.obo -o do/ --prefixes DOID
      linnet terminology build drugs.csv -o drugs/ --columns id=code name=label --prefix ACME
      linnet terminology build genes.xlsx -o genes/ --sheet Human --columns synonyms=alias synonyms=previous
    """
    from linnet.cli.terminology.summary import show
    from linnet.terminology import write_terminology
    from linnet.terminology.readers import ReadOptions, detect

    skipped: list[DataError] = []
    chosen: dict[str, Any] = {"scopes": frozenset(scopes)} if scopes else {}
    options = ReadOptions(
        types=_some(types),
        only_prefixes=_some(prefixes),
        vocabularies=_some(vocabularies),
        trees=_some(trees),
        languages=_some(languages),
        standard=standard,
        suppressed=suppressed,
        permuted=permuted,
        columns=_columns(columns or ()),
        header=header,
        delimiter=delimiter.replace("\\t", "\t"),
        separator=separator,
        sheet=sheet,
        prefix=prefix,
        type=type,
        on_error=on_error.value,
        report=skipped.append,
        notice=lambda message: note(f"Note: {message}"),
        **chosen,
    )
    formats = [format or detect(path, columns=options.columns) for path in src]
    concepts = _concepts(src, formats, options)
    sources = [record_of(path, format=name) for path, name in zip(src, formats, strict=True)]
    built = write_terminology(concepts, output, sources=sources)
    for error in skipped[:_SHOWN]:
        note(f"Skipped: {error}")
    if skipped:
        note(f"Skipped {len(skipped):,} malformed rows in all.")
    show(built)


def record_of(path: Path, *, format: str) -> dict[str, Any]:
    """What a manifest says of a source: name, format, size and digest (of names and sizes for a directory)."""
    from linnet import artifact
    from linnet.files import on_disk
    from linnet.folders import files_below

    record: dict[str, Any] = {"path": path.name or str(path.resolve().name), "format": format}
    if path.is_dir():
        files = sorted(files_below(path, named=lambda name: True))
        listing = "\n".join(f"{file.relative_to(path)}\t{file.stat().st_size}" for file in files)
        return {**record, "files": len(files), "digest": artifact.digest(listing)}
    file = on_disk(path)
    if file.is_file():
        return {**record, "bytes": file.stat().st_size, "digest": artifact.digest(file)}
    return record


def _concepts(paths: Sequence[Path], formats: Sequence[str], options: ReadOptions) -> Iterator[Concept]:
    from linnet.terminology.readers import read_several

    return read_several(
        paths,
        formats=formats,
        options=options,
        each=lambda reading, path: counting(reading, f"Reading {path.name}"),
    )


def _some(values: list[str] | None) -> frozenset[str] | None:
    return frozenset(values) if values else None


def _columns(pairs: Sequence[str]) -> dict[str, tuple[str | int, ...]]:
    found: dict[str, tuple[str | int, ...]] = {}
    for pair in pairs:
        role, equals, column = pair.partition("=")
        if not (role and equals and column):
            raise typer.BadParameter(
                f"'{pair}' is not ROLE=COLUMN, e.g. id=code or name=2.", param_hint="'--columns'"
            )
        found[role] = (*found.get(role, ()), int(column) if column.isdigit() else column)
    return found
