"""Mappings between terminologies from SSSOM tables (tab-separated, metadata in `#` lines).

Only subject, predicate, object, their labels and negation are read; joining concepts needs no justifications or
confidences. Source: Matentzoglu et al. 2022, "A Simple Standard for Sharing Ontological Mappings".
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from linnet.errors import DataError
from linnet.io.files import read_lines
from linnet.words.curies import curie

__all__ = ["EXACT", "NO_TERM", "Mapping", "MappingSet", "read_sssom"]

# Predicates that equate two concepts.
EXACT = frozenset({"skos:exactMatch", "owl:equivalentClass", "owl:sameAs"})
NO_TERM = "sssom:NoTermFound"
_NEEDED = ("subject_id", "predicate_id", "object_id")


class Mapping(NamedTuple):
    """A relation by `predicate` of `subject` to `object`; ids in linnet's spelling, labels as in the table."""

    subject: str
    predicate: str
    object: str
    subject_label: str = ""
    object_label: str = ""


@dataclass(frozen=True, slots=True)
class MappingSet:
    """One SSSOM table.

    mappings  in file order
    licence   as stated in the file, "" if not stated
    version   of the mapping set, "" if not stated
    skipped   number of rows left out: other predicates, negated ones, subjects without a match
    """

    mappings: tuple[Mapping, ...]
    licence: str = ""
    version: str = ""
    skipped: int = 0


def read_sssom(path: str | Path, *, predicates: Collection[str] = EXACT) -> MappingSet:
    """The mappings of an SSSOM table whose predicate is among `predicates`.

    Raises DataError with file and line if a required column or value is missing.
    """
    metadata: dict[str, str] = {}
    columns: list[str] = []
    mappings: list[Mapping] = []
    skipped = 0
    for number, line in read_lines(path):
        if line.startswith("#") and not columns:
            key, _, value = line[1:].partition(":")
            if not key.startswith("  "):  # indented lines hold the prefixes of curie_map
                metadata[key.strip()] = value.strip().strip("'\"")
        elif not columns:
            columns = _columns(line, path=path, number=number)
        elif line:
            fields = dict(zip(columns, line.split("\t"), strict=False))
            missing = next((name for name in _NEEDED if not fields.get(name)), None)
            if missing:
                raise DataError(f"has no {missing}. Expected one mapping per line.", path=path, line=number)
            is_mapping = fields.get("predicate_modifier", "") != "Not" and fields["object_id"] != NO_TERM
            if fields["predicate_id"] in predicates and is_mapping:
                mappings.append(
                    Mapping(
                        curie(fields["subject_id"]),
                        fields["predicate_id"],
                        curie(fields["object_id"]),
                        fields.get("subject_label", ""),
                        fields.get("object_label", ""),
                    )
                )
            else:
                skipped += 1
    if not columns:
        raise DataError("is empty; expected an SSSOM table (subject_id, predicate_id, object_id).", path=path)
    return MappingSet(
        tuple(mappings), metadata.get("license", ""), metadata.get("mapping_set_version", ""), skipped
    )


def _columns(line: str, *, path: str | Path, number: int) -> list[str]:
    columns = line.split("\t")
    for name in _NEEDED:
        if name not in columns:
            raise DataError(
                f"has no column '{name}': not an SSSOM table. Its columns are: {', '.join(columns)}.",
                path=path,
                line=number,
            )
    return columns
