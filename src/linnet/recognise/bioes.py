"""BIOES labels: a token's position in a mention, and the type of the mention.

Label 0 is O, outside any mention. Each type has four labels: first token (B), inside (I), last (E), only token (S).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linnet.arrays import Mask

__all__ = ["NO_MENTION", "OUTSIDE", "Labels", "TokenSpan"]

OUTSIDE = 0
NO_MENTION = -1
_B, _I, _E, _S = range(4)


@dataclass(frozen=True, slots=True)
class TokenSpan:
    """Tokens `first` to `last` (exclusive): a mention of type number `kind`, or, for `NO_MENTION`, none of them in any mention."""

    first: int
    last: int
    kind: int


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels for these types of mentions, in the order of their numbers."""

    types: tuple[str, ...]

    def __len__(self) -> int:
        return 1 + 4 * len(self.types)

    def of_kind(self, kind: int) -> slice:
        """The labels of a type."""
        return slice(1 + 4 * kind, 5 + 4 * kind)

    def of_span(self, span: TokenSpan) -> list[int]:
        """The label of each of its tokens."""
        base, length = 1 + 4 * span.kind, span.last - span.first
        if span.kind == NO_MENTION:
            return [OUTSIDE] * length
        return [base + _S] if length == 1 else [base + _B, *[base + _I] * (length - 2), base + _E]

    def spans(self, path: Sequence[int]) -> list[TokenSpan]:
        """The mentions in a legal sequence of labels."""
        spans: list[TokenSpan] = []
        first = 0
        for index, label in enumerate(path):
            if label == OUTSIDE:
                continue
            kind, position = divmod(label - 1, 4)
            if position in (_B, _S):
                first = index
            if position in (_E, _S):
                spans.append(TokenSpan(first, index + 1, kind))
        return spans

    def legal(self) -> tuple[Mask, Mask, Mask]:
        """(L,) labels that may come first, (L, L) transitions that may occur, (L,) labels that may come last."""
        begins = np.array([True, *[True, False, False, True] * len(self.types)])
        ends = np.array([True, *[False, False, True, True] * len(self.types)])
        follows = ends[:, None] & begins[None]
        for kind in range(len(self.types)):
            base = 1 + 4 * kind
            for before in (_B, _I):
                for after in (_I, _E):
                    follows[base + before, base + after] = True
        return begins, follows, ends
