"""Reranks candidates whose names hold strengths and forms: how their amounts and words agree with the text, by learnt weights.

The score of a candidate is the softmax, over the candidates of the text, of a weighted sum of its `FEATURES`. `weights.json` in the
model folder holds the weights; `experiments/strengths.py` learns them.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from linnet.arrays import Doubles
from linnet.encode.model import Model, open_model, write_model
from linnet.errors import DamagedError
from linnet.rerank.amounts import amounts
from linnet.rerank.reranker import Concepts, reorder
from linnet.retrieve.hits import Hits
from linnet.types import Mention

__all__ = ["FEATURES", "StrengthReranker", "features_of"]

FEATURES = (
    "score", "amounts that agree", "amounts that the text lacks", "amounts without a unit that agree",
    "amounts that the name lacks", "numbers of amounts differ by", "words found in the names", "first word found in the names",
    "words of the name found",
)  # fmt: skip
"""Of a candidate, each from 0 to 1 but the score, which is that of retrieval, and the number, which is at most 3."""
_WEIGHTS = "weights.json"
_WORD = re.compile(r"[^\W\d_]{2,}")
_BEGINNING = 3  # letters of a short form that begins a word: "tab", "caps"
_BEGINS = 0.8  # how alike a word and its beginning are


@dataclass(frozen=True)
class StrengthReranker:
    """See the module. `weights`: (features,)"""

    weights: Doubles
    name: str = "strengths"
    digest: str = ""

    kind: ClassVar[str] = "strengths"

    @classmethod
    def open(cls, path: Path, *, threads: int | None = None) -> Self:
        """Open a model folder; it uses one thread. Raises as `open_model`."""
        model = open_model(path, kind=cls.kind)
        try:
            stored = json.loads((path / _WEIGHTS).read_text(encoding="utf-8"))
            weights = np.array([float(stored[name]) for name in FEATURES])
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise DamagedError(f"{path / _WEIGHTS} is damaged: {error!r}. Fetch it again.") from None
        return cls(weights, model.name, model.digest)

    def save(self, directory: Path, *, card: str = "", training: Mapping[str, Any] | None = None) -> None:
        """Write the model folder, with what it was made of. Raises StoreError where the disk refuses."""
        table = dict(zip(FEATURES, np.round(self.weights, 4).tolist(), strict=True))

        def fill(draft: Path) -> None:
            (draft / _WEIGHTS).write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")

        write_model(
            directory, Model(self.kind, self.name, 0, "simplify", {}, training or {}), fill=fill, card=card
        )

    def rerank(
        self, mentions: Sequence[Mention], texts: Sequence[str], hits: Hits, concepts: Concepts
    ) -> Hits:
        """See `Reranker.rerank`. Amounts are those of the mention as it is written: the text may have lost them."""
        scores = np.full(hits.scores.shape, -np.inf, np.float32)
        for row, found in enumerate(features_of([mention.text for mention in mentions], hits, concepts)):
            odds = found @ self.weights
            shares = np.exp(odds - odds.max(initial=-np.inf))
            scores[row, : len(found)] = shares / max(shares.sum(), 1e-300)
        return reorder(hits, scores)


def features_of(texts: Sequence[str], hits: Hits, concepts: Concepts) -> list[Doubles]:
    """For each text, (candidates, features): its `FEATURES` of each candidate that it has."""
    some = hits.concepts >= 0
    rows, of = np.unique(hits.concepts[some].astype(np.int64), return_inverse=True)
    preferred = concepts.name_texts(concepts.first_names(rows))
    counts, names = concepts.all_names(rows)
    every = iter(concepts.name_texts(names))
    words = [
        frozenset(word for _ in range(count) for word in _words(next(every))) for count in counts.tolist()
    ]
    places = np.full(hits.concepts.shape, -1)
    places[some] = of
    return [
        _features(
            text,
            hits.scores[row, : int(some[row].sum())].tolist(),
            [preferred[place] for place in places[row] if place >= 0],
            [words[place] for place in places[row] if place >= 0],
        )
        for row, text in enumerate(texts)
    ]


def _features(text: str, scores: list[float], names: list[str], words: list[frozenset[str]]) -> Doubles:
    """(candidates, features) of a text's candidates: their scores, preferred names, and the words of all their names."""
    asked, own = amounts(text), _words(text)
    # A word that all candidates have tells nothing.
    spread = Counter(word for each in words for word in each)
    found = np.zeros((len(names), len(FEATURES)))
    for row, (score, name, have) in enumerate(zip(scores, names, words, strict=True)):
        stated = amounts(name).stated
        of_name = max(1, len(stated))
        bare = {(value, unit) for value, unit in stated if value in asked.bare}
        likeness = {word: max((_alike(word, other) for other in have), default=0.0) for word in own}
        found[row] = (
            score,
            len(asked.stated & stated) / of_name,
            len(stated - asked.stated - bare) / of_name,
            len(bare - asked.stated) / of_name,
            len(asked.stated - stated) / max(1, len(asked.stated)),
            min(abs(len(stated) - len(asked.stated)), 3),
            _mean([(_rarity(word, spread, len(words)), likeness[word]) for word in own]),
            likeness[own[0]] if own else 0.0,
            _mean(
                [
                    (
                        _rarity(word, spread, len(words)),
                        max((_alike(other, word) for other in own), default=0.0),
                    )
                    for word in _words(name)
                ]
            ),
        )
    return found


def _rarity(word: str, spread: Counter[str], total: int) -> float:
    return math.log(1 + total / (1 + spread[word]))


def _mean(weighted: Sequence[tuple[float, float]]) -> float:
    total = sum(weight for weight, _ in weighted)
    return sum(weight * value for weight, value in weighted) / total if total else 0.0


@lru_cache(1 << 14)
def _words(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_WORD.findall(text.casefold())))


@lru_cache(1 << 17)
def _alike(word: str, other: str) -> float:
    """How alike two words are, by their trigrams, or because one begins the other."""
    if word == other:
        return 1.0
    begins = len(word) >= _BEGINNING and (
        other.startswith(word) or (len(other) > _BEGINNING and word.startswith(other))
    )
    first, second = _trigrams(word), _trigrams(other)
    return max(_BEGINS if begins else 0.0, len(first & second) / len(first | second))


@lru_cache(1 << 14)
def _trigrams(word: str) -> frozenset[str]:
    word = f"#{word}#"
    return frozenset(word[start : start + 3] for start in range(len(word) - 2))
