"""Dense retrieval against plain cosines; its encoder; what the graph may miss and the flat index may not."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np
import pytest
from tests.advised import advises

from linnet.advice import Step
from linnet.encode import unit
from linnet.encode.ngram import NgramEncoder
from linnet.errors import DamagedError, MismatchError, UnknownNameError
from linnet.retrieve import dense, open_retriever
from linnet.retrieve.dense import DenseIndex
from linnet.retrieve.fixed_point import FixedPointVectors, to_fixed_point
from linnet.retrieve.hits import Hits, Origin
from linnet.terminology import Terminology, write_terminology
from linnet.types import Concept
from linnet.words.text import simplify


class HashEncoder:
    """Vectors that mean nothing: normal numbers drawn from a hash of the text, of any length."""

    def __init__(self, *, name: str = "fake", dimensions: int = 12, salt: str = "") -> None:
        self.name, self.dimensions, self.salt = name, dimensions, salt
        self.digest = f"{name}-{dimensions}-{salt}"

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        rows = [self._row(text) for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(texts), self.dimensions)

    def _row(self, text: str) -> np.ndarray:
        seed = int.from_bytes(blake2b((self.salt + text).encode(), digest_size=8).digest(), "little")
        return np.random.default_rng(seed).normal(size=self.dimensions) * (1 + seed % 3)


CONCEPTS = [
    Concept(f"X:{i:04}", f"thing {i}", tuple(f"{kind} of {i} or {i % 50}" for kind in "abc"[: i % 4]))
    for i in range(1500)
]
QUERIES = [f"query {i}" for i in range(70)] + ["thing 3", "THING 3", "a of 1 or 1"]


@pytest.fixture(scope="module")
def terminology(tmp_path_factory: pytest.TempPathFactory) -> Terminology:
    return write_terminology(CONCEPTS, tmp_path_factory.mktemp("dense") / "t")


def plainly(terminology: Terminology, metric: str, text: str, names: np.ndarray) -> np.ndarray:
    """(concepts,) the best score over the names (their raw vectors) of each concept."""
    query = HashEncoder().encode([simplify(text)])
    if metric == "cosine":
        query, names = unit(query), unit(names)
    best = np.full(len(terminology), -np.inf)
    np.maximum.at(best, terminology.name_concepts, (names @ query[0]).astype(float))
    return best


@pytest.mark.parametrize("metric", ["cosine", "inner"])
def test_a_flat_index_finds_what_comparing_everything_finds(terminology: Terminology, metric: str) -> None:
    index = DenseIndex.build(terminology, name=metric, encoder=HashEncoder(), metric=metric)
    names = HashEncoder().encode([simplify(name) for name in terminology.names.array.to_pylist()])
    for allowed in (None, np.arange(len(terminology)) % 9 == 4):
        hits = index.search(QUERIES, k=30, allowed=allowed)
        assert (hits.origins == Origin.DENSE).all()
        for row, text in enumerate(QUERIES):
            best = plainly(terminology, metric, text, names)
            if allowed is not None:
                best[~allowed] = -np.inf
            scale = 1 if metric == "cosine" else np.abs(best[np.isfinite(best)]).max()
            np.testing.assert_allclose(hits.scores[row], np.sort(best)[::-1][:30], atol=2e-4 * scale)
            np.testing.assert_allclose(best[hits.concepts[row]], hits.scores[row], atol=2e-4 * scale)


@pytest.mark.parametrize("form", ["hnsw", "ivf"])
def test_a_short_cut_finds_nearly_the_same(terminology: Terminology, form: str) -> None:
    flat = DenseIndex.build(terminology, name="f", encoder=HashEncoder()).search(QUERIES, k=10)
    found = DenseIndex.build(terminology, name="g", encoder=HashEncoder(), form=form).search(QUERIES, k=10)
    shared = [
        len(set(a) & set(b)) for a, b in zip(flat.concepts.tolist(), found.concepts.tolist(), strict=True)
    ]
    assert np.mean(shared) >= 9.5


@pytest.mark.parametrize("form", ["hnsw", "ivf"])
@pytest.mark.parametrize("step", [2, 400])
def test_a_short_cut_counts_allowed_concepts(terminology: Terminology, form: str, step: int) -> None:
    index = DenseIndex.build(terminology, name="g", encoder=HashEncoder(), form=form)
    allowed = np.arange(len(terminology)) % step == 1
    hits = index.search(QUERIES, k=10, allowed=allowed)
    assert ((hits.concepts >= 0).sum(axis=1) == min(10, allowed.sum())).all()
    assert allowed[hits.concepts[hits.concepts >= 0]].all()


@pytest.mark.parametrize("form", ["hnsw", "ivf"])
def test_indexes_built_twice_are_equal(terminology: Terminology, form: str) -> None:
    files = []
    for _ in range(2):
        DenseIndex.build(terminology, name="g", encoder=HashEncoder(), form=form)
        home = terminology.path / "index" / "g"
        files.append({file.name: file.read_bytes() for file in home.iterdir()})
    assert files[0] == files[1]


def test_lists_do_not_depend_on_threads(terminology: Terminology) -> None:
    files = []
    for threads in (1, 3):
        DenseIndex.build(terminology, name="g", encoder=HashEncoder(), form="ivf", threads=threads)
        home = terminology.path / "index" / "g"
        files.append({file.name: file.read_bytes() for file in home.iterdir()})
    assert files[0] == files[1]


@pytest.mark.parametrize("form", ["flat", "hnsw", "ivf"])
def test_a_batch_that_threads_share_has_the_same_hits(
    terminology: Terminology, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dense, "_ALONE", 3)
    DenseIndex.build(terminology, name="g", encoder=HashEncoder(), form=form)
    one, three = (
        DenseIndex.open(terminology, "g", encoder=HashEncoder(), threads=threads).search(QUERIES, k=10)
        for threads in (1, 3)
    )
    assert len(QUERIES) > 9
    assert (one.concepts == three.concepts).all()
    assert (one.names == three.names).all()
    assert (one.scores == three.scores).all()


def test_many_names_of_one_concept_do_not_crowd_out_the_others(tmp_path: Path) -> None:
    concepts = [
        Concept("X:1", "arm", tuple(f"arm pain {i}" for i in range(3000))),
        Concept("X:2", "leg"),
        Concept("X:3", "ear"),
    ]
    store = write_terminology(concepts, tmp_path / "t")
    for form in ("flat", "hnsw", "ivf"):
        index = DenseIndex.build(store, form=form)
        assert set(index.search(["arm pain 17"], k=3).concepts[0].tolist()) == {0, 1, 2}


def test_scores_are_the_same_bits_whatever_is_searched_with_them() -> None:
    rng = np.random.default_rng(0)
    vectors = to_fixed_point(unit(rng.normal(size=(5000, 33)).astype(np.float32)))
    searched = FixedPointVectors(vectors)
    found = searched.nearest(vectors[:300], groups=20)
    scores = searched.scores(vectors[:300], found)
    exact = (vectors[:300].astype(np.int64) @ vectors.astype(np.int64).T) / (2**15 - 1) ** 2
    assert (scores == exact[found.queries, found.forms].astype(np.float32)).all()
    left_out = np.ones(exact.shape, dtype=bool)
    left_out[found.queries, found.forms] = False
    assert (np.where(left_out, exact, -1).max(axis=1) <= found.cuts + 1e-6).all()


# ── its encoder ──────────────────────────────────────────────────────────────────────────────────────────────


def test_the_untrained_encoder_lies_in_the_index_and_moves_with_it(tmp_path: Path) -> None:
    store = write_terminology(CONCEPTS[:50], tmp_path / "t")
    built = DenseIndex.build(store).search(["thing 7"], k=3)
    shutil.move(tmp_path / "t", tmp_path / "elsewhere")
    moved = open_retriever(Terminology.open(tmp_path / "elsewhere"), "dense").search(["thing 7"], k=3)
    assert (moved.scores == built.scores).all()
    assert moved.concepts[0, 0] == 7


def test_an_index_finds_the_encoder_it_was_built_with(tmp_path: Path) -> None:
    store = write_terminology(CONCEPTS[:50], tmp_path / "t")
    NgramEncoder.untrained(["thing 1"], dimensions=64).save(tmp_path / "model", name="small")
    DenseIndex.build(store, encoder=str(tmp_path / "model"))
    assert DenseIndex.open(store).encoder.name == "small"
    assert DenseIndex.open(store, encoder=tmp_path / "model").encoder.name == "small"
    shutil.rmtree(tmp_path / "model")
    with pytest.raises(MismatchError, match=r"built with encoder 'small' \(64-d\), which cannot be opened"):
        DenseIndex.open(store)


def test_another_encoder_is_refused(tmp_path: Path) -> None:
    store = write_terminology(CONCEPTS[:50], tmp_path / "t")
    DenseIndex.build(store, encoder=HashEncoder())
    assert isinstance(DenseIndex.open(store, encoder=HashEncoder()).search(["x"], k=1), Hits)
    with pytest.raises(
        MismatchError,
        match=r"built with encoder 'fake' \(12-d\); you asked for 'sapbert' \(768-d\)\.",
        check=advises(Step.BUILD_INDEX, retrievers=["dense"], encoder="sapbert"),
    ):
        DenseIndex.open(store, encoder=HashEncoder(name="sapbert", dimensions=768))
    with pytest.raises(MismatchError, match="of other weights"):
        DenseIndex.open(store, encoder=HashEncoder(salt="retrained"))


def test_unknown_forms_and_metrics_list_the_choices(terminology: Terminology) -> None:
    with pytest.raises(UnknownNameError, match="flat, hnsw, ivf"):
        DenseIndex.build(terminology, form="lsh")
    with pytest.raises(UnknownNameError, match="cosine, inner"):
        DenseIndex.build(terminology, metric="euclid")


def test_a_graph_that_faiss_cannot_read_is_refused(tmp_path: Path) -> None:
    from linnet.retrieve.hnsw import HnswGraph

    (tmp_path / "graph").write_bytes(b"not a graph")
    with pytest.raises(DamagedError, check=advises(Step.MODEL_AGAIN)):
        HnswGraph.read(tmp_path / "graph", rebuild=Step.MODEL_AGAIN())
