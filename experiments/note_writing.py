"""Rewrites annotated text as notes are written, and puts lists together, piece by piece, so that mentions keep their places.

A piece is a stretch of text with the type of the mention that it is, "" for text between mentions.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence

__all__ = ["NoteWriter", "Piece", "drug_line", "listed_note"]

Piece = tuple[str, str]
# What notes leave out, and how they write the rest.
_LEFT_OUT = re.compile(
    r"\b(?:the|a|an|was|were|is|are|has been|had been|have been|has|had|be|been|that)\s+", re.I
)
_SHORTER = {
    r"with": ("w/", "w", "with", "c"),
    r"without": ("w/o", "no", "without"),
    r"and": ("&", "+", "and", ","),
    r"patients?": ("pt", "Pt", "patient"),
    r"(?:no|without) evidence of": ("no", "nil"),
    r"(?:a )?history of": ("h/o", "hx", "Hx of", "PMH"),
    r"treated with": ("rx", "on", "Rx"),
    r"treatment": ("Rx", "tx", "treatment"),
    r"diagnosis|diagnosed with": ("dx", "Dx"),
    r"symptoms": ("sx", "symptoms"),
    r"left": ("L", "lt", "left"),
    r"right": ("R", "rt", "right"),
    r"bilateral": ("b/l", "bilat", "bilateral"),
    r"increased": ("inc", "raised", "++"),
    r"decreased": ("dec", "low", "reduced"),
    r"days": ("d", "days", "/7"),
    r"weeks": ("wk", "wks", "/52"),
    r"months": ("m", "mths", "/12"),
    r"years?": ("y", "yrs", "years"),
    r"developed|presented with": ("c/o", "new", "p/w", "developed"),
    r"associated with|secondary to|due to": ("2/2", "due to", "secondary to"),
    r"possible|suspected|probable": ("?", "poss", "prob", "query"),
}
_SHORTENED = [(re.compile(rf"\b(?:{long})\b", re.I), forms) for long, forms in _SHORTER.items()]
_ENDS = (". ", ".\n", "\n", "\n- ", "\n* ", "\n# ", "; ", ", ", " ", "\n\n")
_SENTENCE_END = re.compile(r"[.;]\s+")
_VOWELS = "aeiou"
_ROUTES = ("po", "PO", "p.o.", "IV", "iv", "sc", "subcut", "im", "pr", "inh", "top", "SL", "oral", "nebs", "")
_OFTEN = (
    "od", "bd", "tds", "qds", "daily", "BID", "b.i.d.", "t.i.d.", "TID", "q6h", "q.h.s.", "nocte", "mane", "prn", "PRN", "stat",
    "weekly", "OD", "once daily", "twice daily", "1-0-1", "qd", "q.d.", "x 5 days", "at night", "",
)  # fmt: skip
_UNITS = ("mg", "mcg", "g", "ml", "units", "u", "%", "mg/kg", "mg", "mg", "")
_BEFORE = (
    "no ", "nil ", "denies ", "?", "hx ", "h/o ", "s/p ", "r/o ", "known ", "mild ", "severe ", "new ", "chronic ", "recurrent ", "L ",
    "R ", "acute ", "possible ", "worsening ", "has ", "had ", "+ ", "neg for ",
)  # fmt: skip
_AFTER = (
    " no", " yes", " nil", " neg", " -", " +", " ++", "?", " 2019", " (2015)", " since 2018", ": no", ": none", " resolved", " improved",
    " x 3 days", " 2/7", " on and off", " worse", " stable", " - better", " mild", " for years", ", mother", " in FH",
)  # fmt: skip


class NoteWriter:
    """Rewrites pieces."""

    def __init__(
        self,
        rng: random.Random,
        short_forms: Mapping[str, Sequence[str]],
        drugs: Sequence[str],
        disorders: Sequence[str],
        kinds: tuple[str, str],
    ) -> None:
        """
        short_forms  of long forms in small letters        drugs, disorders  to put in place of others
        kinds        types of disorders and of drugs
        """
        self._rng, self._shorts, self.drugs, self.disorders = rng, short_forms, drugs, disorders
        self.disorder, self.drug = kinds

    def rewritten(self, pieces: Sequence[Piece]) -> list[Piece]:
        """The pieces as one note, in one manner."""
        rng = self._rng
        terse, end = rng.choice((0.0, 0.5, 0.9)), rng.choice(_ENDS)
        case = rng.choices((str, str.lower, str.upper, str.capitalize), (8, 4, 2, 0))[0]
        width = rng.choice((0, 0, 45, 60, 75))
        written: list[Piece] = []
        for text, kind in pieces:
            if kind:
                written.append((self.mention(text, kind), kind))
                if kind == self.drug and rng.random() < 0.12:
                    written.append((f" {self.dose()}", ""))
            else:
                written.append((self._between(text, terse, end), ""))
        return _wrapped([(case(text), kind) for text, kind in written], width)

    def mention(self, text: str, kind: str) -> str:
        """A mention, perhaps as a short form, as another one of its kind, or misspelt."""
        rng = self._rng
        chance = rng.random()
        if (forms := self._shorts.get(" ".join(text.lower().split()))) and chance < 0.4:
            return rng.choice(forms)
        if kind == self.drug and chance > 0.75 and " " not in text:
            text = rng.choice(self.drugs)
            text = text.capitalize() if rng.random() < 0.4 else text
        elif kind == self.disorder and chance > 0.93:
            text = rng.choice(self.disorders).lower()
        if " " not in text and text.isalpha() and len(text) > 7 and rng.random() < 0.06:
            return text[: rng.randint(4, 6)]
        return " ".join(self._misspelt(w) if rng.random() < 0.17 else w for w in text.split(" "))

    def dose(self) -> str:
        """Amount, route and frequency."""
        rng = self._rng
        amount = rng.choice(
            ("1", "2", "5", "10", "12.5", "20", "40", "75", "80", "100", "250", "500", "1.2", "0.4")
        )
        unit = rng.choice(_UNITS)
        glue = rng.choice(("", " "))
        parts = [f"{amount}{glue}{unit}".strip(), rng.choice(_ROUTES), rng.choice(_OFTEN)]
        return " ".join(part for part in parts if part)

    def _between(self, text: str, terse: float, end: str) -> str:
        rng = self._rng
        text = _LEFT_OUT.sub(lambda m: "" if rng.random() < terse else m[0], text)
        if terse:
            for pattern, forms in _SHORTENED:
                text = pattern.sub(
                    lambda m, forms=forms: rng.choice(forms) if rng.random() < terse else m[0], text
                )
        return _SENTENCE_END.sub(end, text)

    def _misspelt(self, word: str) -> str:
        rng = self._rng
        if len(word) < 6 or not word.isalpha():
            return word
        at = rng.randrange(1, len(word) - 1)
        letter, after = word[at], word[at + 1]
        how = rng.randrange(4)
        if how == 0:
            return word[:at] + word[at + 1 :]
        if how == 1:
            return word[:at] + after + letter + word[at + 2 :]
        if how == 2:
            return word[:at] + letter + word[at:]
        new = rng.choice(_VOWELS) if letter in _VOWELS else rng.choice("bcdfghklmnprst")
        return word[:at] + new + word[at + 1 :]


def _wrapped(pieces: Sequence[Piece], width: int) -> list[Piece]:
    """With line ends instead of the blanks at which a line would be too long."""
    if not width:
        return list(pieces)
    column, wrapped = 0, []
    for text, kind in pieces:
        shown = ""
        for part in re.split(r"(\s+)", text):
            if "\n" in part:
                column = 0
            elif part == " " and column > width:
                part, column = "\n", 0
            else:
                column += len(part)
            shown += part
        wrapped.append((shown, kind))
    return wrapped


def drug_line(
    rng: random.Random, writer: NoteWriter, pool: Sequence[str], weights: Sequence[int]
) -> list[Piece]:
    """A drug, mostly with its dose."""
    name = rng.choice(writer.drugs) if rng.random() < 0.45 else rng.choices(pool, weights)[0]
    name = rng.choice((str, str, str.capitalize, str.upper))(name)
    pieces: list[Piece] = [(writer.mention(name, writer.drug) if rng.random() < 0.5 else name, writer.drug)]
    if rng.random() < 0.2:
        pieces = [
            (
                rng.choice(("T. ", "Tab ", "Inj ", "INJ ", "on ", "started ", "stop ", "increase ", "held ")),
                "",
            ),
            *pieces,
        ]
    if rng.random() < 0.7:
        pieces.append((f" {writer.dose()}", ""))
    return pieces


def listed_note(
    rng: random.Random,
    writer: NoteWriter,
    headings: Sequence[str],
    pools: Mapping[str, tuple[Sequence[str], Sequence[int]]],
    short_forms: Mapping[str, Sequence[str]],
    other_names: Sequence[str],
) -> list[Piece]:
    """A note of headings and lists.

    pools  texts of mentions with their frequencies, by type        short_forms  by type, those of neither under ""
    other_names  that are no mentions
    """
    pieces: list[Piece] = []
    case = rng.choices((str, str.lower, str.upper), (8, 3, 2))[0]
    for _ in range(rng.randint(5, 12)):
        heading = rng.choice((str, str.upper, str.capitalize))(rng.choice(headings))
        mark = rng.choice((": ", ":\n- ", " - ", "\n", ":\n1. ", ":  ", " "))
        joint = rng.choice((", ", ", ", "\n- ", "; ", "\n", " + ", ". ", " | ", "\t", "\n1. "))
        sort = rng.choices(("disorders", "drugs", "mixed", "others"), (4, 4, 3, 2))[0]
        items = [_item(rng, writer, pools, short_forms, other_names, sort) for _ in range(rng.randint(1, 8))]
        pieces.append((heading + mark, ""))
        for number, item in enumerate(items):
            pieces += [*([(joint, "")] if number else []), *item]
        pieces.append((rng.choice(("\n", ".\n", "\n\n")), ""))
    return [(case(text), kind) for text, kind in pieces]


def _item(
    rng: random.Random,
    writer: NoteWriter,
    pools: Mapping[str, tuple[Sequence[str], Sequence[int]]],
    short_forms: Mapping[str, Sequence[str]],
    other_names: Sequence[str],
    sort: str,
) -> list[Piece]:
    chance = rng.random()
    if sort == "mixed":
        sort = rng.choices(("disorders", "drugs", "others"), (5, 3, 3))[0]
    if sort == "drugs" and chance < 0.1:
        return [(rng.choice(short_forms[writer.drug]), writer.drug), (f" {writer.dose()}", "")]
    if sort == "drugs" and chance < 0.92:
        return drug_line(rng, writer, *pools[writer.drug])
    if sort == "others" or chance > 0.9:
        name = rng.choice(short_forms[""]) if rng.random() < 0.7 else rng.choice(other_names).lower()
        value = rng.choice(
            (
                "",
                "",
                f" {rng.randint(1, 200)}",
                " normal",
                " clear",
                f" {rng.random() * 10:.1f}",
                " NAD",
                " done",
            )
        )
        return [(name + value, "")]
    pool, weights = pools[writer.disorder]
    name = rng.choice(writer.disorders).lower() if rng.random() < 0.2 else rng.choices(pool, weights)[0]
    name = (
        rng.choice(short_forms[writer.disorder])
        if rng.random() < 0.25
        else writer.mention(name, writer.disorder)
    )
    pieces: list[Piece] = [(name, writer.disorder)]
    if rng.random() < 0.3:
        pieces = [(rng.choice(_BEFORE), ""), *pieces]
    if rng.random() < 0.3:
        pieces.append((rng.choice(_AFTER), ""))
    return pieces
