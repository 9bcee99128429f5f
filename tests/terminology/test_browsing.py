"""Up and down the hierarchy: what is at the top, and in what order."""

from __future__ import annotations

from pathlib import Path

import pytest

from linnet.terminology import browsing, write_terminology
from linnet.types import Concept


def test_the_top_has_what_has_children_and_no_parent_by_name(tmp_path: Path) -> None:
    concepts = [
        Concept("X:1", "symptoms"),
        Concept("X:2", "Diseases"),
        Concept("X:3", "asthma", parents=("X:2",)),
        Concept("X:4", "Cough", parents=("X:1", "X:3")),
        Concept("X:5", "alone"),
    ]
    terminology = write_terminology(concepts, tmp_path / "store")
    assert [terminology.ids[row] for row in browsing.roots(terminology)] == ["X:2", "X:1"]
    assert [terminology.ids[row] for row in browsing.path(terminology, terminology.row("X:4"))] == ["X:1"]


def test_of_a_flat_terminology_everything_is_at_the_top_and_equal_names_keep_their_order(
    tmp_path: Path,
) -> None:
    concepts = [Concept("X:1", "b"), Concept("X:2", "C"), Concept("X:3", "a"), Concept("X:4", "B")]
    terminology = write_terminology(concepts, tmp_path / "store")
    assert [terminology.ids[row] for row in browsing.roots(terminology)] == ["X:3", "X:1", "X:4", "X:2"]


def test_what_nobody_looks_through_comes_by_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browsing, "_BY_NAME", 2)
    concepts = [Concept("X:1", "b"), Concept("X:2", "C"), Concept("X:3", "a")]
    terminology = write_terminology(concepts, tmp_path / "store")
    assert browsing.roots(terminology).tolist() == [0, 1, 2]


def test_children_are_in_the_order_of_their_names(tmp_path: Path) -> None:
    names = {"X:2": "zoster", "X:3": "Asthma", "X:4": "measles"}
    concepts = [Concept("X:1", "diseases")]
    concepts += [Concept(id, name, parents=("X:1",)) for id, name in names.items()]
    terminology = write_terminology(concepts, tmp_path / "store")
    found = browsing.children(terminology, terminology.row("X:1"))
    assert [terminology.ids[row] for row in found] == ["X:3", "X:4", "X:2"]
    assert list(browsing.children(terminology, terminology.row("X:2"))) == []
