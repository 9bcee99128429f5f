from __future__ import annotations

import tomllib
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linnet.io.toml import to_toml

TEXTS = st.text(max_size=8)
VALUES = st.recursive(
    st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(TEXTS, VALUES, max_size=4))
def test_tables_come_back(table: dict[str, Any]) -> None:
    assert tomllib.loads(to_toml(table)) == table


def test_missing_values_are_left_out_and_lone_surrogates_replaced() -> None:
    table = {"a": None, "b": {"c": None, "path": "x\udcff"}, "d": [{"e": None}]}
    assert tomllib.loads(to_toml(table)) == {"b": {"path": "x?"}, "d": [{}]}
