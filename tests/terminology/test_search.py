"""Full-text search for people: what is found, in what order, and when the index is built."""

from __future__ import annotations

import shutil
from math import log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.advised import advises

from linnet.advice import Step
from linnet.errors import DamagedError, MismatchError, StoreError
from linnet.terminology import Terminology, search, write_terminology
from linnet.terminology.search import SearchIndex
from linnet.terminology.search_writer import ARRAYS
from linnet.types import Concept
from linnet.words.text import simplify, tokens

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


def test_the_last_word_is_read_with_a_letter_changed_also_where_it_is_known(tmp_path: Path) -> None:
    index = SearchIndex.open(
        write_terminology([*CONCEPTS, Concept("X:7", "ATAC sequencing")], tmp_path / "store")
    )

    def respelt(query: str) -> list[str]:
        return [index.terminology.ids[hit.concept] for hit in index.respelt(query)]

    assert respelt("heart atac") == ["X:1", "X:4"]
    assert respelt("atac") == respelt("") == respelt("heart 12") == []


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


WORDS = ("a", "ab", "abc", "b", "ba", "c", "ca", "12", "1")


def by_hand(terminology: Terminology, query: str, allowed: set[str]) -> list[tuple[str, str]]:
    """What `search` promises, name by name."""
    forms = [simplify(name) for name in terminology.names]
    wanted = list(dict.fromkeys(tokens(query)))

    def has(form: str, word: str) -> bool:
        return any(one == word if word.isdigit() else one.startswith(word) for one in form.split())

    def weight(word: str) -> float:
        count = sum(len({one for one in form.split() if has(one, word)}) for form in forms)
        return log(1 + len(forms) / count) if count else 0.0

    def tier(form: str) -> tuple[int, float]:
        if form == " ".join(wanted):
            return 0, 0.0
        if form.startswith(" ".join(wanted)):
            return 1, 0.0
        present = [word for word in wanted if has(form, word)]
        if len(present) == len(wanted):
            return 2, 0.0
        return (3, -round(sum(map(weight, present)), 6)) if present else (4, 0.0)

    keys = [
        (tier(form), not terminology.preferred[row], len(terminology.names[row].encode()), row)
        for row, form in enumerate(forms)
    ]
    best: dict[str, str] = {}
    for key, row in sorted((key, key[-1]) for key in keys):
        id = terminology.ids[terminology.name_concepts[row]]
        if key[0][0] < 4 and id in allowed:
            best.setdefault(id, ("exact", "prefix", "words", "some")[key[0][0]])
    return list(best.items())


@given(
    names=st.lists(
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join), min_size=1, max_size=40
    ),
    query=st.lists(st.sampled_from(WORDS), min_size=1, max_size=3, unique=True).map(" ".join),
    k=st.integers(1, 20),
    barred=st.integers(0, 3),
)
@example(names=["a c ca", "a c ca", "c ca", "12"], query="a c 12", k=1, barred=0)  # log 3 + log 5/3 = log 5
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100, deadline=None)
def test_what_is_found_is_what_looking_at_every_name_would_find(
    tmp_path_factory: pytest.TempPathFactory,
    names: list[str],
    query: str,
    k: int,
    barred: int,
) -> None:
    concepts = [Concept(f"X:{n}", name, tuple(names[n + 20 : n + 22])) for n, name in enumerate(names[:20])]
    terminology = write_terminology(concepts, tmp_path_factory.mktemp("store") / "store")
    index = SearchIndex.open(terminology)
    kept = [n % 4 >= barred for n in range(len(terminology))]
    expected = by_hand(terminology, query, {id for id, one in zip(terminology.ids, kept, strict=True) if one})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "_BATCH", 1)  # so that few names are very many
        patch.setattr(search, "_COMPARED", 1)
        hits = index.search(query, k=k, allowed=np.array(kept))
    assert [(terminology.ids[hit.concept], hit.match) for hit in hits] == expected[:k]


def test_of_names_with_a_very_common_word_the_best_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    concepts = [Concept(f"X:{n}", f"cell {'x' * (n % 7 + 1)}{n}") for n in range(60)]
    index = SearchIndex.open(
        write_terminology([*concepts, Concept("Y:1", "heart cell 7")], tmp_path / "store")
    )
    monkeypatch.setattr(search, "_SOME", 4)
    assert found(index, "cell heart unheardof", k=1) == [("Y:1", "some")]
    assert len(found(index, "cell unheardof", k=30)) == 30


def test_an_index_of_an_earlier_version_is_built_anew(store: Terminology) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "VERSION", 1)
        SearchIndex.build(store)
    assert not SearchIndex.exists(store)
    with pytest.raises(MismatchError, match="another version of linnet"):
        SearchIndex.open(store, build=False)
    SearchIndex.open(store)
    assert SearchIndex.exists(store)


def test_the_same_terminology_gives_the_same_files(store: Terminology) -> None:
    places = [store.path / "index/search" / f"{name}.npy" for name in ARRAYS]
    SearchIndex.build(store)
    before = [place.read_bytes() for place in places]
    SearchIndex.build(store)
    assert [place.read_bytes() for place in places] == before


def test_the_index_is_built_once_and_stays(store: Terminology) -> None:
    with pytest.raises(StoreError, check=advises(Step.BUILD_SEARCH)):
        SearchIndex.open(store, build=False)
    SearchIndex.open(store)
    before = (store.path / "index/search/index.json").stat().st_mtime_ns
    SearchIndex.open(store)
    assert (store.path / "index/search/index.json").stat().st_mtime_ns == before


def test_an_index_of_another_content_is_refused_or_rebuilt(store: Terminology, tmp_path: Path) -> None:
    other = write_terminology(CONCEPTS[:2], tmp_path / "other")
    SearchIndex.build(store)
    shutil.copytree(store.path / "index", other.path / "index")
    with pytest.raises(MismatchError, match="other content"):
        SearchIndex.open(other, build=False)
    assert found(SearchIndex.open(other), "myocardial") == [("X:1", "prefix")]


def test_a_damaged_index_is_refused(store: Terminology) -> None:
    SearchIndex.build(store)
    file = store.path / "index/search/postings.npy"
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(DamagedError, match=r"postings\.npy"):
        SearchIndex.open(store)
