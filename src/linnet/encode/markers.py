"""Token ids of mentions in context and of entities with definitions, delimited by markers.

    mention  [CLS] left [MS] mention [ME] right [SEP]
    entity   [CLS] name [ENT] definition [SEP]

Source: TrainX §3, 50 tokens each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linnet.types import Mention

__all__ = ["MARKERS", "Marked", "cut_around"]

MARKERS = ("[MS]", "[ME]", "[ENT]")
# Characters of context to tokenise for each token wanted: tokens of running text are shorter.
_CHARACTERS = 24


def cut_around(
    left: list[int], middle: list[int], right: list[int], *, room: int
) -> tuple[list[int], list[int], list[int]]:
    """The three with at most `room` tokens in all: the context is cut evenly on both sides of the middle, and a side that
    is short leaves its room to the other."""
    middle = middle[:room]
    rest = room - len(middle)
    before = min(len(left), max(rest // 2, rest - len(right)))
    return left[len(left) - before :], middle, right[: rest - before]


class Marked:
    """Tokenises and truncates: a mention stays in the middle of its context, a name before its definition."""

    def __init__(self, tokenizer: Any, *, first: str, last: str, max_length: int) -> None:
        """
        tokenizer    of the tokenizers library, with the markers; is set to neither truncate nor pad
        first, last  its own tokens for beginning and end ("[CLS]", "[SEP]")
        max_length   tokens of an input at most, markers included; 5 or more

        Raises ValueError where the tokenizer lacks a marker.
        """
        tokenizer.no_truncation()
        tokenizer.no_padding()
        tokenizer.encode_special_tokens = True  # a marker written in a text is text
        self._tokenizer, self._length = tokenizer, max_length
        ids = [tokenizer.token_to_id(token) for token in (first, last, *MARKERS)]
        if None in ids:
            raise ValueError(f"the tokenizer lacks one of the tokens {(first, last, *MARKERS)}")
        self._first, self._last, self._start, self._end, self._entity = map(int, ids)

    def mentions(self, mentions: Sequence[Mention]) -> list[list[int]]:
        """(N,) lists of at most `max_length` ids. A short left or right context leaves its room to the other."""
        reach = _CHARACTERS * self._length
        ids = self._ids([text for m in mentions for text in (m.left[-reach:], m.text, m.right[:reach])])
        return [
            self._in_the_middle(left, middle, right)
            for left, middle, right in zip(ids[0::3], ids[1::3], ids[2::3], strict=True)
        ]

    def entities(self, names: Sequence[str], definitions: Sequence[str]) -> list[list[int]]:
        """(N,) lists of at most `max_length` ids; an empty definition keeps its marker."""
        reach = _CHARACTERS * self._length
        ids = self._ids(
            [text for pair in zip(names, definitions, strict=True) for text in (pair[0], pair[1][:reach])]
        )
        inputs = []
        for name, definition in zip(ids[0::2], ids[1::2], strict=True):
            inside = [*name[: self._length - 3], self._entity, *definition]
            inputs.append([self._first, *inside[: self._length - 2], self._last])
        return inputs

    def _in_the_middle(self, left: list[int], middle: list[int], right: list[int]) -> list[int]:
        left, middle, right = cut_around(left, middle, right, room=self._length - 4)
        return [self._first, *left, self._start, *middle, self._end, *right, self._last]

    def _ids(self, texts: list[str]) -> list[list[int]]:
        encodings = self._tokenizer.encode_batch(texts, add_special_tokens=False)
        return [encoding.ids for encoding in encodings]
