"""Sentence splitting with syntok, as exact offsets into the text."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from linnet.words.text_cache import RecentTexts

if TYPE_CHECKING:
    from syntok.tokenizer import Tokenizer

__all__ = ["split_sentences"]

# A blank line always ends a sentence (headings, list items).
_PARAGRAPH_BREAK = re.compile(r"\n[^\S\n]*\n\s*|\u2029\s*")


def split_sentences(text: str) -> list[tuple[int, int]]:
    """Start and end (exclusive) of each sentence, in code points and in order.

    The spans do not overlap, begin and end with a non-space character, and together cover all of them. A blank text has
    no sentences. Only the starts of sentences come from syntok, and the ends follow from them, so changes that syntok
    makes inside a sentence cannot shift an offset.
    """
    return list(_recent.of(text))


def _split(text: str) -> tuple[tuple[int, int], ...]:
    begins: list[int] = []
    for start, end in _paragraphs(text):
        begins.append(start)
        begins.extend(start + offset for offset in _begins(text[start:end]) if offset > 0)
    return tuple(
        (low, high)
        for begin, following in zip(begins, [*begins[1:], len(text)], strict=True)
        for low, high in [_trimmed(text, begin, following)]
        if low < high
    )


_recent = RecentTexts(_split)


def _paragraphs(text: str) -> list[tuple[int, int]]:
    breaks = [match.span() for match in _PARAGRAPH_BREAK.finditer(text)]
    starts = [0, *(end for _, end in breaks)]
    ends = [*(start for start, _ in breaks), len(text)]
    return list(zip(starts, ends, strict=True))


def _begins(paragraph: str) -> list[int]:
    """Offsets at which syntok starts a sentence. Called per paragraph, as syntok copies the preceding text."""
    from syntok.segmenter import segment

    offsets = [sentence[0].offset for sentence in segment(_tokenizer().tokenize(paragraph)) if sentence]
    return sorted(set(offsets))


@cache
def _tokenizer() -> Tokenizer:
    from syntok.tokenizer import Tokenizer

    return Tokenizer(replace_not_contraction=False)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
