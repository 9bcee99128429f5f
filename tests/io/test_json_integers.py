"""Which JSON values are integers."""

from __future__ import annotations

import doctest
from typing import Any

import pytest

from linnet.io import json_integers
from linnet.io.json_integers import integer_of, refuse_boolean


def test_the_examples_hold() -> None:
    assert doctest.testmod(json_integers).failed == 0


@pytest.mark.parametrize("value", [True, False, "5", 2.5, float("inf"), float("nan"), None, [5], {}])
def test_other_values_are_refused_by_their_kind(value: Any) -> None:
    with pytest.raises(ValueError, match=r"^got .*; expected a whole number$"):
        integer_of(value)


def test_a_string_passes_where_only_booleans_are_refused() -> None:
    assert (refuse_boolean("5"), refuse_boolean(5)) == ("5", 5)
