"""Concepts by vector, with two towers that only count letters."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from tests.advised import advises

from linnet.advice import Step
from linnet.errors import DamagedError, MismatchError, RequestError, UnknownNameError
from linnet.retrieve import build_retriever, entities
from linnet.retrieve.entities import FORMS, EntityIndex
from linnet.retrieve.hits import Origin
from linnet.retrieve.index import index_path
from linnet.terminology import Terminology, write_terminology
from linnet.types import Concept, Mention


class Letters:
    """Vectors of letter counts, those of definitions and contexts counting a tenth."""

    name, dimensions = "letters", 26

    def __init__(self, digest: str = "0" * 32) -> None:
        self.digest = digest
        self.encoded = 0

    def encode_mentions(self, mentions: Sequence[Mention]) -> np.ndarray:
        return counts([m.text for m in mentions]) + counts([m.left + m.right for m in mentions]) / 10

    def encode_entities(self, names: Sequence[str], definitions: Sequence[str]) -> np.ndarray:
        self.encoded += len(names)
        return counts(names) + counts(definitions) / 10


def counts(texts: Sequence[str]) -> np.ndarray:
    letters = [[text.lower().count(chr(97 + i)) for i in range(26)] for text in texts]
    return np.array(letters, np.float32).reshape(len(texts), 26)


def concepts() -> list[Concept]:
    rng = np.random.default_rng(0)
    return [
        Concept(f"T:{i:03}", "".join(rng.choice(list("abcdefghij"), 12)), definition="zz" * (i % 3))
        for i in range(120)
    ]


@pytest.fixture
def terminology(tmp_path: Path) -> Terminology:
    return write_terminology(concepts(), tmp_path / "t")


@pytest.mark.parametrize("form", FORMS)
def test_the_nearest_concepts_come_first(terminology: Terminology, form: str) -> None:
    EntityIndex.build(terminology, encoder=Letters(), form=form, threads=1)
    index = EntityIndex.open(terminology, encoder=Letters())
    assert index.form == form
    mentions = [Mention.alone(terminology.name(row)) for row in (5, 0, 119)]
    hits = index.search_mentions(mentions, k=7)
    names = [terminology.name(row) for row in range(120)]
    vectors = Letters().encode_entities(names, [terminology.definition(row) for row in range(120)])
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    queries = Letters().encode_mentions(mentions)
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    scores = np.sort(queries @ vectors.T, axis=1)[:, ::-1][:, :7]
    if form == "flat":
        np.testing.assert_allclose(hits.scores, scores, atol=2e-3)
    assert np.mean(np.isclose(hits.scores, scores, atol=2e-3)) > 0.9
    assert hits.concepts[:, 0].tolist() == [5, 0, 119]
    assert (hits.names == terminology.first_name[hits.concepts]).all()
    assert (hits.origins == Origin.DENSE).all()
    alone = index.search([mention.text for mention in mentions], k=7)
    assert (alone.concepts == hits.concepts).all()


def test_the_context_of_a_mention_counts(terminology: Terminology) -> None:
    index = EntityIndex.build(terminology, encoder=Letters())
    name = terminology.name(1)  # its definition is "zz"
    scores = [
        index.search_mentions([Mention.alone(name, left=left)], k=1).scores[0, 0]
        for left in ("zz ", "yyyyyy ")
    ]
    assert scores[0] > 0.999 > scores[1]


@pytest.mark.parametrize("form", FORMS)
def test_only_allowed_concepts_are_found(terminology: Terminology, form: str) -> None:
    index = EntityIndex.build(terminology, encoder=Letters(), form=form)
    allowed = np.zeros(120, bool)
    allowed[[3, 40, 77]] = True
    found = index.search([terminology.name(5)], k=5, allowed=allowed).concepts[0]
    assert sorted(found.tolist()) == [-1, -1, 3, 40, 77]
    nothing = index.search([terminology.name(5)], k=5, allowed=np.zeros(120, bool))
    assert (nothing.concepts == -1).all()


def test_little_asked_for_and_more_than_there_is(terminology: Terminology) -> None:
    index = EntityIndex.build(terminology, encoder=Letters())
    assert index.search([], k=3).concepts.shape == (0, 3)
    assert index.search(["abc"], k=0).concepts.shape == (1, 0)
    assert (index.search(["  ", "abc"], k=2).concepts[0] == -1).all()
    found = index.search(["abc"], k=200).concepts[0]
    assert sorted(found[:120].tolist()) == list(range(120))
    assert (found[120:] == -1).all()


def test_a_batch_does_not_change_results(terminology: Terminology) -> None:
    index = EntityIndex.build(terminology, encoder=Letters(), threads=2)
    texts = [terminology.name(row) for row in range(120)] * 5
    together = index.search(texts, k=4)
    alone = index.search(texts[7:8], k=4)
    assert (together.concepts[7] == alone.concepts[0]).all()
    assert (together.scores[7] == alone.scores[0]).all()


def test_a_killed_build_continues(terminology: Terminology, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entities, "_ENCODED", 20)
    monkeypatch.setattr("linnet.retrieve.build_checkpoint._INTERVAL", -1.0)

    class Dies(Letters):
        def encode_entities(self, names: Sequence[str], definitions: Sequence[str]) -> np.ndarray:
            if self.encoded >= 60:
                raise KeyboardInterrupt
            return super().encode_entities(names, definitions)

    with pytest.raises(KeyboardInterrupt):
        EntityIndex.build(terminology, encoder=Dies())
    assert not index_path(terminology, "entities").exists()
    rest = Letters()
    index = EntityIndex.build(terminology, encoder=rest)
    assert rest.encoded == 60
    assert index.search([terminology.name(0), terminology.name(119)], k=1).concepts[:, 0].tolist() == [0, 119]


def test_vectors_of_an_older_release_are_reused(tmp_path: Path, terminology: Terminology) -> None:
    EntityIndex.build(terminology, encoder=Letters())
    changed = [*concepts()[:-1], Concept("T:119", "jjjjaaaa"), Concept("T:200", "ffffbbbb")]
    newer = write_terminology(changed, tmp_path / "newer")
    encoder = Letters()
    again = EntityIndex.build(newer, encoder=encoder, reuse_from=index_path(terminology, "entities"))
    assert encoder.encoded == 2
    assert again.search(["jjjjaaaa", "ffffbbbb", newer.name(4)], k=1).concepts[:, 0].tolist() == [119, 120, 4]
    other = Letters("1" * 32)
    EntityIndex.build(newer, encoder=other, reuse_from=index_path(terminology, "entities"))
    assert other.encoded == 121


def test_another_encoder_is_refused(terminology: Terminology) -> None:
    EntityIndex.build(terminology, encoder=Letters())
    with pytest.raises(MismatchError, check=advises(Step.BUILD_INDEX, retrievers=["entities"])):
        EntityIndex.open(terminology, encoder=Letters("1" * 32))


def test_an_index_of_other_content_is_refused(tmp_path: Path, terminology: Terminology) -> None:
    EntityIndex.build(terminology, encoder=Letters())
    other = write_terminology(concepts()[:50], tmp_path / "other")
    shutil.copytree(index_path(terminology, "entities"), index_path(other, "entities"))
    with pytest.raises(MismatchError, match="other content"):
        EntityIndex.open(other, encoder=Letters())


@pytest.mark.parametrize("form", FORMS)
def test_each_file_is_checked(terminology: Terminology, form: str) -> None:
    EntityIndex.build(terminology, encoder=Letters(), form=form)
    files = sorted(index_path(terminology, "entities").iterdir())
    assert {"index.json", "vectors.npy"} <= {file.name for file in files}
    for file in files:
        raw = file.read_bytes()
        file.write_bytes(raw[: len(raw) // 2])
        with pytest.raises(DamagedError):
            EntityIndex.open(terminology, encoder=Letters())
        file.write_bytes(raw)


def test_an_unknown_form_lists_the_choices(terminology: Terminology) -> None:
    with pytest.raises(UnknownNameError, match="flat, hnsw"):
        EntityIndex.build(terminology, encoder=Letters(), form="flt")


def test_without_an_encoder_the_error_says_where_one_comes_from(terminology: Terminology) -> None:
    with pytest.raises(RequestError, check=advises(Step.BUILD_INDEX, encoder="DIRECTORY")):
        build_retriever(terminology, "entities")
