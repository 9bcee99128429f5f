"""Do the offsets of an annotation point at its text?"""

from __future__ import annotations

from pathlib import Path

from linnet.errors import OffsetError

__all__ = ["checked", "fits"]

_NEXT = "Correct the row, or leave it out with --on-error skip."
_SHOWN = 60


def checked(
    text: str,
    start: int,
    end: int,
    surface: str | None,
    *,
    path: str | Path,
    line: int | None,
    where: str = "",
) -> str:
    """`text[start:end]`, which is what the annotation names.

    surface  what the annotation says stands there; None when it does not say. One kind of white space for another is
             let pass (formats write line breaks as spaces), and so is space around what it says

    Raises OffsetError when the span is empty, lies outside the text, or another text stands there; the message
    says when offsets that count bytes or UTF-16 units, or a shift, would explain it.
    """
    of = f"{where}: " if where else ""
    if not 0 <= start < end <= len(text):
        shape = (
            "is empty or runs backwards"
            if end <= start
            else f"lies outside the text of {len(text)} characters"
        )
        reason = _reason(text, start, end, surface) if surface else ""
        raise OffsetError(f"{of}span {start}–{end} {shape}{reason}. {_NEXT}", path=path, line=line)
    found = text[start:end]
    if surface is not None and found != surface and not _but_for_space(found, surface):
        reason = _reason(text, start, end, surface)
        raise OffsetError(
            f"{of}the text at {start}–{end} is '{_short(found)}', the annotation says '{_short(surface)}'{reason}. {_NEXT}",
            path=path,
            line=line,
        )
    return found


def fits(text: str, start: int, end: int, surface: str) -> bool:
    """Whether `checked` lets the span pass."""
    if not 0 <= start < end <= len(text):
        return False
    return text[start:end] == surface or _but_for_space(text[start:end], surface)


def _but_for_space(found: str, surface: str) -> bool:
    return found.split() == surface.split() and (found == found.strip() or len(found) == len(surface))


def _reason(text: str, start: int, end: int, surface: str) -> str:
    if not text.isascii() and start >= 0:
        units = text.encode("utf-16-le", "surrogatepass")[2 * start : 2 * end]
        if units.decode("utf-16-le", "replace") == surface:
            return (
                "; the offsets count UTF-16 units (as Java and JavaScript do), expected Unicode code points"
            )
        if text.encode("utf-8", "surrogatepass")[start:end].decode("utf-8", "replace") == surface:
            return "; the offsets count UTF-8 bytes, expected Unicode code points"
    places = [at for at in _places(text, surface) if abs(at - start) <= 200]
    if places:
        nearest = min(places, key=lambda at: abs(at - start))
        way = "later" if nearest > start else "earlier"
        if nearest == start:
            return f"; it ends at {nearest + len(surface)}, not at {end}"
        return f"; it stands at {nearest}–{nearest + len(surface)}, {abs(nearest - start)} characters {way}"
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
