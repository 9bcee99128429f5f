"""BIOES labels."""

from __future__ import annotations

from linnet.recognise.bioes import NO_MENTION, Labels, TokenSpan

LABELS = Labels(("Chemical", "Disease"))
NONE, CHEMICAL, DISEASE = 0, 1, 5  # the first label of each type
FIRST, INSIDE, LAST, ONLY = range(4)


def test_spans_become_labels_and_come_back() -> None:
    spans = [TokenSpan(0, 1, 0), TokenSpan(1, 3, 1), TokenSpan(4, 8, 0)]
    path = [NONE] * 9
    for span in spans:
        path[span.first : span.last] = LABELS.of_span(span)
    long = [CHEMICAL + FIRST, CHEMICAL + INSIDE, CHEMICAL + INSIDE, CHEMICAL + LAST]
    assert path == [CHEMICAL + ONLY, DISEASE + FIRST, DISEASE + LAST, NONE, *long, NONE]
    assert LABELS.spans(path) == spans
    assert LABELS.of_span(TokenSpan(2, 5, NO_MENTION)) == [NONE] * 3


def test_what_may_follow_what() -> None:
    begins, follows, ends = LABELS.legal()
    assert begins[[NONE, CHEMICAL + FIRST, DISEASE + ONLY]].all()
    assert not begins[[CHEMICAL + INSIDE, DISEASE + LAST]].any()
    assert ends[[NONE, CHEMICAL + LAST, DISEASE + ONLY]].all()
    assert not ends[[CHEMICAL + FIRST, DISEASE + INSIDE]].any()
    assert follows[CHEMICAL + FIRST, CHEMICAL + LAST]
    assert follows[DISEASE + LAST, CHEMICAL + FIRST]
    assert not follows[CHEMICAL + FIRST, DISEASE + LAST]
    assert not follows[CHEMICAL + INSIDE, NONE]
    assert not follows[NONE, CHEMICAL + INSIDE]


def test_each_type_has_four_labels_of_its_own() -> None:
    assert len(LABELS) == 9
    assert [*range(9)][LABELS.of_kind(1)] == [5, 6, 7, 8]
