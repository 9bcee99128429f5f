"""Exact match against a plain dictionary of normal forms, and the index's own errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.advised import advises

from linnet.advice import Step
from linnet.errors import DamagedError, MismatchError, StoreError, UnknownNameError
from linnet.io import artifact
from linnet.retrieve import exact, name_chunks
from linnet.retrieve.exact import SCORES, ExactIndex
from linnet.retrieve.hits import Origin
from linnet.terminology import Terminology, write_terminology
from linnet.types import Concept
from linnet.words.text import LEVELS

CONCEPTS = [
    Concept("X:1", "Type II Diabetes Mellitus", ("NIDDM", "diabetes, adult-onset")),
    Concept("X:2", "Cold", ("Common cold", "colds")),
    Concept("X:3", "Chronic obstructive lung disease", ("COLD", "Lung Diseases, chronic obstructive")),
    Concept("X:4", "β-thalassaemia", ("thalassemia beta",)),
]


@pytest.fixture
def terminology(tmp_path: Path) -> Terminology:
    return write_terminology(CONCEPTS, tmp_path / "invented")


@pytest.fixture
def index(terminology: Terminology) -> ExactIndex:
    return ExactIndex.build(terminology)


def found(index: ExactIndex, text: str, k: int = 5) -> list[tuple[str, str, float]]:
    """(concept id, name, score) of one text's hits."""
    hits = index.search([text], k=k)
    store = index.terminology
    return [
        (store.ids[concept], store.names[name], round(float(score), 2))
        for concept, name, score in zip(hits.concepts[0], hits.names[0], hits.scores[0], strict=True)
        if concept >= 0
    ]


def test_each_level_finds_what_it_forgets_and_says_so_in_the_score(index: ExactIndex) -> None:
    assert found(index, "TYPE II  diabetes mellitus") == [("X:1", "Type II Diabetes Mellitus", 1.0)]
    assert found(index, "type-2 diabetes mellitus") == [("X:1", "Type II Diabetes Mellitus", 0.95)]
    assert found(index, "adult onset of diabetes") == [("X:1", "diabetes, adult-onset", 0.9)]


def test_homonyms_all_come_back_and_the_preferred_name_wins(index: ExactIndex) -> None:
    assert found(index, "cold") == [("X:2", "Cold", 1.0), ("X:3", "COLD", 1.0)]


def test_a_concept_comes_once_through_its_closest_name(index: ExactIndex) -> None:
    assert found(index, "colds") == [("X:2", "colds", 1.0), ("X:3", "COLD", 0.9)]
    assert found(index, "beta thalassemia") == [("X:4", "β-thalassaemia", 0.95)]


SYMBOLS = [
    Concept("X:1", "Rosa", ("Roses",)),
    Concept("X:2", "Urticaria", ("Hives",)),
    Concept("X:3", "HIV", ("HIV infections",)),
    Concept("X:4", "Cobalt", ("Co",)),
    Concept("X:5", "Anti-Inflammatory Agents", ("NSAID",)),
    Concept("X:6", "Hearing Aids", ("Aid",)),
    Concept("X:7", "hpv infection"),
]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("ROS", []),
        ("roses", ["X:1"]),
        ("HIV", ["X:3"]),
        ("hiv", ["X:3", "X:2"]),
        ("hives", ["X:2"]),
        ("HIV infection", ["X:3"]),
        ("CO", []),
        ("Co", ["X:4"]),
        ("co", ["X:4"]),
        ("NSAIDs", ["X:5"]),
        ("AIDS", []),
        ("infection with HPV", ["X:7"]),
        ("INFECTION WITH HPV", ["X:7"]),
    ],
)
def test_a_symbol_is_no_word_by_its_stem_nor_another_symbol_by_its_letters(
    tmp_path: Path, text: str, ids: list[str]
) -> None:
    index = ExactIndex.build(write_terminology(SYMBOLS, tmp_path / "symbols"))
    assert [id for id, _, _ in found(index, text)] == ids


def test_k_counts_allowed_concepts(index: ExactIndex) -> None:
    allowed = np.array([True, False, True, True])
    hits = index.search(["cold", "niddm", "no such thing"], k=1, allowed=allowed)
    assert hits.concepts.tolist() == [[2], [0], [-1]]


def test_every_hit_is_marked_exact_and_every_gap_empty(index: ExactIndex) -> None:
    hits = index.search(["cold"], k=4)
    assert hits.origins.tolist() == [[Origin.EXACT, Origin.EXACT, 0, 0]]
    assert hits.names[0, 2:].tolist() == [-1, -1]
    assert np.isneginf(hits.scores[0, 2:]).all()


@pytest.mark.parametrize("text", ["", "  ", "\u200b", "zebra", "\ud800", "病"])
def test_a_text_without_a_name_has_no_hits(index: ExactIndex, text: str) -> None:
    assert found(index, text) == []


def test_no_texts_give_no_rows(index: ExactIndex) -> None:
    assert index.search([], k=3).concepts.shape == (0, 3)
    offsets, rows = index.lookup([])
    assert offsets.tolist() == [0]
    assert rows.tolist() == []


def test_a_name_that_normalises_to_nothing_is_never_found(tmp_path: Path) -> None:
    store = write_terminology([Concept("X:1", "\u200b"), Concept("X:2", "!")], tmp_path / "odd")
    index = ExactIndex.build(store)
    assert found(index, "") == []
    assert found(index, "!") == [("X:2", "!", 1.0)]


def test_lookup_gives_ascending_name_rows_for_each_form(index: ExactIndex) -> None:
    offsets, rows = index.lookup(["cold", "zebra", "niddm"], level="fold")
    names = [index.terminology.names.take(rows[a:b]) for a, b in pairwise(offsets)]
    assert names == [["Cold", "COLD"], [], ["NIDDM"]]


def test_an_unknown_level_lists_the_levels(index: ExactIndex) -> None:
    with pytest.raises(UnknownNameError, match="fold, key, kind, sense, simplify"):
        index.lookup(["cold"], level="stem")


WORDS = st.sampled_from(["cold", "Cold", "colds", "type", "ii", "2", "of", "β", "beta", "-", "é"])
NAMES = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    concepts=st.lists(st.lists(NAMES, min_size=1, max_size=3), min_size=1, max_size=6), texts=st.lists(NAMES)
)
def test_hits_are_those_of_a_plain_dictionary(
    tmp_path_factory: pytest.TempPathFactory, concepts: list[list[str]], texts: list[str]
) -> None:
    rows = [Concept(f"X:{i}", names[0], tuple(names[1:])) for i, names in enumerate(concepts)]
    store = write_terminology(rows, tmp_path_factory.mktemp("store") / "t")
    hits = ExactIndex.build(store).search(texts, k=len(store))
    for text, concepts_found, scores in zip(texts, hits.concepts, hits.scores, strict=True):
        expected = {
            row: max((score for score in map(_score(text), _names(store, row)) if score), default=0.0)
            for row in range(len(store))
        }
        got = {int(c): round(float(s), 2) for c, s in zip(concepts_found, scores, strict=True) if c >= 0}
        assert got == {row: score for row, score in expected.items() if score}
        assert (np.diff(scores[: len(got)]) <= 0).all()


def _names(store: Terminology, row: int) -> list[str]:
    return store.names.take(store.name_rows(row))


def _score(text: str) -> Callable[[str], float]:
    def score(name: str) -> float:
        return next((SCORES[level] for level, form in LEVELS.items() if form(name) == form(text) != ""), 0.0)

    return score


def test_an_index_that_was_never_built_says_what_to_run(terminology: Terminology) -> None:
    with pytest.raises(
        StoreError, match="is not an exact index: ", check=advises(Step.BUILD_INDEX, retrievers=["exact"])
    ):
        ExactIndex.open(terminology, "exact")


def test_an_index_of_another_content_is_refused(terminology: Terminology) -> None:
    ExactIndex.build(terminology)
    manifest = terminology.path / "index" / "exact" / "index.json"
    fields = json.loads(manifest.read_text())
    manifest.write_text(artifact.as_manifest({**fields, "terminology": "0" * 32}))
    with pytest.raises(MismatchError, match="other content"):
        ExactIndex.open(terminology, "exact")


def test_a_damaged_index_is_refused(terminology: Terminology) -> None:
    ExactIndex.build(terminology)
    (terminology.path / "index" / "exact" / "key.rows.npy").unlink()
    with pytest.raises(DamagedError, match=r"key\.rows\.npy is missing"):
        ExactIndex.open(terminology, "exact")


def test_several_processes_write_the_same_index_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = write_terminology(
        [Concept(f"X:{row}", f"disease number {row}", (f"Morbus {row}",)) for row in range(30)],
        tmp_path / "store",
    )
    ExactIndex.build(store, name="one", threads=1)
    monkeypatch.setattr(name_chunks, "_WORTH_PROCESSES", 10)
    monkeypatch.setattr(exact, "_CHUNK", 7)
    ExactIndex.build(store, name="two", threads=2)
    one, two = (tmp_path / "store/index" / name for name in ("one", "two"))
    for file in one.glob("*.npy"):
        assert file.read_bytes() == (two / file.name).read_bytes()
