"""Reranking and calibration: which mentions are reranked, and among how many candidates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Self

import numpy as np

from linnet.arrays import Ints, Mask
from linnet.encode.named_models import model_place
from linnet.link.choose import Choice, Parts
from linnet.link.pipeline import Pipeline
from linnet.link.terminology_group import TerminologyGroup
from linnet.rerank import Reranker, open_reranker
from linnet.rerank.calibrator import Calibrator
from linnet.rerank.reranker import Remembers
from linnet.retrieve.exact import SCORES
from linnet.retrieve.hits import Hits, Origin
from linnet.types import Mention

__all__ = ["Reranking"]


class Reranking:
    """The reranker and calibrator of a pipeline; both are optional."""

    def __init__(
        self, group: TerminologyGroup, pipeline: Pipeline, reranker: Reranker | None, calibrator: Calibrator
    ) -> None:
        self._group, self._pipeline = group, pipeline
        self.reranker, self.calibrator = reranker, calibrator

    @classmethod
    def open(cls, group: TerminologyGroup, pipeline: Pipeline, *, threads: int | None = None) -> Self:
        """Open the models that the pipeline names. Raises as `open_reranker` and `Calibrator.open`."""
        reranker, calibrator = None, Calibrator()
        if pipeline.reranker is not None:
            reranker = open_reranker(pipeline.reranker, threads=threads)
            if not pipeline.memory and isinstance(reranker, Remembers):
                reranker = reranker.without_memory()
            calibrator = Calibrator.of_model(model_place(pipeline.reranker))
        if pipeline.calibrator is not None:
            calibrator = Calibrator.open(Path(pipeline.calibrator))
        return cls(group, pipeline, reranker, calibrator)

    def depth(self, k: int) -> int:
        """Number of candidates to retrieve for k results."""
        asks = self.reranker is not None or self.calibrator.literal is not None
        return max(k, self._pipeline.depth) if asks else k

    def apply(self, mentions: Sequence[Mention], texts: Sequence[str], hits: Hits) -> Hits:
        """(N, k) the hits, reordered where their order is uncertain."""
        if self.reranker is None or not len(hits):
            return hits
        rows = np.flatnonzero(self._is_uncertain(mentions, texts, hits))
        if not len(rows):
            return hits
        depth = self._pipeline.depth
        reranked = self.reranker.rerank(
            [mentions[row] for row in rows.tolist()],
            [texts[row] for row in rows.tolist()],
            hits.take(rows).top(depth),
            self._group,
        )
        stay = self._is_preferred(hits.take(rows)) & (reranked.concepts[:, 0] != hits.concepts[rows, 0])
        rows, reranked = rows[~stay], reranked.take(~stay)
        result = hits.copy()
        result.put(rows, reranked)
        if hits.k > depth:
            # The other candidates stay behind. Their scores are not comparable, and become 0.
            rest = result.scores[rows, depth:]
            result.scores[rows, depth:] = np.where(np.isneginf(rest), rest, np.float32(0))
            self._drop_repeated(result, rows[_finds_others(reranked, hits.take(rows).top(depth))])
        return result

    def _drop_repeated(self, hits: Hits, rows: Ints) -> None:
        """Remove candidates that the reranker found itself from behind its list, in place; others move up.

        A concept of several terminologies has a row in each, and one id.
        """
        for row in rows.tolist():
            candidates = np.flatnonzero(hits.concepts[row] >= 0)
            ids = self._group.ids(hits.concepts[row, candidates].astype(np.int64))
            kept = candidates[np.sort(np.unique(ids, return_index=True)[1])]
            shortened = Hits.empty(1, hits.k)
            for column in ("concepts", "names", "scores", "origins"):
                getattr(shortened, column)[0, : len(kept)] = getattr(hits, column)[row, kept]
            hits.put([row], shortened)

    def apply_to_all(
        self, mentions: Sequence[Mention], choice: Choice, *, k: int
    ) -> tuple[Hits, dict[int, Parts]]:
        """The hits of mentions and of composites' parts, reranked and cut to k."""
        if self.reranker is None:
            return choice.hits, choice.splits
        parts = [(row, text, hits) for row, split in choice.splits.items() for text, hits in split]
        # Parts have the context of the whole.
        ranked = self.apply(
            [*mentions, *(replace(mentions[row], text=text) for row, text, _ in parts)],
            [*choice.texts, *(text for _, text, _ in parts)],
            Hits.stack([choice.hits, *(hits for _, _, hits in parts)]),
        ).top(k)
        splits: dict[int, Parts] = {}
        for position, (row, text, _) in enumerate(parts, len(mentions)):
            splits.setdefault(row, []).append((text, ranked.take([position])))
        splits.update(self._remembered(mentions, choice.texts, k=k))
        return ranked.take(slice(0, len(mentions))), splits

    def _remembered(self, mentions: Sequence[Mention], texts: Sequence[str], *, k: int) -> dict[int, Parts]:
        """The parts of mentions that the reranker knows as composites, if all their concepts may be linked to."""
        if not self._pipeline.composites or not isinstance(self.reranker, Remembers):
            return {}
        remembered: dict[int, Parts] = {}
        for row, ids in self.reranker.composites(mentions, texts).items():
            hits = self._group.by_id(ids, k=k)
            if (hits.concepts[:, 0] >= 0).all():
                remembered[row] = [(texts[row], hits.take([part])) for part in range(len(ids))]
        return remembered

    def _is_preferred(self, hits: Hits) -> Mask:
        """(N,) whether the best candidate's preferred name is literally the text, and no other's name is: no memory of other
        mentions outweighs that."""
        best = ((hits.origins[:, 0] & Origin.EXACT) > 0) & (hits.scores[:, 0] >= SCORES["simplify"])
        if hits.k > 1:
            best &= ((hits.origins[:, 1] & Origin.EXACT) == 0) | (hits.scores[:, 1] < SCORES["simplify"])
        rows = np.flatnonzero(best)
        preferred = self._group.first_names(hits.concepts[rows, 0].astype(np.int64))
        best[rows] = hits.names[rows, 0] == preferred
        return np.asarray(best, bool)

    def _is_uncertain(self, mentions: Sequence[Mention], texts: Sequence[str], hits: Hits) -> Mask:
        """(N,) whether another candidate is close to the best one; false if the best one scores too low to link to."""
        first = hits.scores[:, 0]
        mask = first >= self._pipeline.min_score
        if hits.k > 1:
            literal = ((hits.origins[:, 0] & Origin.EXACT) > 0) & (first >= SCORES["simplify"])
            homonym = ((hits.origins[:, 1] & Origin.EXACT) > 0) & (hits.scores[:, 1] >= SCORES["simplify"])
            with np.errstate(invalid="ignore"):
                wide = first - hits.scores[:, 1] > self._pipeline.margin
            # A best candidate without an exact match is uncertain, however far ahead it is.
            mask &= ~wide | (literal & homonym) | ((hits.origins[:, 0] & Origin.EXACT) == 0)
            # The only concept with a name that is literally the text is right, however near others are, unless
            # training mentions meant another.
            settled = np.flatnonzero(mask & literal & ~homonym)
            if isinstance(self.reranker, Remembers):
                rows, ids = settled.tolist(), [("",)] * len(settled)
                asked = [mentions[row].text for row in rows], [texts[row] for row in rows]
                shares = [self.reranker.recalled(some, ids)[:, 0] for some in asked]
                mask[settled] = ~np.isnan(shares).all(axis=0)
        mask &= (hits.origins[:, 0] & Origin.OVERRIDE) == 0
        return np.asarray(mask, bool)


def _finds_others(reranked: Hits, hits: Hits) -> Mask:
    """(N,) whether a reranker put candidates of its own among those that it was given."""
    same = (reranked.concepts[:, :, None] == hits.concepts[:, None, :]).any(axis=2)
    return np.asarray((~same).any(axis=1), bool)
