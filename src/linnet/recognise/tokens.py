"""The tokens that a tagger labels, by sentence: words, and each other character that is not a space."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from linnet.arrays import Ints
from linnet.recognise.list_lines import item_starts
from linnet.recognise.words import Word, words_of
from linnet.words.sentences import split_sentences

__all__ = ["Tokens", "tokens_of"]

_MOST_TOKENS = 200  # of a sentence; longer ones (tables) are cut


@dataclass(frozen=True, slots=True)
class Tokens:
    """The T tokens of a text.

    starts, ends  (T,) offsets into the text        texts  (T,) as written
    words         the words among them              places (W,) token number of each word
    sentences     (S + 1,) first token of each sentence, and T
    """

    starts: Ints
    ends: Ints
    texts: tuple[str, ...]
    words: tuple[Word, ...]
    places: Ints
    sentences: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.texts)

    def within(self, start: int, end: int) -> tuple[int, int]:
        """First token, and last token + 1, that overlap these characters; equal if none does."""
        first = int(np.searchsorted(self.ends, start, side="right"))
        return first, max(first, int(np.searchsorted(self.starts, end, side="left")))


def tokens_of(text: str) -> Tokens:
    """The tokens of a text, in order."""
    words = words_of(text)
    spans: list[tuple[int, int]] = []
    places: list[int] = []
    before = 0
    for word in words:
        if word.start > before + 1 or text[before : word.start] != " ":
            spans += [(at, at + 1) for at in range(before, word.start) if not text[at].isspace()]
        places.append(len(spans))
        spans.append((word.start, word.end))
        before = word.end
    spans += [(at, at + 1) for at in range(before, len(text)) if not text[at].isspace()]
    starts = np.array([start for start, _ in spans], np.int64)
    return Tokens(
        starts,
        np.array([end for _, end in spans], np.int64),
        tuple(text[start:end] for start, end in spans),
        tuple(words),
        np.array(places, np.int64),
        _sentences(text, starts),
    )


def _sentences(text: str, starts: Ints) -> tuple[int, ...]:
    """First tokens of sentences; a sentence that begins inside a token begins with the next token.

    Lines of lists and cells of tables are sentences too: without full stops, their names would become one mention.
    """
    begins = np.searchsorted(starts, [*(start for start, _ in split_sentences(text)), *item_starts(text)])
    edges = sorted({0, len(starts), *begins.tolist()})
    cut = [position for first, last in pairwise(edges) for position in range(first, last, _MOST_TOKENS)]
    return (*cut, len(starts))
