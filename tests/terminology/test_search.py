"""Full-text search for people: what is found, in what order, and when the index is built."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linnet.errors import DamagedError, MismatchError, StoreError
from linnet.terminology import Terminology, write_terminology
from linnet.terminology.search import SearchIndex
from linnet.types import Concept

CONCEPTS = [
    Concept("X:1", "Myocardial Infarction", ("heart attack", "Infarct of the myocardium"), sources=("X",)),
    Concept("X:2", "Heart Diseases", ("cardiac disorders",), sources=("X",)),
    Concept("X:3", "Anterior Wall Myocardial Infarction", sources=("X",)),
    Concept("X:4", "Panic Disorder", ("panic attack", "heart attack fear"), sources=("X",)),
    Concept("X:5", "Diabetes Mellitus, Type II", ("NIDDM",), sources=("X",)),
    Concept("X:6", "α-synuclein", sources=("X",)),
    Concept("X:9", "", replaced_by=("X:5",)),
]


@pytest.fixture
def store(tmp_path: Path) -> Terminology:
    return write_terminology(CONCEPTS, tmp_path / "store")


@pytest.fixture
def index(store: Terminology) -> SearchIndex:
    return SearchIndex.open(store)


def found(index: SearchIndex, query: str, k: int = 10) -> list[tuple[str, str]]:
    return [(index.terminology.ids[hit.concept], hit.match) for hit in index.search(query, k=k)]


def test_equal_names_come_before_beginnings_before_words_before_some_words(index: SearchIndex) -> None:
    assert found(index, "heart attack") == [("X:1", "exact"), ("X:4", "prefix"), ("X:2", "some")]
    assert found(index, "infarct") == [("X:1", "prefix"), ("X:3", "words")]


def test_beginnings_of_words_are_enough_in_any_order(index: SearchIndex) -> None:
    assert found(index, "myocard inf")[:2] == [("X:1", "words"), ("X:3", "words")]
    assert found(index, "inf wall") == [("X:3", "words"), ("X:1", "some")]


def test_preferred_names_come_first_then_shorter_ones(tmp_path: Path) -> None:
    concepts = [
        Concept("X:1", "flu", ("fever spell",)),
        Concept("X:2", "fever of the young"),
        Concept("X:3", "fever"),
    ]
    index = SearchIndex.open(write_terminology(concepts, tmp_path / "store"))
    assert [id for id, _ in found(index, "feve")] == ["X:3", "X:2", "X:1"]


def test_spelling_variants_find_each_other(index: SearchIndex) -> None:
    assert found(index, "diabetes mellitus type 2") == [("X:5", "exact")]
    assert found(index, "alpha synuclein") == [("X:6", "exact")]


@pytest.mark.parametrize("query", ["diabtes", "diabets", "diiabetes", "daibetes", "diabetex"])
def test_one_wrong_letter_is_forgiven(index: SearchIndex, query: str) -> None:
    assert found(index, query) == [("X:5", "prefix")]


@pytest.mark.parametrize(("query", "id"), [("X:4", "X:4"), ("4", "X:4"), ("X:9", "X:5"), (" X:4 ", "X:4")])
def test_an_id_finds_its_concept(index: SearchIndex, query: str, id: str) -> None:
    assert found(index, query) == [(id, "id")]


def test_k_counts_concepts(index: SearchIndex) -> None:
    assert len(found(index, "heart", k=1)) == 1
    ids = [id for id, _ in found(index, "i")]
    assert len(ids) == len(set(ids))


def test_only_allowed_concepts_are_found(index: SearchIndex) -> None:
    allowed = np.array([False, True, True, True, True, True])
    hits = index.search("heart attack", allowed=allowed)
    assert [index.terminology.ids[hit.concept] for hit in hits] == ["X:4", "X:2"]
    assert index.search("X:1", allowed=allowed) == []


@pytest.mark.parametrize("query", ["", "   ", "zzzz", "!?", "42"])
def test_nothing_is_found_for_nothing(index: SearchIndex, query: str) -> None:
    assert found(index, query) == []


@given(data=st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50, deadline=None)
def test_beginnings_of_any_words_of_a_name_find_its_concept(data: st.DataObject, index: SearchIndex) -> None:
    concept = data.draw(st.sampled_from(CONCEPTS[:4]))
    words = data.draw(st.sampled_from(concept.all_names)).split()
    chosen = data.draw(st.lists(st.sampled_from(words), min_size=1, unique=True))
    query = " ".join(word[: data.draw(st.integers(1, len(word)))] for word in chosen)
    assert concept.id in {id for id, _ in found(index, query)}


def test_the_index_is_built_once_and_stays(store: Terminology) -> None:
    with pytest.raises(StoreError, match="--rebuild"):
        SearchIndex.open(store, build=False)
    SearchIndex.open(store)
    before = (store.path / "index/search/index.json").stat().st_mtime_ns
    SearchIndex.open(store)
    assert (store.path / "index/search/index.json").stat().st_mtime_ns == before


def test_an_index_of_another_content_is_refused_or_rebuilt(store: Terminology, tmp_path: Path) -> None:
    other = write_terminology(CONCEPTS[:2], tmp_path / "other")
    SearchIndex.build(store)
    shutil.copytree(store.path / "index", other.path / "index")
    with pytest.raises(MismatchError, match="another content"):
        SearchIndex.open(other, build=False)
    assert found(SearchIndex.open(other), "myocardial") == [("X:1", "prefix")]


def test_a_damaged_index_is_refused(store: Terminology) -> None:
    SearchIndex.build(store)
    file = store.path / "index/search/postings.npy"
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(DamagedError, match=r"postings\.npy"):
        SearchIndex.open(store)
