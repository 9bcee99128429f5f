"""Conversion of offsets to Unicode code points (as in Python) from UTF-16 units (as in Java and JavaScript), if needed.

The two units differ only after characters outside the Basic Multilingual Plane, such as emoji.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from linnet.errors import OffsetError

__all__ = ["Stretch", "Unit", "in_code_points"]

Unit = Literal["code points", "utf-16", "either"]
"""The unit of a tool; "either" for tools whose versions differ."""
Stretch = tuple[int, int, str | None]
"""Start, end, and the text there, None if the export does not give it."""


def in_code_points(text: str, stretches: Sequence[Stretch], unit: Unit) -> list[tuple[int, int]]:
    """Start and end of each stretch in code points, in the order given.

    The tool's unit is used, unless the texts of the stretches prove the other one. For "either" without such proof, it is
    the unit in which all stretches lie inside the text and between words. Offsets that fit in neither unit are returned
    for `spans.checked` to refuse. Raises OffsetError if both units are possible.
    """
    points = [(start, end) for start, end, _ in stretches]
    if not points or max(text, default="") <= "\uffff":
        return points
    place = _places(text)
    units = [(place(start), place(end)) for start, end in points]
    first, second = (units, points) if unit == "utf-16" else (points, units)
    fit_first, fit_second = (
        [_fits(text, span, surface) for span, (_, _, surface) in zip(spans, stretches, strict=True)]
        for spans in (first, second)
    )
    # Only texts in the export are evidence; an offset inside the text proves nothing.
    evidence = [
        (fits_first, fits_second)
        for fits_first, fits_second, (_, _, surface) in zip(fit_first, fit_second, stretches, strict=True)
        if surface is not None and fits_first != fits_second
    ]
    if any(fits_second for _, fits_second in evidence):
        if any(fits_first for fits_first, _ in evidence):  # the tool mixes both units
            return [
                b if fits and not own else a
                for a, b, own, fits in zip(first, second, fit_first, fit_second, strict=True)
            ]
        return second
    if unit == "either" and not evidence and points != units and all(fit_second):
        if not all(fit_first):
            return second
        between = [_between_words(text, spans) for spans in (first, second)]
        if between[0] == between[1]:
            raise OffsetError(
                "the text has characters beyond U+FFFF (such as emoji), and the offsets after them may count Unicode code "
                "points or UTF-16 units. Export it with the text of each annotation, or remove these characters before "
                "annotating"
            )
        return first if between[0] else second
    return first


def _places(text: str) -> Callable[[int], int]:
    """A function from offsets in UTF-16 units to code points; -1 inside a character or outside the text."""
    places = {0: 0}
    units = 0
    for number, letter in enumerate(text, start=1):
        units += 2 if letter > "\uffff" else 1
        places[units] = number
    return lambda offset: places.get(offset, -1)


def _fits(text: str, span: tuple[int, int], surface: str | None) -> bool:
    start, end = span
    if not 0 <= start < end <= len(text):
        return False
    return surface is None or text[start:end].split() == surface.split()


def _between_words(text: str, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether no span begins or ends inside a word, or with white space."""
    return all(
        not (start and text[start - 1].isalnum() and text[start].isalnum())
        and not (end < len(text) and text[end - 1].isalnum() and text[end].isalnum())
        and text[start:end] == text[start:end].strip()
        for start, end in spans
    )
