"""From hits to links: the concept, or NIL, of each mention, and the links of a composite's parts as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from linnet.link.candidates import Candidates, shown_score
from linnet.link.choice import Parts
from linnet.link.pipeline import Pipeline
from linnet.link.terminology_group import TerminologyGroup
from linnet.rerank.calibrator import Calibrator
from linnet.retrieve.hits import Hits, Origin
from linnet.types import Link, Mention

__all__ = ["Decisions"]


class Decisions:
    """Makes links of hits.

    A mention is NIL where its best hit scores less than the pipeline's `min_score` (of retrieval: what was reranked passes),
    or is less probable than its `min_probability`.
    """

    def __init__(self, group: TerminologyGroup, pipeline: Pipeline, calibrator: Calibrator) -> None:
        self._group, self._pipeline, self._calibrator = group, pipeline, calibrator

    def links(
        self,
        mentions: Sequence[Mention],
        hits: Hits,
        splits: Mapping[int, Parts],
        *,
        expanded: Sequence[bool],
    ) -> list[Link]:
        """A link for each mention to its best hit, to those of its parts, or NIL.

        hits      (N, k)
        splits    row → the parts of a composite
        expanded  (N,) whether an abbreviation in the mention was spelt out; its candidates say so
        """
        links = self._single(mentions, hits, expanded)
        for row, link in self._composite(links, splits).items():
            links[row] = link
        return links

    def _single(self, mentions: Sequence[Mention], hits: Hits, expanded: Sequence[bool]) -> list[Link]:
        """A link for each mention to its best hit, or NIL.

        expanded  (N,) whether its candidates say that an abbreviation was spelt out
        """
        group, least = self._group, self._pipeline.min_probability
        counts = (hits.concepts >= 0).sum(axis=1)
        some = np.flatnonzero(counts)
        scores = hits.scores[some, 0].tolist() if len(some) else []
        enough = np.array([shown_score(score) >= self._pipeline.min_score for score in scores], bool)
        if len(some):
            enough |= (hits.origins[some, 0] & Origin.RERANKED) > 0
        probabilities = self._calibrator.probabilities(hits)
        if least:
            known = (probabilities[row] for row in some.tolist())
            enough &= np.array([chance is None or chance >= least for chance in known], bool)
        linked = some[enough]
        best = hits.concepts[linked, 0] if len(linked) else np.zeros(0, np.int32)
        concepts: list[tuple[str, ...]] = [()] * len(mentions)
        names = [""] * len(mentions)
        chances: list[float | None] = [None] * len(mentions)
        for row, id, name in zip(linked.tolist(), group.ids(best), group.preferred_names(best), strict=True):
            concepts[row], names[row], chances[row] = (id,), name, probabilities[row]
        ways = [Origin.ABBREVIATION if flag else Origin(0) for flag in expanded]
        candidates = [
            Candidates(group, hits, row, count, also)
            for row, (count, also) in enumerate(zip(counts.tolist(), ways, strict=True))
        ]
        return list(map(Link, mentions, concepts, names, chances, candidates))

    def _composite(self, whole: Sequence[Link], splits: Mapping[int, Parts]) -> dict[int, Link]:
        """The links of mentions that are split, by row: the concepts of all parts, the candidates of the whole.

        whole   the links of all mentions, unsplit
        splits  row → (text, (1, k) hits) of each part
        """
        texts = [text for parts in splits.values() for text, _ in parts]
        if not texts:
            return {}
        hits = Hits.stack([found for parts in splits.values() for _, found in parts])
        found = iter(self._single(list(map(Mention.alone, texts)), hits, [False] * len(texts)))
        links = {}
        for row, parts in splits.items():
            own = tuple(next(found) for _ in parts)
            concepts = tuple(dict.fromkeys(id for link in own for id in link.concepts))
            name = next((link.name for link in own if link.name), "")
            probability = self._calibrator.composite(
                [link.candidates[0].score if link.candidates else 0.0 for link in own]
            )
            if probability is not None:
                # That all parts are right is no more probable than that the least probable of them is.
                of_parts = [link.probability for link in own if link.probability is not None]
                probability = min([probability, *of_parts])
            if (
                not concepts
                or (probability if probability is not None else 1.0) < self._pipeline.min_probability
            ):
                concepts, name, probability = (), "", None
            links[row] = Link(whole[row].mention, concepts, name, probability, whole[row].candidates, own)
        return links
