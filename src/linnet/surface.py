"""The surface of a text, which says nothing of what it names: blanks, quotes, dashes, what is invisible. All texts are read without it.

>>> surface(" “Creutzfeldt‑Jakob\\u00a0 disease” ")
'Creutzfeldt-Jakob disease'
>>> surface("SjÃ¶gren syndrome")
'Sjögren syndrome'
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from linnet.text import SIGNS

__all__ = ["DECODED_TWICE", "decoded", "surface"]

_CACHED = 20_000
_DIRECTIONS = str.maketrans(dict.fromkeys("\u200e\u200f\u202a\u202b\u202c\u202d\u202e", ""))
_SIGNS = SIGNS | _DIRECTIONS | str.maketrans("«»", '""')
_LINE_END = re.compile(r"\s*[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]\s*")
_BLANKS = re.compile(r"[^\S\n\t]+| *\t[^\S\n]*")
_NUMBER = re.compile(r"(?:\(?\d{1,2}[.)]|[-*•·▪●>✓])\s+(?=[^\W\d_])")
_EDGES = ".,;: \t\n"
_APOSTROPHE = re.compile(r"(?<=\w)'(?=\w)")
_PAIRS = {'"': '"', "'": "'", "[": "]", "{": "}"}
# Runs that are UTF-8 read as Windows-1252: a byte that begins a character of Latin, Greek or punctuation, and what follows it.
DECODED_TWICE = r"(?:[\u00c2-\u00c5\u00ce\u00cf][^\x00-\x7f]|\u00e2[^\x00-\x7f]{2})+"
_TWICE = re.compile(DECODED_TWICE)


@lru_cache(_CACHED)
def surface(text: str, *, lines: bool = False) -> str:
    """The text with single blanks, straight quotes, plain hyphens, nothing invisible, and without what encloses or numbers it: quotes,
    square brackets, "1.", bullets, full stops. Texts decoded twice are decoded.

    lines  keep line ends and tabs, which separate things in a cell, one each; otherwise they are blanks
    """
    if text.isascii() and text.isalnum():
        return text
    plain = text if text.isascii() else unicodedata.normalize("NFC", decoded(text).translate(_SIGNS))
    plain = _BLANKS.sub(lambda run: "\t" if "\t" in run[0] else " ", _LINE_END.sub("\n", plain.strip()))
    if not lines:
        plain = " ".join(plain.split())
    while (bare := _without_frame(plain.strip(_EDGES) or plain)) != plain:
        plain = bare
    return plain


def decoded(text: str) -> str:
    """The text with UTF-8 that was read as Windows-1252 decoded: "SjÃ¶gren" → "Sjögren"; any other text as it is."""
    return text if text.isascii() else _TWICE.sub(_decoded, text)


def _decoded(run: re.Match[str]) -> str:
    try:
        return b"".join(_byte(sign) for sign in run[0]).decode("utf-8")
    except UnicodeError:
        return run[0]


def _byte(sign: str) -> bytes:
    # Windows-1252 leaves five bytes undefined, which programs keep as they are.
    return sign.encode("latin-1" if ord(sign) < 256 else "cp1252")


def _without_frame(text: str) -> str:
    """Without a number or bullet before it, or a pair of signs around it that is the only one of its kind."""
    if number := _NUMBER.match(text):
        return text[number.end() :]
    closing = _PAIRS.get(text[:1])
    if closing is None or len(text) < 3 or text[-1] != closing:
        return text
    inside = text[1:-1]
    others = _APOSTROPHE.sub("", inside)
    is_only = text[0] not in others and closing not in others
    return inside.strip() if is_only and any(map(str.isalpha, inside)) else text
