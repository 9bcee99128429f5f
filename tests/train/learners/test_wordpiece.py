"""WordPiece vocabularies."""

from __future__ import annotations

import pytest
from tokenizers import BertWordPieceTokenizer

from linnet.train.learners.wordpiece import SPECIAL, learn_vocabulary

pytestmark = pytest.mark.torch

NAMES = ["arthritis of the arm", "Arthritis", "Beta-arthrosis", "arthrosis", "gout (acute)", "β 病 😀"] * 3


def test_the_same_names_give_the_same_vocabulary() -> None:
    first = learn_vocabulary(NAMES, size=60)
    assert all(learn_vocabulary(NAMES, size=60) == first for _ in range(10))


def test_frequent_words_are_pieces_and_nothing_that_occurs_is_unknown() -> None:
    pieces = learn_vocabulary(NAMES, size=300)
    assert pieces[:5] == list(SPECIAL)
    assert len(set(pieces)) == len(pieces)
    tokenizer = BertWordPieceTokenizer(vocab={piece: i for i, piece in enumerate(pieces)}, lowercase=True)
    assert tokenizer.encode("Arthritis of gout", add_special_tokens=False).tokens == [
        "arthritis",
        "of",
        "gout",
    ]
    for name in NAMES[:5]:
        assert "[UNK]" not in tokenizer.encode(name).tokens
    cut = tokenizer.encode("arthrosisthe", add_special_tokens=False).tokens
    assert cut[0] == "arthrosis"
    assert all(token.startswith("##") for token in cut[1:])


def test_the_size_bounds_the_pieces() -> None:
    assert len(learn_vocabulary(NAMES, size=50)) == 50
    assert learn_vocabulary([], size=60) == list(SPECIAL)
