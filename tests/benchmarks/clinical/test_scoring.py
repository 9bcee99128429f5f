"""Which annotations count as right."""

from __future__ import annotations

from benchmarks.clinical.notes import Note, parse
from benchmarks.clinical.scoring import Annotation, Judged, judge

D, V, N = "MESH:D009325", "MESH:D014839", "MESH:D009362"
SOURCE = f"""[[N&V|{D}+{V}|Disease|present]] then [[nausea|{D}|Disease|present]] and [[vomiting|{V}|Disease|present]],
[[mets|{N} or NIL|Disease|present]], [[palps|NIL|Disease|present]], [[RA|trap|ambiguous]], [[K|optional]]
"""


def note() -> Note:
    return parse("gp-99", SOURCE)


def found(text: str, *concepts: str, probability: float | None = None) -> Annotation:
    start = note().text.index(text)
    return Annotation(start, start + len(text), text, "Disease", frozenset(concepts), probability)


def right(judged: Judged) -> list[str]:
    return [row.gold.text for row in judged.rows if row.weak]


def test_spans_that_overlap_match_weakly_and_equal_ones_strongly() -> None:
    judged = judge(note(), [found("then nausea", D), found("vomiting", V)])
    assert right(judged) == ["nausea", "vomiting"]
    assert [row.strong for row in judged.rows] == [False, False, True]
    assert judged.spans == (1, 2, 5)


def test_another_concept_or_a_part_of_a_composite_is_wrong() -> None:
    judged = judge(note(), [found("nausea", V), found("N&V", D)])
    assert right(judged) == []
    assert [matched for _, matched in judged.annotations] == [False, False]


def test_the_parts_of_a_composite_may_be_annotated_apart() -> None:
    judged = judge(note(), [found("N", D, probability=0.9), found("V", V, probability=0.6)])
    assert right(judged) == ["N&V"]
    ((whole, matched),) = judged.annotations
    assert (whole.text, whole.probability, matched) == ("N&V", 0.6, True)


def test_one_annotation_over_two_mentions_is_one_per_concept() -> None:
    judged = judge(note(), [found("nausea and vomiting", D, V)])
    assert right(judged) == ["nausea", "vomiting"]
    assert [matched for _, matched in judged.annotations] == [True, True]


def test_nil_is_wrong_only_where_something_is_linked() -> None:
    assert [row.gold.text for row in judge(note(), []).rows] == ["N&V", "nausea", "vomiting"]
    judged = judge(note(), [found("palps", D), found("mets", D)])
    assert [row.gold.text for row in judged.rows] == ["N&V", "nausea", "vomiting", "mets"]
    assert [matched for _, matched in judged.annotations] == [False, False]


def test_optional_spans_are_left_out_and_traps_are_counted() -> None:
    judged = judge(note(), [found("K", D), found("RA", D)])
    assert [annotation.text for annotation, _ in judged.annotations] == ["RA"]
    assert [trap.text for trap in judged.linked] == ["RA"]


def test_one_gold_mention_has_one_match() -> None:
    judged = judge(note(), [found("nau", D), found("sea", D)])
    assert right(judged) == ["nausea"]
    assert sorted(matched for _, matched in judged.annotations) == [False, True]
