"""How well the letters of a short form can be read off a long form, and where the long form then begins."""

from __future__ import annotations

import re

__all__ = ["align"]

# Rewards of a letter by where in the long form it stands, and the price of a word that is passed over. Chosen on the
# train parts of the NCBI disease and BC5CDR corpora, so that short and long form have the same gold concept.
_AT_WORD = 1.0  # also after a hyphen
_AT_PART = 0.9  # where letters and digits meet
_NEXT = 0.5  # directly behind the letter before
_INSIDE = 0.3
_ELSEWHERE = -0.4  # inside a word of which nothing was read before
_SKIPPED = -0.6
_SKIPPED_LITTLE = -0.05
_COMMA = -0.2
_TRAILING = -0.8
_ENOUGH = 0.6  # mean reward a letter
_ENOUGH_IN_WORD = 0.4  # when the long form is one word, "phenylketonuria (PKU)"

_WORD = re.compile(r"\S+")
# What a chemical name may have before its first letter: "2-methyl…", "(R)-alpha…".
_LOCANT = re.compile(r"[\d,'()\[\]+-]*(?:[A-Za-z][\d,'()\[\]+-]+)*")
_LITTLE = frozenset({
    "a", "an", "and", "as", "at", "by", "for", "from", "in", "into", "of", "on", "or", "the", "to", "with", "de", "la", "van", "von",
})  # fmt: skip


def align(short: str, long: str) -> int | None:
    """Offset at which the long form begins in `long`, of which it is the end; None when it does not explain `short`.

    Every letter and digit of the short form is found in the long form in its order, the first one at the start of a
    word. Of all ways the one with the best sum of rewards counts; of equals the shortest long form.
    """
    wanted = [c for c in short.casefold() if c.isalnum()]
    folded = (
        long.casefold()
        if long.isascii()
        else "".join(c if len(c.casefold()) != 1 else c.casefold() for c in long)
    )
    if not wanted or not _subsequence(wanted, folded):
        return None
    words = [match.span() for match in _WORD.finditer(folded)]
    word_of = [0] * len(folded)
    skipped, commas = [0.0], [0.0]
    for number, (low, high) in enumerate(words):
        word_of[low:high] = [number] * (high - low)
        skipped.append(skipped[-1] + (_SKIPPED_LITTLE if folded[low:high] in _LITTLE else _SKIPPED))
        commas.append(commas[-1] + (_COMMA if folded[high - 1] == "," else 0.0))
    # ways: position of the last letter read → (sum of rewards, where the long form begins)
    ways = {
        place: (reward, place)
        for place, c in enumerate(folded)
        if c == wanted[0] and (reward := _reward(folded, place))
    }
    for c in wanted[1:]:
        following: dict[int, tuple[float, int]] = {}
        for place, letter in enumerate(folded):
            if letter != c:
                continue
            word = word_of[place]
            here = _reward(folded, place)
            best: tuple[float, int] | None = None
            for before, (total, begin) in ways.items():
                if before >= place:
                    break
                same = word_of[before] == word
                reward = here or (_NEXT if before == place - 1 else _INSIDE if same else _ELSEWHERE)
                if not same:
                    reward += skipped[word] - skipped[word_of[before] + 1]
                    reward += commas[word] - commas[word_of[before]]
                way = (total + reward, begin)
                if best is None or way > best:
                    best = way
            if best is not None:
                following[place] = best
        ways = following
        if not ways:
            return None
    total, begin = max(
        (total + _TRAILING * (len(words) - 1 - word_of[place]), begin)
        for place, (total, begin) in ways.items()
    )
    one_word = word_of[begin] == len(words) - 1
    if total / len(wanted) < (_ENOUGH_IN_WORD if one_word else _ENOUGH):
        return None
    start = words[word_of[begin]][0]
    return start if _LOCANT.fullmatch(long, start, begin) else begin


def _subsequence(letters: list[str], text: str) -> bool:
    place = -1
    for letter in letters:
        place = text.find(letter, place + 1)
        if place < 0:
            return False
    return True


def _reward(text: str, place: int) -> float:
    """Of a letter where a word, or a part of one, starts; 0 elsewhere."""
    before, here = text[place - 1 : place], text[place]
    if not before.isalnum():
        return _AT_WORD
    return _AT_PART if before.isdigit() != here.isdigit() else 0.0
