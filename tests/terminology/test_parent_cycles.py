"""Cycles of parents: found exactly, named by a short example, told by every build, and harmless to what walks parents."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import linnet
from linnet.evaluate.hierarchy import Hierarchy
from linnet.terminology import Terminology, browsing, write_terminology
from linnet.terminology.parent_cycles import described_cycle, rows_in_cycles, shortest_cycle
from linnet.types import Concept

# X:2 → X:3 → X:4 → X:2, a longer one than X:6 ⇄ X:7; X:5 is below one, X:1 names itself.
TABLE = """id,name,parents
X:1,disease,X:1
X:2,cold,X:3
X:3,chill,X:4
X:4,shiver,X:2
X:5,gout,X:2|X:1
X:6,flu,X:7
X:7,grippe,X:6
"""


@pytest.fixture
def cyclic(tmp_path: Path) -> Terminology:
    concepts = [
        Concept("X:1", "disease"),
        Concept("X:2", "cold", parents=("X:3",)),
        Concept("X:3", "chill", parents=("X:2",)),
        Concept("X:4", "shiver", parents=("X:3", "X:1")),
    ]
    return write_terminology(concepts, tmp_path / "cyclic")


def lists(parents: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    counts = [len(above) for above in parents]
    return np.cumsum([0, *counts]).astype(np.int32), np.array(list(chain.from_iterable(parents)), np.int32)


def above(row: int, parents: Sequence[Sequence[int]]) -> set[int]:
    seen: set[int] = set()
    queue = [row]
    while queue:
        new = set(parents[queue.pop()]) - seen
        seen |= new
        queue += new
    return seen


@given(
    st.integers(1, 8).flatmap(
        lambda n: st.lists(st.sets(st.integers(0, n - 1), max_size=3), min_size=n, max_size=n)
    )
)
def test_exactly_the_concepts_above_themselves_are_found(graph: list[set[int]]) -> None:
    parents = [sorted(set(up) - {row}) for row, up in enumerate(graph)]
    rows, cycles = rows_in_cycles(*lists(parents))
    assert rows.tolist() == [row for row in range(len(parents)) if row in above(row, parents)]
    assert len(cycles) == len(rows)
    for row in range(len(parents)):
        steps = shortest_cycle(row, parents.__getitem__)
        assert bool(steps) == (row in rows.tolist())
        assert all(second in parents[first] for first, second in pairwise(steps))
        assert not steps or steps[0] == steps[-1] == row


def test_a_build_says_how_many_concepts_are_their_own_ancestors_with_the_shortest_example(
    tmp_path: Path,
) -> None:
    (tmp_path / "t.csv").write_text(TABLE)
    notes: list[str] = []
    linnet.build([tmp_path / "t.csv"], tmp_path / "t", notice=notes.append)
    [told] = [note for note in notes if "ancestors" in note]
    assert "5 concepts are their own ancestors, e.g. X:6 (flu) → X:7 (grippe) → X:6" in told
    built = linnet.open_terminology(tmp_path / "t")
    assert built.manifest["counts"]["in_cycles"] == 5
    assert built["X:1"].parents == ()


def test_an_obo_file_with_a_cycle_is_told_too_and_long_examples_are_cut(tmp_path: Path) -> None:
    terms = [
        f"[Term]\nid: X:{number}\nname: cold {number}\nis_a: X:{(number + 1) % 9}\n" for number in range(9)
    ]
    (tmp_path / "t.obo").write_text("format-version: 1.2\n\n" + "\n".join(terms))
    notes: list[str] = []
    linnet.build([tmp_path / "t.obo"], tmp_path / "t", notice=notes.append)
    [told] = [note for note in notes if "ancestors" in note]
    assert "9 concepts" in told
    assert "→ X:4 (cold 4) → … → X:8 (cold 8) → X:0 (" in told


def test_a_hierarchy_without_cycles_is_not_told(tmp_path: Path) -> None:
    store = write_terminology(
        [Concept("X:1", "cold", parents=("X:2",)), Concept("X:2", "flu")], tmp_path / "t"
    )
    assert described_cycle(store) == ""


def test_what_walks_parents_ends_in_a_cycle(cyclic: Terminology) -> None:
    assert cyclic.ancestors("X:2") == ["X:3"]
    assert cyclic.ancestors("X:4") == ["X:1", "X:3", "X:2"]
    assert browsing.path(cyclic, cyclic.row("X:2")) == [cyclic.row("X:3")]
    hierarchy = Hierarchy(lambda id: cyclic[id].parents)
    assert hierarchy.relation("X:2", "X:3") == "parent"
    assert 0 < hierarchy.wu_palmer("X:2", "X:4") <= 1
