"""What a string names by its words: a disorder, a chemical, an organ, a procedure …, and whether two strings name things of one kind.

A linear classifier of a string's words, its last ones above all, and their letters. `name_kinds.npz`, which
`experiments/name_kinds.py` learns, has its weights (BUCKETS, 8) as bytes, a scale for each kind, and the bias (8,). The last words count
as much as all else: a text has the mean of the means of the weights of both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from zlib import crc32

import numpy as np

from linnet.arrays import Doubles, Ints, SignedBytes
from linnet.words.semantic_groups import Group
from linnet.words.text import simplify

__all__ = [
    "BUCKETS",
    "FILE",
    "KINDS",
    "clues",
    "expected_kinds",
    "kinds",
    "same_kind",
    "usual_kinds",
]

FILE = Path(__file__).with_name("name_kinds.npz")
BUCKETS = 1 << 17
"""Rows of the classifier's table; clues share them by hash."""
KINDS: dict[str, Group] = {
    "disorder": Group.DISEASE | Group.PHENOTYPE,
    "chemical": Group.CHEMICAL,
    "gene": Group.GENE | Group.PROTEIN,
    "anatomy": Group.ANATOMY | Group.CELL,
    "organism": Group.ORGANISM,
    "procedure": Group.PROCEDURE,
    "process": Group.PROCESS,
    "other": Group.OTHER,
}
"""The kinds told apart, in the order of the classifier's columns."""

# How much less a name's words are believed where they name a kind that its concept is not said to be of. Chosen with the
# doubt about kinds of commit 30589e7c.
_UNUSUAL = 0.02
_MOST_WORDS = 16
_MOST_LETTERS = 80
_ENDINGS = (2, 3, 4, 5, 6)  # letters of the last word
_GRAM = 4
_CACHED = 20_000
_WORD = re.compile(r"[^\W_]+")


def clues(text: str) -> tuple[list[int], list[int]]:
    """The buckets of what tells a string's kind: the last words before "of", or of all, and their endings, which name the thing; and its
    words, the first, the last and 4-grams of letters.

    Neither is empty, and each clue is there as often as it occurs.
    """
    words = _WORD.findall(simplify(text))[:_MOST_WORDS]
    if not words:
        return [0], [0]
    front = words[: words.index("of", 1)] if "of" in words[1:] else words
    last = front[-1]
    head = [f"last {last}", *(f"ending {last[-length:]}" for length in _ENDINGS if len(last) > length)]
    if len(front) > 1:
        head.append(f"end {front[-2]} {last}")
    if len(front) < len(words):
        head.append(f"of {last}")
    rest = [f"word {word}" for word in words]
    rest += [f"first {words[0]}", f"count {min(len(words), 6)}", f"very last {words[-1]}"]
    if any(character.isdigit() for character in text):
        rest.append("digit")
    letters = f" {' '.join(words)} "[:_MOST_LETTERS]
    rest += [f"letters {letters[at : at + _GRAM]}" for at in range(len(letters) - _GRAM + 1)]
    return _buckets(head), _buckets(rest)


def _buckets(found: Sequence[str]) -> list[int]:
    return [crc32(clue.encode("utf-8", "surrogatepass")) % BUCKETS for clue in found]


def kinds(texts: Sequence[str]) -> Doubles:
    """(N, 8) how probable each of `KINDS` is, from the words alone; rows add up to 1."""
    return np.array([_kinds(text) for text in texts], np.float64).reshape(-1, len(KINDS))


def expected_kinds(groups: Ints, usual: Doubles) -> Doubles:
    """(N, 8) how far a name's words are believed where they say that its concept is of each kind, 0 to 1.

    groups  (N,) of the concepts, as numbers of `Group`; 0 if unknown
    usual   (8,) of a concept whose groups are unknown, see `usual_kinds`
    """
    masks = np.array([int(mask) for mask in KINDS.values()], np.int64)
    inside = groups[:, None] & masks > 0
    known = inside.any(axis=1, keepdims=True)
    expected: Doubles = np.where(known, np.where(inside, 1.0, _UNUSUAL), usual)
    return expected


def usual_kinds(names: Sequence[str]) -> Doubles:
    """(8,) as `expected_kinds`, of the concepts of a terminology with these names: 1 for the commonest kind."""
    if not names:
        return np.ones(len(KINDS))
    mean = kinds(names).mean(axis=0)
    usual: Doubles = np.maximum(mean / mean.max(), _UNUSUAL)
    return usual


def same_kind(of_texts: Doubles, names: Sequence[str], expected: Doubles) -> Doubles:
    """(N,) 0 to 1: how alike the kinds are of what each text names, and of its concept, which has this name.

    of_texts  (N, 8) of the texts, see `kinds`
    expected  (N, 8) of the concepts, see `expected_kinds`

    The squared Bhattacharyya coefficient. What is known of a concept comes first, as it tells more than the words of a short name
    ("gout"), but it does not decide: a list of phenotypes has functions of organs, too.
    """
    of_concepts = kinds(names) * expected
    of_concepts /= of_concepts.sum(axis=1, keepdims=True)
    share: Doubles = np.sqrt(of_texts * of_concepts).sum(axis=1) ** 2
    return np.minimum(share, 1.0)


@lru_cache(maxsize=_CACHED)
def _kinds(text: str) -> tuple[float, ...]:
    weights, scale, bias = _table()
    head, rest = (weights[own].mean(axis=0, dtype=np.float64) for own in clues(text))
    logits = (head + rest) / 2 * scale + bias
    odds = np.exp(logits - logits.max())
    return tuple((odds / odds.sum()).tolist())


@cache
def _table() -> tuple[SignedBytes, Doubles, Doubles]:
    with np.load(FILE) as stored:
        return stored["weights"], stored["scale"], stored["bias"]
