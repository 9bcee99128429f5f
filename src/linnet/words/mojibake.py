"""Text that was decoded twice: UTF-8 read as Windows-1252 or Latin-1, and written as UTF-8 again.

>>> repaired("SjÃ¶gren syndrome")
'Sjögren syndrome'

ftfy repairs more, but does not say where, and offsets must count the characters of the text as given.
"""

from __future__ import annotations

import re

__all__ = ["DECODED_TWICE", "NOTE", "note", "repaired"]

_BEHIND = "[\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]"
DECODED_TWICE = re.compile(f"(?:[ÂÃÎÏ]{_BEHIND}|(?<=¬)[ÅËÆ]{_BEHIND}|[âï]{_BEHIND}{{2}})+")
"""A run of the pairs and triples that Latin-1 letters, Greek letters and punctuation become."""

NOTE = "texts hold UTF-8 that was decoded as Windows-1252; linnet read what was meant"
_SHOWN = 60
_DECODINGS = 3  # of text that was decoded wrong several times


def repaired(text: str) -> str:
    """The text with such runs as they were written, where they are valid UTF-8; other text stays."""
    if text.isascii():
        return text
    for _ in range(_DECODINGS):
        before, text = text, DECODED_TWICE.sub(_repaired_run, text)
        if text == before:
            break
    return text


def note(text: str) -> str:
    """What to tell of texts of which this is the first that holds such runs, with its example; "" if it holds none."""
    if repaired(text) == text:
        return ""
    run = next(run for run in DECODED_TWICE.finditer(text) if _repaired_run(run) != run.group())
    end = text.find(" ", run.end())
    word = text[text.rfind(" ", 0, run.start()) + 1 : end if end >= 0 else None].strip()
    return f"{NOTE}, e.g. '{word}' as '{repaired(word)}'" if len(word) <= _SHOWN else NOTE


def _repaired_run(match: re.Match[str]) -> str:
    raw = b"".join(_byte(character) for character in match.group())
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return match.group()


def _byte(character: str) -> bytes:
    return character.encode("latin-1" if character <= "\xff" else "cp1252")
