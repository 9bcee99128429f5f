"""Ten invented abstracts with what an expert annotates and what a model predicted, partly wrong. Used by `annotate_keys.py`.

    {gout=Gout}                 predicted and right
    {+gout=Gout}                missing: not predicted
    {-cold=Common Cold}         predicted, but no mention
    {shock=Shock!Septic Shock}  a mention of Septic Shock, predicted as Shock
    {~cerebral |palsy=X}        the mention is "cerebral palsy", of which only "palsy" was predicted

Concepts are named as in the starter terminology.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

__all__ = ["ABSTRACTS", "Abstract", "Mark", "parse"]

_MARK = re.compile(r"\{([+~-]?)([^=}]*)=([^!}]*)(?:!([^}]*))?\}")


class Mark(NamedTuple):
    """A mention. concept: its preferred name."""

    start: int
    end: int
    concept: str


class Abstract(NamedTuple):
    """A text, the mentions that an expert annotates, and those that were predicted."""

    text: str
    gold: list[Mark]
    predicted: list[Mark]


def parse(marked: str) -> Abstract:
    """An abstract without its marks, and the marks."""
    text, gold, predicted, at = "", [], [], 0
    for mark in _MARK.finditer(marked):
        text += marked[at : mark.start()]
        at = mark.end()
        kind, words, concept, right = mark.groups()
        before, bar, after = words.rpartition("|")
        start, inner = len(text), len(text) + len(before)
        text += before + after
        if bool(bar) != (kind == "~"):
            raise ValueError(f"a bar belongs to ~, and only to it: {mark[0]}")
        if kind != "-":
            gold.append(Mark(start, len(text), right or concept))
        if kind != "+":
            predicted.append(Mark(inner, len(text), concept))
    return Abstract(text + marked[at:], gold, predicted)


_TEXTS = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").split("\n\n")
ABSTRACTS = [parse(" ".join(text.split())) for text in _TEXTS]
