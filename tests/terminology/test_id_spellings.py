"""Concepts are found by their ids however these are written, whatever the store holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from linnet.errors import RequestError
from linnet.terminology import Terminology, write_terminology
from linnet.terminology.id_lists import check_ids
from linnet.terminology.overrides import read_overrides
from linnet.terminology.search import SearchIndex
from linnet.types import Concept


def store(path: Path, *ids: str, retired: tuple[str, str] | None = None) -> Terminology:
    """A store with these ids as they are."""
    concepts = [Concept(id, f"name {number}") for number, id in enumerate(ids)]
    if retired:
        concepts.append(Concept(retired[0], "", replaced_by=(retired[1],)))
    return write_terminology(concepts, path)


@pytest.mark.parametrize(
    "written",
    [
        "MESH:D003866",
        "mesh:D003866",
        "D003866",
        "d003866",
        "MSH:D003866",
        "http://id.nlm.nih.gov/mesh/D003866",
        "https://identifiers.org/mesh:D003866",
        "MESH:MESH:D003866",
    ],
)
@pytest.mark.parametrize("held", ["MESH:D003866", "D003866", "mesh:D003866", "MESH_D003866"])
def test_any_spelling_finds_a_concept_in_a_store_of_any_spelling(
    tmp_path: Path, held: str, written: str
) -> None:
    assert store(tmp_path / "t", held, "OMIM:100100").resolve(written) == (held,)


@pytest.mark.parametrize(
    ("held", "written"),
    [
        ("CVCL_0023", "CVCL:0023"),
        ("CVCL:0023", "CVCL_0023"),
        ("hgnc:5", "HGNC:HGNC:5"),
        ("HGNC:HGNC:5", "hgnc:5"),
        ("DrugBank:DB00001", "drugbank:db00001"),
        ("lab:x1", "LAB:X1"),
        ("C0011849", "UMLS:C0011849"),
        ("NCBIGENE:672", "NCBI Gene:672"),
        ("SNOMEDCT:73211009", "http://snomed.info/id/73211009"),
    ],
)
def test_vocabularies_are_told_by_their_prefix(tmp_path: Path, held: str, written: str) -> None:
    assert store(tmp_path / "t", held).resolve(written) == (held,)


def test_a_bare_number_is_nobodys(tmp_path: Path) -> None:
    terminology = store(tmp_path / "t", "OMIM:104300", "104301")
    assert terminology.resolve("104300") == ()
    assert terminology.resolve("NCBIGENE:104301") == ()
    assert terminology.resolve("104301") == ("104301",)


def test_an_exact_id_goes_before_another_spelling(tmp_path: Path) -> None:
    terminology = store(tmp_path / "t", "D003866", "MESH:D003866")
    assert terminology.resolve("D003866") == ("D003866",)
    assert terminology.resolve("mesh:D003866") == ("MESH:D003866",)


def test_retired_ids_are_found_in_any_spelling(tmp_path: Path) -> None:
    terminology = store(tmp_path / "t", "MESH:D000001", retired=("DOID:0001", "MESH:D000001"))
    assert terminology.resolve("http://purl.obolibrary.org/obo/DOID_0001") == ("MESH:D000001",)
    assert terminology.spelling("doid:0001") == "DOID:0001"
    assert terminology.spelling("doid:0002") == ""


def test_search_by_id_takes_any_spelling(tmp_path: Path) -> None:
    terminology = store(tmp_path / "t", "NCBIGENE:672", "MESH:D003866")
    index = SearchIndex.build(terminology)
    for written in ("NCBI Gene:672", "geneid:672", "d003866", "http://id.nlm.nih.gov/mesh/D003866"):
        assert [found.match for found in index.search(written)] == ["id"], written


def test_overrides_may_write_ids_in_any_spelling(tmp_path: Path) -> None:
    terminology = store(tmp_path / "t", "MESH:D003866")
    (tmp_path / "t/overrides.tsv").write_text("low\tD003866\tforce\nblue\tmesh:d003866\tforbid\n")
    overrides = read_overrides(terminology)
    assert overrides.forced == {"low": (0,)}
    assert overrides.forbidden == {"blue": frozenset({0})}


def test_allowing_and_denying_take_any_spelling(tmp_path: Path) -> None:
    terminology = store(tmp_path / "t", "MESH:D003866", "MESH:D003920")
    for deny in ("D003866", "mesh:D003866", "http://id.nlm.nih.gov/mesh/D003866"):
        check_ids([terminology], deny=[deny])
        mask = terminology.select(deny=[deny])
        assert mask is not None
        assert mask.tolist() == [False, True]


def test_ids_that_no_terminology_has_are_refused_with_the_nearest(tmp_path: Path) -> None:
    terminology = store(tmp_path / "t", "MESH:D003866", "MESH:D003920")
    with pytest.raises(
        RequestError, match=r"1 id of the deny list is not in .*MESH:D00392 \(nearest: MESH:D00"
    ):
        check_ids([terminology], deny=["MESH:D003866", "MESH:D00392"])
    with pytest.raises(RequestError, match=r"D00392 \(nearest: MESH:D003920\)"):
        check_ids([terminology], deny=["D00392"])
    with pytest.raises(RequestError, match=r"5 ids of the allow list .* and 2 more"):
        check_ids([terminology], allow=[f"X:{number}" for number in range(5)])
    other = store(tmp_path / "u", "HP:0000001")
    check_ids([terminology, other], allow=["hp:0000001", "D003866"])


def test_one_string_is_no_list_of_ids(tmp_path: Path) -> None:
    terminology = store(tmp_path / "t", "MESH:D003866")
    with pytest.raises(RequestError, match=r"deny=\['MESH:D003866'\]"):
        terminology.select(deny="MESH:D003866")
    with pytest.raises(RequestError, match=r"allow=\['MESH:D003866'\]"):
        check_ids([terminology], allow="MESH:D003866")
    with pytest.raises(RequestError, match="got None"):
        terminology.select(deny=[None])  # type: ignore[list-item]
