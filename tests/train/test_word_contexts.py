"""Words by what stands beside them."""

from __future__ import annotations

import numpy as np
import pytest

from linnet.recognise.word_vectors import ContextVectors, context_form
from linnet.train.word_contexts import context_vectors

DRUGS, ILLS = ["aspirin", "heparin", "lithium"], ["gout", "asthma", "rickets"]
TEXTS = [f"They took {drug} against {ill}, 12 mg." for drug in DRUGS for ill in ILLS] * 6


def vectors(texts: list[str] = TEXTS, *, characters: int = 10**6) -> ContextVectors:
    return context_vectors(texts, words=50, contexts=20, dimensions=8, characters=characters, seed=0)


def test_words_used_alike_get_vectors_alike() -> None:
    found = vectors().vectors([*DRUGS, *ILLS])
    cosines = found @ found.T
    assert np.diag(cosines) == pytest.approx(1.0, abs=1e-3)
    assert cosines[:3, :3].min() > 0.9
    assert cosines[3:, 3:].min() > 0.9
    assert cosines[:3, 3:].max() < 0.5


def test_case_does_not_matter_numbers_are_one_word_and_unknown_words_get_zeros() -> None:
    known = vectors()
    a, b, twelve, seven, unknown = known.vectors(["Aspirin", "aspirin", "12", "7", "warfarin"])
    assert (a == b).all()
    assert (twelve == seven).all()
    assert twelve.any()
    assert not unknown.any()
    assert context_form("COX2") == "cox2"
    assert known.vectors([]).shape == (0, 8)


def test_rare_words_get_no_vector_and_text_beyond_the_limit_is_not_read() -> None:
    assert not vectors([*TEXTS, "scurvy"]).vectors(["scurvy"]).any()
    assert not len(vectors(characters=20).hashes)
    assert vectors(characters=20).vectors(["gout"]).shape == (1, 8)


def test_the_same_texts_give_the_same_vectors() -> None:
    assert (vectors().table == vectors().table).all()
