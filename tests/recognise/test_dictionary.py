"""Mentions found by looking names up, against a handful of invented or well-known names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.errors import RequestError, UnknownNameError
from linnet.recognise import TerminologyNames, check_types, open_recogniser, recognisers
from linnet.recognise.common_words import COMMON_WORDS, NEVER_AT_EDGE
from linnet.recognise.dictionary import SPELLING, DictionaryRecogniser
from linnet.recognise.words import words_of
from linnet.types import Document, Mention
from linnet.words.text import LEVELS, fold, simplify

DISEASES = [
    "Breast Cancer", "Ovarian Cancer", "Cancer of the Breast", "Cancer of the Ovary", "Ataxia Telangiectasia", "Asthma",
    "Type 2 Diabetes", "Type 1 Diabetes", "Hypothyroidism", "Hyperthyroidism", "Factor V Deficiency", "von Hippel-Lindau Disease",
    "Glucose-6-Phosphate Dehydrogenase Deficiency", "APC", "CAN", "Hand, Foot and Mouth Disease", "Alzheimer's Disease",
    "Kidney Disease", "ZAP", "Flu", "2", "Hepatitis", "Hepatitis A", "Hepatitis B", "Hepatitis C",
]  # fmt: skip
DRUGS = ["Lead", "Aspirin", "N-Acetylcysteine", "Zidovudine"]


def invented(names: dict[str, str | None]) -> TerminologyNames:
    """Names with their types, looked up in plain dictionaries."""
    texts = list(names)
    tables: dict[str, dict[str, list[int]]] = {}
    for level, form in LEVELS.items():
        for row, text in enumerate(texts):
            tables.setdefault(level, {}).setdefault(form(text), []).append(row)

    def lookup(forms: Sequence[str], *, level: str) -> tuple[Any, Any]:
        rows = [tables[level].get(form, []) for form in forms]
        offsets = np.cumsum([0, *(len(found) for found in rows)])
        return offsets.astype(np.int64), np.array([row for found in rows for row in found], dtype=np.int32)

    kinds = frozenset(kind for kind in names.values() if kind)
    return TerminologyNames(lookup, texts.__getitem__, lambda row: names[texts[row]], kinds)


RECOGNISER = open_recogniser(
    "dictionary", [invented(dict.fromkeys(DISEASES, "Disease")), invented(dict.fromkeys(DRUGS, "Chemical"))]
)


def found(text: str) -> list[str]:
    (document,) = RECOGNISER.recognise([Document("d", text)])
    return [mention.text for mention in document.mentions]


@pytest.mark.parametrize(
    ("text", "mentions"),
    [
        ("Breast cancer and asthma.", ["Breast cancer", "asthma"]),
        ("Alzheimer´s disease", ["Alzheimer´s disease"]),
        ("She had breast cancers.", ["breast cancers"]),
        ("Alzheimer’s disease", ["Alzheimer’s disease"]),
        ("N-acetylcysteine, aspirin", ["N-acetylcysteine", "aspirin"]),
        ("factor V deficiency", ["factor V deficiency"]),
        ("in hand, foot and mouth disease now", ["hand, foot and mouth disease"]),
        ("nephropathy", ["nephropathy"]),
        ("🧬 asthma", ["asthma"]),
        ("", []),
        ("nothing at all", []),
    ],
)
def test_the_longest_names_are_found_however_they_are_written(text: str, mentions: list[str]) -> None:
    assert found(text) == mentions


@pytest.mark.parametrize(
    "text",
    [
        "It can be. All can.",
        "They lead by 2 points.",
        "He may zap it",
        "A disease. Kidney was fine",
        "of the breast (cancer)",
    ],
)
def test_common_short_and_interrupted_words_are_not_taken_for_names(text: str) -> None:
    assert found(text) == []


def test_short_and_common_words_count_when_written_as_in_the_terminology() -> None:
    assert found("with CAN today") == ["CAN"]
    assert found("with ZAP today") == ["ZAP"]
    assert found("toxic Lead levels") == ["Lead"]
    assert found("the flu") == []


@pytest.mark.parametrize(
    ("text", "mentions"),
    [
        ("Vaccines against hepatitis A.", ["hepatitis A"]),
        ("They have hepatitis A, B and C.", ["hepatitis A, B and C"]),
        ("Hepatitis B or C; asthma", ["Hepatitis B or C", "asthma"]),
        ("They have hepatitis A, B and X.", ["hepatitis A"]),
        ("Asthma and hepatitis B/C", ["Asthma", "hepatitis B/C"]),
        ("With type 1 and 2 asthma now", ["type 1 and 2 asthma"]),
        ("Type I or type II kidney disease is", ["Type I or type II kidney disease"]),
        ("With stage 1 and 2 asthma", ["asthma"]),
        ("With type 1 and 2 of asthma", ["asthma"]),
        ("It was hepatitis. A virus causes it.", ["hepatitis"]),
        ("HEPATITIS A CASE REPORT", ["HEPATITIS"]),
        ("Flu A season", ["Flu"]),
    ],
)
def test_a_name_may_end_with_a_and_lists_of_names_are_one_mention(text: str, mentions: list[str]) -> None:
    assert found(text) == mentions


def test_names_go_on_in_the_next_line_of_prose_but_not_in_the_next_item_or_cell() -> None:
    prose = "She was seen for ten years with a rare breast\ncancer that had spread before she came to us. It was\ntreated."
    assert found(prose) == ["breast\ncancer"]
    for text in ("- breast\n- cancer of the ovary", "breast\n\ncancer", "breast | cancer", "breast\tcancer"):
        assert "breast" not in " ".join(found(text))


def test_names_do_not_cross_the_end_of_a_sentence() -> None:
    assert found("It hit the kidney. Disease followed") == []


def test_a_defined_abbreviation_is_a_mention_where_its_long_form_is_one() -> None:
    text = "Ataxia telangiectasia (AT) is rare; AT cells and ATs, but ATM and at."
    assert found(text) == ["Ataxia telangiectasia", "AT", "AT", "ATs"]


def test_an_abbreviation_defined_as_something_else_is_no_mention() -> None:
    assert found("Cells of zebrafish and pigs (ZAP) and ZAP again") == []


def test_a_bracket_behind_a_name_defines_an_abbreviation() -> None:
    assert found("Zidovudine (AZT) was given. AZT helped.") == ["Zidovudine", "AZT", "AZT"]


def test_a_short_form_counts_if_its_long_form_lacks_only_disease() -> None:
    assert found("von Hippel-Lindau (VHL) disease; VHL is rare") == ["VHL", "VHL"]
    text = "Glucose-6-phosphate dehydrogenase (G6PD) is an enzyme; G6PD deficiency a disease"
    assert found(text) == ["G6PD deficiency"]


def test_what_the_text_calls_a_gene_is_no_disease_unless_defined_as_one() -> None:
    assert found("The APC gene and APC.") == []
    assert found("APC is inherited.") == ["APC"]


@pytest.mark.parametrize(
    ("text", "mention"),
    [
        ("risk of breast and ovarian cancer in women", "breast and ovarian cancer"),
        ("type 1 and type 2 diabetes", "type 1 and type 2 diabetes"),
        ("cancer of the breast or ovary", "cancer of the breast or ovary"),
        ("in hypo- and hyperthyroidism", "hypo- and hyperthyroidism"),
        ("a breast/ovarian cancer gene", "breast/ovarian cancer"),
        ("carriers get breast and ovarian cancer", "breast and ovarian cancer"),
    ],
)
def test_a_list_of_names_that_share_a_part_is_one_mention(text: str, mention: str) -> None:
    assert found(text) == [mention]


def test_a_list_reaches_over_a_name_of_another_type_but_not_over_one_of_its_own() -> None:
    names = {"Ankle": "Anatomy", "Ankle fractures": "Disease", "Wrist fractures": "Disease"}
    for more, mentions in (
        ({}, ["ankle and wrist fractures"]),
        ({"Ankle": "Disease"}, ["ankle", "wrist fractures"]),
    ):
        recogniser = DictionaryRecogniser([invented({**names, **more})])
        (document,) = recogniser.recognise([Document("d", "He has ankle and wrist fractures.")])
        assert [mention.text for mention in document.mentions] == mentions


def test_names_that_share_nothing_stay_apart() -> None:
    assert found("asthma and ovarian cancer") == ["asthma", "ovarian cancer"]
    assert found("a tall and ovarian cancer") == ["ovarian cancer"]


def test_types_come_with_the_mentions_and_concepts_without_one_are_left_out() -> None:
    recogniser = open_recogniser(
        "dictionary", [invented({"Asthma": "Disease", "Tree": None, "Aspirin": "Drug"})]
    )
    (document,) = recogniser.recognise([Document("d", "asthma, tree, aspirin")])
    assert [(m.text, m.type, m.source) for m in document.mentions] == [
        ("asthma", "Disease", "dictionary"),
        ("aspirin", "Drug", "dictionary"),
    ]


def test_documents_keep_their_order_and_are_not_changed() -> None:
    own = Mention.alone("mine").document
    documents = [Document(str(i), "asthma " * (i % 3), own.mentions) for i in range(150)]
    before = [document.mentions for document in documents]
    result = RECOGNISER.recognise(documents)
    assert [document.id for document in result] == [document.id for document in documents]
    assert [len(document.mentions) for document in result] == [i % 3 for i in range(150)]
    assert [document.mentions for document in documents] == before
    assert RECOGNISER.recognise([]) == []


PIECES = [
    "Breast",
    "and",
    "or",
    "ovarian",
    "cancer",
    "Kidney",
    "Disease",
    "ZAP",
    "flu",
    "/",
    ", ",
    "(",
    ")",
    "β",
    "-",
    " ",
    "\n",
]


@given(st.lists(st.sampled_from(PIECES), max_size=16).map(" ".join))
def test_mentions_are_in_order_without_overlaps_and_at_their_offsets(text: str) -> None:
    (document,) = RECOGNISER.recognise([Document("d", text)])
    end = 0
    for mention in document.mentions:
        assert mention.start >= end
        assert document.text[mention.start : mention.end] == mention.text
        end = mention.end


@given(st.text(max_size=60))
def test_words_have_increasing_offsets_and_the_forms_of_their_text(text: str) -> None:
    end = 0
    for word in words_of(text):
        assert end <= word.start < word.end <= len(text)
        end = word.end


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Sjo\u0308gren cafe\u0301 noir", ["Sjo\u0308gren", "cafe\u0301", "noir"]),  # accents of their own
        ("myo\u00adcardial as\u2060thma", ["myo\u00adcardial", "as\u2060thma"]),  # invisible
        ("asthma\u200bgout \u00adgout\u00ad", ["asthma", "gout", "gout"]),
    ],
)
def test_accents_and_invisible_characters_do_not_divide_words_but_spaces_without_width_do(
    text: str, words: list[str]
) -> None:
    assert [text[word.start : word.end] for word in words_of(text)] == words
    assert found(text.replace(words[0], "as\u00adthma", 1))[0] == "as\u00adthma"


@pytest.mark.parametrize(
    "name",
    ["Type II Diabetes", "factor V (Leiden)", "Crohn's disease", "β-thalassaemia", "1,2-DMH", "Na+ loss"],
)
def test_the_forms_of_the_words_are_the_form_of_the_text(name: str) -> None:
    assert " ".join(word.form for word in words_of(name)) == simplify(name)


def test_word_lists_are_written_as_forms() -> None:
    assert all(simplify(word) == fold(word) == word for word in COMMON_WORDS | NEVER_AT_EDGE)


def test_an_unknown_recogniser_is_refused_with_the_choices() -> None:
    with pytest.raises(UnknownNameError, match="dictionary"):
        open_recogniser("oracle", [])
    assert sorted(recognisers) == ["combined", "dictionary"]


def test_types_that_it_never_finds_are_refused_with_the_nearest() -> None:
    assert RECOGNISER.types == {"Chemical", "Disease"}
    check_types(["disease", "CHEMICAL"], RECOGNISER)
    check_types([], RECOGNISER)
    with pytest.raises(
        UnknownNameError, match=r"'DISESE'\. Did you mean 'Disease'\? Choose from: Chemical, Disease\."
    ):
        check_types(["Chemical", "DISESE"], RECOGNISER)
    untyped = open_recogniser("dictionary", [invented({"Gout": ""})])
    with pytest.raises(RequestError, match="'Disease': the concepts of this terminology have no types"):
        check_types(["Disease"], untyped)


def test_a_brand_is_found_where_its_drugs_are_names() -> None:
    drugs = [*DRUGS, "Levodopa", "Carbidopa", "Entacapone"]
    recogniser = DictionaryRecogniser([invented(dict.fromkeys(drugs, "Chemical"))], shorthand=True)
    text = "Stalevo stopped, Percocet started, levodopa and aspirin continued"
    [document] = recogniser.recognise([Document("1", text)])
    assert [mention.text for mention in document.mentions] == ["Stalevo", "levodopa", "aspirin"]


def test_names_in_clinical_shorthand_are_found_where_they_are_asked_for() -> None:
    assert found("PMH breast ca, asthma.") == ["asthma"]
    recogniser = DictionaryRecogniser([invented(dict.fromkeys(DISEASES, "Disease"))], shorthand=True)
    (document,) = recogniser.recognise([Document("d", "PMH breast ca, asthma.")])
    assert [m.text for m in document.mentions] == ["breast ca", "asthma"]


def test_misspelt_names_are_found_in_notes_alone() -> None:
    spellings = {"astma": "asthma", "brest": "breast", "cancre": "cancer"}
    names = replace(invented(dict.fromkeys(DISEASES, "Disease")), respelt=spellings.get)
    note = Document("note", "PMH: HTN, astma, brest cancre. Pt c/o chest pain x 2 days, no SOB.")
    paper = Document("paper", "We studied the association of astma with brest cancre in 200 families.")
    recogniser = DictionaryRecogniser([names], shorthand=True)
    found = [[(m.text, m.source) for m in d.mentions] for d in recogniser.recognise([note, paper])]
    assert found == [[("astma", SPELLING), ("brest cancre", SPELLING)], []]
    [document] = DictionaryRecogniser([names]).recognise([note])
    assert not document.mentions


def test_an_abbreviation_has_the_type_of_what_it_is_short_for() -> None:
    recogniser = open_recogniser(
        "dictionary",
        [invented({"Ataxia Telangiectasia": "Disease", "AT": "Chemical", "Aspirin": "Chemical"})],
    )
    [document] = recogniser.recognise(
        [Document("d", "Ataxia telangiectasia (AT) is rare; AT is not aspirin.")]
    )
    assert [(m.text, m.type) for m in document.mentions] == [
        ("Ataxia telangiectasia", "Disease"),
        ("AT", "Disease"),
        ("AT", "Disease"),
        ("aspirin", "Chemical"),
    ]
    [alone] = recogniser.recognise([Document("d", "AT was given.")])
    assert [(m.text, m.type) for m in alone.mentions] == [("AT", "Chemical")]
