"""The forms of a text that names one thing: as written, without what describes the case, with short forms written out …

Each form says what was done to get it, by rules whose names are features of `linnet.link.reading_features`. None decides.

"R knee OA, stage 3 (2019)" → "R knee OA, stage 3" → "knee OA" → "knee osteoarthritis" …
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from linnet.read.chemical_symbols import chemical_name
from linnet.read.qualifiers import Bare, without_qualifiers
from linnet.read.shorthand import Expansion, expansions

__all__ = ["Form", "forms", "is_contested"]

_CACHED = 20_000
_SURE_SHARE = 0.95  # from this share on, a short form nearly always has one reading
_MAX_SHORT_FORM = 12  # characters of a short form
_PLACEBO = re.compile(r"\bplacebos?\b", re.IGNORECASE)
_EXPLAINED = re.compile(r"[^()]*\w[^()]*\((?P<inside>[^()]*\w{3}[^()]*)\)")
# How MeSH and others call combinations of drugs: "carbidopa, levodopa drug combination".
_JOINT = re.compile(r"[/+,]|\b(?:and|with)\b")
_MOST_INGREDIENTS = 4
_NUMBERED = re.compile(r"\b(type|stage|grade|class|phase)([0-9])", re.IGNORECASE)


class Form(NamedTuple):
    """A text to look up for a thing, and what was done to get it: (name of a rule, how much)."""

    text: str
    rules: tuple[tuple[str, float], ...] = ()

    def has(self, rule: str) -> bool:
        """Whether a rule was applied."""
        return any(name == rule for name, _ in self.rules)


@lru_cache(maxsize=_CACHED)
def forms(text: str, *, shorthand: bool) -> tuple[Form, ...]:
    """The forms of a text, itself first; each text once.

    shorthand  also with clinical short forms, and lay, brand and foreign names, written out
    """
    found = {text: Form(text)}
    for bare in without_qualifiers(_NUMBERED.sub(r"\1 \2", text)):
        left_out = _left_out(bare)
        written_out = expansions(bare.text) if shorthand else []
        kept = (("short form kept", 1.0),) if any(map(_is_sure, written_out)) else ()
        if kept and bare.text == text:
            found[text] = Form(text, kept)
        found.setdefault(bare.text, Form(bare.text, left_out + kept))
        if symbol := chemical_name(bare.text):
            found.setdefault(symbol, Form(symbol, (*left_out, ("symbol", 1.0))))
        for expansion in written_out:
            found.setdefault(expansion.text, Form(expansion.text, left_out + _written_out(expansion)))
    if explained := _EXPLAINED.fullmatch(text.strip()):
        inside = explained["inside"].strip()
        found.setdefault(inside, Form(inside, (("in brackets", 1.0),)))
    if _PLACEBO.search(text):
        found.setdefault("placebo", Form("placebo", (("placebo", 1.0),)))
    for form in list(found.values()):
        items = [item.strip() for item in _JOINT.split(form.text)]
        if 1 < len(items) <= _MOST_INGREDIENTS and all(items):
            combined = f"{', '.join(sorted(items, key=str.casefold))} drug combination"
            found.setdefault(combined, Form(combined, (*form.rules, ("combination", 1.0))))
    return tuple(found.values())


@lru_cache(maxsize=_CACHED)
def is_contested(text: str) -> bool:
    """Whether a text is a short form that nearly always has one reading, so that it may not mean what it literally names."""
    found = expansions(text)
    return len(text) <= _MAX_SHORT_FORM and any(_is_sure(one) and not one.is_synonym for one in found)


def _is_sure(expansion: Expansion) -> bool:
    return expansion.whole and expansion.share >= _SURE_SHARE


def _left_out(bare: Bare) -> tuple[tuple[str, float], ...]:
    """The rules that left something out: marks of a record, words by their weight, and the kinds of both."""
    rules = [("marks", 1.0)] if bare.marks else []
    if bare.words:
        rules.append(("words", float(bare.words)))
    return (*rules, *((f"left out: {kind}", 1.0) for kind in bare.kinds))


def _written_out(expansion: Expansion) -> tuple[tuple[str, float], ...]:
    name = "lay, brand or foreign name" if expansion.is_synonym else "short form"
    return ((name, 1.0), ("doubt of the short form", 1 - expansion.share))
