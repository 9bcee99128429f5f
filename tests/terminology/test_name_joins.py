"""Joining by name: which shared names join two concepts, which do not, and what is said of those."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import pytest

from linnet.terminology.merge import merge
from linnet.terminology.name_joins import NameJoins, join_names
from linnet.terminology.sssom import Mapping
from linnet.types import Concept


def joined(joins: NameJoins) -> list[tuple[str, str]]:
    return [(match.subject, match.object) for match in joins.joined]


def refused(joins: NameJoins) -> list[tuple[str, str, str]]:
    return [(match.subject, match.object, match.reason) for match in joins.refused]


def test_a_preferred_name_that_both_have_joins_whatever_its_case() -> None:
    joins = join_names([[Concept("A:1", "Measles")], [Concept("B:1", "rubeola", ("measles",))]])
    assert joins.mappings == (Mapping("A:1", "skos:exactMatch", "B:1", "Measles", "rubeola"),)
    assert joins.joined[0].name == "measles"
    assert joins.joined[0].preferred == (True, False)
    assert joins.refused == ()


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        ((("heart disease", "carditis nova"),), (("cardiac disorder", "carditis nova"),), "synonyms"),
        ((("ataxia telangiectasia", "ATXT"),), (("atrioventricular trouble", "ATXT"),), "short"),
        ((("CADASIX",),), (("CADASIX",),), "short"),
        ((("mk-801",),), (("dizocilpine", "mk-801"),), "short"),
        ((("hepatitis c-like",),), (("liver inflammation", "hepatitis c-like"), ("hepatitis", "hepatitis c-like")), ""),
        ((("juvenile arthritis", "Still illness"),), (("juvenile arthritis",), ("Still illness",)), "rivals"),
    ],
)  # fmt: skip
def test_what_does_not_join(
    first: Sequence[tuple[str, ...]], second: Sequence[tuple[str, ...]], reason: str
) -> None:
    joins = join_names(
        [
            [Concept(f"A:{i}", name, tuple(names)) for i, (name, *names) in enumerate(first)],
            [Concept(f"B:{i}", name, tuple(names)) for i, (name, *names) in enumerate(second)],
        ]
    )
    assert joined(joins) == []
    assert {match.reason for match in joins.refused} == ({reason} if reason else set())
    assert joins.ambiguous == (not reason)


def test_a_short_word_joins_only_as_the_preferred_name_of_both() -> None:
    joins = join_names([[Concept("A:1", "Gout")], [Concept("B:1", "gout"), Concept("B:2", "flu")]])
    assert joined(joins) == [("A:1", "B:1")]


def test_capitals_are_no_acronym_where_all_names_are_in_capitals() -> None:
    loud = [Concept("B:1", "ALBENDAZOLE"), Concept("B:2", "CITRIC ACID", ("ACIDUM CITRICUM",))]
    assert joined(join_names([[Concept("A:1", "Albendazole")], loud])) == [("A:1", "B:1")]
    quiet = [Concept("B:1", "ALBENDAZOLE"), Concept("B:2", "citric acid", ("acidum citricum",))]
    assert joined(join_names([[Concept("A:1", "Albendazole")], quiet])) == []


def test_a_preferred_name_of_both_outdoes_a_rival_with_a_synonym_of_both() -> None:
    first = [Concept("A:1", "agnosia", ("loss of recognition",))]
    second = [Concept("B:1", "agnosia"), Concept("B:2", "visual trouble", ("loss of recognition",))]
    joins = join_names([first, second])
    assert joined(joins) == [("A:1", "B:1")]
    assert refused(joins) == [("A:1", "B:2", "synonyms")]


def test_a_name_of_several_concepts_in_a_third_terminology_joins_nothing() -> None:
    both = [[Concept("A:1", "mercury")], [Concept("B:1", "mercury")]]
    assert joined(join_names(both)) == [("A:1", "B:1")]
    third = [Concept("C:1", "quicksilver", ("mercury",)), Concept("C:2", "planet", ("mercury",))]
    joins = join_names([*both, third])
    assert (joined(joins), joins.ambiguous) == ([], 1)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Concept("HP:1", "Hyperreflexia"), Concept("NCBIGENE:7", "HRX", ("hyperreflexia",))),
        (Concept("A:1", "Insulin", types=("Chemical",)), Concept("B:1", "insulin", types=("T047", "Disease or Syndrome"))),
        (Concept("UNII:1", "garlic"), Concept("MESH:1", "Garlic", types=("Organism",))),
    ],
)  # fmt: skip
def test_concepts_of_different_kinds_are_not_joined(first: Concept, second: Concept) -> None:
    assert refused(join_names([[first], [second]])) == [(first.id, second.id, "kinds")]


def test_a_protein_is_both_a_chemical_and_a_gene_product() -> None:
    protein = Concept("A:1", "Stathmin", types=("Protein",))
    for other in (Concept("UNII:1", "stathmin"), Concept("NCBIGENE:1", "STMN1", ("stathmin",))):
        assert joined(join_names([[protein], [other]])) == [("A:1", other.id)]


def test_a_chain_that_ends_in_the_terminology_it_began_in_joins_nothing() -> None:
    terminologies = [
        [Concept("A:1", "first name"), Concept("A:2", "third name")],
        [Concept("B:1", "second name", ("first name",))],
        [Concept("C:1", "second name", ("third name",))],
    ]
    for order in permutations(terminologies):
        joins = join_names(order)
        assert joined(joins) == []
        assert joins.reasons() == {"chain": 3}


def test_names_add_to_mappings_and_never_contradict_them() -> None:
    first = [Concept("A:1", "common cold"), Concept("A:2", "influenza")]
    second = [Concept("B:1", "common cold"), Concept("B:2", "influenza"), Concept("B:3", "catarrh")]
    given = [Mapping("A:1", "skos:exactMatch", "B:3")]
    joins = join_names([first, second], mappings=given)
    assert joined(joins) == [("A:2", "B:2")]
    assert refused(joins) == [("A:1", "B:1", "chain")]
    merged = merge([first, second], mappings=[*given, *joins.mappings])
    assert (merged.joined, merged.conflicts) == (2, ())


def test_what_a_mapping_joins_is_not_joined_again() -> None:
    both = [[Concept("A:1", "common cold")], [Concept("B:1", "common cold")]]
    joins = join_names(both, mappings=[Mapping("A:1", "skos:exactMatch", "B:1")])
    assert (joins.joined, joins.refused, joins.ambiguous) == ((), (), 0)
