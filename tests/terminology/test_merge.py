"""Joining terminologies: who leads, what is united, what is refused."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.terminology import write_terminology
from linnet.terminology.merge import merge
from linnet.terminology.readers.mesh import read_mesh
from linnet.terminology.readers.obo import read_obo
from linnet.terminology.sssom import Mapping, read_sssom
from linnet.types import Concept


def same(*pairs: tuple[str, str], predicate: str = "skos:exactMatch") -> list[Mapping]:
    return [Mapping(first, predicate, second) for first, second in pairs]


def by_id(concepts: Iterable[Concept]) -> dict[str, Concept]:
    return {concept.id: concept for concept in concepts}


def test_a_joined_concept_leads_with_the_first_terminology_and_unites_the_rest() -> None:
    first = [Concept("A:1", "cold", ("catarrh",), types=("T1",), sources=("A",))]
    second = [
        Concept(
            "B:1", "common cold", ("cold",), types=("T2",), definition="d", xrefs=("Z:1",), sources=("B",)
        ),
        Concept("B:2", "flu", parents=("B:1",)),
    ]
    merged = merge([first, second], mappings=same(("A:1", "B:1")))
    assert merged.joined == 1
    assert by_id(merged) == {
        "A:1": Concept(
            "A:1", "cold", ("catarrh", "common cold"), ("T1", "T2"), "d", (), ("B:1", "Z:1"), ("A", "B")
        ),
        "B:2": Concept("B:2", "flu", parents=("A:1",)),
        "B:1": Concept("B:1", "", replaced_by=("A:1",)),
    }


def test_a_chain_through_an_absent_vocabulary_joins() -> None:
    merged = merge(
        [[Concept("A:1", "cold")], [Concept("B:1", "cold")]], mappings=same(("M:1", "A:1"), ("M:1", "B:1"))
    )
    assert by_id(merged)["A:1"].xrefs == ("B:1", "M:1")


def test_two_concepts_of_one_terminology_are_never_joined_and_the_mapping_is_reported() -> None:
    first = [Concept("A:1", "cold"), Concept("A:2", "flu")]
    second = [Concept("B:1", "cold or flu")]
    merged = merge([first, second], mappings=same(("A:1", "B:1"), ("A:2", "B:1")))
    assert set(by_id(merged)) == {"A:1", "A:2", "B:1"}
    assert by_id(merged)["A:2"] == Concept("A:2", "flu")
    assert [str(c) for c in merged.conflicts] == ["A:2 = B:1 would join A:1 and A:2"]


def test_of_competing_mappings_the_one_between_equal_names_wins() -> None:
    first = [Concept("A:1", "influenza"), Concept("A:2", "flu")]
    merged = merge([first, [Concept("B:1", "Flu")]], mappings=same(("A:1", "B:1"), ("A:2", "B:1")))
    assert by_id(merged)["B:1"].replaced_by == ("A:2",)
    labelled = [
        Mapping("M:1", "skos:exactMatch", "A:1", "grippe"),
        Mapping("M:1", "skos:exactMatch", "A:2", "Flu"),
    ]
    assert by_id(merge([first], mappings=labelled))["A:2"].xrefs == ("M:1",)


def test_mappings_that_are_not_exact_join_nothing() -> None:
    given = [[Concept("A:1", "cold")], [Concept("B:1", "cold")]]
    merged = merge(given, mappings=same(("A:1", "B:1"), predicate="skos:broadMatch"))
    assert list(merged) == [Concept("A:1", "cold"), Concept("B:1", "cold")]


def test_equal_ids_join_without_a_mapping() -> None:
    merged = merge([[Concept("A:1", "cold")], [Concept("A:1", "catarrh", parents=("A:2",))]])
    assert list(merged) == [Concept("A:1", "cold", ("catarrh",), parents=("A:2",))]


def test_concepts_of_one_id_that_share_no_name_are_told() -> None:
    first = [Concept("X:1", "gout", ("podagra",)), Concept("X:2", "asthma"), Concept("X:3", "flu")]
    second = [Concept("X:1", "diabetes"), Concept("X:2", "wheeze", ("Asthma",)), Concept("Y:3", "grippe")]
    merged = merge([first, second], mappings=same(("X:3", "Y:3")))
    assert merged.strangers == (("X:1", "gout", "diabetes"),)
    assert by_id(merged)["X:1"].names == ("podagra", "diabetes")


def test_mappings_of_retired_ids_mean_the_current_ones() -> None:
    first = [Concept("A:1", "cold"), Concept("A:9", "", replaced_by=("A:1",))]
    merged = merge([first, [Concept("B:1", "catarrh")]], mappings=same(("B:1", "A:9")))
    assert by_id(merged)["A:1"].names == ("catarrh",)
    assert by_id(merged)["A:9"].replaced_by == ("A:1",)


def test_an_id_that_another_terminology_replaced_is_joined_with_its_replacement() -> None:
    old = [Concept("A:1", "cold")]
    new = [Concept("A:2", "common cold"), Concept("A:1", "", replaced_by=("A:2",))]
    merged = by_id(merge([old, new]))
    assert merged["A:1"].names == ("common cold",)
    assert merged["A:2"].replaced_by == ("A:1",)


def test_a_parent_below_its_own_child_is_left_out_and_counted() -> None:
    first = [Concept("A:1", "disease"), Concept("A:2", "cold", parents=("A:1",))]
    second = [Concept("B:1", "disease", parents=("B:2",)), Concept("B:2", "cold")]
    merged = merge([first, second], mappings=same(("A:1", "B:1"), ("A:2", "B:2")))
    assert merged.cycles == 1
    assert by_id(merged)["A:1"].parents == ()


def test_mappings_that_lead_to_no_concept_are_counted() -> None:
    merged = merge([[Concept("A:1", "cold")]], mappings=same(("Q:1", "R:1"), ("Q:2", "A:1")))
    assert merged.unknown == 1


def test_a_merged_terminology_resolves_all_ids(tmp_path: Path) -> None:
    merged = merge([[Concept("A:1", "cold")], [Concept("B:1", "catarrh")]], mappings=same(("B:1", "A:1")))
    store = write_terminology(merged, tmp_path / "merged")
    assert store.resolve("B:1") == ("A:1",)


IDS = st.sampled_from([f"{prefix}:{number}" for prefix in "ABC" for number in range(4)])


@given(st.lists(st.tuples(IDS, IDS), max_size=25))
def test_every_id_stays_and_no_group_has_two_ids_of_one_terminology(pairs: list[tuple[str, str]]) -> None:
    given = [[Concept(f"{prefix}:{number}", "n") for number in range(4)] for prefix in "ABC"]
    merged = merge(given, mappings=same(*pairs))
    found = by_id(merged)
    assert set(found) == {concept.id for terminology in given for concept in terminology}
    groups: dict[str, list[str]] = {}
    for concept in merged:
        groups.setdefault(concept.replaced_by[0] if concept.replaced_by else concept.id, []).append(
            concept.id
        )
    for leader, ids in groups.items():
        assert found[leader].name
        assert len({id[0] for id in ids}) == len(ids)


@pytest.mark.data
def test_mesh_and_the_disease_ontology_join_through_mondo(data: Path) -> None:
    folder = data / "terminologies"
    mesh = list(read_mesh(folder / "mesh2024/desc2024.rebuilt.xml.gz"))
    ontology = list(read_obo(folder / "doid/doid.obo.gz"))
    mappings = [
        mapping
        for name in ("mesh", "doid")
        for mapping in read_sssom(folder / f"mondo/mondo_exactmatch_{name}.sssom.tsv").mappings
    ]
    merged = merge([mesh, ontology], mappings=mappings)
    diabetes = by_id(merged)["MESH:D003924"]
    assert {"DOID:9352", "MONDO:0005148"} <= set(diabetes.xrefs)
    assert diabetes.sources == ("MESH", "DOID")
    assert merged.joined > 2000
    assert len(merged.conflicts) < merged.joined / 10


def test_ids_that_differ_in_spelling_alone_join_without_a_mapping() -> None:
    merged = merge([[Concept("mesh:D000001", "gout")], [Concept("MESH:D000001", "podagra")]])
    assert [(c.id, c.names) for c in merged if c.name] == [("mesh:D000001", ("podagra",))]


def test_mappings_meet_the_ids_of_a_terminology_in_any_spelling() -> None:
    mapping = Mapping("MESH:D000001", "skos:exactMatch", "CVCL:0001")
    merged = merge([[Concept("D000001", "gout")], [Concept("CVCL_0001", "podagra")]], mappings=[mapping])
    assert [c.id for c in merged if c.name] == ["D000001"]
    assert merged.unknown == 0
