"""What changed between two releases."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from linnet.terminology import Terminology, write_terminology
from linnet.terminology.diff import diff
from linnet.types import Concept

OLD = [
    Concept("X:1", "disease"),
    Concept("X:2", "cold", ("catarrh", "common cold"), parents=("X:1",)),
    Concept("X:3", "grippe"),
    Concept("X:4", "vapours"),
]
NEW = [
    Concept("X:0", "thing"),
    Concept("X:1", "disease", parents=("X:0",)),
    Concept("X:2", "common cold", ("cold", "acute coryza")),
    Concept("X:5", "influenza", ("grippe",)),
    Concept("X:3", "", replaced_by=("X:5",)),
]


def compiled(concepts: Sequence[Concept], folder: Path) -> Terminology:
    return write_terminology(concepts, folder)


def test_every_kind_of_change_is_found(tmp_path: Path) -> None:
    found = diff(compiled(OLD, tmp_path / "old"), compiled(NEW, tmp_path / "new"))
    assert found.added == ("X:0", "X:5")
    assert found.removed == ("X:4",)
    assert found.retired == {"X:3": ("X:5",)}
    assert found.renamed == {"X:2": ("cold", "common cold")}
    assert found.names_added == {"X:2": ("acute coryza",)}
    assert found.names_removed == {"X:2": ("catarrh",)}
    assert found.parents_added == {"X:1": ("X:0",)}
    assert found.parents_removed == {"X:2": ("X:1",)}
    assert found.counts()["parents_changed"] == 2


def test_records_tell_each_change_on_its_own(tmp_path: Path) -> None:
    found = diff(compiled(OLD, tmp_path / "old"), compiled(NEW, tmp_path / "new"))
    records = list(found.records())
    assert [record["change"] for record in records] == [
        "added", "added", "removed", "retired", "renamed", "names", "parents", "parents",
    ]  # fmt: skip
    assert records[3] == {"change": "retired", "concept": "X:3", "replaced_by": ["X:5"]}
    assert records[5] == {
        "change": "names",
        "concept": "X:2",
        "added": ["acute coryza"],
        "removed": ["catarrh"],
    }


def test_equal_releases_do_not_differ(tmp_path: Path) -> None:
    found = diff(compiled(OLD, tmp_path / "old"), compiled(OLD[::-1], tmp_path / "new"))
    assert not found
    assert list(found.records()) == []


def test_undoing_a_change_swaps_what_was_added_and_removed(tmp_path: Path) -> None:
    old, new = compiled(OLD, tmp_path / "old"), compiled(NEW[:-1], tmp_path / "new")
    forth, back = diff(old, new), diff(new, old)
    assert (forth.added, forth.removed) == (back.removed, back.added)
    assert (forth.names_added, forth.parents_added) == (back.names_removed, back.parents_removed)
