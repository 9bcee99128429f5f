"""What a short form in running text means: its senses, also those that name nothing to be linked, with a probability each.

The senses are those of `lexicon/note_senses.tsv`, else the readings of `linnet.read.shorthand`. What speaks for each is a feature: how
common it is, the words around it, the mention's type, doses and numbers beside it, the section, and the long form elsewhere in the text.
`lexicon/sense_weights.tsv` weighs them; `experiments/sense_weights.py` fits it, and the words of `lexicon/sense_words.tsv`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from linnet.read.assertion_cues import find_cues, tokens_of
from linnet.read.rules import compiled, rows
from linnet.read.sections import section_at
from linnet.read.shorthand import readings_of
from linnet.types import Document, Mention
from linnet.words.semantic_groups import Group, group_of_type
from linnet.words.text import key
from linnet.words.text_cache import RecentTexts

__all__ = [
    "NAMED",
    "OTHER",
    "TYPES",
    "Sense",
    "features",
    "find_short_forms",
    "senses",
    "senses_of",
    "words_around",
    "written_out",
]

NAMED, OTHER = "named", "other"
TYPES = {"finding": "Disease", "substance": "Chemical"}
"""Kind of a sense → type of the mentions that have it."""
_WINDOW = 8  # words on either side
_LEAST = 0.01  # share of senses that the tables lack
_NEAR = 60  # characters
_WORD = re.compile(r"[^\W\d_]+")
_AMOUNT = (
    r"\s*(?:\([^()\n]{0,20}\)\s*)?(?:inj\w*\s+|tab\w*\s+)?{doses:number}\s*-?\s*(?:{doses:unit}(?!\w))"
    r"|\s*(?:{doses:often}|{doses:route})(?![\w-])"
)
_TOKEN = re.compile(r"[^\s,;:.()?!|]+(?:\.[^\s,;:.()?!|]+)*")
_MAX_WORDS = 3  # words of a short form
_LIKELY = 0.5
_NUMBER_BEFORE = re.compile(r"\d\s*%?\s*(?:on\s+)?$")
_NUMBER_AFTER = re.compile(r"\s*[:=]?\s*\d")


class Sense(NamedTuple):
    """A sense of a short form: its long form; "finding", "substance", `NAMED` for either, or `OTHER`; and how probable it is, 0 to 1."""

    long: str
    kind: str
    probability: float


def senses_of(short: str) -> tuple[Sense, ...]:
    """The senses of a short form with their shares, the most usual first; () for what is none. Letter case counts."""
    table = _table()
    return table.get(short) or table.get(_singular(short)) or ()


def senses(mention: Mention) -> list[Sense]:
    """The senses of a mention that is a short form, the likeliest first; [] for any other mention."""
    choices = senses_of(mention.text)
    if not choices:
        return []
    weights = _weights()
    scores = [
        sum(weights.get(name, 0.0) * value for name, value in features(mention, one).items())
        for one in choices
    ]
    most = max(scores)
    odds = [math.exp(score - most) for score in scores]
    total = sum(odds)
    found = [one._replace(probability=each / total) for one, each in zip(choices, odds, strict=True)]
    return sorted(found, key=lambda one: -one.probability)


def written_out(mention: Mention) -> tuple[str, float]:
    """A mention with its short forms in their likeliest senses, and how probable these are; one that is read as it is written, 1.

    Short forms that `linnet.read.shorthand` alone knows stay: it writes them out, and so do those beside other words that it knows, too.
    """
    if found := senses(mention):
        best = found[0]
        if best.kind == NAMED:
            return mention.text, 1.0
        return ("", best.probability) if best.kind == OTHER else (best.long, best.probability)
    text, sure = mention.text, 1.0
    for token in reversed(list(_TOKEN.finditer(text)) if " " in text else []):
        start = mention.start + token.start()
        part = Mention(mention.document, start, start + len(token[0]), token[0], mention.type)
        if token[0] not in readings_of() and (found := senses(part)) and found[0].kind != OTHER:
            text, sure = (
                text[: token.start()] + found[0].long + text[token.end() :],
                sure * found[0].probability,
            )
    return text, sure


def find_short_forms(document: Document) -> Iterator[tuple[int, int, str, float]]:
    """Start, end, kind ("finding" or "substance") and probability of the short forms in a text that name something, the longest where
    they overlap, in order.
    """
    tokens, place = list(_TOKEN.finditer(document.text)), 0
    while place < len(tokens):
        start = tokens[place].start()
        for last in range(min(len(tokens), place + _MAX_WORDS), place, -1):
            end = tokens[last - 1].end()
            text = document.text[start:end]
            if "\n" not in text and (choices := senses_of(text)):
                kind = next((one.kind for one in choices if one.kind != OTHER), "")
                kind = "finding" if kind == NAMED else kind
                mention = Mention(document, start, end, text, TYPES.get(kind, ""))
                found = [one for one in senses(mention) if one.kind != OTHER]
                sure = sum(one.probability for one in found)
                if kind and sure >= _LIKELY:
                    yield start, end, kind if found[0].kind == NAMED else found[0].kind, sure
                place = last - 1
                break
        place += 1


def features(mention: Mention, sense: Sense) -> dict[str, float]:
    """What speaks for and against a sense of a mention."""
    text, what = mention.document.text, group_of_type([mention.type])
    is_substance = bool(what & _SUBSTANCE)
    kind = sense.kind if sense.long else "unlisted"
    if kind == NAMED:
        kind = "substance" if is_substance else "finding"
    found = {"share": math.log(sense.probability), kind: 1.0}
    signs = _sense_words().get(sense.long, {})
    found["words"] = sum(signs.get(word, 0.0) for word in words_around(text, mention.start, mention.end))
    long = tuple(map(key, sense.long.split()))
    found["long form in the text"] = float(bool(long) and f" {' '.join(long)} " in _keys.of(text))
    if what:
        found[f"type {'substance' if is_substance else 'finding'}: {kind}"] = 1.0
    section = section_at(text, mention.start)
    found[f"section {section.kind if section else 'none'}: {kind}"] = 1.0
    for name in _beside(text, mention.start, mention.end):
        found[f"{name}: {kind}"] = 1.0
    return found


def words_around(text: str, start: int, end: int) -> list[str]:
    """The stems of the words near a span."""
    before = _WORD.findall(text[max(0, start - _NEAR) : start])[-_WINDOW:]
    after = _WORD.findall(text[end : end + _NEAR])[:_WINDOW]
    return [_key(word) for word in (*before, *after)]


def _beside(text: str, start: int, end: int) -> Iterator[str]:
    line = text.rfind("\n", 0, start) + 1
    before, after = text[max(line, start - _NEAR) : start], text[end : end + _NEAR]
    if compiled(_AMOUNT).match(after):
        yield "dose after"
    elif _NUMBER_AFTER.match(after):
        yield "number after"
    if _NUMBER_BEFORE.search(before):
        yield "number before"
    if text[start - 1 : start] == "?" or after[:1] == "?":
        yield "asked"
    tokens = tokens_of(before, 0, len(before))
    if any(cue.attribute == "negated" and cue.end == len(tokens) for cue in find_cues(tokens)):
        yield "denied"
    if not before.strip(" -*>|"):
        yield "begins its line" + (", before a colon" if after.lstrip()[:1] == ":" else "")


_SUBSTANCE = Group.CHEMICAL | Group.PROTEIN


@cache
def _key(word: str) -> str:
    return key(word)


_keys: RecentTexts[str] = RecentTexts(lambda text: f" {' '.join(map(_key, _WORD.findall(text)))} ")


def _singular(short: str) -> str:
    return short[:-1] if len(short) > 2 and short.endswith("s") and short[:-1].isupper() else ""


@cache
def _table() -> Mapping[str, tuple[Sense, ...]]:
    found: dict[str, list[Sense]] = {}
    for row in rows("note_senses"):
        found.setdefault(row["short"], []).append(Sense(row["long"], row["kind"], float(row["share"])))
    for short, readings in readings_of().items():
        if short not in found:
            found[short] = [Sense(long, NAMED, share) for long, share in readings]
    for some in found.values():
        some.append(Sense("", OTHER, max(_LEAST, 1 - sum(one.probability for one in some))))
    return {short: tuple(sorted(some, key=lambda one: -one.probability)) for short, some in found.items()}


@cache
def _weights() -> Mapping[str, float]:
    return {row["feature"]: float(row["weight"]) for row in rows("sense_weights")}


@cache
def _sense_words() -> Mapping[str, Mapping[str, float]]:
    """Long form → stems of words near it → how much more often than near the other senses, as a logarithm."""
    found: dict[str, dict[str, float]] = {}
    for row in rows("sense_words"):
        pairs = (pair.rpartition(" ") for pair in row["words"].split(", "))
        found[row["long"]] = {word: float(weight) for word, _, weight in pairs}
    return found
