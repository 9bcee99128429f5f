"""Replaced and alternative ids."""

from __future__ import annotations

from linnet.evaluate.gold import Gold, Predicted
from linnet.evaluate.resolution import current_ids, resolve_answers, resolve_gold

NOW = {"A": ("A",), "old": ("A",), "split": ("B", "C"), "B": ("B",), "C": ("C",)}


def resolve(id: str) -> tuple[str, ...]:
    return NOW.get(id, ())


def gold(*ids: str) -> Gold:
    return Gold("d", 0, 1, "t", "", frozenset(ids))


def test_a_replaced_id_becomes_the_current_one_and_an_unknown_id_stays() -> None:
    assert current_ids(["old", "split", "new"], resolve) == {"A", "B", "C", "new"}
    (settled,) = resolve_gold([gold("old", "new")], [()], resolve)
    assert settled.concepts == {"A", "new"}


def test_an_id_split_in_two_is_satisfied_by_either() -> None:
    golds = [gold("split")] * 3
    settled = resolve_gold(golds, [("C", "B"), ("B",), ("Z",)], resolve)
    assert [g.concepts for g in settled] == [{"C"}, {"B"}, {"B"}]


def test_two_gold_ids_do_not_settle_on_one_concept_where_there_is_another() -> None:
    (settled,) = resolve_gold([gold("split", "B")], [("B", "C")], resolve)
    assert settled.concepts == {"B", "C"}


def test_answers_are_resolved_too_with_their_parts_and_candidates() -> None:
    part = Predicted(frozenset({"split"}), (("split", "B"),))
    answer = Predicted(frozenset({"old"}), (("old", "A"), ("new",)), parts=(part,))
    (settled,) = resolve_answers([answer], resolve)
    assert settled.concepts == {"A"}
    assert settled.ranked == (("A",), ("new",))
    assert settled.parts[0].ranked == (("B",),)
