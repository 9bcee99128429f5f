"""The default recogniser: which terminologies bring the shipped tagger."""

from __future__ import annotations

import pytest
from tests.recognise.test_dictionary import invented

from linnet.encode.named_models import SHIPPED
from linnet.recognise import TerminologyNames, open_recogniser, recogniser_model
from linnet.recognise.combined import TaggerBesideNames
from linnet.recognise.dictionary import DictionaryRecogniser
from linnet.types import Document

TEXT = "The liver was enlarged. More patients than expected had ascites."


def names(**types: str | None) -> list[TerminologyNames]:
    return [invented(dict(types))]


@pytest.mark.parametrize(
    ("type", "fits"),
    [
        ("Disease", True),
        ("disease", True),
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


def test_a_terminology_without_types_keeps_the_names_alone() -> None:
    assert recogniser_model("combined", [*names(liver="Disease"), *names(gout="")]) is None


def test_it_finds_what_no_terminology_has_and_names_of_other_types() -> None:
    recogniser = open_recogniser("combined", [*names(asthma="Disease"), *names(liver="Anatomy")])
    [document] = recogniser.recognise([Document("d", TEXT)])
    assert {("ascites", "Disease", "recogniser"), ("liver", "Anatomy", "dictionary")} <= {
        (m.text, m.type, m.source) for m in document.mentions
    }


def test_the_model_of_a_named_recogniser_is_its_folder() -> None:
    assert recogniser_model("recogniser", []) == SHIPPED / "recogniser"
    assert recogniser_model("dictionary", names(liver="Disease")) is None
