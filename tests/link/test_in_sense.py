"""Short forms in texts are linked in their senses, and headings and senses that name nothing are NIL."""

from __future__ import annotations

from dataclasses import replace

import pytest

import linnet
from linnet.link import Linker
from linnet.link.in_sense import in_sense
from linnet.types import Document, Mention


@pytest.fixture(scope="module")
def linker() -> Linker:
    return linnet.load("starter")


def _mention(text: str, short: str, type: str = "Disease") -> Mention:
    start = text.index(short)
    return Mention(Document("1", text), start, start + len(short), short, type)


def test_the_text_around_a_short_form_decides_what_it_is_linked_to(linker: Linker) -> None:
    air, joints = linker.link(
        [_mention("Sats 95% on RA. Chest clear.", "RA"), _mention("PMH: RA on methotrexate", "RA")]
    )
    assert air.concepts == ()
    assert joints.name == "Rheumatoid Arthritis"
    assert joints.probability is not None
    assert joints.probability < 0.99
    assert "abbreviation" in joints.origin
    assert joints.mention.text == "RA"


def test_what_the_text_defines_wins(linker: Linker) -> None:
    [defined] = linker.link(
        [_mention("Renal asthma (RA) is rare. RA was seen; sats 95% on air.", "RA was"[:2])]
    )
    assert defined.name != "Rheumatoid Arthritis"


@pytest.mark.parametrize(("note", "name"), [(1.0, ""), (0.0, "Rheumatoid Arthritis")])
def test_only_in_a_note_a_short_form_may_name_nothing_to_be_linked(
    linker: Linker, note: float, name: str
) -> None:
    mention = _mention("Sats 95% on RA. Chest clear.", "RA")
    [link] = linker.link([replace(mention, document=replace(mention.document, note=note))])
    assert link.name == name


def test_strings_and_mentions_without_a_type_are_read_as_before(linker: Linker) -> None:
    bare, untyped = linker.link(["RA", _mention("Sats 95% on RA.", "RA", type="")])
    assert bare.name == untyped.name == "Rheumatoid Arthritis"


def test_a_heading_names_nothing(linker: Linker) -> None:
    heading, reaction, of_an_article = linker.link(
        [
            _mention("Allergies: penicillin\nPMH: gout", "Allergies"),
            _mention("He has allergies.", "allergies"),
            _mention("Allergies: a study of the prevalence in 200 families of the region.", "Allergies"),
        ]
    )
    assert heading.concepts == ()
    assert reaction.concepts
    assert of_an_article.concepts


def test_a_pipeline_without_its_glossary_writes_nothing_out() -> None:
    plain = linnet.load("starter", glossary=False)
    [link] = plain.link([_mention("PMH: RA on methotrexate", "RA")])
    assert "abbreviation" not in link.origin


@pytest.mark.parametrize(
    ("is_known", "text"), [(True, "vesicular gaba transporter"), (False, "vesicular gabapentin transporter")]
)
def test_a_name_stays_though_a_word_of_it_is_a_short_form(is_known: bool, text: str) -> None:
    mention = _mention(
        "PMH: none. Vesicular gaba transporter, vesicular gaba transporter",
        "vesicular gaba transporter",
        "Chemical",
    )
    read = in_sense(
        [mention],
        [mention.text],
        known=lambda texts: [is_known] * len(texts),
        taught=lambda texts: [False] * len(texts),
    )
    assert read.texts == [text]
