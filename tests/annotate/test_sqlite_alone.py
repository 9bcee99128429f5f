"""Which tests run on SQLite alone."""

from __future__ import annotations

from tests.annotate.conftest import SQLITE_ALONE
from tests.test_slow import TESTS, functions
from tools.sqlite_alone import needed, without_parameters


def test_the_quickest_tests_that_together_run_every_statement_are_needed() -> None:
    ran = {"a": {"1", "2"}, "b": {"1"}, "c": {"2"}, "d": {"3"}, "e": {"3"}}
    assert needed(ran, {"a": 1, "b": 9, "c": 9, "d": 2, "e": 1}) == {"a", "e"}


def test_tests_of_the_store_and_of_what_happens_at_once_are_always_needed() -> None:
    ran = {
        "tests/annotate/store/test_a.py::test_b": {"1"},
        "x::test_two_write_at_once": {"1"},
        "x::test_c": {"1"},
    }
    assert needed(ran, dict.fromkeys(ran, 1.0)) == set(ran) - {"x::test_c"}


def test_statements_with_more_values_are_equal() -> None:
    assert without_parameters("SELECT a FROM b WHERE c IN (?, ?, ?)") == "SELECT a FROM b WHERE c IN (?)"


def test_every_listed_test_is_there() -> None:
    listed = [line.split("::") for line in SQLITE_ALONE.read_text(encoding="utf-8").split()]
    gone = [(file, name) for file, name in listed if name not in functions(TESTS.parent / file)]
    assert not gone, "take them out, or write the list again"
