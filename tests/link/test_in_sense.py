"""Short forms in texts are linked in their senses, and headings and senses that name nothing are NIL."""

from __future__ import annotations

import pytest

import linnet
from linnet.link import Linker
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
    [plain] = linker.link([Mention(Document("1", "Asthma (RA) again."), 8, 10, "RA", "Disease")])
    assert defined.name != "Rheumatoid Arthritis"
    assert plain.name != "Rheumatoid Arthritis"


def test_strings_and_mentions_without_a_type_are_read_as_before(linker: Linker) -> None:
    bare, untyped = linker.link(["RA", _mention("Sats 95% on RA.", "RA", type="")])
    assert bare.name == untyped.name == "Rheumatoid Arthritis"


def test_a_heading_names_nothing(linker: Linker) -> None:
    heading, reaction = linker.link(
        [
            _mention("Allergies: penicillin\nPMH: gout", "Allergies"),
            _mention("He has allergies.", "allergies"),
        ]
    )
    assert heading.concepts == ()
    assert reaction.concepts


def test_a_pipeline_without_its_glossary_writes_nothing_out() -> None:
    plain = linnet.load("starter", glossary=False)
    [link] = plain.link([_mention("PMH: RA on methotrexate", "RA")])
    assert "abbreviation" not in link.origin
