"""Nearest names, with vectors chosen by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from linnet.errors import DataError, UnknownNameError
from linnet.terminology import Terminology, write_terminology
from linnet.train.validation import METRICS, NearestNames
from linnet.types import Concept, Document, Mention

CONCEPTS = [
    Concept("T:1", "common cold", ("cold",)),
    Concept("T:2", "copd", ("cold",)),
    Concept("T:3", "gout", ("podagra",)),
    Concept("T:4", "ague"),
]
VECTORS = {
    "common cold": (1.0, 0.0),
    "cold": (0.9, 0.1),
    "copd": (0.8, 0.3),
    "gout": (0.0, 1.0),
    "podagra": (0.1, 0.9),
    "ague": (0.5, 0.5),
}


@pytest.fixture
def terminology(tmp_path: Path) -> Terminology:
    return write_terminology(CONCEPTS, tmp_path / "t")


def mention(text: str, concept: str) -> Mention:
    return Mention(Document("", text), 0, len(text), text, "", (concept,))


def encoder(**more: tuple[float, float]):
    def encode(texts: Sequence[str]) -> np.ndarray:
        return np.array([{**VECTORS, **more}[text] for text in texts], np.float32)

    return encode


@pytest.mark.parametrize("metric", METRICS)
def test_the_place_of_the_right_concept_counts(terminology: Terminology, metric: str) -> None:
    # By every metric: gout's names, then ague, then the colds.
    encode = encoder(toe=(0.05, 1.0))
    for concept, rank in (("T:3", 1), ("T:4", 2), ("T:2", 3)):
        nearest = NearestNames(terminology, [mention("TOE", concept)], ks=(1, 2, 3), metric=metric)
        assert nearest(encode) == {f"acc@{k}": float(rank <= k) for k in (1, 2, 3)}


def test_every_mention_has_its_place(terminology: Terminology) -> None:
    asked = [mention("TOE", "T:4"), mention("X", "T:99"), mention("toe", "T:3"), mention("TOE", "T:4")]
    nearest = NearestNames(terminology, asked)
    assert nearest.ranks(encoder(toe=(0.05, 1.0))).tolist() == [2, 1, 2]
    assert [each.concepts for each in nearest.linked.mentions] == [("T:4",), ("T:3",), ("T:4",)]


def test_a_name_of_two_concepts_is_right_for_both(terminology: Terminology) -> None:
    encode = encoder(sniffles=(0.9, 0.1))
    for concept in ("T:1", "T:2"):
        nearest = NearestNames(terminology, [mention("sniffles", concept)], ks=(1,))
        assert nearest(encode) == {"acc@1": 1.0}


def test_vectors_that_are_all_alike_or_no_numbers_score_nothing(terminology: Terminology) -> None:
    for value in (1.0, 0.0, np.nan):
        nearest = NearestNames(terminology, [mention("gout", "T:3"), mention("ague", "T:4")], ks=(1,))
        scores = nearest(lambda texts, value=value: np.full((len(texts), 3), value))
        assert scores == {"acc@1": 0.0}


def test_every_mention_counts_though_each_question_is_asked_once(terminology: Terminology) -> None:
    asked: list[str] = []

    def encode(texts: Sequence[str]) -> np.ndarray:
        asked.extend(texts)
        return encoder(toe=(0.05, 1.0))(texts)

    mentions = [mention("toe", "T:3"), mention("Toe", "T:3"), mention("toe", "T:4")]
    nearest = NearestNames(terminology, mentions, ks=(1,))
    assert nearest(encode) == {"acc@1": pytest.approx(2 / 3)}
    assert asked.count("toe") == 2  # once for each concept it is said to be


def test_fewer_names_still_hold_the_right_ones(terminology: Terminology) -> None:
    among = NearestNames(terminology, [mention("toe", "T:3")], names=1, seed=1, ks=(1,))
    seen: list[str] = []
    among(lambda texts: seen.extend(texts) or encoder(toe=(0.05, 1.0))(texts))
    assert {"gout", "podagra", "toe"} < set(seen)
    assert len(seen) == 4


def test_wrong_requests(terminology: Terminology) -> None:
    with pytest.raises(UnknownNameError, match="cosine, euclidean, inner"):
        NearestNames(terminology, [mention("toe", "T:3")], metric="manhattan")
    with pytest.raises(DataError, match="1 unknown to the terminology"):
        NearestNames(terminology, [mention("toe", "T:7")])
