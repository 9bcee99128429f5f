"""Notes and articles are told apart by their words, however their lines are broken."""

from __future__ import annotations

import textwrap

import pytest

from linnet.recognise.text_kind import note_probability, word_shares

NOTE = """72M, PMH: HTN, T2DM. C/o chest pain x 2 days. No SOB, no fever.
O/E: BP 120/80, chest clear. ECG: NAD.
Plan: aspirin 75 mg daily, bloods in the morning. He was told to return if worse.
"""
ARTICLE = (
    "We investigated whether mutations in the gene are associated with the risk of gout in patients of two cohorts. "
    "The study included 300 patients; mutations were found in 12 % of cases and 3 % of controls. "
    "These data suggest an effect of the protein on the activity of the enzyme."
)


@pytest.mark.parametrize("width", [0, 60, 90])
def test_lines_do_not_decide_what_a_text_is(width: int) -> None:
    note, article = (textwrap.fill(text, width) if width else text for text in (NOTE, ARTICLE))
    assert note_probability(note) > 0.9
    assert note_probability(article) < 0.1


def test_one_more_line_does_not_turn_a_document() -> None:
    assert note_probability(NOTE + ARTICLE.split(". ")[0]) > 0.5 > note_probability(f"{ARTICLE}\nBP 120/80.")


def test_shares_are_roots_of_the_share_of_each_word() -> None:
    shares = word_shares("No gout,\nno 12")
    assert shares == {"no": pytest.approx((2 / 6) ** 0.5)} | dict.fromkeys(
        ("gout", ",", "0", "(line)"), pytest.approx((1 / 6) ** 0.5)
    )
    assert word_shares("\n No gout,\nno 12\n\n") == shares
    assert word_shares("") == {}
