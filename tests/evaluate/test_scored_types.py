"""Annotations of types that are not judged do not count, and the report says so."""

from __future__ import annotations

from linnet.evaluate.gold import Gold
from linnet.evaluate.scored_types import of_scored_types


def found(*types: str) -> list[Gold]:
    return [Gold("d", at, at + 1, "x", type) for at, type in enumerate(types)]


def test_a_system_that_names_a_judged_type_is_judged_by_it_alone() -> None:
    kept, [note] = of_scored_types(
        found("chemical", "Disease", "Organism", "Organism", ""),
        ["Chemical"],
        in_corpus=["Chemical", "Disease"],
        system="s",
    )
    assert [item.type for item in kept] == ["chemical"]
    assert (
        note
        == "Annotations of 's' that have other types and do not count: 4 (Organism 2, Disease 1, no type 1)."
    )


def test_types_under_other_names_all_count_but_those_of_the_corpus() -> None:
    kept, [note] = of_scored_types(
        found("T103", "", "Disease"), ["Chemical"], in_corpus=["Chemical", "Disease"], system="s"
    )
    assert [item.type for item in kept] == ["T103", ""]
    assert note.endswith(" 1 (Disease 1).")


def test_without_types_everything_counts() -> None:
    kept, notes = of_scored_types(found("Disease", ""), (), in_corpus=["Chemical"], system="s")
    assert ([item.type for item in kept], notes) == (["Disease", ""], [])
    assert of_scored_types([], ["Disease"], in_corpus=["Disease"], system="s") == ([], [])


def test_many_types_are_summed_up() -> None:
    _, [note] = of_scored_types(found("A", *"BCDEFG"), ["a"], in_corpus=["A"], system="s")
    assert note.endswith(" 6 (B 1, C 1, D 1, E 1 and 2 more types).")
