from __future__ import annotations

from typing import Any

import pytest

from linnet.annotate.domain.attributes.uploaded import lifted
from linnet.types import Document, Mention

DEFINED: list[dict[str, Any]] = [
    {"name": "other person", "values": [], "key": "", "guess": False},
    {"name": "severity", "values": ["mild", "very severe"], "key": "", "guess": False},
]


def _document(extra: dict[str, Any], **home: Any) -> Document:
    document = Document("1", "Gout.", extra=home)
    return document.with_mentions([Mention(document, 0, 4, "Gout", extra=extra)])


@pytest.mark.parametrize(
    ("infons", "values", "left"),
    [
        ({"Other_Person": "True"}, {"other person": True}, {}),
        ({"other person": "false"}, {}, {}),
        ({"other person": "perhaps"}, {}, {"other person": "perhaps"}),
        ({"Severity": "VERY-severe", "note": "x"}, {"severity": "very severe"}, {"note": "x"}),
        ({"severity": "fatal"}, {}, {"severity": "fatal"}),
    ],
)
def test_infons_that_match_become_attributes_and_others_stay(
    infons: dict[str, str], values: dict[str, Any], left: dict[str, str]
) -> None:
    document = _document({"bioc": {"infons": infons, "id": "7"}})
    _, [(extra, read)] = lifted(document, DEFINED)
    assert read == values
    assert extra == {"bioc": {"infons": left, "id": "7"}}
    assert document.mentions[0].extra["bioc"]["infons"] == infons


def test_a_line_that_a_note_refers_to_stays() -> None:
    rows = [
        "A1\tseverity T1 mild",
        "#1\tAnnotatorNotes A1\tsure",
        "A2\tother_person T1",
        "R1\tRel Arg1:T1 Arg2:T2",
    ]
    document = _document({"brat": {"id": "T1"}}, brat={"rows": rows})
    home, [(_, values)] = lifted(document, DEFINED)
    assert values == {"other person": True}
    assert home["brat"]["rows"] == [rows[0], rows[1], rows[3]]


def test_attributes_of_pubannotation_are_found() -> None:
    listed = [{"subj": "T1", "pred": "severity", "obj": "mild"}, {"subj": "T1", "pred": "sure", "obj": True}]
    _, [(extra, values)] = lifted(_document({"pubannotation": {"attributes": listed}}), DEFINED)
    assert values == {"severity": "mild"}
    assert extra == {"pubannotation": {"attributes": listed[1:]}}
