"""Sparse retrieval against plain-Python TF-IDF and BM25, and what its results must not depend on."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.advised import advises

from linnet.advice import Step
from linnet.errors import DamagedError, MismatchError, RequestError, StoreError
from linnet.io import artifact
from linnet.retrieve import char_tfidf
from linnet.retrieve.bm25 import K1, B, BM25Index
from linnet.retrieve.hits import Hits, Origin
from linnet.retrieve.ngrams import STOP_WORDS
from linnet.retrieve.sparse import CharIndex, SparseIndex, WordIndex
from linnet.terminology import Terminology, write_terminology
from linnet.types import Concept
from linnet.words.text import simplify

CONCEPTS = [
    Concept("X:1", "breast cancer", ("cancer of the breast", "mammary carcinoma")),
    Concept("X:2", "lung cancer", ("carcinoma of lung",)),
    Concept("X:3", "cold", ("common cold", "Cold")),
    Concept("X:4", "chronic obstructive lung disease", ("COLD",)),
    Concept("X:5", "β-thalassaemia", ("thalassemia beta", "病")),
    Concept("X:6", "the"),
]
INDEXES = [CharIndex, WordIndex, SparseIndex, BM25Index]


@pytest.fixture(scope="module")
def terminology(tmp_path_factory: pytest.TempPathFactory) -> Terminology:
    store = write_terminology(CONCEPTS, tmp_path_factory.mktemp("invented") / "t")
    for index in INDEXES:
        index.build(store)
    return store


def found(index: SparseIndex, text: str, k: int = 9) -> list[str]:
    """Names of the hits' concepts."""
    return [index.terminology.name(row) for row in index.search([text], k=k).concepts[0] if row >= 0]


# ── the same scores, plainly ─────────────────────────────────────────────────────────────────────────────────


def ngrams(text: str) -> list[str]:
    padded = f" {text} " if text else ""
    return [padded[i : i + n] for n in (2, 3, 4, 5) for i in range(len(padded) - n + 1)]


def words(text: str) -> list[str]:
    return [word for word in text.split() if word not in STOP_WORDS] or text.split()


def tfidf(forms: Sequence[str], features: Callable[[str], list[str]]) -> Callable[[str, str], float]:
    frequency = Counter(feature for form in forms for feature in set(features(form)))

    def unit(text: str) -> dict[str, float]:
        vector = {
            feature: count * (math.log((1 + len(forms)) / (1 + frequency[feature])) + 1)
            for feature, count in Counter(features(text)).items()
        }
        length = math.sqrt(sum(weight**2 for weight in vector.values()))
        return {feature: weight / length for feature, weight in vector.items()}

    def cosine(text: str, form: str) -> float:
        a, b = unit(text), unit(form)
        return sum(weight * b.get(feature, 0.0) for feature, weight in a.items())

    return cosine


def bm25(forms: Sequence[str], k1: float, b: float) -> Callable[[str, str], float]:
    frequency = Counter(word for form in forms for word in set(words(form)))
    average = sum(len(words(form)) for form in forms) / len(forms)

    def score(text: str, form: str) -> float:
        counts, total = Counter(words(form)), 0.0
        for word in words(text):
            n, tf = frequency[word], counts[word]
            idf = math.log(1 + (len(forms) - n + 0.5) / (n + 0.5))
            total += idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * len(words(form)) / average))
        return total

    return score


def brute(
    store: Terminology, score: Callable[[str, str], float], text: str, share: int = 0
) -> dict[int, float]:
    """Concept → score of its best name; names that share no n-gram of `share` characters left out."""
    best: dict[int, float] = {}
    asked = {gram for gram in ngrams(text) if len(gram) == share}
    for name, concept in zip(store.names.array.to_pylist(), store.name_concepts.tolist(), strict=True):
        form = simplify(name)
        if share and not asked & set(ngrams(form)):
            continue
        value = score(text, form)
        if value > 0:
            best[concept] = max(best.get(concept, 0.0), value)
    return best


def same(hits: Hits, expected: dict[int, float], store: Terminology) -> None:
    """All concepts in the order of their scores, preferred names and then lower rows first where they tie."""
    got = [int(concept) for concept in hits.concepts[0] if concept >= 0]
    assert set(got) == set(expected)
    scores = hits.scores[0, : len(got)]
    assert scores.tolist() == pytest.approx([expected[concept] for concept in got], abs=3e-5)
    preferred = store.preferred[hits.names[0, : len(got)]]
    keys = list(zip(-scores, ~preferred, hits.names[0], strict=False))
    assert keys == sorted(keys)
    assert hits.concepts[0].tolist() == [
        *store.name_concepts[hits.names[0, : len(got)]],
        *[-1] * (hits.k - len(got)),
    ]


LETTERS = st.text(st.sampled_from("aab e-éβ病"), min_size=1, max_size=8).filter(str.strip)
WORDS = st.lists(
    st.sampled_from(["lung", "Lung", "cancer", "of", "a", "cancers", "β"]), min_size=1, max_size=4
).map(" ".join)
NAMES = st.lists(LETTERS | WORDS, min_size=1, max_size=3)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(concepts=st.lists(NAMES, min_size=1, max_size=7), text=LETTERS | WORDS)
def test_hits_are_those_of_plain_python(
    tmp_path_factory: pytest.TempPathFactory, concepts: list[list[str]], text: str
) -> None:
    rows = [Concept(f"X:{i}", names[0], tuple(names[1:])) for i, names in enumerate(concepts)]
    store = write_terminology(rows, tmp_path_factory.mktemp("store") / "t")
    forms = sorted({simplify(name) for name in store.names.array.to_pylist()})
    asked, k = simplify(text), len(store) + 2
    chars, by_words, ranked = (
        index.build(store).search([text], k=k) for index in (CharIndex, WordIndex, BM25Index)
    )
    same(chars, brute(store, tfidf(forms, ngrams), asked, share=3), store)
    same(by_words, brute(store, tfidf(forms, words), asked), store)
    same(ranked, brute(store, bm25(forms, K1, B), asked), store)


# ── behaviour ────────────────────────────────────────────────────────────────────────────────────────────────


def test_characters_forgive_misspelling(terminology: Terminology) -> None:
    assert found(CharIndex.open(terminology), "thalasemia")[0] == "β-thalassaemia"


def test_words_forgive_order_and_stop_words(terminology: Terminology) -> None:
    hits = WordIndex.open(terminology).search(["of carcinoma mammary"], k=1)
    assert hits.concepts[0].tolist() == [0]
    assert hits.scores[0, 0] == 1


def test_a_text_of_stop_words_alone_can_still_be_found(terminology: Terminology) -> None:
    assert found(WordIndex.open(terminology), "The") == ["the"]


def test_the_same_form_scores_one_and_preferred_names_win_ties(terminology: Terminology) -> None:
    hits = CharIndex.open(terminology).search(["Cold"], k=2)
    assert hits.scores[0].tolist() == [1, 1]
    assert hits.concepts[0].tolist() == [2, 3]
    assert terminology.names.take(hits.names[0]) == ["cold", "COLD"]


def test_what_a_text_has_beyond_the_name_lowers_the_score(terminology: Terminology) -> None:
    index = CharIndex.open(terminology)
    near, far = index.search(["common cold", "common cold zzyzx qwfp"], k=1).scores[:, 0]
    assert near == 1
    assert far < 0.8


def test_the_merged_list_is_in_the_order_of_the_weighted_cosines(terminology: Terminology) -> None:
    text = "lung carcinomas"
    chars, by_words = (
        CharIndex.open(terminology).search([text], k=6),
        WordIndex.open(terminology).search([text], k=6),
    )
    merged = SparseIndex.open(terminology).search([text], k=6)
    total: dict[int, float] = {}
    for hits, share in ((chars, 2 / 3), (by_words, 1 / 3)):
        cosines = {int(c): float(s) for c, s in zip(hits.concepts[0], hits.scores[0], strict=True) if c >= 0}
        for concept in {int(c) for c in (*chars.concepts[0], *by_words.concepts[0]) if c >= 0}:
            total[concept] = total.get(concept, 0) + cosines.get(concept, min(cosines.values())) * share
    there = merged.concepts[0][merged.concepts[0] >= 0].tolist()
    assert merged.scores[0, : len(there)].tolist() == pytest.approx(
        [total[concept] for concept in there], abs=1e-5
    )
    assert merged.scores[0, : len(there)].tolist() == pytest.approx(
        sorted(total.values(), reverse=True)[: len(there)], abs=1e-5
    )
    assert merged.origins[0, 0] == Origin.CHAR | Origin.WORD


@pytest.mark.parametrize("kind", INDEXES)
@pytest.mark.parametrize("text", ["", "  ", "\u200b", "\ud800", "!", "🦆"])
def test_a_text_without_anything_known_has_no_hits(
    terminology: Terminology, kind: type[SparseIndex], text: str
) -> None:
    assert found(kind.open(terminology), text) == []


@pytest.mark.parametrize("kind", INDEXES)
def test_no_texts_give_no_rows(terminology: Terminology, kind: type[SparseIndex]) -> None:
    assert kind.open(terminology).search([], k=3).concepts.shape == (0, 3)


@pytest.mark.parametrize("kind", INDEXES)
def test_unicode_is_found(terminology: Terminology, kind: type[SparseIndex]) -> None:
    assert found(kind.open(terminology), "病") == ["β-thalassaemia"]


@pytest.mark.parametrize("kind", INDEXES)
def test_k_may_exceed_the_terminology(terminology: Terminology, kind: type[SparseIndex]) -> None:
    hits = kind.open(terminology).search(["lung cancer"], k=50)
    row = hits.concepts[0]
    assert row.shape == (50,)
    assert len(set(row[row >= 0])) == (row >= 0).sum() < 7


@pytest.mark.parametrize("kind", INDEXES)
def test_k_counts_allowed_concepts(terminology: Terminology, kind: type[SparseIndex]) -> None:
    index = kind.open(terminology)
    texts = ["lung cancer", "cold", "cancer"]
    for allowed in ([0, 1, 0, 1, 0, 0], [1, 0, 0, 0, 0, 0], [0, 0, 1, 1, 1, 1]):
        mask = np.array(allowed, dtype=bool)
        everything = index.search(texts, k=6)
        expected = [[c for c in row if c >= 0 and mask[c]][:1] for row in everything.concepts.tolist()]
        hits = index.search(texts, k=1, allowed=mask)
        assert [[c for c in row if c >= 0] for row in hits.concepts.tolist()] == expected


# ── what results must not depend on ──────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Terminology:
    """Enough names that the budget of the first pass matters."""
    random = np.random.default_rng(7)
    syllables = [
        "car",
        "cin",
        "oma",
        "neu",
        "ro",
        "path",
        "itis",
        "hy",
        "per",
        "ten",
        "sion",
        "fib",
        "syn",
        "drome",
    ]
    concepts = [Concept(f"X:{i:04}", *_names(random, syllables)) for i in range(3000)]
    return write_terminology(concepts, tmp_path_factory.mktemp("large") / "t")


def _names(random: np.random.Generator, syllables: list[str]) -> tuple[str, tuple[str, ...]]:
    made = [
        " ".join(
            "".join(random.choice(syllables, random.integers(1, 4))) for _ in range(random.integers(1, 4))
        )
        for _ in range(3)
    ]
    return made[0], tuple(made[1:])


def equal(a: Hits, b: Hits) -> bool:
    return all(
        np.array_equal(getattr(a, field), getattr(b, field))
        for field in ("concepts", "names", "scores", "origins")
    )


@pytest.mark.parametrize("kind", INDEXES)
def test_hits_do_not_depend_on_the_batch_or_the_threads(large: Terminology, kind: type[SparseIndex]) -> None:
    kind.build(large)
    texts = [*large.names.take(range(0, len(large.names), 30)), "", "syndrome", "hypertenshun"]
    mask = np.arange(len(large)) % 3 > 0
    for allowed in (None, mask):
        together = kind.open(large, threads=1).search(texts, k=20, allowed=allowed)
        assert equal(kind.open(large, threads=3).search(texts, k=20, allowed=allowed), together)
        for at in (0, 7, 131, len(texts) - 1):
            alone = kind.open(large, threads=1).search([texts[at]], k=20, allowed=allowed)
            assert equal(alone, together.take([at]))
        assert allowed is None or allowed[together.concepts[together.concepts >= 0]].all()


def test_the_budget_hardly_loses_what_an_exact_search_finds(
    large: Terminology, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = large.names.take(range(0, len(large.names), 90))
    bounded = CharIndex.build(large).search(texts, k=10)
    monkeypatch.setattr(char_tfidf, "BUDGET", 10**9)
    exact = CharIndex.open(large).search(texts, k=10)
    assert (bounded.concepts[:, 0] == exact.concepts[:, 0]).mean() > 0.95
    kept = [
        len(set(a) & set(b)) / 10
        for a, b in zip(bounded.concepts.tolist(), exact.concepts.tolist(), strict=True)
    ]
    assert np.mean(kept) > 0.85


def test_scores_are_exact_cosines_whatever_the_first_pass_left_out(large: Terminology) -> None:
    index = CharIndex.build(large)
    names = large.names.array.to_pylist()
    score = tfidf(sorted({simplify(name) for name in names}), ngrams)
    for text in ("hypertension", names[77]):
        hits = index.search([text], k=5)
        exact = [score(simplify(text), simplify(names[name])) for name in hits.names[0]]
        assert hits.scores[0].tolist() == pytest.approx(exact, abs=3e-5)


def test_few_allowed_concepts_are_searched_without_loss(large: Terminology) -> None:
    index = CharIndex.build(large)
    names = large.names.array.to_pylist()
    score = tfidf(sorted({simplify(name) for name in names}), ngrams)
    allowed = np.arange(len(large)) % 50 == 0
    for text in ("hypertension", names[77]):
        best = brute(large, score, simplify(text), share=3)
        expected = sorted((value for row, value in best.items() if allowed[row]), reverse=True)[:5]
        found_scores = index.search([text], k=5, allowed=allowed).scores[0].tolist()
        assert found_scores == pytest.approx(expected, abs=3e-5)


# ── refused ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def small(tmp_path: Path) -> Terminology:
    return write_terminology(CONCEPTS[:2], tmp_path / "small")


@pytest.mark.parametrize("kind", INDEXES)
def test_an_index_that_was_never_built_says_what_to_run(small: Terminology, kind: type[SparseIndex]) -> None:
    with pytest.raises(StoreError, check=advises(Step.BUILD_INDEX, retrievers=[kind.kind])):
        kind.open(small)


@pytest.mark.parametrize(
    ("other", "said"),
    [({"terminology": "0" * 32}, "other content"), ({"text": 0}, "normalises names differently")],
)
def test_an_index_of_another_content_is_refused(
    small: Terminology, other: dict[str, object], said: str
) -> None:
    SparseIndex.build(small)
    manifest = small.path / "index" / "sparse" / "index.json"
    manifest.write_text(artifact.as_manifest({**json.loads(manifest.read_text()), **other}))
    with pytest.raises(MismatchError, match=said, check=advises(Step.UPDATE_INDEXES)):
        SparseIndex.open(small)


def test_an_index_of_another_kind_is_refused(small: Terminology) -> None:
    CharIndex.build(small, name="mine")
    with pytest.raises(MismatchError, match="is of kind char"):
        WordIndex.open(small, "mine")


@pytest.mark.parametrize(
    "file", ["char/postings.columns.npy", "word/vocabulary.codes.npy", "forms.names.npy"]
)
def test_a_damaged_index_is_refused(small: Terminology, file: str) -> None:
    SparseIndex.build(small)
    damaged = small.path / "index" / "sparse" / file
    raw = bytearray(damaged.read_bytes())
    raw[-1] ^= 1
    damaged.write_bytes(raw)
    with pytest.raises(DamagedError, match="was altered"):
        SparseIndex.open(small)


def test_bm25_refuses_impossible_parameters(small: Terminology) -> None:
    with pytest.raises(RequestError, match=r"k1 = 1\.2, b = 2"):
        BM25Index.build(small, b=2)
    assert not (small.path / "index" / "bm25").exists()
