"""Alignment of a short form's letters with a long form: how well they fit, and where the long form begins."""

from __future__ import annotations

import re

__all__ = ["align"]

# Score of a letter by its position in the long form, and penalties for skipped words. Chosen on the training sets of the
# NCBI disease and BC5CDR corpora, so that short and long form have the same gold concept.
_WORD_START = 1.0  # also after a hyphen
_PART_START = 0.9  # where letters and digits meet
_NEXT = 0.5  # directly after the previous letter
_SAME_WORD = 0.3
_NEW_WORD = -0.4  # inside a word without an earlier letter
_SKIPPED = -0.6
_SKIPPED_LITTLE = -0.05
_COMMA = -0.2
_TRAILING = -0.8
_MIN_MEAN = 0.6  # score per letter
_MIN_MEAN_ONE_WORD = 0.4  # if the long form is one word, "phenylketonuria (PKU)"

_WORD = re.compile(r"\S+")
# What may precede the first letter of a chemical name: "2-methyl…", "(R)-alpha…".
_LOCANT = re.compile(r"[\d,'()\[\]+-]*(?:[A-Za-z][\d,'()\[\]+-]+)*")
_LITTLE = frozenset({
    "a", "an", "and", "as", "at", "by", "for", "from", "in", "into", "of", "on", "or", "the", "to", "with", "de", "la", "van", "von",
})  # fmt: skip


def align(short: str, long: str) -> int | None:
    """Offset in `long` where the long form begins, which ends with `long`; None if no part of it explains `short`.

    All letters and digits of the short form occur in the long form in this order, the first one at the start of a word.
    The alignment with the highest score counts; of several, the one with the shortest long form.
    """
    letters = [c for c in short.casefold() if c.isalnum()]
    folded = (
        long.casefold()
        if long.isascii()
        else "".join(c if len(c.casefold()) != 1 else c.casefold() for c in long)
    )
    remaining = iter(folded)
    if not letters or not all(letter in remaining for letter in letters):
        return None
    words = [match.span() for match in _WORD.finditer(folded)]
    word_of = [0] * len(folded)
    skipped, commas = [0.0], [0.0]
    for number, (low, high) in enumerate(words):
        word_of[low:high] = [number] * (high - low)
        skipped.append(skipped[-1] + (_SKIPPED_LITTLE if folded[low:high] in _LITTLE else _SKIPPED))
        commas.append(commas[-1] + (_COMMA if folded[high - 1] == "," else 0.0))
    # Position of the last aligned letter → (total score, where the long form begins).
    alignments = {
        place: (score, place)
        for place, c in enumerate(folded)
        if c == letters[0] and (score := _start_score(folded, place))
    }
    for c in letters[1:]:
        extended: dict[int, tuple[float, int]] = {}
        for place, letter in enumerate(folded):
            if letter != c:
                continue
            word = word_of[place]
            start_score = _start_score(folded, place)
            best: tuple[float, int] | None = None
            for before, (total, begin) in alignments.items():
                if before >= place:
                    break
                same = word_of[before] == word
                score = start_score or (_NEXT if before == place - 1 else _SAME_WORD if same else _NEW_WORD)
                if not same:
                    score += skipped[word] - skipped[word_of[before] + 1]
                    score += commas[word] - commas[word_of[before]]
                candidate = (total + score, begin)
                if best is None or candidate > best:
                    best = candidate
            if best is not None:
                extended[place] = best
        alignments = extended
        if not alignments:
            return None
    total, begin = max(
        (total + _TRAILING * (len(words) - 1 - word_of[place]), begin)
        for place, (total, begin) in alignments.items()
    )
    one_word = word_of[begin] == len(words) - 1
    if total / len(letters) < (_MIN_MEAN_ONE_WORD if one_word else _MIN_MEAN):
        return None
    start = words[word_of[begin]][0]
    return start if _LOCANT.fullmatch(long, start, begin) else begin


def _start_score(text: str, place: int) -> float:
    """Score of a letter at the start of a word or of a part of one; 0 elsewhere."""
    before, here = text[place - 1 : place], text[place]
    if not before.isalnum():
        return _WORD_START
    return _PART_START if before.isdigit() != here.isdigit() else 0.0
