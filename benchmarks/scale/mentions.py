"""Names as people write them: queries derived from a terminology's names by small edits, one or two a name."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Self

__all__ = ["EDITS", "QueriesWriter", "edited"]

_QUALIFIERS = (
    "severe",
    "known",
    "acute",
    "mild",
    "suspected",
    "new",
    "chronic",
    "probable",
    "untreated",
    "early",
)
_SHORT = {
    "milligrams": "mg", "syndrome": "synd", "disease": "dis", "history": "hx", "left": "L", "right": "R", "with": "w/",
    "antibody": "Ab", "measurement": "meas", "hydrochloride": "HCl", "chronic": "chr", "carcinoma": "ca", "congenital": "congen",
    "tablet": "tab", "solution": "soln", "magnetic": "MR", "bilateral": "bilat", "fracture": "fx", "treatment": "tx", "type": "T",
}  # fmt: skip
_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")


def _lower(text: str, rng: Random) -> str:
    return text.lower()


def _upper(text: str, rng: Random) -> str:
    return text.upper() if len(text) < 30 else text.capitalize()


def _plural(text: str, rng: Random) -> str:
    head, _, last = text.rpartition(" ")
    if not last.isalpha() or len(last) < 4:
        return text
    changed = last[:-1] if last.endswith("s") and not last.endswith("ss") else last + "s"
    return f"{head} {changed}".strip()


def _order(text: str, rng: Random) -> str:
    if ", " in text:
        first, _, rest = text.partition(", ")
        return f"{rest} {first}"
    words = text.split(" ")
    return f"{' '.join(words[1:])}, {words[0]}" if len(words) in (2, 3) else text


def _hyphen(text: str, rng: Random) -> str:
    if "-" in text:
        return text.replace("-", rng.choice((" ", "")), 1)
    place = text.find(" ")
    return f"{text[:place]}-{text[place + 1 :]}" if place > 0 else text


def _dropped(text: str, rng: Random) -> str:
    words = text.split(" ")
    if len(words) < 3:
        return text
    del words[rng.randrange(len(words))]
    return " ".join(words).strip(" ,:;-")


def _added(text: str, rng: Random) -> str:
    return f"{rng.choice(_QUALIFIERS)} {text}"


def _shortened(text: str, rng: Random) -> str:
    return " ".join(_SHORT.get(word.lower(), word) for word in text.split(" "))


def _typo(text: str, rng: Random) -> str:
    """A letter of a longer word dropped, doubled, swapped with the next, or hit beside its key."""
    places = [i for i in range(1, len(text) - 1) if text[i - 1 : i + 2].isalpha()]
    if not places:
        return text
    at = rng.choice(places)
    letter = text[at]
    row = next((keys for keys in _KEYS if letter.lower() in keys), letter)
    beside = row[(row.find(letter.lower()) + 1) % len(row)]
    return rng.choice((
        text[:at] + text[at + 1 :],
        text[:at] + letter + text[at:],
        text[:at] + text[at + 1] + letter + text[at + 2 :],
        text[:at] + beside + text[at + 1 :],
    ))  # fmt: skip


def _bare(text: str, rng: Random) -> str:
    return " ".join(text.translate(str.maketrans(",()[]:/", "       ")).split())


# Edit → its share of what is written.
EDITS: dict[Callable[[str, Random], str], float] = {
    _lower: 20, _upper: 4, _plural: 12, _order: 10, _hyphen: 8, _dropped: 12, _added: 10, _shortened: 8, _typo: 10, _bare: 6,
}  # fmt: skip


def edited(name: str, rng: Random) -> str:
    """`name` after one or two edits; itself where they find nothing to do, as one mention in ten does anyway."""
    if rng.random() < 0.1:
        return name
    text = name
    for edit in rng.choices(list(EDITS), list(EDITS.values()), k=rng.choice((1, 1, 2))):
        text = edit(text, rng)
    return text or name


class QueriesWriter:
    """Writes a mention of each of some concepts, drawn as they come: {"id", "text", "concepts"} a line."""

    def __init__(self, path: Path, *, share: float, seed: int) -> None:
        self._rng = Random(f"queries {seed}")
        self._file = path.open("w", encoding="utf-8")
        self._share, self._due, self.written = share, 0.0, 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def offer(self, id: str, names: Sequence[str]) -> None:
        """Maybe write a mention of this concept, by any of its names."""
        # One of every so many, at random among them: as many as asked for, spread evenly.
        self._due += self._share * 2 * self._rng.random()
        if self._due < 1:
            return
        self._due -= 1
        text = edited(self._rng.choice(names), self._rng)
        self.written += 1
        self._file.write(
            json.dumps({"id": f"q{self.written}", "text": text, "concepts": [id]}, ensure_ascii=False) + "\n"
        )
