"""Alignment of a short form's letters with a long form: how well they fit, and where the long form begins."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

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
    folded = "".join(c if len(c.casefold()) != 1 else c.casefold() for c in long)
    remaining = iter(folded)
    if not letters or not all(letter in remaining for letter in letters):
        return None
    scores = _Scores(folded)
    # Place of the last aligned letter, ascending → (total score, where the long form begins).
    alignments = {
        place: (score, place)
        for place, c in enumerate(folded)
        if c == letters[0] and (score := scores.start(place))
    }
    for letter in letters[1:]:
        first = next(iter(alignments), len(folded))
        alignments = {
            place: max(scores.extended(alignments, place))
            for place, c in enumerate(folded)
            if c == letter and place > first
        }
    if not alignments:
        return None
    last, word_of = len(scores.words) - 1, scores.word_of
    total, begin = max(
        (total + _TRAILING * (last - word_of[place]), begin) for place, (total, begin) in alignments.items()
    )
    if total / len(letters) < (_MIN_MEAN_ONE_WORD if word_of[begin] == last else _MIN_MEAN):
        return None
    start = scores.words[word_of[begin]][0]
    return start if _LOCANT.fullmatch(long, start, begin) else begin


class _Scores:
    """Scores of the places of letters in a long form.

    words    their spans
    word_of  the number of each character's word
    """

    def __init__(self, folded: str) -> None:
        self._text = folded
        self.words = [match.span() for match in _WORD.finditer(folded)]
        self.word_of = [0] * len(folded)
        self._skipped, self._commas = [0.0], [0.0]  # sums of the penalties of the words before
        for number, (low, high) in enumerate(self.words):
            self.word_of[low:high] = [number] * (high - low)
            penalty = _SKIPPED_LITTLE if folded[low:high] in _LITTLE else _SKIPPED
            self._skipped.append(self._skipped[-1] + penalty)
            self._commas.append(self._commas[-1] + (_COMMA if folded[high - 1] == "," else 0.0))

    def start(self, position: int) -> float:
        """Score of a letter at the start of a word or of a part of one; 0 elsewhere."""
        before, here = self._text[position - 1 : position], self._text[position]
        if not before.isalnum():
            return _WORD_START
        return _PART_START if before.isdigit() != here.isdigit() else 0.0

    def extended(
        self, alignments: Mapping[int, tuple[float, int]], position: int
    ) -> Iterator[tuple[float, int]]:
        """Total scores and beginnings of the alignments before a place, with a letter at it."""
        start, word = self.start(position), self.word_of[position]
        for before, (total, begin) in alignments.items():
            if before >= position:
                return
            previous = self.word_of[before]
            score = start or (
                _NEXT if before == position - 1 else _SAME_WORD if previous == word else _NEW_WORD
            )
            if previous != word:
                score += self._skipped[word] - self._skipped[previous + 1]
                score += self._commas[word] - self._commas[previous]
            yield total + score, begin
