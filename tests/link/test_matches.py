"""The best form of a text: names first, then what is searched for, and what the closest name keeps."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pytest

from linnet.link.matches import Lookup, Matches
from linnet.link.string_costs import COSTS


def _matches(names: Mapping[str, float], *, near: Mapping[str, float] | None = None) -> Matches:
    """Of names with their exact scores, and other texts with the score of their best candidate."""
    scores = {**names, **(near or {})}

    def exact(texts: Sequence[str]) -> list[float]:
        return [names.get(text, 0.0) for text in texts]

    def best(texts: Sequence[str]) -> list[float]:
        return [scores.get(text, -math.inf) for text in texts]

    return Matches(Lookup(exact, best, {"astmha": "asthma"}.get), shorthand=True)


def test_a_form_that_is_a_name_costs_what_was_left_out() -> None:
    matches = _matches({"asthma": 1.0})
    matches.look_up(["severe asthma"])
    part = matches.part("severe asthma")
    assert (part.text, part.is_name) == ("asthma", True)
    assert part.value == pytest.approx(1 - COSTS.word)


def test_what_is_no_name_is_searched_for_as_it_is_and_respelt() -> None:
    matches = _matches({}, near={"astmha": 0.5, "asthma": 0.9})
    matches.look_up(["astmha"])
    assert matches.part("astmha").value == -math.inf
    matches.search_for(["astmha"])
    part = matches.part("astmha")
    assert (part.text, part.respelt) == ("asthma", True)
    assert part.value == pytest.approx(0.9 - COSTS.respelt)


def test_a_short_form_is_written_out() -> None:
    matches = _matches({"hypertension": 1.0})
    matches.look_up(["HTN"])
    assert matches.part("HTN").text == "hypertension"
    assert matches.is_name("HTN")
