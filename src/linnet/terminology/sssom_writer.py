"""Joins by name as an SSSOM table, and the pairs not joined as a table for a person to read."""

from __future__ import annotations

from pathlib import Path

from linnet.io.files import open_output
from linnet.terminology.name_joins import PREDICATE, REASONS, NameJoins, NameMatch
from linnet.terminology.sssom_header import NO_LICENCE, content_id, entity, write_header

__all__ = ["write_name_joins", "write_not_joined"]

_COLUMNS = (
    "subject_id",
    "subject_label",
    "predicate_id",
    "object_id",
    "object_label",
    "mapping_justification",
    "subject_match_field",
    "object_match_field",
    "match_string",
    "subject_preprocessing",
    "object_preprocessing",
    "mapping_tool",
    "mapping_tool_version",
)
_FOLDED = "semapv:CaseNormalization"


def write_name_joins(joins: NameJoins, path: str | Path, *, version: str) -> None:
    """Write the joined pairs as SSSOM (tab-separated, metadata in `#` lines), which `read_sssom` reads.

    version  of linnet

    Each row says which name was compared (`match_string`, folded) and whether it is the label or a synonym of each side.
    The licence is "unspecified", as it follows from those of the terminologies.
    """
    rows = []
    for match in joins.joined:
        fields = ["rdfs:label" if preferred else "oboInOwl:hasExactSynonym" for preferred in match.preferred]
        subject, object = (entity(id, prefix="source") for id in (match.subject, match.object))
        row = [
            *(subject, match.subject_label, PREDICATE, object, match.object_label),
            *("semapv:LexicalMatching", *fields, match.name, _FOLDED, _FOLDED, "linnet", version),
        ]
        rows.append([_cell(value) for value in row])
    metadata = {"mapping_set_id": content_id(rows), "license": NO_LICENCE}
    with open_output(path) as stream:
        write_header(stream, metadata, (id for row in rows for id in (row[0], row[3])), curie_map={})
        stream.writelines("\t".join(row) + "\n" for row in [list(_COLUMNS), *rows])


def write_not_joined(joins: NameJoins, path: str | Path) -> None:
    """Write the pairs that share a name and were not joined, with the reason; tab-separated."""
    with open_output(path) as stream:
        stream.write(
            "subject_id\tsubject_label\tobject_id\tobject_label\tshared_name\tshared_names\treason\n"
        )
        for match in joins.refused:
            stream.write("\t".join(map(_cell, _refused(match))) + "\n")


def _refused(match: NameMatch) -> list[str]:
    sides = [match.subject, match.subject_label, match.object, match.object_label]
    return [*sides, match.name, str(match.names), REASONS[match.reason]]


def _cell(value: str) -> str:
    return " ".join(value.split())
