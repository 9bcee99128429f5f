"""What separates several values in one cell."""

from __future__ import annotations

from linnet.terminology.readers.separators import Separators


def test_the_separator_is_told_from_the_cells_of_each_column() -> None:
    separators = Separators(None)
    separators.learn([["a|b;c", "x;y", "one, two"], ["d", "z", "three"]], [0, 1, 2])
    assert separators.split("a|b;c", 0) == ["a", "b;c"]
    assert separators.split("d;e", 0) == ["d;e"]
    assert separators.split("x;y", 1) == ["x", "y"]
    assert separators.split("one, two", 2) == ["one, two"]


def test_a_column_is_decided_at_its_first_list_where_the_first_rows_had_none() -> None:
    separators = Separators(None)
    separators.learn([["a"]], [0])
    assert separators.split("a", 0) == ["a"]
    assert separators.split("b;c", 0) == ["b", "c"]


def test_the_semicolon_of_an_entity_separates_nothing() -> None:
    separators = Separators(None)
    separators.learn([["AT&amp;T"]], [0])
    assert separators.split("AT&amp;T", 0) == ["AT&amp;T"]
    assert separators.split("AT&amp;T;B", 0) == ["AT&amp;T", "B"]


def test_a_given_separator_counts_alone() -> None:
    assert Separators(",").split("a,b|c", 0) == ["a", "b|c"]
    assert Separators("").split("a|b;c", 0) == ["a|b;c"]


def test_lists_with_commas_are_told() -> None:
    separators = Separators(None)
    separators.learn([["beak, bill"], ["neb, gob"], ["nib"]], [0])
    (note,) = separators.notes(["synonyms"], {0: "synonyms"})
    assert note.startswith("most cells of synonyms contain commas")
    chemicals = Separators(None)
    chemicals.learn([["2,4-dinitrophenol"]], [0])
    assert chemicals.notes(["synonyms"], {0: "synonyms"}) == []
