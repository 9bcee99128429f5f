"""Pairs of synonyms."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from linnet.errors import DataError
from linnet.terminology import write_terminology
from linnet.train.synonyms import Synonyms
from linnet.types import Concept

GROUPS = [
    ["Cold", "common cold", "coryza"],
    ["COPD", "cold", "chronic obstructive"],
    ["gout"],
    ["Ague", "AGUE"],
]


def written(synonyms: Synonyms) -> set[tuple[str, str, int]]:
    rows = zip(synonyms.pairs.tolist(), synonyms.labels.tolist(), strict=True)
    return {(synonyms.texts[a], synonyms.texts[b], label) for (a, b), label in rows}


def test_every_two_names_of_a_concept_are_a_pair() -> None:
    expected = {
        (a, b, label)
        for label, names in enumerate(GROUPS)
        for a, b in combinations(dict.fromkeys(name.lower() for name in names), 2)
    }
    assert written(Synonyms(GROUPS)) == expected


def test_a_concept_has_at_most_so_many_pairs_drawn_by_the_seed() -> None:
    groups = [[f"name {i}" for i in range(30)], ["a", "b"]]
    synonyms = Synonyms(groups, most=50, seed=1)
    assert np.bincount(synonyms.labels).tolist() == [50, 1]
    assert len(written(synonyms)) == 51
    assert written(synonyms) == written(Synonyms(groups, most=50, seed=1))
    assert written(synonyms) != written(Synonyms(groups, most=50, seed=2))


def test_homonyms_are_marked_and_synonyms_are_not() -> None:
    synonyms = Synonyms(GROUPS)
    number = synonyms.texts.index
    texts = np.array([number("cold"), number("coryza"), number("cold"), number("copd"), number("ague")])
    labels = np.array([0, 0, 1, 1, 3])
    mask = synonyms.homonyms(texts, labels)
    # cold–cold; cold (as coryza)–COPD share concept 1; coryza–cold share concept 0; the two concepts share "cold"
    expected = {(0, 2), (0, 3), (1, 2), (1, 3)}
    assert {(i, j) for i, j in np.argwhere(mask).tolist() if i < j} == expected
    assert (mask == mask.T).all()


def test_no_synonyms_is_an_error() -> None:
    with pytest.raises(DataError, match="none of 2 concepts has two names"):
        Synonyms([["gout"], ["ague", "Ague"]])


def test_terminologies_share_concepts_by_id(tmp_path: Path) -> None:
    one = write_terminology([Concept("T:1", "gout", ("podagra",)), Concept("T:2", "ague")], tmp_path / "one")
    other = write_terminology([Concept("T:2", "malaria")], tmp_path / "other")
    assert written(Synonyms.of([one, other])) == {("gout", "podagra", 0), ("ague", "malaria", 1)}
