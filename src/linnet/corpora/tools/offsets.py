"""Which unit do offsets count: Unicode code points, as Python does, or UTF-16 units, as Java and JavaScript do?

The two differ only after characters outside the Basic Multilingual Plane, such as emoji.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from linnet.errors import OffsetError

__all__ = ["Stretch", "Unit", "in_code_points"]

Unit = Literal["code points", "utf-16", "either"]
"""What a tool counts; "either" for tools whose versions differ."""
Stretch = tuple[int, int, str | None]
"""Start, end and, where the export says so, the text that stands there."""


def in_code_points(text: str, stretches: Sequence[Stretch], unit: Unit) -> list[tuple[int, int]]:
    """Start and end of each stretch in code points, in the order given.

    The tool's own unit is taken, unless texts of the stretches show that it is the other one. Where the unit is "either",
    and the texts do not tell, it is the one in which all stretches lie inside the text and between words.
    Offsets that fit in no unit come back for `spans.checked` to refuse. Raises OffsetError where both units are possible.
    """
    points = [(start, end) for start, end, _ in stretches]
    if not points or max(text, default="") <= "\uffff":
        return points
    place = _places(text)
    units = [(place(start), place(end)) for start, end in points]
    first, second = (units, points) if unit == "utf-16" else (points, units)
    fit_first, fit_second = (
        [_fits(text, span, said) for span, (_, _, said) in zip(spans, stretches, strict=True)]
        for spans in (first, second)
    )
    # Only a text that stands in the export is evidence; that an offset lies inside the text says nothing.
    told = [
        (one, other)
        for one, other, (_, _, said) in zip(fit_first, fit_second, stretches, strict=True)
        if said is not None and one != other
    ]
    if any(other for _, other in told):
        if any(one for one, _ in told):  # a tool whose parts count differently
            return [
                b if fits and not own else a
                for a, b, own, fits in zip(first, second, fit_first, fit_second, strict=True)
            ]
        return second
    if unit == "either" and not told and points != units and all(fit_second):
        if not all(fit_first):
            return second
        whole = [_between_words(text, spans) for spans in (first, second)]
        if whole[0] == whole[1]:
            raise OffsetError(
                "the text holds characters beyond U+FFFF (emoji, for example), and the offsets after them may count "
                "Unicode code points or UTF-16 units: the file does not tell. Export it with the text of each "
                "annotation, or remove those characters before annotating"
            )
        return first if whole[0] else second
    return first


def _places(text: str) -> Callable[[int], int]:
    """From a place in UTF-16 units to one in code points; -1 inside a character or outside the text."""
    places = {0: 0}
    units = 0
    for number, letter in enumerate(text, start=1):
        units += 2 if letter > "\uffff" else 1
        places[units] = number
    return lambda offset: places.get(offset, -1)


def _fits(text: str, span: tuple[int, int], said: str | None) -> bool:
    start, end = span
    if not 0 <= start < end <= len(text):
        return False
    return said is None or text[start:end].split() == said.split()


def _between_words(text: str, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether no span begins or ends inside a word, or with white space."""
    return all(
        not (start and text[start - 1].isalnum() and text[start].isalnum())
        and not (end < len(text) and text[end - 1].isalnum() and text[end].isalnum())
        and text[start:end] == text[start:end].strip()
        for start, end in spans
    )
