"""Which words stand around a mention, as bitmaps that names are held against."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from linnet.arrays import Ints, Mask
from linnet.rerank.name_features import bucket, stems
from linnet.types import Document, Mention

__all__ = ["BITS", "ContextWords", "context_words"]

BITS = 1 << 13  # a document has some 150 different words: 2 % of the others are taken for one of them
_NEAR = 80  # characters to either side
_WORD = re.compile(r"\w+")


class ContextWords(NamedTuple):
    """Of N mentions: near (N, BITS) which words stand near each, and document (N,) the row in `documents` (M, BITS)."""

    near: Mask
    document: Ints
    documents: Mask


def context_words(mentions: Sequence[Mention]) -> ContextWords:
    """The words around the mentions, the mentions' own left out unless they stand elsewhere too.

    A word is `bucket(stem) % BITS`.
    """
    homes: dict[int, int] = {}
    texts: list[Document] = []
    document = np.empty(len(mentions), np.int64)
    for row, mention in enumerate(mentions):
        home = homes.setdefault(id(mention.document), len(texts))
        if home == len(texts):
            texts.append(mention.document)
        document[row] = home
    near = np.zeros((len(mentions), BITS), bool)
    documents = np.zeros((len(texts), BITS), bool)
    words = [_words(text.text) for text in texts]
    for home, (_, hashes) in enumerate(words):
        documents[home, hashes] = True
    for row, mention in enumerate(mentions):
        starts, hashes = words[document[row]]
        left, begin, end, right = np.searchsorted(
            starts, (mention.start - _NEAR, mention.start, mention.end, mention.end + _NEAR)
        )
        near[row, hashes[left:begin]] = True
        near[row, hashes[end:right]] = True
    return ContextWords(near, document, documents)


@lru_cache(maxsize=64)
def _words(text: str) -> tuple[Ints, Ints]:
    """Starts and bits of the words of a text, by start."""
    starts, hashes = [], []
    for match in _WORD.finditer(text):
        for bit in _bits(match.group()):
            starts.append(match.start())
            hashes.append(bit)
    return np.array(starts, np.int64), np.array(hashes, np.int64)


@lru_cache(maxsize=65536)
def _bits(word: str) -> tuple[int, ...]:
    return tuple(bucket(stem) % BITS for stem in stems(word))
