"""Definitions of abbreviations, found with offsets, and mentions spelt out with them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.corpora import read
from linnet.read.abbreviations import Abbreviations, expand, expanded_texts, spelt_out
from linnet.read.abbreviations.definitions import Definition, find_definitions
from linnet.types import Document, Mention


def pairs(text: str, **names: set[str]) -> list[tuple[str, str]]:
    return [(d.short, d.long) for d in find_definitions(text, **names)]


def define(short: str, long: str) -> Definition:
    return Definition(short, long, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Patients with ataxia telangiectasia (AT) were seen.", [("AT", "ataxia telangiectasia")]),
        ("AT (ataxia telangiectasia) is rare.", [("AT", "ataxia telangiectasia")]),
        ("ataxia telangiectasia [AT]", [("AT", "ataxia telangiectasia")]),
        ("Ataxia telangiectasia (AT; MIM 208900) is rare.", [("AT", "Ataxia telangiectasia")]),
        ("two autosomal disorders (ADs) of note", [("AD", "autosomal disorders")]),
        (
            "glucose-6-phosphate dehydrogenase (G6PD) deficiency",
            [("G6PD", "glucose-6-phosphate dehydrogenase")],
        ),
        ("von Hippel-Lindau (VHL) disease", [("VHL", "von Hippel-Lindau")]),
        ("the sleepy ear syndrome (also called SES)", [("SES", "sleepy ear syndrome")]),
        ('long waiting disease ("LWD")', [("LWD", "long waiting disease")]),
        ("5-hydroxytryptamine (5-HT) levels", [("5-HT", "5-hydroxytryptamine")]),
        ("Maternal phenylketonuria (PKU) is", [("PKU", "phenylketonuria")]),
        ("given 2-methyl-6-(phenylethynyl)pyridine (MPEP)", [("MPEP", "2-methyl-6-(phenylethynyl)pyridine")]),
        ("tumour necrosis factor and interleukin (IL)", [("IL", "interleukin")]),
        ("head and neck cancer (HNC)", [("HNC", "head and neck cancer")]),
        ("the adjusted OR (AOR) was", [("AOR", "adjusted OR")]),
        ("long waiting disease (LWD [MIM 120435])", [("LWD", "long waiting disease")]),
        ("Waiting-Marie disease (WMD (type 1A))", [("WMD", "Waiting-Marie disease")]),
        ("Wiskott-Aldrich syndrome (WAS) and X (WAS)", [("WAS", "Wiskott-Aldrich syndrome")]),
    ],
)
def test_definitions_are_found_in_both_directions_and_all_brackets(
    text: str, expected: list[tuple[str, str]]
) -> None:
    assert pairs(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "a common disease (see Figure 2)",
        "with the mean (SD) of three",
        "in type two disease (II)",
        "alpha cells. Tumours (AT) grew",
        "ataxia (n = 3) telangiectasia (AT",
        "nothing here ()",
        "the old (or) new",
        "cleft lip, CLP (CP)",
        "estrogen and progesterone receptors (ER)",
        "atrial fibrillation and flutter (AF)",
        "Duchenne or Becker muscular dystrophy (DMD)",
        "unrelated words entirely (QZX)",
        ")(][",
        "",
    ],
)
def test_what_does_not_explain_the_letters_is_no_definition(text: str) -> None:
    assert pairs(text) == []


def test_a_long_form_does_not_cross_the_end_of_a_sentence() -> None:
    assert pairs("He had asthma. Telangiectasia (AT) followed") == []


def test_a_bracket_behind_a_known_name_defines_whatever_its_letters() -> None:
    text = "treated with zidovudine (AZT) and dapsone (20 mg)"
    assert pairs(text) == []
    assert pairs(text, names={"zidovudine", "dapsone"}) == [("AZT", "zidovudine")]


def test_the_longest_known_name_counts_but_not_one_that_names_several_things() -> None:
    names = {"dystrophy", "myotonic dystrophy", "duchenne and myotonic dystrophy"}
    assert pairs("in Duchenne and myotonic dystrophy (DM) cells", names=names) == [
        ("DM", "myotonic dystrophy")
    ]


def test_a_text_that_was_read_can_be_read_again_with_other_names() -> None:
    text = "Ataxia telangiectasia (AT), myotonic dystrophy (DM), von Hippel-Lindau (VHL), zidovudine (AZT; Retrovir)."
    for names, shorts in (
        ((), ["AT", "VHL"]),
        ({"myotonic dystrophy"}, ["AT", "DM", "VHL"]),
        ({"zidovudine", "ataxia"}, ["AT", "VHL", "AZT"]),
        ((), ["AT", "VHL"]),
    ):
        assert [found.short for found in find_definitions(text, names=names)] == shorts


def test_offsets_are_those_of_the_written_forms() -> None:
    text = "Two 🧬 ataxia telangiectasias (ATs)."
    (found,) = find_definitions(text)
    assert text[found.short_start : found.short_end] == "ATs"
    assert text[found.long_start : found.long_end] == "ataxia telangiectasias"


@given(st.text(alphabet="ABab (),;[]-.1βß İ\n", max_size=60))
def test_offsets_hold_for_any_text(text: str) -> None:
    for found in find_definitions(text, names={"ab", "a b"}):
        assert text[found.short_start : found.short_end].startswith(found.short)
        assert " ".join(text[found.long_start : found.long_end].split()) == found.long
        assert len(found.long) > len(found.short) >= 2


AT = define("AT", "ataxia telangiectasia")


@pytest.mark.parametrize(
    ("mention", "expected"),
    [
        ("AT", "ataxia telangiectasia"),
        ("AT patients", "ataxia telangiectasia patients"),
        ("ATs", "ataxia telangiectasia"),
        ("AT-like disorder", "ataxia telangiectasia-like disorder"),
        ("ataxia telangiectasia (AT)", "ataxia telangiectasia"),
        ("Ataxia Telangiectasia [AT] variant", "Ataxia Telangiectasia variant"),
        ("AT (ataxia telangiectasia)", "ataxia telangiectasia"),
        ("ATM", "ATM"),
        ("at", "at"),
        ("CAT", "CAT"),
        ("ataxia telangiectasia", "ataxia telangiectasia"),
    ],
)
def test_short_forms_are_replaced_as_whole_words_and_never_twice(mention: str, expected: str) -> None:
    assert expand(mention, [AT]) == expected


def test_a_long_form_that_holds_a_short_one_is_spelt_out_too() -> None:
    definitions = [define("ATM", "AT mutated"), AT]
    assert expand("ATM", definitions) == "ataxia telangiectasia mutated"


def test_the_first_of_several_definitions_counts() -> None:
    assert expand("AT", [AT, define("AT", "axial tomography")]) == "ataxia telangiectasia"


def test_a_short_form_has_the_long_form_that_is_defined_where_it_stands() -> None:
    text = "Multiple sclerosis (MS), mitral stenosis (MS). The MS was mild."
    document = Document("d", text)
    places = [match.span() for match in re.finditer(r"MS", text)]
    mentions = [Mention(document, start, end, "MS") for start, end in places]
    assert expanded_texts(mentions) == ["Multiple sclerosis", "mitral stenosis", "Multiple sclerosis"]


def test_a_bracketed_short_form_in_the_middle_of_a_name_is_dropped() -> None:
    assert expand(
        "lecithin acyltransferase (LAT) deficiency", [define("LAT", "lecithin acyltransferase")]
    ) == ("lecithin acyltransferase deficiency")


def test_definitions_that_refer_to_each_other_end() -> None:
    assert expand("AA", [define("AA", "BB x"), define("BB", "AA y")]) == "AA y x"


@given(st.text(alphabet="AT ()s-", max_size=20))
def test_expanding_twice_changes_nothing_more(mention: str) -> None:
    once = expand(mention, [define("AT", "ataxia telangiectasia")])
    assert expand(once, [define("AT", "ataxia telangiectasia")]).count("ataxia") <= max(
        1, once.count("ataxia")
    )


def test_mentions_of_a_document_share_definitions_though_each_has_only_its_own_context() -> None:
    mentions = [
        Mention.alone("zidovudine", left="Treated with ", right=" (AZT).", document="d"),
        Mention.alone("AZT", left="All got ", right=".", document="d"),
    ]
    shared = Abbreviations(mentions)
    assert [shared.expand(mention.text) for mention in mentions] == ["zidovudine", "zidovudine"]
    assert Abbreviations(mentions[1:]).expand("AZT") == "AZT"


def test_alone_a_mention_is_spelt_out_by_letters_only() -> None:
    text = "Ataxia telangiectasia (AT) got zidovudine (AZT)."
    document = Document("d", text)
    mentions = [
        Mention(document, text.index(short), text.index(short) + len(short), short) for short in ("AT", "AZT")
    ]
    assert [spelt_out(mention) for mention in mentions] == ["Ataxia telangiectasia", "AZT"]


def spelt(text: str, *names: str) -> list[str]:
    document = Document("d", text)
    places = ((text.index(name), name) for name in names)
    return expanded_texts([Mention(document, start, start + len(name), name) for start, name in places])


@pytest.mark.parametrize(
    "text",
    [
        "The insulin-like growth factor 1, IGF1, and others.",
        "An insulin-like growth factor 1 , or IGF1.",
        "IGF1, or insulin-like growth factor 1, was low.",
        "IGF1, insulin-like growth factor 1 and leptin.",
    ],
)
def test_a_name_beside_another_that_it_abbreviates_is_spelt_out(text: str) -> None:
    assert spelt(text, "insulin-like growth factor 1", "IGF1")[1] == "insulin-like growth factor 1"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("the insulin-like growth factor 1 and IGF1", ("insulin-like growth factor 1", "IGF1")),
        ("a growth factor, IGF1", ("growth factor", "IGF1")),
        ("either GDP or GDP-glucose", ("GDP", "GDP-glucose")),
        ("colitis, Crohn, and lupus", ("colitis", "lupus")),
    ],
)
def test_names_in_a_list_are_not_spelt_out(text: str, names: tuple[str, str]) -> None:
    assert spelt(text, *names) == list(names)


def test_a_document_without_brackets_defines_nothing() -> None:
    text = "Ataxia telangiectasia, or AT."
    assert find_definitions(text) == []


@pytest.mark.data
def test_short_and_long_forms_have_the_same_gold_concept_in_ncbi_train(data: Path) -> None:
    same = different = 0
    for document in read(data / "corpora/ncbi-disease/NCBItrainset_corpus.txt"):
        gold = {(mention.start, mention.end): set(mention.concepts) for mention in document.mentions}
        for found in find_definitions(document.text):
            short = gold.get((found.short_start, found.short_end))
            long = gold.get((found.long_start, found.long_end))
            if short and long:
                same, different = same + bool(short & long), different + (not short & long)
    assert same >= 290
    assert different <= 0.02 * same


def test_each_bracket_defines_its_own() -> None:
    assert pairs("multiple sclerosis (MS) " * 10) == [("MS", "multiple sclerosis")] * 10


def test_a_bracket_of_another_kind_does_not_define_a_drug_unless_by_its_letters() -> None:
    def spelt_as(text: str, *mentions: tuple[str, str]) -> list[str]:
        document = Document("d", text)
        places = [(text.index(name), name, type) for name, type in mentions]
        return expanded_texts(
            [Mention(document, at, at + len(name), name, type) for at, name, type in places]
        )

    assert spelt_as("codeine (N/V)", ("codeine", "Chemical"), ("N/V", "Disease")) == ["codeine", "N/V"]
    assert spelt_as("codeine (N/V)", ("codeine", "Chemical"), ("N/V", "")) == ["codeine", "codeine"]
    assert spelt_as("codeine (CD)", ("codeine", "Chemical"), ("CD", "Disease")) == ["codeine", "codeine"]
