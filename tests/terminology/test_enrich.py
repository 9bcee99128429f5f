"""Enriching: parents translated back to the base, definitions and types, never names."""

from __future__ import annotations

from collections.abc import Iterable

from linnet.terminology.enrich import enrich
from linnet.terminology.sssom import Mapping
from linnet.types import Concept


def by_id(concepts: Iterable[Concept]) -> dict[str, Concept]:
    return {concept.id: concept for concept in concepts}


def test_types_and_definitions_come_in_but_no_names() -> None:
    base = [Concept("A:1", "cold", types=("T1",)), Concept("A:2", "flu", definition="own")]
    extra = [
        Concept("A:1", "common cold", ("catarrh",), types=("T2",), definition="d", sources=("E",)),
        Concept("A:2", "influenza", definition="other"),
        Concept("A:3", "measles"),
    ]
    enriched = enrich(base, extra)
    assert list(enriched) == [
        Concept("A:1", "cold", types=("T1", "T2"), definition="d"),
        Concept("A:2", "flu", definition="own"),
    ]
    assert (enriched.matched, enriched.parents, enriched.types, enriched.definitions) == (2, 0, 1, 1)


def test_a_parent_unknown_to_the_base_is_climbed_over() -> None:
    base = [Concept("A:1", "type 2 diabetes"), Concept("A:3", "disease")]
    extra = [
        Concept("A:1", "type 2 diabetes", parents=("A:2",)),
        Concept("A:2", "diabetes", parents=("A:3",)),
        Concept("A:3", "disease", parents=("A:4",)),
        Concept("A:4", "thing"),
    ]
    enriched = enrich(base, extra)
    assert by_id(enriched)["A:1"].parents == ("A:3",)
    assert by_id(enriched)["A:3"].parents == ()
    assert enriched.parents == 1


def test_mapped_ids_are_translated_both_ways() -> None:
    base = [Concept("A:1", "cold"), Concept("A:2", "disease")]
    extra = [Concept("B:1", "cold", parents=("B:2",)), Concept("B:2", "disease")]
    mappings = [
        Mapping("M:1", "skos:exactMatch", "A:1"),
        Mapping("M:1", "skos:exactMatch", "B:1"),
        Mapping("B:2", "skos:exactMatch", "A:2"),
    ]
    assert by_id(enrich(base, extra, mappings=mappings))["A:1"].parents == ("A:2",)


def test_no_cycle_is_made_and_what_is_known_is_not_repeated() -> None:
    base = [
        Concept("A:1", "disease", parents=("A:2",)),
        Concept("A:2", "cold"),
        Concept("A:3", "flu", parents=("A:1",)),
    ]
    extra = [
        Concept("A:1", "disease"),
        Concept("A:2", "cold", parents=("A:1",)),
        Concept("A:3", "flu", parents=("A:2",)),
    ]
    assert list(enrich(base, extra)) == base


def test_retired_ids_of_the_base_are_kept_and_understood() -> None:
    base = [Concept("A:1", "cold"), Concept("B:1", "", replaced_by=("A:1",)), Concept("A:2", "disease")]
    extra = [Concept("B:1", "cold", parents=("A:2",)), Concept("A:2", "disease")]
    enriched = enrich(base, extra)
    assert by_id(enriched)["A:1"].parents == ("A:2",)
    assert by_id(enriched)["B:1"].replaced_by == ("A:1",)


def test_a_hierarchy_with_a_loop_above_ends() -> None:
    base = [Concept("A:1", "cold")]
    extra = [
        Concept("A:1", "cold", parents=("A:2",)),
        Concept("A:2", "x", parents=("A:3",)),
        Concept("A:3", "y", parents=("A:2",)),
    ]
    assert by_id(enrich(base, extra))["A:1"].parents == ()


def test_names_are_added_on_request_unless_another_concept_has_them() -> None:
    base = [Concept("A:1", "aspirin", ("ASA",)), Concept("A:2", "salicylate", ("salicyl",))]
    extra = [Concept("B:1", "Aspirin", ("acetylsalicylic acid", "asa", "Salicyl", "Acetylsalicylic acid"))]
    mappings = [Mapping("A:1", "skos:exactMatch", "B:1")]
    assert enrich(base, extra, mappings=mappings).names == 0
    enriched = enrich(base, extra, mappings=mappings, names=True)
    assert [concept.names for concept in enriched] == [("ASA", "acetylsalicylic acid"), ("salicyl",)]
    assert enriched.names == 1
