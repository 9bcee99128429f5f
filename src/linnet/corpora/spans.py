"""Checks that the offsets of annotations point at their text, and the spans of a mention."""

from __future__ import annotations

from collections.abc import Sequence

from linnet.advice import Step
from linnet.corpora.reading import FileReading
from linnet.errors import OffsetError
from linnet.types import Mention

__all__ = ["checked", "fits", "hull", "spans_of"]

_SHOWN = 60


def checked(text: str, start: int, end: int, surface: str | None, reading: FileReading) -> str:
    """`text[start:end]`, checked against the annotation.

    surface  the annotation's text; None if not given. Differences in white space are accepted (formats write line breaks
             as spaces), and so is white space around it

    Raises OffsetError if the span is empty, lies outside the text, or has another text. The message says so if the
    offsets seem to count bytes or UTF-16 units, or to be shifted.
    """
    if not 0 <= start < end <= len(text):
        shape = (
            "is empty or runs backwards"
            if end <= start
            else f"lies outside the text of {len(text)} characters"
        )
        reason = _reason(text, start, end, surface) if surface else ""
        raise reading.error(f"span {start}–{end} {shape}{reason}.", Step.SKIP_BAD_RECORD(), kind=OffsetError)
    if surface is not None and not fits(text, start, end, surface):
        reason = _reason(text, start, end, surface)
        raise reading.error(
            f"the text at {start}–{end} is '{_short(text[start:end])}', the annotation says '{_short(surface)}'{reason}.",
            Step.SKIP_BAD_RECORD(),
            kind=OffsetError,
        )
    return text[start:end]


def fits(text: str, start: int, end: int, surface: str) -> bool:
    """Whether `checked` accepts the span."""
    if not 0 <= start < end <= len(text):
        return False
    actual = text[start:end]
    if actual == surface:
        return True
    return actual.split() == surface.split() and (actual == actual.strip() or len(actual) == len(surface))


def hull(spans: Sequence[Sequence[int]]) -> tuple[int, int]:
    """Start of the first and end of the last of some spans."""
    return min(start for start, _ in spans), max(end for _, end in spans)


def spans_of(mention: Mention) -> Sequence[Sequence[int]]:
    """The pieces of a discontinuous mention if they still fit its offsets, else its one span."""
    spans: Sequence[Sequence[int]] = mention.extra.get("spans") or [[mention.start, mention.end]]
    return spans if hull(spans) == (mention.start, mention.end) else [[mention.start, mention.end]]


def _reason(text: str, start: int, end: int, surface: str) -> str:
    if not text.isascii() and start >= 0:
        units = text.encode("utf-16-le", "surrogatepass")[2 * start : 2 * end]
        if units.decode("utf-16-le", "replace") == surface:
            return (
                "; the offsets count UTF-16 units (as in Java and JavaScript), expected Unicode code points"
            )
        if text.encode("utf-8", "surrogatepass")[start:end].decode("utf-8", "replace") == surface:
            return "; the offsets count UTF-8 bytes, expected Unicode code points"
    places = [at for at in _places(text, surface) if abs(at - start) <= 200]
    if places:
        nearest = min(places, key=lambda at: abs(at - start))
        way = "later" if nearest > start else "earlier"
        if nearest == start:
            return f"; it ends at {nearest + len(surface)}, not at {end}"
        return f"; it is at {nearest}–{nearest + len(surface)}, {abs(nearest - start)} characters {way}"
    return ""


def _places(text: str, surface: str) -> list[int]:
    places: list[int] = []
    at = text.find(surface)
    while at >= 0 and len(places) < 1000:
        places.append(at)
        at = text.find(surface, at + 1)
    return places


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
