"""Mentions and entities cut to a length, with a tokenizer of whole words."""

from __future__ import annotations

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from linnet.encode.markers import MARKERS, Marked
from linnet.types import Mention

WORDS = ["[CLS]", "[SEP]", "[UNK]", *(f"w{i}" for i in range(40)), "gout", "acute", "[", "]", "ms"]


def tokenizer() -> Tokenizer:
    made = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.add_special_tokens(list(MARKERS))
    made.enable_padding(length=99)
    return made


def marked(length: int) -> Marked:
    return Marked(tokenizer(), first="[CLS]", last="[SEP]", max_length=length)


def words(ids: list[int]) -> str:
    made = tokenizer()
    return " ".join(made.id_to_token(id) for id in ids)


def left(count: int) -> str:
    return " ".join(f"w{i}" for i in range(count))


def right(count: int) -> str:
    return " ".join(f"w{39 - i}" for i in range(count))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (9, 9, "w7 w8 [MS] acute gout [ME] w39 w38"),
        (1, 9, "w0 [MS] acute gout [ME] w39 w38 w37"),
        (9, 1, "w6 w7 w8 [MS] acute gout [ME] w39"),
        (1, 1, "w0 [MS] acute gout [ME] w39"),
        (0, 0, "[MS] acute gout [ME]"),
        (0, 9, "[MS] acute gout [ME] w39 w38 w37 w36"),
    ],
)
def test_the_mention_stays_in_the_middle(before: int, after: int, expected: str) -> None:
    mention = Mention.alone("acute gout", left=left(before) + " ", right=" " + right(after))
    [ids] = marked(10).mentions([mention])
    assert words(ids) == f"[CLS] {expected} [SEP]"
    assert len(ids) <= 10


def test_a_mention_that_is_too_long_is_cut_and_its_markers_are_not() -> None:
    [ids] = marked(8).mentions([Mention.alone(left(20), left="gout ", right=" gout")])
    assert words(ids) == "[CLS] [MS] w0 w1 w2 w3 [ME] [SEP]"


def test_a_long_context_costs_no_more_than_what_is_used() -> None:
    far = Mention.alone("gout", left=(left(40) + " ") * 500, right=(" " + right(40)) * 500)
    [ids] = marked(12).mentions([far])
    assert words(ids) == "[CLS] w37 w38 w39 [MS] gout [ME] w39 w38 w37 w36 [SEP]"


def test_an_entity_is_its_name_and_as_much_definition_as_fits() -> None:
    names, definitions = ["acute gout", "gout", left(30)], [right(9), "", right(9)]
    assert [words(ids) for ids in marked(8).entities(names, definitions)] == [
        "[CLS] acute gout [ENT] w39 w38 w37 [SEP]",
        "[CLS] gout [ENT] [SEP]",
        "[CLS] w0 w1 w2 w3 w4 [ENT] [SEP]",
    ]


def test_a_marker_written_in_a_text_is_text() -> None:
    [ids] = marked(20).entities(["gout [ms] [ENT] [MS]"], ["[SEP]"])
    assert words(ids).count("[ENT]") == 1
    assert words(ids).count("[SEP]") == 1
    assert "[MS]" not in words(ids)


def test_a_tokenizer_without_the_markers_is_refused() -> None:
    plain = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    with pytest.raises(ValueError, match="lacks one of the tokens"):
        Marked(plain, first="[CLS]", last="[SEP]", max_length=9)
