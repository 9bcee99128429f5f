"""Short forms of notes as mentions."""

from __future__ import annotations

from linnet.recognise.sense_spans import with_short_forms
from linnet.types import Document, Mention

LABELS = {"Disease": "Disease", "Chemical": "Drug"}
NOTE = "PMH: AF, HTN, T2DM. Pt c/o chest pain x 2 days, no SOB. TXA 1 g given. Sats 96% on RA."
PAPER = (
    "We studied the association of AF with stroke in 200 families of the cohort, and of TXA with bleeding."
)


def _mention(document: Document, text: str) -> Mention:
    start = document.text.index(text)
    return Mention(document, start, start + len(text), text, "Disease", confidence=0.9)


def test_those_that_name_something_are_added_with_their_kind_and_probability() -> None:
    document = Document("1", NOTE)
    found = with_short_forms(document, [_mention(document, "chest pain")], LABELS)
    kinds = {mention.text: mention.type for mention in found}
    assert kinds | {"chest pain": "Disease", "AF": "Disease", "TXA": "Drug"} == kinds
    assert "RA" not in kinds
    assert [m.start for m in found] == sorted(m.start for m in found)
    assert all(0.5 <= (mention.confidence or 0) <= 1 for mention in found)


def test_mentions_that_hold_more_stay_and_kinds_without_a_label_are_left_out() -> None:
    document = Document("1", NOTE)
    longer = _mention(document, "AF, HTN")
    found = with_short_forms(document, [longer], {"Disease": "Disease"})
    assert longer in found
    assert not {"AF", "HTN", "TXA"} & {mention.text for mention in found}


def test_papers_define_their_own() -> None:
    document = Document("1", PAPER)
    assert with_short_forms(document, [], LABELS) == []
