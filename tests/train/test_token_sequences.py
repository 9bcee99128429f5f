"""Documents as sequences of tokens."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the train extra")
pytestmark = pytest.mark.torch

from linnet.train import token_sequences  # noqa: E402
from linnet.train.learners.pretrained import BaseSettings, build_base  # noqa: E402
from linnet.train.text_batches import text_batches  # noqa: E402
from linnet.train.token_sequences import SHORTEST, TokenSequences  # noqa: E402

LETTERS = "abcdefghijklmnopqrstuvwxyz"


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    """Its word pieces are letters."""
    settings = BaseSettings(layers=1, width=8, heads=1, vocabulary=6)
    return build_base(settings, [" ".join(LETTERS)]).tokenizer


def words(count: int) -> str:
    return " ".join(LETTERS[i % 26] for i in range(count))


def decoded(sequences: TokenSequences, tokenizer: Any, rows: list[int]) -> list[str]:
    ids = sequences.padded(np.array(rows), first=2, last=3, pad=0)
    return [tokenizer.decode(line) for line in ids]


def test_a_document_is_cut_into_consecutive_sequences_and_a_short_rest_is_left_out(tokenizer: Any) -> None:
    texts = [words(30), words(20 + SHORTEST - 1), words(SHORTEST)]
    sequences = TokenSequences.of(texts, tokenizer, tokens=12)
    assert sequences.lengths.tolist() == [10, 10, 10, 10, 10, SHORTEST]
    assert sequences.documents.tolist() == [0, 0, 0, 1, 1, 2]
    assert sequences.left_out == SHORTEST - 1
    assert sequences.pieces.dtype == np.int32
    assert decoded(sequences, tokenizer, [1, 5]) == [
        "[CLS] k l m n o p q r s t [SEP]",
        "[CLS] a b c d e f g h [SEP] [PAD] [PAD]",
    ]
    assert decoded(sequences, tokenizer, [5]) == ["[CLS] a b c d e f g h [SEP]"]


def test_a_sequence_of_unknown_pieces_is_left_out(tokenizer: Any) -> None:
    sequences = TokenSequences.of(["Ω " * 15 + words(20), "", "Ω " * 10], tokenizer, tokens=12)
    assert decoded(sequences, tokenizer, [0]) == ["[CLS] f g h i j k l m n o [SEP]"]
    assert (len(sequences), sequences.left_out) == (1, 10 + 10 + 5 + 10)


def test_a_truncating_tokenizer_reads_whole_documents_and_stays_as_it_is(tokenizer: Any) -> None:
    tokenizer([words(30)], truncation=True, max_length=5)
    assert len(TokenSequences.of([words(30)], tokenizer, tokens=12)) == 3
    assert tokenizer.backend_tokenizer.truncation["max_length"] == 5


def test_a_long_text_is_tokenised_in_parts_and_stays_one_document(
    tokenizer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [words(3), words(50), words(SHORTEST)]
    whole = TokenSequences.of(texts, tokenizer, tokens=12)
    monkeypatch.setattr(token_sequences, "text_batches", partial(text_batches, characters=7))
    in_parts = TokenSequences.of(texts, tokenizer, tokens=12)
    assert in_parts.documents.tolist() == whole.documents.tolist() == [1] * 5 + [2]
    assert (in_parts.pieces == whole.pieces).all()


def test_no_text_gives_no_sequence(tokenizer: Any) -> None:
    assert len(TokenSequences.of([], tokenizer, tokens=12)) == 0
    assert len(TokenSequences.of(["", words(3)], tokenizer, tokens=12)) == 0
