from __future__ import annotations

from linnet.annotate.domain.attributes.guessing import guess

LINE = "The patient was seen again in the spring.\n"


def test_only_the_named_attributes_are_guessed_in_the_order_of_the_spans() -> None:
    text = "Asthma is known. No gout."
    spans = [(text.index("gout"), text.index("gout") + 4), (0, 6)]
    assert guess(text, spans, {"negated", "historical"}) == [{"negated": True}, {}]
    assert guess(text, spans, {"historical"}) == [{}, {}]
    assert guess(text, spans, ()) == [{}, {}]
    assert guess(text, [], {"negated"}) == []


def test_in_a_long_text_the_sentence_is_read_whole_wherever_it_is() -> None:
    for before in (0, 1, 3000, 6000):
        text = LINE * before + "There was no gout.\n" + LINE * 2000
        start = text.index("gout")
        assert guess(text, [(start, start + 4)], {"negated"}) == [{"negated": True}], before
