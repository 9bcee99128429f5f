"""Exact look-ups and searches: each text once, all of a call together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from linnet.link import Linker, Pipeline
from linnet.link.indexing import build_indexes
from linnet.link.lookup import Lookup
from linnet.retrieve.hits import Origin
from linnet.terminology import Terminology
from linnet.types import Concept

Asked = list[tuple[str, ...]]


def lookup(terminology: Terminology, *retrievers: str, k: int = 3) -> Lookup:
    group = Linker.open(
        [terminology], pipeline=Pipeline(retrievers or ("exact", "dense"), reranker=None)
    ).group
    return Lookup(group, k=k)


def spy(monkeypatch: pytest.MonkeyPatch, of: Lookup, name: str) -> Asked:
    """The texts of each call of the group's `exact` or `search` from now on."""
    asked: Asked = []
    call: Callable[..., Any] = getattr(of.group, name)

    def counting(texts: Sequence[str], **options: Any) -> Any:
        asked.append(tuple(texts))
        return call(texts, **options)

    monkeypatch.setattr(of.group, name, counting)
    return asked


def test_each_text_is_looked_up_once(terminology: Terminology, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = lookup(terminology)
    asked = spy(monkeypatch, texts, "exact")
    texts.look_up(["aspirin", "blorp", "aspirin"])
    texts.look_up(["blorp", "sodium"])
    texts.look_up(["sodium"])
    assert asked == [("aspirin", "blorp"), ("sodium",)]
    assert texts.exact("aspirin") > 0.9
    assert texts.exact("blorp") == 0


def test_each_text_is_searched_for_once_with_what_was_looked_up(
    terminology: Terminology, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = lookup(terminology)
    looked_up, searched = (spy(monkeypatch, texts, name) for name in ("exact", "search"))
    texts.look_up(["aspirin"])
    texts.search(["brest cancer", "aspirin", "brest cancer"])
    texts.search(["aspirin"])
    assert searched == [("brest cancer", "aspirin")]
    assert looked_up == [("aspirin",), ("brest cancer",)]
    assert texts.is_searched("aspirin")
    assert not texts.is_searched("sodium")


def test_the_best_candidate_of_a_name_is_known_without_a_search(terminology: Terminology) -> None:
    texts = lookup(terminology)
    texts.look_up(["ASPIRIN", "acetylsalicylic acid"])
    preferred, synonym = texts.best("ASPIRIN"), texts.best("acetylsalicylic acid")
    assert preferred.concept == synonym.concept
    assert (preferred.is_exact, preferred.preferred, synonym.preferred) == (True, True, False)
    assert synonym.name == "acetylsalicylic acid"
    texts.search(["acetylsalicylic acid"])
    assert texts.best("acetylsalicylic acid") == synonym


def test_the_best_candidate_of_other_texts_is_near(terminology: Terminology) -> None:
    texts = lookup(terminology)
    texts.search(["brest cancer"])
    best = texts.best("brest cancer")
    assert (best.name, best.is_exact) == ("breast cancer", False)
    assert 0.3 < best.score < 1
    assert texts.score_of("brest cancer", best.concept) == pytest.approx(best.score)
    assert texts.score_of("brest cancer", 10**6) == -np.inf


def test_hits_are_arrays_of_their_own(terminology: Terminology) -> None:
    texts = lookup(terminology)
    texts.search(["aspirin", "sodium"])
    hits = texts.hits(["sodium", "aspirin", "sodium"])
    assert hits.concepts[0, 0] == hits.concepts[2, 0] != hits.concepts[1, 0]
    hits.origins[:] |= np.uint16(Origin.SPELLING)
    assert not (texts.hits(["sodium"]).origins & np.uint16(Origin.SPELLING)).any()


def test_all_names_of_a_concept_are_read_once(
    terminology: Terminology, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = lookup(terminology)
    texts.look_up(["aspirin", "breast cancer"])
    concepts = [texts.best(text).concept for text in ("aspirin", "breast cancer")]
    asked = spy(monkeypatch, texts, "all_names")
    texts.find_names([concepts[0], -1])
    texts.find_names(concepts)
    assert texts.names_of(concepts[0]) == ["Aspirin", "acetylsalicylic acid"]
    assert set(texts.names_of(concepts[1])) == {"Breast Neoplasms", "breast cancer"}
    assert len(asked) == 2


def test_forced_links_are_exact_even_without_an_exact_index(
    compile_terminology: Callable[[Sequence[Concept]], Terminology],
) -> None:
    made = compile_terminology([Concept("T:1", "Ovarian Neoplasms"), Concept("T:2", "Fever")])
    (made.path / "overrides.tsv").write_text("pyrexia\tT:2\tforce\n")
    texts = lookup(made, "dense")
    texts.look_up(["pyrexia", "fever"])
    assert texts.exact("pyrexia") > 1
    assert texts.exact("fever") == 0
    assert texts.best("pyrexia").is_exact
    assert texts.group.ids(np.array([texts.best("pyrexia").concept])) == ["T:2"]


def test_scores_are_comparable_where_they_are_cosines(
    compile_terminology: Callable[[Sequence[Concept]], Terminology],
) -> None:
    made = compile_terminology([Concept("T:1", "Ovarian Neoplasms"), Concept("T:2", "Fever")])
    build_indexes(made, ("bm25",))
    assert lookup(made, "exact", "dense").is_comparable
    assert not lookup(made, "exact", "bm25").is_comparable
    linker = Linker.open([made], pipeline=Pipeline(("exact", "bm25"), reranker=None))
    assert linker.link(["fever and ovarian neoplasms"])[0].concepts == ("T:2", "T:1")
