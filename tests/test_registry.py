from __future__ import annotations

import json
import re

import pytest

from linnet.errors import MismatchError, UnknownNameError
from linnet.registry import REMOVED, imported, refuse_removed, registered


def test_a_name_gives_what_it_stands_for() -> None:
    assert registered({"reader": "json:loads"}, "reader", "tool") is json.loads
    assert imported("json:dumps") is json.dumps


def test_an_unknown_name_lists_the_choices() -> None:
    with pytest.raises(UnknownNameError, match=r"Unknown tool 'raeder'\. Did you mean 'reader'"):
        registered({"reader": "json:loads", "writer": "json:dumps"}, "raeder", "tool")


@pytest.mark.parametrize("kind", REMOVED)
def test_a_kind_that_linnet_had_once_is_refused_with_what_to_use_instead(kind: str) -> None:
    with pytest.raises(MismatchError) as refused:
        refuse_removed("m holds a model of kind", kind)
    assert f"m holds a model of kind '{kind}', which linnet no longer has. " in str(refused.value)
    assert re.search(r"(Name|Train|train|Write) .*['\"].+['\"]", REMOVED[kind])


@pytest.mark.parametrize("kind", ["listwise", 3, None])
def test_other_kinds_pass(kind: object) -> None:
    refuse_removed("m holds a model of kind", kind)
