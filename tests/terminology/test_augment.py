"""More names for known concepts."""

from __future__ import annotations

from pathlib import Path

import pytest

from linnet.terminology import Terminology, write_terminology
from linnet.terminology.augment import augment
from linnet.types import Concept


@pytest.fixture
def store(tmp_path: Path) -> Terminology:
    concepts = [
        Concept("X:1", "common cold", ("cold",), definition="d", xrefs=("Y:1",)),
        Concept("X:2", "flu"),
        Concept("X:9", "", replaced_by=("X:1",)),
    ]
    return write_terminology(concepts, tmp_path / "store")


def test_new_names_come_last_and_known_ones_are_counted(store: Terminology) -> None:
    pairs = [("the  sniffles", "X:1"), ("COLD", "X:1"), ("The Sniffles", "X:1"), ("catarrh", "X:9")]
    augmented = augment(store, pairs)
    assert (augmented.added, augmented.known, augmented.unknown) == (2, 2, {})
    concepts = list(augmented)
    assert concepts[0] == Concept(
        "X:1", "common cold", ("cold", "the sniffles", "catarrh"), definition="d", xrefs=("Y:1",)
    )
    assert concepts[1:] == list(store)[1:]


def test_ids_the_terminology_lacks_are_counted_most_frequent_first(store: Terminology) -> None:
    augmented = augment(store, [("a", "Q:1"), ("b", "Q:2"), ("c", "Q:2")])
    assert list(augmented.unknown.items()) == [("Q:2", 2), ("Q:1", 1)]
    assert list(augmented) == list(store)


def test_a_name_may_be_given_to_several_concepts(store: Terminology) -> None:
    concepts = list(augment(store, [("sick", "X:1"), ("sick", "X:2"), (" ", "X:2")]))
    assert concepts[0].names == ("cold", "sick")
    assert concepts[1].names == ("sick",)
