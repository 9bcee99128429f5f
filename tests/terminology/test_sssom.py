"""SSSOM tables: metadata, predicates, and what is refused."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from linnet.errors import DataError
from linnet.terminology.sssom import Mapping, read_sssom

TABLE = """\
# curie_map:
#   AA: http://example.org/AA_
#   license: not this one
# license: "https://example.org/free"
# mapping_set_version: 2030-01-01
subject_id\tsubject_label\tpredicate_id\tobject_id\tpredicate_modifier
AA:1\tfirst\tskos:exactMatch\tmesh:D1\t
AA:2\tsecond\tskos:broadMatch\tmesh:D2\t
AA:3\tthird\tskos:exactMatch\tmesh:D3\tNot
AA:4\tfourth\towl:equivalentClass\tOrphanet:4\t
"""


def test_exact_matches_are_read_with_linnets_spelling_of_the_ids(tmp_path: Path) -> None:
    file = tmp_path / "aa.sssom.tsv"
    file.write_text(TABLE)
    found = read_sssom(file)
    assert found.mappings == (
        Mapping("AA:1", "skos:exactMatch", "MESH:D1", "first"),
        Mapping("AA:4", "owl:equivalentClass", "ORPHA:4", "fourth"),
    )
    assert (found.licence, found.version, found.skipped) == ("https://example.org/free", "2030-01-01", 2)


def test_other_predicates_are_read_when_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "aa.sssom.tsv.gz"
    file.write_bytes(gzip.compress(TABLE.encode()))
    assert [m.subject for m in read_sssom(file, predicates={"skos:broadMatch"}).mappings] == ["AA:2"]


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("", None, "is empty"),
        ("# only: metadata\n", None, "is empty"),
        ("id\tname\nX:1\tcold\n", 1, "no column 'subject_id'"),
        ("subject_id\tpredicate_id\tobject_id\nAA:1\tskos:exactMatch\n", 2, "has no object_id"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused(
    tmp_path: Path, text: str, line: int | None, said: str
) -> None:
    file = tmp_path / "aa.tsv"
    file.write_text(text)
    with pytest.raises(DataError, match=said) as refused:
        read_sssom(file)
    assert (refused.value.path, refused.value.line) == (file, line)


@pytest.mark.data
def test_mondos_tables_are_read_whole(data: Path) -> None:
    found = read_sssom(data / "terminologies/mondo/mondo_exactmatch_mesh.sssom.tsv")
    assert len(found.mappings) == 8181
    assert "publicdomain" in found.licence
    assert all(m.subject.startswith("MONDO:") and m.object.startswith("MESH:") for m in found.mappings)
