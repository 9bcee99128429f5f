"""Which mentions count as new."""

from __future__ import annotations

from linnet.evaluate.gold import Gold
from linnet.evaluate.subsets import refined, seen_in, subsets, unseen_concept, unseen_exact, unseen_surface


def gold(text: str, *ids: str) -> Gold:
    return Gold("d", 0, 1, text, "", frozenset(ids))


SEEN = seen_in([gold("Heart  attack", "A"), gold("flu", "B"), gold("fog")])
GOLDS = [
    gold("heart Attack", "A"),
    gold("MI", "A"),
    gold("mi", "A"),
    gold("MI", "C"),
    gold("measles", "D"),
    gold("Fog"),
    gold("mist"),
    gold("flu and pox", "B", "D"),
]


def test_unseen_surface_compares_lower_cased_text() -> None:
    kept = unseen_surface(GOLDS, SEEN)
    assert kept.places == [1, 2, 3, 4, 6, 7]
    assert kept.dropped == {"surface seen in train": 2}


def test_unseen_exact_compares_the_text_as_it_is_written() -> None:
    kept = unseen_exact([gold("flu", "B"), gold("Flu", "B"), gold("Heart attack", "A")], SEEN)
    assert kept.places == [1, 2]
    assert kept.dropped == {"surface seen in train as written": 1}


def test_unseen_concept_wants_no_gold_concept_to_be_known() -> None:
    kept = unseen_concept(GOLDS, SEEN)
    assert kept.places == [3, 4]
    assert kept.dropped == {"concept seen in train": 4, "no gold concept": 2}


def test_refined_also_drops_repeats_but_not_the_same_text_with_another_meaning() -> None:
    kept = refined(GOLDS, SEEN)
    assert kept.places == [1, 3, 4, 6, 7]
    assert kept.dropped == {"surface seen in train": 2, "repeated in the corpus": 1}


def test_every_subset_accounts_for_every_mention() -> None:
    for select in subsets.values():
        kept = select(GOLDS, SEEN)
        assert len(kept.places) + sum(kept.dropped.values()) == len(GOLDS)
