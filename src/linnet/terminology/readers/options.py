"""Options for reading a terminology, shared by all readers."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Literal

from linnet.advice import Advice, Note, Step
from linnet.errors import DataError, RequestError
from linnet.formats.refusal import refuser
from linnet.listing import tally

__all__ = ["DEFAULTS", "SCOPES", "ReadOptions", "SourceFile", "column_list"]

_LOG = logging.getLogger("linnet.terminology")
SCOPES = frozenset({"exact", "narrow", "broad", "related"})


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Choices for reading a terminology. A reader refuses those it cannot honour (`RequestError`).

    Which concepts
    types          keep concepts of these types, compared without case (UMLS: TUI or name; OMOP: domain or class)
    only_prefixes  keep concepts whose id has one of these prefixes: drops what an ontology imports ("DOID")
    vocabularies   keep names from these vocabularies (UMLS: SAB; OMOP: vocabulary_id; SSSLM: source)
    trees          keep descriptors in these MeSH trees ("C", "F03", "C04.588")
    standard       OMOP: keep standard concepts only; the others become retired ids of what they map to
    suppressed     also keep concepts and names that the source marks as obsolete or suppressed

    Which names
    languages      keep names in these languages, as the source writes them; None: English, if the source states it
    name_types     UNII: keep names of these types (of, cn, bn, cd, sys); None: official, common and brand names
    scopes         synonym scopes to keep. Broad synonyms name broader things and are left out by default;
                   related ones are kept because most synonyms of ChEBI and NCIt are related
    permuted       also add the natural order of inverted names ("Anemia, Aplastic" → "Aplastic Anemia")

    How a table is laid out
    columns        role → column name, or number from 1, or a list of these. Roles: id, name, synonyms, types,
                   definition, parents, xrefs, sources, replaced_by, relation (of the row to its parent), obsolete.
                   For JSONL the name of the field
    header         whether the first row names the columns; None: yes, unless all `columns` are numbers
    delimiter      between columns; "": tab when the first row has one, else comma or semicolon
    separator      between several values in one column; "": there is one; None: found from the values ("|", else ";")
    sheet          of a workbook; "": the first
    prefix         CURIE prefix for ids that have none ("PUBCHEM")
    type           type of every concept, in place of the source's own

    Malformed rows
    on_error       "stop" raises the first error; "skip" leaves the row out
    report         called with each skipped error

    Content of the source that is not in the concepts
    notice         called with one sentence per kind, with the number of rows or fields; None: a warning of the logger
                   "linnet.terminology"
    """

    types: Set[str] | None = None
    only_prefixes: Set[str] | None = None
    vocabularies: Set[str] | None = None
    trees: Set[str] | None = None
    standard: bool = False
    suppressed: bool = False
    languages: Set[str] | None = None
    name_types: Set[str] | None = None
    scopes: Set[str] = frozenset({"exact", "narrow", "related"})
    permuted: bool = False
    columns: Mapping[str, str | int | Sequence[str | int]] = field(default_factory=dict)
    header: bool | None = None
    delimiter: str = ""
    separator: str | None = None
    sheet: str = ""
    prefix: str = ""
    type: str = ""
    on_error: Literal["stop", "skip"] = "stop"
    report: Callable[[DataError], None] | None = None
    notice: Callable[[Note], None] | None = None

    def __post_init__(self) -> None:
        unknown = set(self.scopes) - SCOPES
        if unknown:
            raise RequestError(
                f"Unknown synonym scope '{min(unknown)}'. Choose from: {', '.join(sorted(SCOPES))}."
            )
        refuser(self.on_error)

    def changed(self) -> set[str]:
        """Names of the options that differ from their defaults."""
        return {f.name for f in fields(self) if getattr(self, f.name) != getattr(DEFAULTS, f.name)}


DEFAULTS = ReadOptions()


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that is read with these options."""

    path: Path
    options: ReadOptions = DEFAULTS

    def error(self, message: str, line: int | None = None, *advice: Advice) -> DataError:
        """The error that refuses the file."""
        return DataError(message, *advice, path=self.path, line=line)

    def malformed(self, message: str, line: int | None = None, *advice: Advice) -> None:
        """Raise DataError for a malformed row; with `on_error="skip"`, report it and return."""
        self.refuse(self.error(message, line, *advice))

    def refuse(self, error: DataError) -> None:
        """As `malformed`, with the error of another reader."""
        refuser(self.options.on_error, self.options.report)(error)

    def tell(self, message: str, *advice: Advice) -> None:
        """Report content of the file that is not in the concepts."""
        note = Note(f"{self.path}: {message}", *advice)
        if self.options.notice is not None:
            self.options.notice(note)
        else:
            _LOG.warning("%s", note)

    def tell_languages(self, left_out: str, others: Counter[str], wanted: Set[str]) -> None:
        """Report names in other languages than those wanted, with the number in each. left_out: what was left out."""
        if others:
            listed = [*sorted(wanted), *(language for language, _ in others.most_common(3))]
            advice = Step.READ_THEM(languages=list(dict.fromkeys(listed)))
            self.tell(f"{left_out} in other languages were left out: {tally(others, 10)}.", advice)


def column_list(columns: str | int | Sequence[str | int]) -> list[str | int]:
    """The columns of one role in `ReadOptions.columns`. Raises RequestError for a boolean, which Python takes for column 0 or 1."""
    listed = [columns] if isinstance(columns, (str, int)) else list(columns)
    if wrong := [column for column in listed if isinstance(column, bool)]:
        raise RequestError(f"A column is {wrong[0]}; expected its name, or its number from 1.")
    return listed
