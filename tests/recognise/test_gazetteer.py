"""Names as hashes."""

from __future__ import annotations

import numpy as np
import pytest

from linnet.recognise.gazetteer import Gazetteer, code_of, codes_of_windows
from linnet.recognise.windows import windows_of
from linnet.recognise.words import words_of

NAMES = ["Breast Cancer", "Cancer of the Ovary", "CAT", "AIDS", "Gout", "Rest", "Type II Diabetes Mellitus"]
GAZETTEER = Gazetteer.of(NAMES)


def known(text: str) -> bool:
    code = code_of(text)
    return bool(code and GAZETTEER.has(np.array([code], np.uint32))[0])


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
def test_windows_have_the_codes_that_each_has_alone(text: str) -> None:
    words, windows = words_of(text), windows_of(text)
    alone = [
        code_of(text[words[first].start : words[last - 1].end])
        for first, last in zip(windows.first, windows.last, strict=True)
    ]
    assert codes_of_windows(text, words, windows).tolist() == alone


def test_a_window_that_ends_with_the_sign_of_a_name_is_none_to_gazetteers() -> None:
    text = "hepatitis A"
    windows = windows_of(text)
    assert windows.plain == ["hepatitis a", "hepatitis"]
    assert codes_of_windows(text, words_of(text), windows).tolist() == [
        0,
        code_of(text[:9]),
    ]
