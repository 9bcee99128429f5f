"""Sentence spans: exact, ordered, disjoint, complete."""

from __future__ import annotations

import gzip
import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.words.sentences import split_sentences


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


def test_sentences_of_an_abstract():
    text = "Heart attack (i.e. myocardial infarction) killed 3.5 % of patients. Aspirin, 75 mg/d, helped! Did it?"
    assert cut(text) == [
        "Heart attack (i.e. myocardial infarction) killed 3.5 % of patients.",
        "Aspirin, 75 mg/d, helped!",
        "Did it?",
    ]


def test_a_species_name_and_an_abbreviated_title_do_not_end_a_sentence():
    assert len(split_sentences("Infection with E. coli was seen by Dr. Smith in vivo. It resolved.")) == 2


def test_a_blank_line_ends_a_sentence_without_a_full_stop():
    assert cut("BACKGROUND\n\nDiabetes is common\r\n \r\nMETHODS") == [
        "BACKGROUND",
        "Diabetes is common",
        "METHODS",
    ]


def test_a_single_line_break_inside_a_sentence_does_not_end_it():
    assert cut("Diabetes is a\ncommon disease. It is treated.") == [
        "Diabetes is a\ncommon disease.",
        "It is treated.",
    ]


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\t \u2029 \x0b\u3000"])
def test_a_text_of_spaces_has_no_sentences(text: str):
    assert split_sentences(text) == []


def test_code_points_are_counted_not_utf16_units():
    text = "😀 α-Synuclein aggregates. The 😀 did too."
    assert cut(text) == ["😀 α-Synuclein aggregates.", "The 😀 did too."]


odd = st.text(
    st.sampled_from("aB1.?! \n\r\t\u00a0\u200b\u2028\u2029\u3000()-_'n’t…😀é\u0301[]\"“”;:")
    | st.characters(),
    max_size=80,
)


@given(odd)
def test_spans_are_ordered_disjoint_trimmed_and_hold_every_character_that_is_not_a_space(text: str):
    spans = split_sentences(text)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    assert all(not text[start].isspace() and not text[end - 1].isspace() for start, end in spans)
    held = {i for start, end in spans for i in range(start, end)}
    assert all(i in held for i, character in enumerate(text) if not character.isspace())


@given(odd, odd)
def test_what_follows_a_blank_line_does_not_change_what_stands_before(first: str, second: str):
    first = f"{first.strip()}."
    assert split_sentences(f"{first}\n\n{second}")[: len(split_sentences(first))] == split_sentences(first)


@pytest.mark.data
def test_abstracts_are_cut_into_sentences_of_usual_length(data: Path):
    with gzip.open(data / "text" / "pubmedqa.jsonl.gz", "rt", encoding="utf-8") as stream:
        texts = [json.loads(line)["text"] for line, _ in zip(stream, range(50), strict=False)]
    lengths = [end - start for text in texts for start, end in split_sentences(text)]
    assert 100 < sum(lengths) / len(lengths) < 220
