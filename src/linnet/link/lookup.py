"""What the terminologies have for the texts of one call: exact matches first, then candidates. Each text is asked once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from linnet.link.terminology_group import ExactMatches, TerminologyGroup
from linnet.retrieve.hits import Hits, Origin
from linnet.words.text import fold

__all__ = ["Best", "Lookup"]


class Best(NamedTuple):
    """The best candidate of a text.

    score      −inf without a candidate
    concept    its row, −1 without one
    name       by which it was found, "" without one
    is_exact   whether the text is this name, or overridden
    preferred  whether the text is the preferred name of the concept, apart from case
    groups     semantic groups of the concept (`linnet.words.semantic_groups.Group`), 0 if unknown
    """

    score: float
    concept: int
    name: str
    is_exact: bool
    preferred: bool
    groups: int


_NOTHING = Best(-np.inf, -1, "", False, False, 0)


class Lookup:
    """Looks texts up and searches for them in batches; what has been asked before is not asked again."""

    def __init__(self, group: TerminologyGroup, *, k: int) -> None:
        """k  candidates of a text"""
        self.group, self.k = group, k
        self._matches: ExactMatches | None = None
        self._exact_rows: dict[str, int] = {}
        self._exact_scores: list[float] = []
        self._hits = Hits.empty(0, k)
        self._rows: dict[str, int] = {}
        self._best: list[Best] = []
        self._named: dict[str, Best] = {}
        self._names: dict[int, list[str]] = {}

    @property
    def is_comparable(self) -> bool:
        """Whether the scores of candidates are cosines."""
        group = self.group
        return group.largest_score < np.inf and (group.has_cosines or not group.has_entities)

    def look_up(self, texts: Iterable[str]) -> None:
        """Look up those of the texts that are new as names, all at once."""
        new = [text for text in dict.fromkeys(texts) if text not in self._exact_rows]
        if not new:
            return
        matches = self.group.exact(new, k=self.k)
        self._matches = matches if self._matches is None else self._matches.followed_by(matches)
        self._exact_rows.update(
            zip(new, range(len(self._exact_rows), len(self._exact_rows) + len(new)), strict=True)
        )
        self._exact_scores += matches.best.tolist()
        named = [row for row, score in enumerate(matches.best.tolist()) if score > 0]
        if named:
            texts = [new[row] for row in named]
            hits = self.group.exact_hits(texts, matches.take(named))
            self._named.update(zip(texts, self._best_of(texts, hits), strict=True))

    def exact(self, text: str) -> float:
        """Score of the best exact match of a text that was looked up, overrides applied; 0 without one."""
        return self._exact_scores[self._exact_rows[text]]

    def search(self, texts: Iterable[str]) -> None:
        """Search for those of the texts that are new, all at once."""
        new = [text for text in dict.fromkeys(texts) if text not in self._rows]
        if not new:
            return
        self.look_up(new)
        assert self._matches is not None
        matches = self._matches.take([self._exact_rows[text] for text in new])
        hits = self.group.search(new, k=self.k, exact=matches)
        self._rows.update(zip(new, range(len(self._rows), len(self._rows) + len(new)), strict=True))
        self._hits = Hits.stack([self._hits, hits])
        self._best += self._best_of(new, hits)

    def is_searched(self, text: str) -> bool:
        """Whether a text was searched for."""
        return text in self._rows

    def best(self, text: str) -> Best:
        """The best candidate of a text that is a name, or was searched for."""
        row = self._rows.get(text)
        return self._named[text] if row is None else self._best[row]

    def ids(self, texts: Sequence[str]) -> list[list[str]]:
        """(N, k) the ids of the candidates of texts that were searched for, "" for none."""
        rows = self._hits.concepts[[self._rows[text] for text in texts]]
        ids = np.array(self.group.ids(np.maximum(rows, 0).ravel()), object).reshape(rows.shape)
        return np.where(rows >= 0, ids, "").tolist()  # type: ignore[no-any-return]

    def score_of(self, text: str, concept: int) -> float:
        """Score of a concept among the candidates of a text that was searched for, −inf if it is none of them."""
        row = self._rows[text]
        return float(max(self._hits.scores[row, self._hits.concepts[row] == concept], default=-np.inf))

    def hits(self, texts: Sequence[str]) -> Hits:
        """(N, k) the candidates of texts that were searched for; arrays of their own."""
        return self._hits.take(np.array([self._rows[text] for text in texts], np.int64))

    def find_names(self, concepts: Iterable[int]) -> None:
        """Read all names of these concept rows, all at once, for `names_of`."""
        new = [concept for concept in dict.fromkeys(concepts) if concept >= 0 and concept not in self._names]
        if not new:
            return
        counts, rows = self.group.all_names(np.array(new, np.int64))
        names = iter(self.group.name_texts(rows))
        self._names.update(
            (c, list(islice(names, count))) for c, count in zip(new, counts.tolist(), strict=True)
        )

    def names_of(self, concept: int) -> list[str]:
        """All names of a concept row that `find_names` has read."""
        return self._names[concept]

    def _best_of(self, texts: Sequence[str], hits: Hits) -> list[Best]:
        best = [_NOTHING] * len(texts)
        some = np.flatnonzero(hits.concepts[:, 0] >= 0) if hits.k else np.zeros(0, np.int64)
        if not len(some):
            return best
        concepts = hits.concepts[some, 0].astype(np.int64)
        rows = zip(
            some.tolist(),
            hits.scores[some, 0].tolist(),
            concepts.tolist(),
            self.group.name_texts(np.maximum(hits.names[some, 0], 0).astype(np.int64)),
            ((hits.origins[some, 0] & (Origin.EXACT | Origin.OVERRIDE)) > 0).tolist(),
            self.group.preferred_names(concepts),
            self.group.groups(concepts).tolist(),
            strict=True,
        )
        for row, score, concept, name, is_exact, preferred, groups in rows:
            is_preferred = fold(preferred) == fold(texts[row])
            best[row] = Best(score, concept, name, is_exact, is_preferred, groups)
        return best
