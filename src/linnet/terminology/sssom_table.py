"""SSSOM tables of mappings from strings or codes to concepts, with the user's metadata."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from linnet.formats.delimited import ROW_END, row_stream
from linnet.io.control_characters import spaced
from linnet.io.files import open_output
from linnet.terminology.mapping_metadata import OF_MAPPINGS, OF_SETS
from linnet.terminology.sssom import NO_TERM
from linnet.terminology.sssom_header import NO_LICENCE, content_id, entity, write_header
from linnet.words.curies import is_known

__all__ = ["object_of", "subject_of", "write_sssom_table"]

_PEOPLE = ("author_id", "reviewer_id", "creator_id")


def write_sssom_table(
    path: str | Path, mappings: Iterable[Mapping[str, object]], *, metadata: Mapping[str, Any]
) -> None:
    """Write mappings, each a dictionary of slots with the same keys, behind their metadata.

    metadata  see `linnet.terminology.mapping_metadata`: of the set, and of all mappings that do not say otherwise
    """
    ours = {"mapping_tool": "linnet", "mapping_tool_version": version("linnet")}
    people = {name: "|".join(metadata[name]) for name in OF_MAPPINGS if name in metadata}
    rows = [
        {**mapping, **ours, **{n: v for n, v in people.items() if n not in mapping}} for mapping in mappings
    ]
    columns = list(rows[0]) if rows else ["subject_id", "predicate_id", "object_id", "mapping_justification"]
    cells = [[_cell(row[name]) for name in columns] for row in rows]
    given = {name: metadata[name] for name in OF_SETS if name in metadata}
    slots = {"mapping_set_id": content_id(cells), "license": NO_LICENCE, **given}
    ids = [str(row.get(name, "")) for row in rows for name in ("subject_id", "object_id")]
    ids += [id for row in rows for name in _PEOPLE for id in str(row.get(name, "")).split("|")]
    with open_output(path) as stream:
        write_header(stream, slots, filter(None, ids), curie_map=metadata.get("curie_map", {}))
        writer = csv.writer(row_stream(stream), delimiter="\t", lineterminator=ROW_END)
        writer.writerows([columns, *cells])


def subject_of(id: str, prefix: str) -> str:
    """A code of the source as SSSOM refers to it; "" for none. Without a prefix of the user's, known CURIEs are kept."""
    if not id or (not prefix and is_known(id)):
        return id
    return entity(f"{prefix or 'source'}:{id.removeprefix(f'{prefix}:')}", prefix="")


def object_of(concept: str) -> str:
    """A concept as SSSOM refers to it; `sssom:NoTermFound` for none."""
    return entity(concept, prefix="object") if concept else NO_TERM


def _cell(value: object) -> object:
    return spaced(value) if isinstance(value, str) else "" if value is None else value
