"""What every registered retriever must do, whatever it compares."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.advised import advises

from linnet.advice import Step
from linnet.errors import DamagedError, MismatchError, StoreError, UnknownNameError
from linnet.io import artifact
from linnet.retrieve import Hits, Index, build_retriever, open_retriever, retriever_class, retrievers
from linnet.terminology import Terminology, write_terminology
from linnet.types import Concept

SITES = ["breast", "lung", "liver", "skin", "bone", "kidney", "colon", "left arm", "heel", "β-cell", "eye"]
TROUBLES = ["cancer", "pain", "infection", "injury", "fracture", "neoplasm", "type II failure", "病"]
CONCEPTS = [
    *(
        Concept(f"X:{i:03}", f"{site} {trouble}", (f"{trouble} of the {site}", f"{site.upper()} {trouble}s"))
        for i, (site, trouble) in enumerate((s, t) for s in SITES for t in TROUBLES)
    ),
    Concept("X:900", "cold", ("common cold",)),
    Concept("X:901", "chronic obstructive lung disease", ("COLD",)),
    Concept("X:902", "AT", ("cold",)),
]
# An index of entities is of concepts, and needs a trained model: test_entities.py.
OF_NAMES = [kind for kind in retrievers if kind != "entities"]
KINDS = [*OF_NAMES, "hnsw", "ivf"]
TEXTS = [
    "breast cancer",
    "cold",
    "",
    "pain in the kidny",
    " ",
    "Bone-Fractures",
    "zzz qqq",
    "AT",
    "\n",
    "病",
    "cold",
]


@pytest.fixture(scope="module")
def terminology(tmp_path_factory: pytest.TempPathFactory) -> Terminology:
    store = write_terminology(CONCEPTS, tmp_path_factory.mktemp("contract") / "t")
    for kind in OF_NAMES:
        build_retriever(store, kind)
    for form in ("hnsw", "ivf"):
        build_retriever(store, "dense", name=form, form=form)
    return store


@pytest.fixture(params=KINDS, scope="module")
def index(request: pytest.FixtureRequest, terminology: Terminology) -> Index:
    return open_retriever(terminology, request.param)


def same(a: Hits, b: Hits) -> bool:
    pairs = zip(
        (a.concepts, a.names, a.scores, a.origins), (b.concepts, b.names, b.scores, b.origins), strict=True
    )
    return all((x == y).all() and x.dtype == y.dtype for x, y in pairs)


def check(hits: Hits, terminology: Terminology, *, queries: int, k: int) -> None:
    """Shape, order, no concept twice, names of their concepts, gaps last and empty."""
    assert hits.concepts.shape == hits.names.shape == hits.scores.shape == hits.origins.shape == (queries, k)
    for row in range(queries):
        count = int((hits.concepts[row] >= 0).sum())
        concepts, names = hits.concepts[row, :count], hits.names[row, :count]
        assert len(set(concepts.tolist())) == count
        assert (terminology.name_concepts[names] == concepts).all()
        assert (np.diff(hits.scores[row, :count]) <= 0).all()
        assert np.isfinite(hits.scores[row, :count]).all()
        assert (hits.origins[row, :count] > 0).all()
        assert (hits.concepts[row, count:] == -1).all()
        assert (hits.names[row, count:] == -1).all()
        assert np.isneginf(hits.scores[row, count:]).all()
        assert (hits.origins[row, count:] == 0).all()


@pytest.mark.parametrize("k", [1, 5, 500])
def test_hits_are_ranked_and_distinct(index: Index, terminology: Terminology, k: int) -> None:
    check(index.search(TEXTS, k=k), terminology, queries=len(TEXTS), k=k)


def test_a_name_finds_its_concept_first(index: Index, terminology: Terminology) -> None:
    texts = ["breast cancer", "pain of the kidney", "common cold"]
    found = index.search(texts, k=3).concepts[:, 0]
    for text, row in zip(texts, found, strict=True):
        assert text in terminology.concept(int(row)).all_names


def test_homonyms_both_come_and_the_preferred_name_first(index: Index, terminology: Terminology) -> None:
    first = index.search(["cold"], k=3).concepts[0]
    assert [terminology.ids[row] for row in first] == ["X:900", "X:901", "X:902"]


def test_blank_texts_have_no_hits(index: Index) -> None:
    hits = index.search(["", " ", "\n"], k=4)
    assert (hits.concepts == -1).all()


def test_no_texts_give_no_rows(index: Index) -> None:
    assert index.search([], k=4).concepts.shape == (0, 4)


def test_k_counts_allowed_concepts(index: Index, terminology: Terminology) -> None:
    texts = ["lung cancer", "cold", "type 2 failure of the skin"]
    everything = index.search(texts, k=len(terminology))
    for step in (2, 7, 40):
        allowed = np.arange(len(terminology)) % step == 1
        hits = index.search(texts, k=4, allowed=allowed)
        check(hits, terminology, queries=3, k=4)
        assert allowed[hits.concepts[hits.concepts >= 0]].all()
        # A merged list orders its candidates by what else is among them.
        for row in range(3 if index.kind != "sparse" else 0):
            found = everything.concepts[row][everything.concepts[row] >= 0]
            expected = found[allowed[found]][:4]
            got = hits.concepts[row][hits.concepts[row] >= 0]
            # Character n-grams propose so many names at most: of fewer names, more of the far ones.
            end = len(expected) if index.kind == "char" else None
            assert got[:end].tolist() == expected.tolist()
    assert (index.search(texts, k=4, allowed=np.zeros(len(terminology), bool)).concepts == -1).all()


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(texts=st.lists(st.sampled_from(TEXTS) | st.text(max_size=12), max_size=12), cut=st.integers(0, 12))
def test_hits_do_not_depend_on_the_batch(index: Index, texts: list[str], cut: int) -> None:
    whole = index.search(texts, k=6)
    parts = Hits.stack([index.search(texts[:cut], k=6), index.search(texts[cut:], k=6)])
    assert same(whole, parts)


@pytest.mark.parametrize("kind", KINDS)
def test_hits_do_not_depend_on_threads(terminology: Terminology, kind: str) -> None:
    texts = TEXTS * 40
    one = open_retriever(terminology, kind, threads=1).search(texts, k=5)
    assert same(one, open_retriever(terminology, kind, threads=3).search(texts, k=5))


# ── refused ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def small(tmp_path: Path) -> Terminology:
    return write_terminology(CONCEPTS[:3], tmp_path / "small")


@pytest.mark.parametrize("kind", OF_NAMES)
def test_an_index_that_was_never_built_says_what_to_run(small: Terminology, kind: str) -> None:
    with pytest.raises(StoreError, check=advises(Step.BUILD_INDEX, retrievers=[kind])):
        open_retriever(small, kind)


@pytest.mark.parametrize("kind", OF_NAMES)
def test_an_index_of_another_content_is_refused(small: Terminology, kind: str) -> None:
    build_retriever(small, kind)
    manifest = small.path / "index" / kind / "index.json"
    manifest.write_text(artifact.as_manifest({**json.loads(manifest.read_text()), "terminology": "0" * 32}))
    with pytest.raises(MismatchError, match="other content"):
        open_retriever(small, kind)


@pytest.mark.parametrize("kind", OF_NAMES)
def test_each_file_of_an_index_is_checked(small: Terminology, kind: str) -> None:
    build_retriever(small, kind)
    home = small.path / "index" / kind
    for file in sorted(home.rglob("*")):
        if not file.is_file():
            continue
        raw = file.read_bytes()
        file.write_bytes(raw[: len(raw) // 2])
        with pytest.raises(DamagedError):
            open_retriever(small, kind)
        file.write_bytes(raw)
    assert open_retriever(small, kind).search(["breast cancer"], k=1).concepts[0, 0] == 0


def test_an_unknown_retriever_lists_the_choices(small: Terminology) -> None:
    with pytest.raises(UnknownNameError, match="bm25, char, dense, entities, exact, sparse, word"):
        build_retriever(small, "splade")
    with pytest.raises(UnknownNameError, match="Did you mean 'sparse'"):
        open_retriever(small, "spare")


def test_an_index_may_have_any_name(small: Terminology) -> None:
    build_retriever(small, "word", name="mine")
    assert type(open_retriever(small, "mine")) is retriever_class("word")
