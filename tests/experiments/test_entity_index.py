"""Concepts by vector, with two towers that only count letters."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from experiments.entity_index import FORMS, EntityIndex

from linnet.errors import UnknownNameError
from linnet.retrieve.hits import Origin
from linnet.terminology import Terminology, write_terminology
from linnet.types import Concept, Mention


class Letters:
    """Vectors of letter counts, those of definitions and contexts counting a tenth."""

    def encode_mentions(self, mentions: Sequence[Mention]) -> np.ndarray:
        return counts([m.text for m in mentions]) + counts([m.left + m.right for m in mentions]) / 10

    def encode_entities(self, names: Sequence[str], definitions: Sequence[str]) -> np.ndarray:
        return counts(names) + counts(definitions) / 10


def counts(texts: Sequence[str]) -> np.ndarray:
    letters = [[text.lower().count(chr(97 + i)) for i in range(26)] for text in texts]
    return np.array(letters, np.float32).reshape(len(texts), 26)


@pytest.fixture
def terminology(tmp_path: Path) -> Terminology:
    rng = np.random.default_rng(0)
    concepts = [
        Concept(f"T:{i:03}", "".join(rng.choice(list("abcdefghij"), 12)), definition="zz" * (i % 3))
        for i in range(120)
    ]
    return write_terminology(concepts, tmp_path / "t")


@pytest.mark.parametrize("form", FORMS)
def test_the_nearest_concepts_come_first(terminology: Terminology, form: str) -> None:
    index = EntityIndex(terminology, Letters(), form=form, threads=1)
    mentions = [Mention.alone(terminology.name(row)) for row in (5, 0, 119)]
    hits = index.search(mentions, k=7)
    names = [terminology.name(row) for row in range(120)]
    entities = Letters().encode_entities(names, [terminology.definition(row) for row in range(120)])
    entities /= np.linalg.norm(entities, axis=1, keepdims=True)
    queries = Letters().encode_mentions(mentions)
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    scores = np.sort(queries @ entities.T, axis=1)[:, ::-1][:, :7]
    if form == "flat":
        np.testing.assert_allclose(hits.scores, scores, atol=2e-3)
    assert np.mean(np.isclose(hits.scores, scores, atol=2e-3)) > 0.9
    assert hits.concepts[:, 0].tolist() == [5, 0, 119]
    assert (hits.names == terminology.first_name[hits.concepts]).all()
    assert (hits.origins == Origin.DENSE).all()


def test_definitions_are_read_and_counted(terminology: Terminology) -> None:
    index = EntityIndex(terminology, Letters())
    assert index.defined == 80
    bare = Mention.alone(terminology.name(1), left="zz ")
    assert index.search([bare], k=1).scores[0, 0] > 0.999


def test_little_asked_for_and_more_than_there_is(terminology: Terminology) -> None:
    index = EntityIndex(terminology, Letters())
    assert index.search([], k=3).concepts.shape == (0, 3)
    assert index.search([Mention.alone("abc")], k=0).concepts.shape == (1, 0)
    found = index.search([Mention.alone("abc")], k=200).concepts[0]
    assert sorted(found[:120].tolist()) == list(range(120))
    assert (found[120:] == -1).all()


def test_an_unknown_form_lists_the_choices(terminology: Terminology) -> None:
    with pytest.raises(UnknownNameError, match="flat, hnsw"):
        EntityIndex(terminology, Letters(), form="flt")
