from __future__ import annotations

import pytest

from linnet.corpora.tools.offsets import in_code_points
from linnet.errors import OffsetError

TEXT = "😀 gout 😀 scurvy"  # code points: gout 2–6, scurvy 9–15; UTF-16 units: 3–7, 11–17


def test_without_characters_beyond_the_basic_plane_offsets_stay_as_they_are():
    assert in_code_points("gout", [(0, 4, None), (0, 9, "x")], "either") == [(0, 4), (0, 9)]


def test_a_tool_that_counts_utf_16_units_is_converted():
    assert in_code_points(TEXT, [(3, 7, None), (11, 17, None)], "utf-16") == [(2, 6), (9, 15)]


def test_texts_in_the_export_tell_the_unit_for_all_spans_whatever_the_tool_usually_counts():
    assert in_code_points(TEXT, [(3, 7, "gout"), (11, 17, None)], "code points") == [(2, 6), (9, 15)]
    assert in_code_points(TEXT, [(2, 6, "gout"), (9, 15, None)], "utf-16") == [(2, 6), (9, 15)]


def test_an_offset_outside_the_text_is_no_evidence_against_the_unit_of_the_tool():
    assert in_code_points(TEXT, [(3, 7, None), (11, 99, None)], "utf-16")[0] == (2, 6)
    assert in_code_points(TEXT, [(2, 6, None), (9, 17, None)], "code points") == [(2, 6), (9, 17)]


def test_parts_that_count_differently_are_told_apart_by_their_texts():
    assert in_code_points(TEXT, [(2, 6, "gout"), (11, 17, "scurvy")], "either") == [(2, 6), (9, 15)]


def test_spans_between_words_tell_the_unit_where_there_is_no_text():
    assert in_code_points(TEXT, [(3, 7, None), (11, 17, None)], "either") == [(2, 6), (9, 15)]
    assert in_code_points(TEXT, [(2, 6, None), (9, 15, None)], "either") == [(2, 6), (9, 15)]


def test_nothing_is_guessed_where_both_units_are_possible():
    with pytest.raises(OffsetError, match="may count Unicode code points or UTF-16 units"):
        in_code_points("😀 a, b", [(3, 4, None)], "either")
