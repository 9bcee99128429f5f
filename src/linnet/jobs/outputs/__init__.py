"""Output formats of links: a writer for each, and all corpus formats."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from linnet import corpora
from linnet import formats as table
from linnet.errors import RequestError, UnknownNameError
from linnet.link.linker import Linked
from linnet.registry import imported

__all__ = ["MAPPINGS", "formats", "write_links"]

_LINKS = table.formats("links")
MAPPINGS = tuple(name for name, format in _LINKS.items() if "mapping" in format.traits)
"""Formats that map subjects to concepts, and have a place for what the user says of the mappings."""


def formats() -> list[str]:
    """All format names for `write_links`."""
    return sorted({*_LINKS, *corpora.writers})


def write_links(
    linked: Iterable[Linked], path: str | Path, *, format: str, assertion: bool = False, **options: Any
) -> list[str]:
    """Write links as a stream; a file appears completely or not at all, "-" is standard output.

    assertion  the links say what the text says of their mentions, and what the text was read as
    options    of the writer of the format

    Returns descriptions of what the format could not represent. Raises UnknownNameError for an unknown format, RequestError for
    one that has no place for `assertion`.
    """
    if format not in formats():
        raise UnknownNameError("output format", format, formats())
    links = _LINKS.get(format)
    if assertion and (links is None or "assertion" not in links.traits):
        able = ", ".join(name for name, known in _LINKS.items() if "assertion" in known.traits)
        raise RequestError(
            f"Files of the format {format} have no place for what the text says of a mention (assertion). Write one of "
            f"{able}, or leave assertion out."
        )
    if links is None:
        return corpora.write((document for document, _ in linked), path, format=format).lines()
    if assertion:
        options["assertion"] = True
    return imported(links.writer)(linked, path, **options) or []
