"""Forced and forbidden concepts: reading the file, and applying it to hits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from linnet.errors import DataError
from linnet.retrieve.hits import Hits, Origin
from linnet.terminology import Terminology, write_terminology
from linnet.terminology.overrides import FILE, Overrides, read_overrides
from linnet.types import Concept


@pytest.fixture
def store(tmp_path: Path) -> Terminology:
    concepts = [
        Concept("X:0", "common cold", ("cold",)),
        Concept("X:1", "cold temperature", ("cold",)),
        Concept("X:2", "chronic lung disease", ("COLD",)),
        Concept("X:9", "", replaced_by=("X:0",)),
        Concept("X:8", "", replaced_by=("X:1", "X:2")),
    ]
    return write_terminology(concepts, tmp_path / "store")


def overrides(store: Terminology, text: str) -> Overrides:
    (store.path / FILE).write_text(text)
    return read_overrides(store)


def hits(*rows: list[int], k: int = 3) -> Hits:
    """Hits on these concepts with falling scores 0.9, 0.8 …"""
    found = Hits.empty(len(rows), k)
    for i, row in enumerate(rows):
        found.concepts[i, : len(row)] = row
        found.names[i, : len(row)] = row
        found.scores[i, : len(row)] = [0.9 - 0.1 * place for place in range(len(row))]
        found.origins[i, : len(row)] = Origin.CHAR
    return found


def test_without_a_file_there_are_no_overrides(store: Terminology) -> None:
    found = read_overrides(store)
    assert not found
    before = hits([0, 1])
    assert found.apply(["cold"], before) is before


def test_a_forced_concept_comes_first_with_its_preferred_name(store: Terminology) -> None:
    found = overrides(store, "Cold\tX:2\tforce\n").apply(["the flu", "COLD"], hits([0, 1], [0, 1, 2]))
    assert found.concepts.tolist() == [[0, 1, -1], [2, 0, 1]]
    assert found.names[1, 0] == store.first_name[2]
    assert found.scores[1].tolist() == pytest.approx([2.0, 0.9, 0.8])
    assert found.origins[1].tolist() == [Origin.OVERRIDE, Origin.CHAR, Origin.CHAR]


def test_forcing_never_makes_more_than_k_hits(store: Terminology) -> None:
    found = overrides(store, "cold\tX:2\tforce\n").apply(["cold"], hits([0, 1], k=2))
    assert found.concepts.tolist() == [[2, 0]]


def test_several_forced_concepts_keep_the_order_of_the_file(store: Terminology) -> None:
    found = overrides(store, "cold\tX:2|X:1\tforce\n").apply(["cold"], hits([0]))
    assert found.concepts.tolist() == [[2, 1, 0]]


def test_a_forbidden_concept_is_removed_and_the_rest_moves_up(store: Terminology) -> None:
    given = overrides(store, "cold\tX:0\tforbid\n")
    found = given.apply(["cold"], hits([0, 1]))
    assert found.concepts.tolist() == [[1, -1, -1]]
    assert found.scores[0, 1:].tolist() == [-np.inf, -np.inf]
    assert given.spare == 1


def test_a_star_forbids_every_concept(store: Terminology) -> None:
    assert overrides(store, "cold\t*\tforbid\n").apply(["cold"], hits([0, 1])).concepts.tolist() == [[-1] * 3]


def test_a_forced_concept_that_is_not_allowed_stays_out(store: Terminology) -> None:
    allowed = np.array([True, True, False])
    found = overrides(store, "cold\tX:2\tforce\n").apply(["cold"], hits([0]), allowed=allowed)
    assert found.concepts.tolist() == [[0, -1, -1]]


def test_the_hits_given_are_not_changed(store: Terminology) -> None:
    before = hits([0, 1])
    overrides(store, "cold\tX:2\tforce\n").apply(["cold"], before)
    assert before.concepts.tolist() == [[0, 1, -1]]


def test_a_row_may_have_a_comment_and_be_repeated(store: Terminology) -> None:
    text = "name\tconcept\taction\tcomment\ncold\tX:1\tforce\tby Eve\nCold\tX:1\tforce\t\n"
    assert overrides(store, text).forced == {"cold": (1,)}


def test_a_file_of_the_user_says_alone_what_is_done_with_its_names(
    store: Terminology, tmp_path: Path
) -> None:
    (store.path / FILE).write_text("cold\t*\tforbid\nflu\tX:0\tforce\n")
    (tmp_path / "mine.tsv").write_text("COLD\tX:1\tforce\n")
    found = read_overrides(store, tmp_path / "mine.tsv")
    assert (found.forced, found.forbidden) == ({"flu": (0,), "cold": (1,)}, {})


def test_header_comments_blank_lines_and_retired_ids_are_understood(store: Terminology) -> None:
    found = overrides(store, "# by hand\nname\tconcept\taction\n\ncold\tX:9\tforce\n")
    assert found.forced == {"cold": (0,)}


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("cold\tX:0\n", 1, "2 column"),
        ("cold X:0 force\n", 1, "1 column"),
        ("cold\tX:0\tforce\n\tX:0\tforce\n", 2, "3 column"),
        ("# first\ncold\tX:0\tmaybe\n", 2, "unknown action 'maybe'"),
        ("cold\tX:77\tforce\n", 1, "no concept 'X:77'"),
        ("cold\t*\tforce\n", 1, "no concept"),
        ("cold\tX:0\tforce\nCold\tX:9\tforbid\n", 2, "line 1 has force"),
        ("cold\t*\tforbid\nCOLD\tX:1\tforce\n", 2, r"line 1 has forbid for \*"),
        ("cold\tX:1\tforce\ncold\t*\tforbid\n", 2, "line 1 has force for X:1"),
        ("cold\tX:1\tforce\ncold \tX:2\tforce\n", 2, r"line 1 has force for X:1.*one line with X:1\|X:2"),
        ("cold\tX:1|X:77\tforce\n", 1, "no concept 'X:77'"),
        ("cold\tX:1\tforce\ta\tb\n", 1, "5 column"),
        ("cold\tX:8\tforce\n", 1, r"'X:8' was replaced by X:1 and X:2. Write .* X:1\|X:2"),
    ],
)
def test_a_wrong_row_is_refused_with_file_and_line(
    store: Terminology, text: str, line: int, said: str
) -> None:
    with pytest.raises(DataError, match=said) as refused:
        overrides(store, text)
    assert (refused.value.path, refused.value.line) == (store.path / FILE, line)
