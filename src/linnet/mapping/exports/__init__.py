"""Mappings for others to read: a writer for each format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from linnet.advice import Step
from linnet.errors import RequestError, UnknownNameError
from linnet.mapping.decisions import Status
from linnet.mapping.folder import Folder
from linnet.mapping.rows import Row
from linnet.plural import counted
from linnet.registry import imported

__all__ = ["ENDINGS", "Writer", "chosen", "export", "writers"]

Writer = Callable[..., list[str]]
"""`writer(mapping, rows, path, metadata)`: writes a file completely or not at all; returns what it could not hold."""

# Format → module and function, and whether it holds rows that nobody has approved.
writers: dict[str, tuple[str, bool]] = {
    "conceptmap": ("linnet.mapping.exports.concept_map:write_concept_map", False),
    "csv": ("linnet.mapping.exports.table:write_csv", True),
    "omop": ("linnet.mapping.exports.omop:write_omop", False),
    "overrides": ("linnet.mapping.exports.overrides:write_overrides", False),
    "sssom": ("linnet.mapping.exports.sssom:write_sssom", False),
    "tsv": ("linnet.mapping.exports.table:write_tsv", True),
    "usagi": ("linnet.mapping.exports.usagi:write_usagi", True),
    "xlsx": ("linnet.mapping.exports.workbook:write_workbook", True),
}
ENDINGS = {
    ".conceptmap.json": "conceptmap", ".omop.csv": "omop", ".usagi.csv": "usagi", ".sssom.tsv": "sssom", "overrides.tsv": "overrides",
    ".json": "conceptmap", ".csv": "csv", ".tsv": "tsv", ".xlsx": "xlsx",
}  # fmt: skip
"""Ending of a file → its format; longer ones first."""


def export(
    mapping: Folder,
    path: str | Path,
    *,
    format: str | None = None,
    metadata: dict[str, Any] | None = None,
    unchecked: float | None = None,
) -> list[str]:
    """Write a mapping.

    format     a name in `writers`; None: by the ending of `path`, see `ENDINGS`
    metadata   of the mappings, as `linnet.terminology.mapping_metadata` reads it, beside that of the mapping's settings
    unchecked  also what nobody has checked and is at least so probable; tables, Usagi and Excel have all rows anyway

    Strings that the newest table no longer has are left out: their codes may be those of other strings now.

    Returns what the format could not hold, and what was left out. Raises UnknownNameError for an unknown format, RequestError as its
    writer does.
    """
    ending = next((ending for ending in ENDINGS if str(path).lower().endswith(ending)), None)
    format = format or (ENDINGS[ending] if ending else None)
    if format is None:
        raise RequestError(
            f"{path}: which format? Name the file {', '.join(f'*{each}' for each in ENDINGS)}.",
            Step.NAME_FORMAT(),
        )
    if format not in writers:
        raise UnknownNameError("format of mappings", format, writers)
    writer, holds_all = writers[format]
    here = [row for row in mapping if not row.is_gone]
    rows = here if holds_all else list(chosen(mapping, here, unchecked=unchecked))
    told: list[str] = []
    if gone := len(mapping) - len(here):
        told.append(f"Left out: {counted(gone, 'strings')} that the newest table no longer has.")
    if left_out := len(here) - len(rows):
        told.append(f"{left_out:,} of {len(here):,} rows are not approved and were left out.")
    write: Writer = imported(writer)
    given = {**mapping.settings.get("metadata", {}), **(metadata or {})}
    return [*write(mapping, rows, path, given), *told]


def chosen(mapping: Folder, rows: Iterable[Row], *, unchecked: float | None) -> Iterator[Row]:
    """The rows that stand for something: approved ones, and proposals that are at least so probable if they are asked for."""
    for row in rows:
        probability = row.proposal.probability or 0.0 if row.proposal else 0.0
        is_new = row.status is Status.UNCHECKED and not row.state.returned and row.targets
        is_probable = unchecked is not None and probability >= unchecked
        is_approved = mapping.is_done(row.state) and row.status is Status.APPROVED
        if is_approved or (is_new and is_probable):
            yield row
