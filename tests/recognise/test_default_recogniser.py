"""The default recogniser: which terminologies bring the shipped tagger."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.recognise.test_dictionary import invented

from linnet.encode.named_models import SHIPPED
from linnet.recognise import TerminologyNames, open_recogniser, recogniser_model
from linnet.recognise.default_recogniser import ALONE
from linnet.recognise.dictionary import DictionaryRecogniser
from linnet.recognise.tagger import Tagger
from linnet.recognise.tagger_beside_names import PhenotypeRecogniser, TaggerBesideNames
from linnet.types import Document

TEXT = "The liver was enlarged. More patients than expected had ascites."


def names(**types: str | None) -> list[TerminologyNames]:
    return [invented(dict(types))]


@pytest.mark.parametrize(
    ("type", "fits"),
    [
        ("Disease", True),
        ("disease", True),
        ("disorder", True),
        ("Drug", True),
        ("Condition", True),
        ("Anatomy", False),
        ("Phenotype", False),
        (None, False),
        ("", False),
    ],
)
def test_the_tagger_comes_where_a_terminology_has_one_of_its_types(type: str | None, fits: bool) -> None:
    terminologies = names(liver=type)
    recogniser = open_recogniser("combined", terminologies)
    assert isinstance(recogniser, TaggerBesideNames if fits else DictionaryRecogniser)
    assert recogniser_model("combined", terminologies) == (SHIPPED / "recogniser" if fits else None)


def test_phenotypes_are_judged_only_where_all_terminologies_are_of_them() -> None:
    [hpo] = [replace(terminology, phenotypes=True) for terminology in names(ascites="")]
    recogniser = open_recogniser("combined", [hpo])
    assert isinstance(recogniser, PhenotypeRecogniser)
    assert [m.text for m in recogniser.recognise([Document("d", TEXT)])[0].mentions] == ["ascites"]
    assert recogniser_model("combined", [hpo]) == SHIPPED / "recogniser"
    assert isinstance(open_recogniser("combined", [hpo, *names(gout="")]), DictionaryRecogniser)


def test_a_terminology_without_types_keeps_the_names_alone() -> None:
    assert recogniser_model("combined", [*names(liver="Disease"), *names(gout="")]) is None


def test_it_finds_what_no_terminology_has_and_names_of_other_types() -> None:
    recogniser = open_recogniser("combined", [*names(asthma="Disease"), *names(liver="Anatomy")])
    [document] = recogniser.recognise([Document("d", TEXT)])
    assert {("ascites", "Disease", "recogniser"), ("liver", "Anatomy", "dictionary")} <= {
        (m.text, m.type, m.source) for m in document.mentions
    }


def test_mentions_are_called_as_the_terminology_calls_all_its_diseases() -> None:
    recogniser = open_recogniser("combined", names(asthma="disorder"))
    assert recogniser.types == {"disorder"}
    [document] = recogniser.recognise([Document("d", f"{TEXT} She took aspirin for asthma.")])
    assert [(m.text, m.type) for m in document.mentions] == [("ascites", "disorder"), ("asthma", "disorder")]


def test_two_names_of_one_kind_keep_theirs_and_others_get_the_common_one() -> None:
    terminologies = [*names(asthma="disorder"), *names(gout="Rare disease")]
    [document] = open_recogniser("combined", terminologies).recognise(
        [Document("d", f"{TEXT} Gout. Asthma?")]
    )
    assert [(m.text, m.type) for m in document.mentions] == [
        ("ascites", "Disease"),
        ("Gout", "Rare disease"),
        ("Asthma", "disorder"),
    ]


def test_names_keep_their_types_beside_those_of_other_kinds() -> None:
    """As in the UMLS: several types of diseases, and findings that may be symptoms or not."""
    terminologies = names(
        asthma="Disease or Syndrome",
        gout="T047",
        ascites="Sign or Symptom",
        liver="Body Part, Organ, or Organ Component",
        aspirin="Pharmacologic Substance",
    )
    recogniser = open_recogniser("combined", terminologies)
    text = f"{TEXT} Gout and nephropathy, but no asthma. She took aspirin."
    [document] = recogniser.recognise([Document("d", text)])
    found = [(m.text, m.type) for m in document.mentions]
    assert found == [
        ("liver", "Body Part, Organ, or Organ Component"),
        ("ascites", "Sign or Symptom"),
        ("Gout", "T047"),
        ("nephropathy", "Disease"),
        ("asthma", "Disease or Syndrome"),
        ("aspirin", "Pharmacologic Substance"),
    ]
    assert {type for _, type in found} <= recogniser.types


def test_findings_are_names_more_readily_than_diseases_and_seldom_name_what_is_no_name() -> None:
    text = "The liver was enlarged. Dizziness was common, gout was not."
    found = {}
    for type in ("Condition", "disorder"):
        recogniser = open_recogniser("combined", names(enlarged=type, gout="disorder"))
        [document] = recogniser.recognise([Document("d", text)])
        found[type] = [(m.text, m.type) for m in document.mentions]
    assert found["disorder"] == [("Dizziness", "disorder"), ("gout", "disorder")]
    assert found["Condition"] == [("enlarged", "Condition"), ("Dizziness", "disorder"), ("gout", "disorder")]


def test_phenotypes_beside_diseases_leave_the_tagger_to_the_diseases() -> None:
    [hpo] = [replace(terminology, phenotypes=True) for terminology in names(enlarged="")]
    terminologies = [hpo, *names(asthma="Disease")]
    [document] = open_recogniser("combined", terminologies).recognise([Document("d", TEXT)])
    assert [(m.text, m.type) for m in document.mentions] == [("enlarged", ""), ("ascites", "Disease")]
    assert open_recogniser("recogniser", terminologies).types == {"Disease"}


def test_what_the_tagger_finds_is_not_called_as_a_name_of_another_kind() -> None:
    [document] = open_recogniser("combined", names(gout="disorder", ascites="Anatomy")).recognise(
        [Document("d", TEXT)]
    )
    assert ("ascites", "disorder") in [(m.text, m.type) for m in document.mentions]


def test_a_trained_recogniser_finds_only_diseases_for_disorders() -> None:
    recogniser = open_recogniser("recogniser", names(asthma="disorder"))
    assert recogniser.types == {"Disease"}
    assert open_recogniser("recogniser", names(asthma="")).types == {"Disease", "Chemical"}


def test_names_that_only_qualify_others_are_left_to_the_dictionary() -> None:
    hpo = [replace(terminology, qualifies={1}.__contains__) for terminology in names(ascites="", enlarged="")]
    found = {
        name: [m.text for m in open_recogniser(name, hpo).recognise([Document("d", TEXT)])[0].mentions]
        for name in ("combined", "dictionary")
    }
    assert found == {"combined": ["ascites"], "dictionary": ["enlarged", "ascites"]}


def test_the_model_of_a_named_recogniser_is_its_folder() -> None:
    assert recogniser_model("recogniser", []) == SHIPPED / "recogniser"
    assert recogniser_model("dictionary", names(liver="Disease")) is None


def test_the_limit_is_one_of_the_probability_whatever_the_calibration() -> None:
    tagger = Tagger.open(SHIPPED / "recogniser")
    limits = [0.0, 0.3, ALONE, 0.9, 1.0]
    confidences = [tagger.confidence(limit) for limit in limits]
    assert confidences == sorted(confidences)
    assert confidences[2] == tagger.curve.at([ALONE])[0]
    [(spans, probabilities, _)] = tagger.judged([tagger.features.of(TEXT)], [[]])
    reported = [
        p
        for span, p in zip(spans, probabilities, strict=True)
        if tagger.labels.types[span.kind] in tagger.types
    ]
    [found] = tagger.recognise([Document("d", TEXT)])
    assert [mention.confidence for mention in found.mentions] == [tagger.confidence(p) for p in reported]
    assert found.mentions
