"""What texts say of their mentions, which stand in square brackets here, each with the attributes that it should get."""

from __future__ import annotations

import re
import sys

import pytest

from linnet.read.assertion import ATTRIBUTES, assertions
from linnet.read.assertion_cues import Role, find_cues, tokens_of
from linnet.read.rules import rows
from linnet.types import Document, Mention

SHORT = {"n": "negated", "u": "uncertain", "h": "historical", "o": "other person", "y": "hypothetical"}


def _said(marked: str) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """The attributes found and those wanted, of every `[mention]` or `[mention|letters of SHORT]`."""
    text, spans, wanted = "", [], []
    for part in re.split(r"(\[[^\]]*\])", marked):
        inner, _, letters = part.strip("[]").partition("|") if part.startswith("[") else (part, "", "")
        if part.startswith("["):
            spans.append((len(text), len(text) + len(inner)))
            names = {SHORT[letter] for letter in letters}
            wanted.append(tuple(name for name in ATTRIBUTES if name in names))
        text += inner
    document = Document("1", text)
    mentions = [Mention(document, start, end, text[start:end]) for start, end in spans]
    return assertions(document.with_mentions(mentions)), wanted


@pytest.mark.parametrize(
    "marked",
    [
        "No evidence of [pneumonia|n] or [effusion|n], but [atelectasis] is present.",
        "Denies [chest pain|n], [nausea|n] and has [hypertension].",
        "[Pneumonia|n] was ruled out.",
        "[Fever|n] was absent and [cough] was present.",
        "[Seizures|n] were not observed in patients with [epilepsy].",
        "[Fever|n]: no, [cough]: yes",
        "Ø [fever|n], Ø [cough|n].",
        "☐ [asthma|n] ☒ [gout]",
        "[HTN|n](-) [DM](+) [asthma|n](-)",
        "Serology for [HIV|n] and [syphilis|n] was negative.",
        "She neither drinks nor has [gout|n].",
        "No increase in [seizures] was seen.",
        "[Gout] not only affects men.",
        "Without treatment, [rabies] is fatal.",
        "Non-Hodgkin [lymphoma] was diagnosed.",
        "It occurs with or without [nystagmus].",
        "Possible [TB|u], cannot exclude [lymphoma|u].",
        "[Myocarditis|u] is unlikely.",
        "r/o [PE|u]",
        "?[UTI|u]",
        "Has anyone had [hives]?",
        "No [fever|n], possible [pneumonia|u].",
        "[MI|h] in 2010.",
        "s/p [stroke|h]",
        "He was treated for [sepsis|h] three years ago and now has [gout].",
        "History and physical show [edema].",
        "A three-day history of [cough].",
        "Mother had [breast cancer|o]; the patient has [asthma].",
        "His mother reports [vomiting].",
        "Lives with her husband, has [gout].",
        "No family history of [colon cancer|no].",
        "If [bleeding|y] occurs, call us.",
        "Return if you develop [fever|y] or [rash|y].",
        "Aspirin to prevent [stroke|y].",
        "Exclusion criteria: [pregnancy|y], [gout|y].",
        "Family history: [diabetes|o], [stroke|o].\nPresents with [cough].",
        "PAST MEDICAL HISTORY:\n1. [Diabetes|h]\n2. [HTN|h]\n\nShe has [fever].",
        "- no [fever|n]\n- [rash] on the arm",
        "(+) [cough], (-) [stridor|n], (-) [cyanosis|n]",
        "WOF [bleeding|y], [fits|y]. [Dengue] day 4.",
        "Return to the emergency department for [fever|y], [vomiting|y] or [rash|y].",
        "OB hx: 2014 [pre-eclampsia|h], 2017 [stillbirth|h]. Today [backache].",
        "Fam: father [gout|o], sister [lupus|o].\nExam: [rash].",
        "[Colon cancer|u] needs excluding. [Anaemia] today.",
        "[Pneumonia|h] in March, treated. Now [cough].",
        "[Gout].",
    ],
)
def test_attributes_are_those_that_a_reader_would_give(marked: str) -> None:
    found, wanted = _said(marked)
    assert found == wanted


def test_a_cue_within_a_mention_says_nothing_of_it() -> None:
    text = "Absent speech. No evidence of disease."
    document = Document("1", text)
    spans = [(0, 13), (15, 37)]
    document = document.with_mentions([Mention(document, a, b, text[a:b]) for a, b in spans])
    assert assertions(document) == [(), ()]


def test_mentions_keep_their_order_and_documents_without_any_have_no_answer() -> None:
    text = "No gout. Asthma."
    document = Document("1", text)
    asthma, gout = Mention(document, 9, 15, "Asthma"), Mention(document, 3, 7, "gout")
    assert assertions(document.with_mentions([asthma, gout])) == [(), ("negated",)]
    assert assertions(document) == []


def test_offsets_beyond_ascii_and_typographic_apostrophes() -> None:
    assert _said("Ärztin: didn’t have [Gicht|n], naïve [Ödeme].")[0] == [("negated",), ("negated",)]


@pytest.mark.parametrize("unit", ["no gout, ", "gout was not seen and ", "mother had gout; ", "if "])
def test_a_long_sentence_takes_time_in_proportion(unit: str) -> None:
    def steps(times: int) -> int:
        text = unit * times
        document = Document("1", text)
        spans = [match.span() for match in re.finditer("gout", text)]
        calls = 0

        def count(*_: object) -> None:
            nonlocal calls
            calls += 1

        sys.setprofile(count)
        try:
            assertions(document.with_mentions([Mention(document, a, b, "gout") for a, b in spans]))
        finally:
            sys.setprofile(None)
        return calls

    assertions(Document("1", "x").with_mentions([Mention(Document("1", "x"), 0, 1, "x")]))  # lists are read
    assert steps(400) < 5 * steps(100)


def test_the_longest_cue_counts_and_what_only_looks_like_one_hides_it() -> None:
    tokens = tokens_of("no evidence of x, no increase in y", 0, 34)
    found = [(cue.start, cue.end, cue.role) for cue in find_cues(tokens)]
    assert found == [(0, 3, Role.BEFORE), (5, 8, Role.NOT)]


def test_every_line_of_the_list_names_a_known_role_and_attribute() -> None:
    assert len(rows("assertion_cues")) > 300
    for row in (*rows("assertion_cues"), *rows("denials")):
        assert row["cue"].strip() == row["cue"]
        if row["role"] or not row["string"]:
            named = set(filter(None, row["attribute"].split(",")))
            assert Role(row["role"])
            assert named <= set(ATTRIBUTES)
            assert named or row["role"] in (Role.NOT, Role.END)
