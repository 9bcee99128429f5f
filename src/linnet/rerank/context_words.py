"""The words around mentions, as bitmaps to compare names with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from linnet.arrays import Ints, Mask
from linnet.rerank.name_features import bucket, stems
from linnet.types import Mention

__all__ = ["BITS", "ContextWords", "context_words"]

BITS = 1 << 13  # a document has some 150 distinct words, so about 2 % of other words collide with one of them
_NEAR = 80  # characters to either side
_WORD = re.compile(r"\w+")


class ContextWords(NamedTuple):
    """Of N mentions: near (N, BITS) the words near each, and document (N,) the row in `documents` (M, BITS)."""

    near: Mask
    document: Ints
    documents: Mask


def context_words(mentions: Sequence[Mention]) -> ContextWords:
    """The words around the mentions. Words of a mention itself count only if they also occur outside it.

    A word's bit is `bucket(stem) % BITS`.
    """
    texts = {id(mention.document): mention.document.text for mention in mentions}
    rows = {document: row for row, document in enumerate(texts)}
    document = np.array([rows[id(mention.document)] for mention in mentions], np.int64)
    near = np.zeros((len(mentions), BITS), bool)
    documents = np.zeros((len(texts), BITS), bool)
    words = [_words(text) for text in texts.values()]
    for row, (_, bits) in enumerate(words):
        documents[row, bits] = True
    for row, mention in enumerate(mentions):
        starts, bits = words[document[row]]
        left, begin, end, right = np.searchsorted(
            starts, (mention.start - _NEAR, mention.start, mention.end, mention.end + _NEAR)
        )
        near[row, bits[left:begin]] = True
        near[row, bits[end:right]] = True
    return ContextWords(near, document, documents)


@lru_cache(maxsize=64)
def _words(text: str) -> tuple[Ints, Ints]:
    """Starts and bits of the words of a text, in order."""
    words = [(match.start(), bit) for match in _WORD.finditer(text) for bit in _bits(match.group())]
    return np.array([start for start, _ in words], np.int64), np.array([bit for _, bit in words], np.int64)


@lru_cache(maxsize=65536)
def _bits(word: str) -> tuple[int, ...]:
    return tuple(bucket(stem) % BITS for stem in stems(word))
