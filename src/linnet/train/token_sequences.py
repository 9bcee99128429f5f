"""Documents cut into sequences of tokens, as a transformer reads them: each [CLS] … [SEP]."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, Self

import numpy as np

from linnet.arrays import Ints
from linnet.train.text_batches import text_batches

__all__ = ["SHORTEST", "TokenSequences"]

SHORTEST = 8  # word pieces; a shorter rest of a document says too little about what is masked in it


@dataclass(frozen=True)
class TokenSequences:
    """Consecutive pieces of documents, without overlap.

    pieces     (T,) int32 ids of the word pieces of all documents
    starts, lengths, documents
               (N,) of each sequence: its first piece, its number of pieces, and the number of its document
    left_out   pieces in sequences that are too short
    """

    pieces: Ints
    starts: Ints
    lengths: Ints
    documents: Ints
    left_out: int

    @classmethod
    def of(cls, texts: Iterable[str], tokenizer: Any, *, tokens: int) -> Self:
        """Cut every text into sequences of `tokens`, [CLS] and [SEP] included.

        tokenizer  Hugging Face's, fast; not changed

        The rest of a document is a shorter sequence. Sequences with fewer than SHORTEST ordinary word pieces (not [UNK]
        and the like) are left out.
        """
        special = np.array(tokenizer.all_special_ids)
        size = tokens - 2
        pieces: list[Ints] = [np.zeros(0, np.int32)]
        spans: list[Ints] = [np.zeros((0, 3), np.int64)]
        first = left_out = 0
        for number, ids in enumerate(_tokenised(texts, tokenizer)):
            starts = np.arange(0, len(ids), size)
            lengths = np.minimum(len(ids) - starts, size)
            ordinary = np.add.reduceat(~np.isin(ids, special), starts, dtype=np.int64) if len(ids) else starts
            kept = ordinary >= SHORTEST
            left_out += int(lengths[~kept].sum())
            pieces.append(ids)
            documents = np.full(np.count_nonzero(kept), number)
            spans.append(np.stack([first + starts[kept], lengths[kept], documents], axis=1))
            first += len(ids)
        starts, lengths, documents = np.concatenate(spans).T
        return cls(np.concatenate(pieces), starts, lengths, documents, left_out)

    def __len__(self) -> int:
        return len(self.starts)

    def padded(self, rows: Ints, *, first: int, last: int, pad: int) -> Ints:
        """(B, L) token ids of the sequences, each between `first` and `last`, padded to the longest; 1 row or more."""
        lengths = self.lengths[rows]
        place = np.arange(lengths.max() + 2)[None] - 1  # of a token among the sequence's pieces
        inside = (place >= 0) & (place < lengths[:, None])
        ids = np.full(inside.shape, pad, np.int64)
        ids[inside] = self.pieces[(self.starts[rows][:, None] + place)[inside]]
        ids[:, 0] = first
        ids[np.arange(len(rows)), lengths + 1] = last
        return ids


def _tokenised(texts: Iterable[str], tokenizer: Any) -> Iterator[Ints]:
    """The int32 ids of each text, without special tokens around it."""
    cutter = deepcopy(tokenizer.backend_tokenizer)
    cutter.no_truncation()
    cutter.no_padding()
    encodings = (
        (number, encoding)
        for parts, numbers in text_batches(texts)
        for number, encoding in zip(
            numbers, cutter.encode_batch_fast(parts, add_special_tokens=False), strict=True
        )
    )
    for _, parts_of_text in groupby(encodings, key=itemgetter(0)):
        yield np.concatenate([np.array(encoding.ids, np.int32) for _, encoding in parts_of_text])
