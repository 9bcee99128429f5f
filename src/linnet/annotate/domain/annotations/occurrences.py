"""Where a text occurs in a document."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["occurrences"]


def occurrences(text: str, start: int, end: int, *, case: bool) -> Iterator[tuple[int, int]]:
    """Where the text of a span occurs as whole words, with any white space between them. case: in upper and lower case as there."""
    words = [re.escape(word) for word in text[start:end].split()]
    pattern = r"(?<!\w)" + r"\s+".join(words) + r"(?!\w)"
    for match in re.finditer(pattern, text, 0 if case else re.IGNORECASE):
        yield match.span()
