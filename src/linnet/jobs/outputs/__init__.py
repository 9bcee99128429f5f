"""Output formats of links: a writer for each, and all corpus formats."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from linnet import corpora
from linnet.errors import RequestError, UnknownNameError
from linnet.jobs.outputs.json_lines import write_documents, write_mentions
from linnet.jobs.outputs.mappings import write_omop, write_sssom
from linnet.jobs.outputs.rows import write_csv, write_parquet, write_tsv
from linnet.link.linker import Linked

__all__ = ["MAPPINGS", "formats", "write_links", "writers"]

writers: dict[str, Callable[..., list[str] | None]] = {
    "csv": write_csv,
    "jsonl": write_documents,
    "mentions": write_mentions,
    "omop": write_omop,
    "parquet": write_parquet,
    "sssom": write_sssom,
    "tsv": write_tsv,
}

_TABLES = ("csv", "parquet", "tsv")
_WITH_ASSERTION = frozenset({*_TABLES, "jsonl", "mentions"})
MAPPINGS = ("omop", "sssom")
"""Formats that map subjects to concepts, and have a place for what the user says of the mappings."""


def formats() -> list[str]:
    """All format names for `write_links`."""
    return sorted({*writers, *corpora.writers})


def write_links(
    linked: Iterable[Linked], path: str | Path, *, format: str, assertion: bool = False, **options: Any
) -> list[str]:
    """Write links as a stream; a file appears completely or not at all, "-" is standard output.

    assertion  the links say what the text says of their mentions
    options    of the writer of the format

    Returns descriptions of what the format could not represent. Raises UnknownNameError for an unknown format, RequestError for
    one that has no place for `assertion`.
    """
    if assertion and format in {*writers, *corpora.writers} - _WITH_ASSERTION:
        raise RequestError(
            f"Files of the format {format} have no place for what the text says of a mention (assertion). Write one of "
            f"{', '.join(sorted(_WITH_ASSERTION))}, or leave --assertion out."
        )
    if assertion and format in _TABLES:
        options["assertion"] = True
    if format in writers:
        return writers[format](linked, path, **options) or []
    if format not in corpora.writers:
        raise UnknownNameError("output format", format, formats())
    losses = corpora.write((document for document, _ in linked), path, format=format)
    return losses.lines()
