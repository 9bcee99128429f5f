"""`linnet terminology build`: source files → a compiled terminology."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linnet.advice import Note
from linnet.cli.corpora import OnError
from linnet.cli.panels import input_option, output_option, terminology_option
from linnet.cli.progress import counting, note
from linnet.plural import counted

if TYPE_CHECKING:
    from linnet.errors import DataError

__all__ = ["build"]

# Malformed rows that are shown; the others are only counted.
_SHOWN = 10
# Vocabularies that are named where concepts of others are counted.
_NAMED = 4


@dataclass(frozen=True, kw_only=True)
class FilterOptions:
    """Options that choose concepts and names, as `linnet.build` calls them."""

    concept_types: Annotated[
        list[str] | None,
        terminology_option(
            "--types",
            help="Keep only concepts of these types (UMLS: T047 or its name; OMOP: domain).",
            metavar="TYPE...",
        ),
    ] = None
    prefixes: Annotated[
        list[str] | None,
        terminology_option(
            help="Keep only concepts whose ids have these prefixes (DOID), without those that an ontology imports.",
            metavar="PREFIX...",
        ),
    ] = None
    vocabularies: Annotated[
        list[str] | None,
        terminology_option(
            "--vocabularies",
            "--sources",
            help="Keep only names from these vocabularies (UMLS: MSH SNOMEDCT_US).",
            metavar="NAME...",
        ),
    ] = None
    languages: Annotated[
        list[str] | None,
        terminology_option(
            help="Keep only names in these languages, as the source writes them (UMLS: ENG; SNOMED CT, FHIR: en).",
            metavar="LANGUAGE...",
        ),
    ] = None
    trees: Annotated[
        list[str] | None,
        terminology_option(help="MeSH: keep descriptors in these trees (C F03).", metavar="TREE..."),
    ] = None
    scopes: Annotated[
        list[str] | None,
        terminology_option(help="OBO: synonym scopes to keep; default: all but broad.", metavar="SCOPE..."),
    ] = None
    name_types: Annotated[
        list[str] | None,
        terminology_option(
            help="UNII: keep names of these types (of cn bn cd sys); default: official, common and brand names.",
            metavar="TYPE...",
        ),
    ] = None
    standard: Annotated[bool, terminology_option("--standard", help="OMOP: keep standard concepts only.")] = (
        False
    )
    suppressed: Annotated[
        bool, terminology_option("--suppressed", help="Keep what the source marks as obsolete or suppressed.")
    ] = False
    permuted: Annotated[
        bool,
        terminology_option(
            "--permuted", help='Add natural word order: "Anemia, Aplastic" → "Aplastic Anemia".'
        ),
    ] = False
    type: Annotated[
        str,
        terminology_option(help="Type of every concept, in place of the source's.", metavar="TYPE"),
    ] = ""


@dataclass(frozen=True, kw_only=True)
class LayoutOptions:
    """Options that say how tables and JSON are laid out, as `linnet.build` calls them."""

    header: Annotated[
        bool | None,
        input_option(help="Tables: whether the first row names the columns; default: detected."),
    ] = None
    delimiter: Annotated[
        str, input_option(help="Tables: character between columns; default: detected.", metavar="CHAR")
    ] = ""
    separator: Annotated[
        str | None,
        input_option(
            help="Tables: character between several values in a cell; '' if a cell holds one value. "
            "Default: '|' if the column has any, else ';'.",
            metavar="CHAR",
        ),
    ] = None
    sheet: Annotated[
        str, input_option(help="Workbooks: the sheet to read; default: the first.", metavar="NAME")
    ] = ""
    prefix: Annotated[str, input_option(help="Prefix of ids that have none (PUBCHEM).", metavar="PREFIX")] = (
        ""
    )


def build(
    src: Annotated[
        list[Path], typer.Argument(help="Files or directories; several are united by concept id.")
    ],
    *,
    output: Annotated[Path, output_option("--output", "-o", help="Directory to write.", metavar="DIR")],
    format: Annotated[
        str | None,
        input_option(help="Format of all sources; default: detected from their content.", metavar="NAME"),
    ] = None,
    filters: FilterOptions,
    columns: Annotated[
        list[str] | None,
        input_option(
            help="Tables and JSON: ROLE=COLUMN by name or number, e.g. id=code name=label synonyms=5 synonyms=6. "
            "Roles: id, name, synonyms, types, definition, parents, xrefs, sources, replaced_by, relation, obsolete. "
            "Columns with usual names need no option.",
            metavar="ROLE=COLUMN...",
        ),
    ] = None,
    layout: LayoutOptions,
    on_error: Annotated[
        OnError, input_option(help="At a malformed row: stop, or skip and count it.")
    ] = OnError.stop,
    explain: Annotated[
        bool,
        output_option(
            "--explain",
            help="Print how each source would be read (separators, roles of columns, why); write nothing.",
        ),
    ] = False,
) -> None:
    """Compile source files into a terminology that opens in milliseconds.

    Formats: UMLS and RxNorm (umls, rxnorm: RRF directories), MeSH XML (mesh), OBO (obo), OBO Graphs JSON (obograph),
    CTD (ctd), MEDIC (medic), OMOP (omop), SNOMED CT RF2 releases and extensions (rf2), MedDRA (meddra), ICD-10-CM
    (icd10cm), FHIR CodeSystem and expanded ValueSet in JSON (fhir), SSSLM (ssslm), Gilda and Biolexica terms (gilda), NCBI
    gene_info (gene_info), the FDA's UNII list (unii), CSV, TSV and workbooks (.xlsx, .xls, .xlsb, .ods: table), JSON Lines
    (jsonl). A file may be compressed (.gz, .bz2, .xz, .zip); a release may be the zip archive it came in, or a file in it
    (release.zip/names.csv). The content shows the format; if it is unclear, the file is refused and the message says what it
    contains. An option that a format does not support is refused.

    Examples:
      linnet terminology build desc2026.gz supp2026.gz -o mesh/
      linnet terminology build desc2026.gz -o diseases/ --trees C F03
      linnet terminology build vocabulary_download_v5.zip -o omop/ --standard
      linnet terminology build 2026AA/META -o umls/ --types T047 T191 --sources MSH NCI
      linnet terminology build doid.obo -o do/ --prefixes DOID
      linnet terminology build drugs.csv -o drugs/ --columns id=code name=label --prefix ACME
      linnet terminology build drugs.csv -o drugs/ --explain
      linnet terminology build genes.xlsx -o genes/ --sheet Human --columns synonyms=alias synonyms=previous
    """
    from linnet.cli.terminology.summary import show
    from linnet.corpora.size import document_count
    from linnet.link.default_pipeline import kept_pipeline
    from linnet.terminology.build import build_terminology, explain_sources, read_options
    from linnet.terminology.imported_concepts import imported_concepts
    from linnet.terminology.mention_types import is_of_unknown_kind

    skipped: list[DataError] = []
    given: dict[str, Any] = {
        **vars(filters),
        **vars(layout),
        "columns": _columns(columns or ()),
        "delimiter": layout.delimiter.replace("\\t", "\t"),
        "on_error": on_error.value,
        "report": skipped.append,
        "notice": lambda told: note(Note(f"Note: {told.message}", *told.advice)),
    }
    if explain:
        for line in explain_sources(src, options=read_options(given), format=format):
            typer.echo(line)
        return
    pipeline = kept_pipeline(output)
    built = build_terminology(
        src,
        output,
        format=format,
        pipeline=pipeline,
        options=read_options(given),
        each=lambda concepts, path: counting(concepts, f"Reading {path.name}", total=document_count(path)),
    )
    if pipeline:
        fields = ", ".join(f"{name} = {value}" for name, value in pipeline.items())
        note(f"Note: {output} keeps its default pipeline: {fields}.")
    for error in skipped[:_SHOWN]:
        note(f"Skipped: {error.happened}")
    if skipped:
        note(f"Skipped {counted(len(skipped), 'malformed rows')} in all.")
    if not filters.type and is_of_unknown_kind(built):
        note(
            "Note: neither types nor ids say what the concepts are. If all of them are diseases, or chemicals, build it with "
            "--type Disease or --type Chemical: linnet then finds mentions in text by what it has learnt, not by names alone."
        )
    own, others = ("", {}) if filters.prefixes else imported_concepts(built)
    if own:
        named = ", ".join(islice(others, _NAMED)) + (", …" if len(others) > _NAMED else "")
        note(
            f"Note: {sum(others.values()):,} of {len(built):,} concepts are not {own}'s own ({named}); linnet links to them as well. "
            f"To leave them out, build it with --prefixes {own}."
        )
    show(built)


def _columns(pairs: Sequence[str]) -> dict[str, tuple[str | int, ...]]:
    """Role → its columns, from ROLE=COLUMN."""
    columns: dict[str, tuple[str | int, ...]] = {}
    for pair in pairs:
        role, equals, column = pair.partition("=")
        if not (role and equals and column):
            raise typer.BadParameter(
                f"'{pair}' is not ROLE=COLUMN, e.g. id=code or name=2.", param_hint="'--columns'"
            )
        columns[role] = (*columns.get(role, ()), int(column) if column.isdigit() else column)
    return columns
