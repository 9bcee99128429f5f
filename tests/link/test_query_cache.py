"""Search results that are remembered: the same as without, bounded, and not in the way of other threads."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import numpy as np
import pytest

from linnet.link import Linker
from linnet.link.query_cache import QueryCache
from linnet.link.terminology_group import TerminologyGroup
from linnet.retrieve.hits import Hits
from linnet.terminology import Terminology

TEXTS = ["cold", "Breast  Cancer", "brest cancr", "", "AT"]


@pytest.fixture(scope="module")
def group(terminology: Terminology) -> TerminologyGroup:
    return Linker.open([terminology]).group


def searches(group: TerminologyGroup, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The texts of each search from now on."""
    seen: list[list[str]] = []
    search = group.search

    def counted(texts: Sequence[str], **options: Any) -> Hits:
        seen.append(list(texts))
        return search(texts, **options)

    monkeypatch.setattr(group, "search", counted)
    return seen


def same(left: Hits, right: Hits) -> bool:
    columns = ("concepts", "names", "scores", "origins")
    return all(np.array_equal(getattr(left, c), getattr(right, c)) for c in columns)


def test_hits_are_those_of_the_group_in_the_order_of_the_texts(group: TerminologyGroup) -> None:
    cache = QueryCache(group)
    for texts in (TEXTS, TEXTS[::-1], TEXTS * 2):
        assert same(cache.search(texts, k=4), group.search([text.casefold() for text in texts], k=4))
    assert cache.search([], k=4).concepts.shape == (0, 4)


def test_a_text_is_searched_for_once_for_each_number_of_candidates(
    group: TerminologyGroup, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, seen = QueryCache(group), searches(group, monkeypatch)
    cache.search(["cold", "Cold", "cold"], k=4)
    cache.search(["cold"], k=4)
    assert seen == [["cold"]]
    assert cache.search(["cold"], k=2).k == 2
    cache.search(["cold"], k=4)
    assert seen == [["cold"], ["cold"]]


def test_the_least_recently_used_is_forgotten(
    group: TerminologyGroup, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, seen = QueryCache(group, size=2), searches(group, monkeypatch)
    for text in ("cold", "fever", "cold", "asthma", "cold", "fever"):
        cache.search([text], k=3)
    assert seen == [["cold"], ["fever"], ["asthma"], ["fever"]]
    # More at a time than are remembered come back all the same.
    assert same(cache.search(TEXTS, k=3), group.search([text.casefold() for text in TEXTS], k=3))


def test_threads_search_side_by_side(group: TerminologyGroup, monkeypatch: pytest.MonkeyPatch) -> None:
    cache, search = QueryCache(group), group.search
    both = Barrier(2, timeout=30)

    def waiting(texts: Sequence[str], **options: Any) -> Hits:
        both.wait()  # passes only while two searches are under way
        return search(texts, **options)

    monkeypatch.setattr(group, "search", waiting)
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda text: cache.search([text], k=3), ["cold", "fever"]))
    assert all(same(one, search([text], k=3)) for one, text in zip(found, ["cold", "fever"], strict=True))
