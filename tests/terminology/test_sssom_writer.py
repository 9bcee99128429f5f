"""Joins by name on disk: read back as mappings, each with the name and the fields compared."""

from __future__ import annotations

from pathlib import Path

from linnet.terminology.name_joins import join_names
from linnet.terminology.sssom import read_sssom
from linnet.terminology.sssom_writer import write_name_joins, write_not_joined
from linnet.types import Concept

JOINS = join_names([
    [Concept("MESH:D1", "Measles"), Concept("MESH:D2", "shivers", ("winter illness",))],
    [Concept("ACME:1", "rubeola", ("measles",)), Concept("ACME:2", "shaking", ("winter illness",))],
])  # fmt: skip


def test_the_table_is_sssom_and_reads_back_as_the_mappings(tmp_path: Path) -> None:
    path = tmp_path / "joined.sssom.tsv"
    write_name_joins(JOINS, path, version="1.2.3")
    assert read_sssom(path).mappings == JOINS.mappings
    head, row = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[-2:])
    fields = dict(zip(head, row, strict=True))
    assert fields["mapping_justification"] == "semapv:LexicalMatching"
    assert (fields["subject_match_field"], fields["object_match_field"]) == (
        "rdfs:label",
        "oboInOwl:hasExactSynonym",
    )
    assert (fields["match_string"], fields["mapping_tool_version"]) == ("measles", "1.2.3")


def test_the_header_expands_all_prefixes_and_states_a_licence(tmp_path: Path) -> None:
    path = tmp_path / "joined.sssom.tsv"
    write_name_joins(JOINS, path, version="1.2.3")
    header = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    assert '#  MESH: "https://bioregistry.io/mesh:"' in header
    assert '#  ACME: "http://w3id.org/sssom/unknown_prefix/acme/"' in header
    assert read_sssom(path).licence == "https://w3id.org/sssom/license/unspecified"


def test_pairs_not_joined_are_written_with_their_reason(tmp_path: Path) -> None:
    path = tmp_path / "others.tsv"
    write_not_joined(JOINS, path)
    assert path.read_text(encoding="utf-8").splitlines()[1:] == [
        "MESH:D2\tshivers\tACME:2\tshaking\twinter illness\t1\tshare only synonyms"
    ]
