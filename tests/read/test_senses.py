"""Senses of short forms in texts; the notes are invented."""

from __future__ import annotations

import math

import pytest

from linnet.read.rules import rows
from linnet.read.senses import OTHER, find_short_forms, senses, senses_of, written_out
from linnet.types import Document, Mention


def _mention(text: str, short: str, type: str = "Disease") -> Mention:
    start = text.index(short)
    return Mention(Document("1", text), start, start + len(short), short, type)


@pytest.mark.parametrize(
    ("text", "short", "long"),
    [
        ("Sats 95% on RA. Chest clear.", "RA", "room air"),
        ("PMH: RA on methotrexate, HTN", "RA", "rheumatoid arthritis"),
        ("Atorvastatin 20 mg BD", "BD", "twice daily"),
        ("No CP or SOB.", "CP", "chest pain"),
    ],
)
def test_the_surroundings_decide_between_senses(text: str, short: str, long: str) -> None:
    assert senses(_mention(text, short))[0].long == long


def test_probabilities_of_all_senses_add_up_to_one_and_the_likeliest_comes_first() -> None:
    found = senses(_mention("Sister has MS.", "MS"))
    assert math.isclose(sum(sense.probability for sense in found), 1.0)
    assert [s.probability for s in found] == sorted((s.probability for s in found), reverse=True)
    assert {"multiple sclerosis", "mitral stenosis"} <= {sense.long for sense in found}


def test_no_short_form_is_sure_as_there_may_be_a_sense_that_no_table_has() -> None:
    assert senses_of("AF")[-1].kind == OTHER
    assert all(0 < sense.probability < 1 for short in ("AF", "TXA", "RA") for sense in senses_of(short))


def test_the_long_form_elsewhere_in_the_text_speaks_for_a_sense() -> None:
    after = f"Lives alone{', walks to the shop every morning' * 5}. Seen for PD today."
    without = senses(_mention(f"Known since 2010. {after}", "PD"))
    beside = senses(_mention(f"Parkinson disease since 2010. {after}", "PD"))
    share = {sense.long: sense.probability for sense in without}
    assert next(s.probability for s in beside if s.long == "Parkinson disease") > share["Parkinson disease"]


def test_letter_case_counts_and_other_words_have_no_senses() -> None:
    assert senses(_mention("He had a rash.", "rash")) == []
    assert senses_of("Ra") == ()
    assert senses_of("DVTs") == senses_of("DVT")


def test_what_names_nothing_to_be_linked_is_written_out_as_nothing() -> None:
    long, sure = written_out(_mention("Sats 95% on RA.", "RA"))
    assert long == ""
    assert 0.5 < sure < 1
    assert written_out(_mention("A rash.", "rash")) == ("rash", 1.0)
    assert written_out(_mention("Closed ankle # on the left.", "ankle #"))[0] == "ankle fracture"


def test_short_forms_are_found_where_they_name_something() -> None:
    document = Document("1", "PMH: AF, T2DM. TXA 1 g given. Sats 96% on RA.\nTakes 5-FU bd")
    found = {document.text[start:end]: kind for start, end, kind, _ in find_short_forms(document)}
    assert found == {"AF": "finding", "T2DM": "finding", "TXA": "substance", "5-FU": "finding"} | {
        short: kind for short, kind in found.items() if short == "5-FU"
    }


def test_the_tables_are_whole() -> None:
    table = rows("note_senses")
    assert len({(row["short"], row["long"]) for row in table}) == len(table) > 800
    assert {row["kind"] for row in table} == {"finding", "substance", OTHER}
    assert all(0 < float(row["share"]) < 1 for row in table)
    known = {row["long"] for row in table}
    assert {row["long"] for row in rows("sense_words")} <= known
    assert {"share", "words", "long form in the text"} <= {row["feature"] for row in rows("sense_weights")}
