"""Values that are remembered: computed once and together, bounded, and not in the way of other threads."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from linnet.system.recent_values import RecentValues


def test_each_new_key_is_computed_once_and_all_together() -> None:
    cache, calls = RecentValues[str, str](size=9), list[list[str]]()

    def shout(keys: Sequence[str]) -> list[str]:
        calls.append(list(keys))
        return [key.upper() for key in keys]

    assert cache.of(["a", "b", "a"], shout) == {"a": "A", "b": "B"}
    assert cache.of(["b", "c"], shout) == {"b": "B", "c": "C"}
    assert cache.of(["a", "c"], shout) == {"a": "A", "c": "C"}
    assert cache.of([], shout) == {}
    assert calls == [["a", "b"], ["c"]]


def test_the_least_recently_used_is_dropped() -> None:
    cache, computed = RecentValues[str, str](size=2), list[str]()

    def shout(keys: Sequence[str]) -> list[str]:
        computed.extend(keys)
        return [key.upper() for key in keys]

    for key in "abacab":
        cache.of([key], shout)
    assert computed == ["a", "b", "c", "b"]
    # More at a time than are kept come back all the same.
    assert cache.of("wxyz", shout) == {"w": "W", "x": "X", "y": "Y", "z": "Z"}


def test_threads_compute_side_by_side() -> None:
    cache, both = RecentValues[str, str](size=9), Barrier(2, timeout=30)

    def waiting(keys: Sequence[str]) -> list[str]:
        both.wait()  # passes only while two are under way
        return [key.upper() for key in keys]

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(lambda key: cache.of([key], waiting), "ab")) == [{"a": "A"}, {"b": "B"}]
