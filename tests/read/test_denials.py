"""Strings that say that a thing is not there, and strings that only look like it."""

# ruff: noqa: E501 (lists of strings)

from __future__ import annotations

import pytest

from linnet.read.denials import denial, is_negated


@pytest.mark.parametrize(
    ("text", "thing"),
    [
        ("asthma: no", "asthma"), ("Asthma? No", "Asthma"), ("asthma=false", "asthma"), ("asthma: N", "asthma"), ("asthma - none", "asthma"),
        ("asthma (-)", "asthma"), ("HIV(−)", "HIV"), ("diabetes: -", "diabetes"), ("HIV-", "HIV"), ("HIV–", "HIV"),
        ("asthma (unknown)", "asthma"), ("asthma: n/a", "asthma"), ("asthma - not assessed", "asthma"),
    ],
)  # fmt: skip
def test_an_answer_says_so_by_its_form(text: str, thing: str) -> None:
    found = denial(text)
    assert found is not None
    assert (found.thing, found.sure) == (thing, True)


@pytest.mark.parametrize(
    ("text", "thing", "words"),
    [
        ("HIV negative", "HIV", ("negative",)), ("HIV-negative", "HIV", ("negative",)), ("HIV neg.", "HIV", ("neg",)), ("HIV -ve", "HIV", ()),
        ("gout ruled out", "gout", ("ruled", "out")), ("seizure-free", "seizure", ("free",)), ("non-gout", "gout", ("non",)),
        ("fever, absent", "fever", ("absent",)), ("K: 0", "K", ()), ("gout unlikely", "gout", ("unlikely",)), ("gout: not likely", "gout", ("not", "likely")),
        ("anti-gout", "gout", ("anti",)), ("pseudogout", "gout", ("pseudo",)), ("gout-like", "gout", ("like",)), ("gout like symptoms", "gout", ("like",)),
        ("breast cancer, smoker: no", "breast cancer, smoker", ()),
    ],
)  # fmt: skip
def test_other_words_deny_only_what_is_a_name(text: str, thing: str, words: tuple[str, ...]) -> None:
    found = denial(text)
    assert found is not None
    assert (found.thing, found.words, found.sure) == (thing, words, False)


@pytest.mark.parametrize(
    "text",
    ["asthma", "negative", "no", "negative pressure", "free thyroxine", "thyroxine, free", "drug free", "nonalcoholic fatty liver", "seronegative",
     "asthma: yes", "HIV positive", "gout -", "COPD - ", "gout-", "(-)-menthol", "HIV (+)", "grade: 0.5", "hemicrania", "like", "antimalarial", "likelihood of gout", "pseudo", "bruno", "casino", "phase 10", "gout" * 100 + ": no"],
)  # fmt: skip
def test_what_denies_nothing(text: str) -> None:
    assert denial(text) is None


def test_what_is_said_not_to_be_there() -> None:
    for text in (
        "no fever",
        "Ø fever",
        "☐ asthma",
        "[ ] asthma",
        "denies chest pain",
        "without complications",
        "negative for HIV",
        "Pt denies chest pain",
        "the patient has no fever",
        "She reported no cough",
        "pt. without dyspnea",
    ):
        assert is_negated(text), text
    for text in (
        "☐ asthma ☒ gout",
        "[x] asthma",
        "non-small cell lung cancer",
        "nocturia",
        "no-reflow phenomenon",
        "norovirus infection",
        "absent thumb",
        "patient with fever",
        "pt has asthma",
    ):
        assert not is_negated(text), text
