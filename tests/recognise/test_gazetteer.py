"""Names as hashes."""

from __future__ import annotations

import numpy as np
import pytest

from linnet.recognise.gazetteer import Gazetteer, codes_of, codes_of_runs
from linnet.recognise.words import windows, words_of

NAMES = ["Breast Cancer", "Cancer of the Ovary", "CAT", "AIDS", "Gout", "Rest", "Type II Diabetes Mellitus"]
GAZETTEER = Gazetteer.of(NAMES)


def known(text: str) -> bool:
    codes = np.array(codes_of(text, words_of(text)), np.uint32)
    return bool((GAZETTEER.has(codes) & (codes > 0)).any())


@pytest.mark.parametrize(
    "text", ["breast cancers", "ovary cancer", "CAT", "AIDS", "gout", "diabetes mellitus, type 2"]
)
def test_a_name_is_known_in_other_forms_too(text: str) -> None:
    assert known(text)


@pytest.mark.parametrize("text", ["cat", "aids", "breast", "cancer", "gouty rest", "-"])
def test_what_is_no_name_is_not_known_nor_an_acronym_spelt_otherwise(text: str) -> None:
    assert not known(text)


def test_the_order_of_names_does_not_matter_and_there_may_be_none() -> None:
    assert (Gazetteer.of(NAMES[::-1]).hashes == GAZETTEER.hashes).all()
    assert not Gazetteer.of([]).has(np.array([1, 2], np.uint32)).any()


@pytest.mark.parametrize(
    "text",
    [
        "The CAT had breast cancer of the ovary, type II diabetes mellitus and type II gout.",
        "AIDS (HIV-1) in rest homes: a, an, the IV; 5-HT(2A) of the of the ovary ovary",
        "β-thalassaemia minor. β",
        "",
    ],
)
def test_runs_of_words_have_the_codes_that_each_has_alone(text: str) -> None:
    words = words_of(text)
    runs = list(windows(words, longest=8))
    alone = [codes_of(text[words[a].start : words[b - 1].end], words[a:b]) for a, b in runs]
    assert codes_of_runs(text, words, runs).tolist() == [list(codes) for codes in alone]
