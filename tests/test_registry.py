from __future__ import annotations

import json

import pytest

from linnet.errors import UnknownNameError
from linnet.registry import imported, registered


def test_a_name_gives_what_it_stands_for() -> None:
    assert registered({"reader": "json:loads"}, "reader", "tool") is json.loads
    assert imported("json:dumps") is json.dumps


def test_an_unknown_name_lists_the_choices() -> None:
    with pytest.raises(UnknownNameError, match=r"Unknown tool 'raeder'\. Did you mean 'reader'"):
        registered({"reader": "json:loads", "writer": "json:dumps"}, "raeder", "tool")
