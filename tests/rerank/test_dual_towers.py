"""The token ids that a transformer dual encoder reads."""

from __future__ import annotations

from typing import Any

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from linnet.errors import DamagedError
from linnet.rerank.dual_inputs import DescribedConcept, MentionInContext
from linnet.rerank.dual_towers import DualTokens

WORDS = ["[UNK]", "[CLS]", "[SEP]", "[START]", "[END]", *"abcdefghijklmnopqrstuvwxyz"]


@pytest.fixture
def tokenizer() -> Any:
    """A word per letter."""
    made = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    return made


def written(ids: list[int]) -> str:
    return " ".join(WORDS[i] for i in ids)


def test_markers_stand_around_the_mention(tokenizer: Any) -> None:
    [ids] = DualTokens(tokenizer).mentions([MentionInContext("a b", "c d", "e")])
    assert written(ids) == "[CLS] a b [START] c d [END] e [SEP]"


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        (MentionInContext("a b c d", "x", "e f g h"), "[CLS] c d [START] x [END] e f [SEP]"),
        (MentionInContext("a", "x", "e f g h"), "[CLS] a [START] x [END] e f g [SEP]"),
        (MentionInContext("a b c d", "x", "e"), "[CLS] b c d [START] x [END] e [SEP]"),
        (MentionInContext("", "a b c d e f g", "h"), "[CLS] [START] a b c d e [END] [SEP]"),
    ],
)
def test_a_long_sentence_is_cut_evenly_around_the_mention(
    tokenizer: Any, context: MentionInContext, expected: str
) -> None:
    [ids] = DualTokens(tokenizer, length=9).mentions([context])
    assert written(ids) == expected


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("a b",), "[CLS] t [SEP] a b [SEP]"),
        (("a b", "c"), "[CLS] t [SEP] a b [SEP] c [SEP]"),
        (("a b", "c d"), "[CLS] t [SEP] a b [SEP] c [SEP]"),
        (("a b c d e f",), "[CLS] t [SEP] a b c d [SEP]"),
        ((), "[CLS] t [SEP]"),
    ],
)
def test_an_entity_is_its_type_and_as_many_names_as_fit(
    tokenizer: Any, names: tuple[str, ...], expected: str
) -> None:
    [ids] = DualTokens(tokenizer, length=8).entities([DescribedConcept("t", names)])
    assert written(ids) == expected


def test_a_tokenizer_without_markers_is_refused(tokenizer: Any) -> None:
    with pytest.raises(DamagedError, match=r"no token '<s>'"):
        DualTokens(tokenizer, first="<s>")
