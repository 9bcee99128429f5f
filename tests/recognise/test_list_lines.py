"""Lines of lists and cells of tables begin something new; wrapped lines of prose go on."""

from __future__ import annotations

import textwrap
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import linnet
from linnet.recognise.list_lines import item_starts
from linnet.recognise.tokens import tokens_of

PROSE = (
    "We describe two sisters with a hepatocellular carcinoma and chronic obstructive pulmonary disease, "
    "who were treated for breast cancer years before. None of their relatives had a tumour of the liver."
)


def items(text: str) -> list[str]:
    edges = [0, *item_starts(text), len(text)]
    return [part for start, end in pairwise(edges) if (part := text[start:end].strip())]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\u2028", "\x0b", "\x85"])
def test_each_line_of_a_list_is_an_item_with_every_kind_of_line_end(end: str) -> None:
    assert items(end.join(["PMH:", "asthma", "gout", "type 2 diabetes"])) == [
        "PMH:",
        "asthma",
        "gout",
        "type 2 diabetes",
    ]


@pytest.mark.parametrize("bullets", [("-", "-"), ("•", "•"), ("1.", "2."), ("(1)", "(2)"), ("a)", "b)")])
def test_bullets_and_numbers_begin_items_that_do_not_include_them(bullets: tuple[str, str]) -> None:
    first, second = bullets
    assert items(f"{first} Asthma\n{second} Gout") == [first, "Asthma", second, "Gout"]


def test_cells_behind_tabs_and_aligned_by_spaces_are_items() -> None:
    assert items("Dx\tasthma\t\tgout") == ["Dx", "asthma", "gout"]
    assert items("Asthma     Gout       breast   cancer") == ["Asthma", "Gout", "breast   cancer"]


def test_a_block_of_capitalised_lines_is_a_list_however_long_they_are() -> None:
    long = "Chronic obstructive pulmonary disease with frequent exacerbations"
    assert items(f"{long}\nAsthma\n{long}\nGout") == [long, "Asthma", long, "Gout"]


def test_a_list_behind_a_wrapped_paragraph_is_one() -> None:
    text = textwrap.fill(PROSE, 60) + "\nasthma\ngout\nobesity"
    assert items(text)[-3:] == ["asthma", "gout", "obesity"]


@given(st.integers(min_value=30, max_value=120))
def test_lines_of_wrapped_prose_go_on(width: int) -> None:
    # A sentence may begin with the line.
    assert [item for item in items(textwrap.fill(PROSE, width))[1:] if not item.startswith("None")] == []


def test_a_line_that_ends_in_the_middle_of_a_phrase_goes_on() -> None:
    assert item_starts("cancer of the\nbreast") == []
    assert item_starts("infection with\nE. coli") == []


@given(st.text(alphabet="aB. -1)\n\r\t\u2028:"))
def test_offsets_ascend_within_the_text_and_sentences_of_tokens_stay_valid(text: str) -> None:
    starts = item_starts(text)
    assert starts == sorted(set(starts))
    assert all(0 <= start <= len(text) for start in starts)
    sentences = tokens_of(text).sentences
    assert list(sentences) == sorted(set(sentences))


def test_linking_a_note_finds_each_line_of_its_lists() -> None:
    linker = linnet.load("starter", threads=1)
    note = "PMH:\nAsthma\nGout\nHypertension\n\nMeds:\n- Furosemide\n- Digoxin\n\nDx:\tpneumonia\tsepsis"
    assert [mention.text for mention in linker.annotate(note).mentions] == [
        "Asthma",
        "Gout",
        "Hypertension",
        "Furosemide",
        "Digoxin",
        "pneumonia",
        "sepsis",
    ]
