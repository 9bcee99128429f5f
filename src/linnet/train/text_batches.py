"""Texts in batches of limited size, to be tokenised together: a tokenizer takes 300 bytes for each word piece."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

__all__ = ["text_batches"]

_CHARACTERS = 1_000_000  # of a batch: about 100 MB


def text_batches(
    texts: Iterable[str], *, characters: int = _CHARACTERS
) -> Iterator[tuple[list[str], list[int]]]:
    """Batches of parts of texts in order, and the number of each part's text, from 0.

    characters  of a part and of a batch, at most

    A part is a whole text, unless that is longer: then it is cut before a space, if it has one.
    """
    parts: list[str] = []
    numbers: list[int] = []
    size = 0
    for number, text in enumerate(texts):
        for part in _parts(text, characters):
            if parts and size + len(part) > characters:
                yield parts, numbers
                parts, numbers, size = [], [], 0
            parts.append(part)
            numbers.append(number)
            size += len(part)
    if parts:
        yield parts, numbers


def _parts(text: str, characters: int) -> Iterator[str]:
    start = 0
    while len(text) - start > characters:
        space = text.rfind(" ", start + 1, start + characters + 1)
        end = space if space > 0 else start + characters
        yield text[start:end]
        start = end
    yield text[start:]
