"""Whether a text reads like a clinical note, rather than an article: by the words and signs that it has, weighted as learnt
(`experiments/text_kind.py`, `text_kind.tsv`).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files

from linnet.read.plain_text import plain_text
from linnet.types import NOTE_FROM, Document
from linnet.words.text_cache import RecentTexts

__all__ = ["AUTO", "BIAS", "KINDS", "is_note", "note_of", "note_probability", "of_kind", "word_shares"]

AUTO = "auto"
KINDS = {"note": 1.0, "article": 0.0}
"""What texts can be said to be, and the probability of a note that stands for it."""

BIAS = "(bias)"
_TOKEN = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|\n")
_NUMBER, _LINE = "0", "(line)"
_READ = 20_000  # characters of a text that say what it is


def word_shares(text: str) -> dict[str, float]:
    """The root of the share of each word, sign and line end of a text. Case and blanks around the text do not count, and all numbers are
    one."""
    tokens = _TOKEN.findall(text.strip()[:_READ].lower())
    counts = Counter(_LINE if t == "\n" else _NUMBER if t.isdigit() else t for t in tokens)
    return {word: math.sqrt(count / len(tokens)) for word, count in counts.items()}


def note_probability(text: str) -> float:
    """The probability that a text is a clinical note, 0 to 1. A line more or less hardly changes it.

    >>> note_probability("PMH: HTN, DM2. Pt c/o chest pain x 2 days, no SOB.") > 0.9
    True
    >>> note_probability("We studied the association of the gene with breast cancer in 200 families.") < 0.1
    True
    """
    return _recent.of(text)


def of_kind(document: Document, kind: str) -> Document:
    """The document as a text of a kind of `KINDS`; AUTO: of the kind that it reads like."""
    return replace(
        document, note=note_probability(plain_text(document.text)) if kind == AUTO else KINDS[kind]
    )


def note_of(document: Document) -> float:
    """The probability that a document is a clinical note: as it was read, or by its text."""
    return note_probability(document.text) if document.note is None else document.note


def is_note(document: Document) -> bool:
    """Whether a document is rather a clinical note than not."""
    return note_of(document) >= NOTE_FROM


def _probability(text: str) -> float:
    weights = _weights()
    score = weights[BIAS] + sum(weights.get(word, 0.0) * x for word, x in word_shares(text).items())
    return 1 / (1 + math.exp(-score))


_recent = RecentTexts(_probability)


@cache
def _weights() -> Mapping[str, float]:
    text = files(__package__).joinpath("text_kind.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines()[2:]]
    return {word: float(weight) for word, weight in rows}
