"""Normal forms of names: what each level forgets, and what holds for any text."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from linnet.words.text import LEVELS, fold, key, sense, simplify, tokens

# Letters and marks that the levels treat specially, beside anything Unicode has.
ODD = "aesoiuvx sS'’\"-‐–_+%,.()1İıßſΐάας²½ﬁ\u00ad\u200b\u0301\u0345\u1e9e가é"
TEXTS = st.one_of(st.text(max_size=30), st.text(alphabet=ODD, max_size=30))
PIECES = [
    "an", "haem", "oed", "aem", "ia", "oes", "oph", "tum", "our", "isation", "sul", "ph", "fib", "re", "leuc", "o", "paed",
    "aet", "ap", "noe", "_", " ", "'", "s",
]  # fmt: skip
BRITISH = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)


@pytest.mark.parametrize(
    ("written", "same"),
    [
        ("Crohn’s  Disease", "crohn's disease"),
        ("type‐2", "TYPE-2"),
        ("ｆｕｌｌ ｗｉｄｔｈ", "full width"),
        ("soft\u00adhyphen", "softhyphen"),
        ("cafe\u200b\u0301", "café"),
        ("STRASSE", "straße"),
    ],
)
def test_fold_forgets_case_width_dashes_quotes_and_invisible_characters(written: str, same: str) -> None:
    assert fold(written) == fold(same)


@pytest.mark.parametrize(
    ("written", "form"),
    [
        ("Type-II Diabetes Mellitus, familial", "type 2 diabetes mellitus familial"),
        ("Crohn's disease", "crohn disease"),
        ("patients' oedema", "patient edema"),
        ("leucaemia", "leukemia"),
        ("Haemorrhage; oesophageal tumour", "hemorrhage esophageal tumor"),
        ("β-thalassaemia", "beta thalassemia"),
        ("ά-synuclein", "alpha synuclein"),
        ("Sjögren", "sjogren"),
        ("factor V", "factor 5"),
        ("vitamin K", "vitamin k"),
        ("Na+ channel", "na+ channel"),
        ("_paediatric_", "pediatric"),
        ("5'-nucleotidase", "5 nucleotidase"),
        ("...", "..."),
        ("", ""),
    ],
)
def test_simplify_leaves_words_and_numbers(written: str, form: str) -> None:
    assert simplify(written) == form


@pytest.mark.parametrize(
    ("written", "same"),
    [
        ("Cancer of the Breast", "breast cancers"),
        ("metastases", "metastasis"),
        ("carcinomata", "carcinoma"),
        ("Diabetes Mellitus, Type 2", "type 2 diabetes mellitus"),
    ],
)
def test_key_forgets_order_plurals_and_little_words(written: str, same: str) -> None:
    assert key(written) == key(same)


def test_key_keeps_little_words_where_there_is_nothing_else() -> None:
    assert key("of the") != key("")


@given(TEXTS)
@example("e\u200b\u0301")
@example("İ")
@example("\u0345α")
@example("_")
def test_fold_maps_its_own_output_to_itself(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.one_of(TEXTS, BRITISH))
@example("ΰ")
@example("_paed")
@example("haaemc")
@example("a'_'s")
def test_simplify_maps_its_own_output_to_itself(text: str) -> None:
    assert simplify(simplify(text)) == simplify(text)


@given(st.one_of(TEXTS, BRITISH))
def test_names_equal_after_fold_or_simplify_are_equal_at_all_later_levels(text: str) -> None:
    assert simplify(fold(text)) == simplify(text)
    for later in (key, sense):
        assert later(fold(text)) == later(text)
        assert later(simplify(text)) == later(text)


@given(st.one_of(TEXTS, BRITISH))
def test_every_level_yields_text_without_stray_spaces(text: str) -> None:
    for form in LEVELS.values():
        assert form(text) == " ".join(form(text).split())


@given(TEXTS)
def test_key_does_not_depend_on_the_order_of_words(text: str) -> None:
    words = tokens(text)
    assert key(" ".join(sorted(words))).split() == sorted(set(key(" ".join(sorted(words))).split()))


@given(st.text(max_size=20))
def test_case_does_not_matter(text: str) -> None:
    if text.upper().casefold() == text.casefold():
        assert simplify(text.upper()) == simplify(text)
