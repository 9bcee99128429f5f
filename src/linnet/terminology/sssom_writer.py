"""Joins by name as an SSSOM table, and the pairs not joined as a table for a person to read."""

from __future__ import annotations

from pathlib import Path

from linnet.curies import is_known
from linnet.files import open_output
from linnet.terminology.name_joins import PREDICATE, REASONS, NameJoins, NameMatch

__all__ = ["write_name_joins", "write_not_joined"]

_VOCABULARIES = {
    "oboInOwl": "http://www.geneontology.org/formats/oboInOwl#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "semapv": "https://w3id.org/semapv/vocab/",
    "skos": "http://www.w3.org/2004/02/skos/core#",
}
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
    ids = [id for match in joins.joined for id in (match.subject, match.object)]
    prefixes = {id.partition(":")[0] for id in ids if is_known(id)}
    places = {prefix: f"https://bioregistry.io/{prefix.lower()}:" for prefix in prefixes}
    with open_output(path) as stream:
        stream.write("# curie_map:\n")
        for prefix, address in sorted({**places, **_VOCABULARIES}.items()):
            stream.write(f"#   {prefix}: {address}\n")
        stream.write("# license: https://w3id.org/sssom/license/unspecified\n")
        stream.write(f"# mapping_set_id: https://w3id.org/sssom/mappings/linnet/{Path(path).name}\n")
        stream.write("\t".join(_COLUMNS) + "\n")
        for match in joins.joined:
            fields = [
                "rdfs:label" if preferred else "oboInOwl:hasExactSynonym" for preferred in match.preferred
            ]
            row = [
                *(match.subject, match.subject_label, PREDICATE, match.object, match.object_label),
                *("semapv:LexicalMatching", *fields, match.name, _FOLDED, _FOLDED, "linnet", version),
            ]
            stream.write("\t".join(map(_cell, row)) + "\n")


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
