"""What a reader is asked for: one object that every reader receives."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Literal

from linnet.errors import DataError, RequestError

__all__ = ["DEFAULTS", "SCOPES", "ReadOptions"]

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
    suppressed     also read as ordinary concepts and names what the source marks obsolete or suppressed

    Which names
    languages      keep names in these languages, as the source writes them; None: English where the source says
    scopes         synonym scopes to keep. A broad synonym names a broader thing, hence is left out by default;
                   related ones are kept because ChEBI and NCIt write most of their synonyms as related
    permuted       also add the natural order of inverted names ("Anemia, Aplastic" → "Aplastic Anemia")

    How a table is laid out
    columns        role → column name, or number from 1, or a list of these. Roles: id, name, synonyms, types,
                   definition, parents, xrefs, sources, replaced_by, relation (of the row to its parent), obsolete.
                   For JSONL the name of the field
    header         whether the first row names the columns; None: yes, unless all `columns` are numbers
    delimiter      between columns; "": tab when the first row has one, else comma or semicolon
    separator      between several values in one column; "": there is one; None: found from the values ("|", else ";")
    sheet          of a workbook (.xlsx); "": the first
    prefix         CURIE prefix for ids that have none ("PUBCHEM")
    type           said to be the type of every concept, in place of the source's own

    Malformed rows
    on_error       "stop" raises at the first; "skip" leaves it out and hands the error to `report`
    report         called with each error that was skipped

    What a source holds and the concepts lack
    notice         called with one sentence for each kind of it, with the number of rows or fields; None: a warning
                   of the logger "linnet.terminology"
    """

    types: Set[str] | None = None
    only_prefixes: Set[str] | None = None
    vocabularies: Set[str] | None = None
    trees: Set[str] | None = None
    standard: bool = False
    suppressed: bool = False
    languages: Set[str] | None = None
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
    notice: Callable[[str], None] | None = None

    def __post_init__(self) -> None:
        unknown = set(self.scopes) - SCOPES
        if unknown:
            raise RequestError(
                f"Unknown synonym scope '{min(unknown)}'. Choose from: {', '.join(sorted(SCOPES))}."
            )
        if self.on_error not in ("stop", "skip"):
            raise RequestError(f"on_error is '{self.on_error}'; expected 'stop' or 'skip'.")

    def changed(self) -> set[str]:
        """Names of the options that differ from their defaults."""
        return {f.name for f in fields(self) if getattr(self, f.name) != getattr(DEFAULTS, f.name)}

    def malformed(self, message: str, *, path: Path, line: int | None = None) -> None:
        """Raise DataError for a row that cannot be read; with `on_error="skip"`, report it and return."""
        error = DataError(message, path=path, line=line)
        if self.on_error == "stop":
            raise error
        if self.report is not None:
            self.report(error)

    def tell(self, message: str, *, path: Path) -> None:
        """Name what was read and is not in the concepts, to whoever asked for it."""
        if self.notice is not None:
            self.notice(f"{path}: {message}")
        else:
            _LOG.warning("%s: %s", path, message)


DEFAULTS = ReadOptions()
