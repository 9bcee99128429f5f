"""First guesses by the assertion rules, for predictions and for annotations that users make."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from linnet.annotate.domain.attributes.definitions import Values
from linnet.read.assertion import assertions
from linnet.types import Document, Mention

__all__ = ["guess"]

_LONG = 50_000  # characters; of longer texts, only those around the spans are read
_AROUND = 10_000


def guess(
    text: str, spans: Sequence[tuple[int, int]], names: Collection[str], *, types: Sequence[str] = ()
) -> list[Values]:
    """For each span the flags that the rules give it, of those named. Order kept.

    types  of the spans, where they are known: a drug is planned where a disease is feared

    In a long text, a heading further than 10,000 characters before the first span is not seen.
    """
    if not names or not spans:
        return [{} for _ in spans]
    first, last = _window(text, spans)
    home = Document("", text[first:last])
    mentions = [
        Mention(home, start - first, end - first, text[start:end], type)
        for (start, end), type in zip(spans, types or [""] * len(spans), strict=True)
    ]
    return [_flags(of_span, names) for of_span in assertions(home.with_mentions(mentions))]


def _window(text: str, spans: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """The part of the text to read; begins with a line."""
    if len(text) <= _LONG:
        return 0, len(text)
    start, end = min(start for start, _ in spans), max(end for _, end in spans)
    first = max(0, start - _AROUND)
    if first:
        line = text.find("\n", first, start)
        first = line + 1 if line >= 0 else first
    return first, min(len(text), end + _AROUND)


def _flags(attributes: Iterable[str], names: Collection[str]) -> Values:
    return {name: True for name in attributes if name in names}
