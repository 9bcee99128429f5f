"""From hits to links: the concept or NIL of each mention, and one link from those of a composite's parts."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from statistics import fmean

import numpy as np

from linnet.link.candidates import Candidates, shown_score
from linnet.link.choose import Parts
from linnet.link.pipeline import Pipeline
from linnet.link.reranking import Reranking
from linnet.link.terminology_group import TerminologyGroup
from linnet.rerank.literal_names import is_literal, literal_facts
from linnet.rerank.reranker import recalled
from linnet.retrieve.hits import Hits, Origin
from linnet.types import Link, Mention
from linnet.words.text import simplify

__all__ = ["NAMESAKES", "Decisions", "if_probable", "with_candidates"]

NAMESAKES = 8
"""Candidates that a link needs for `if_probable` to find the concepts of other vocabularies that have the same name."""

_RERANKED = str(Origin.RERANKED)


def with_candidates(link: Link, k: int) -> Link:
    """The link with its k best candidates, and so its parts."""
    candidates = link.candidates
    if isinstance(candidates, Candidates) and len(candidates) > k:
        candidates = candidates.first(k)
    return replace(link, candidates=candidates, parts=tuple(with_candidates(part, k) for part in link.parts))


def if_probable(link: Link, least: float) -> Link:
    """The link, or NIL with its candidates if it is less probable than `least`; a link without a probability stays.

    A composite counts as probable as its parts are in the mean: that is the share of its concepts that is right. Concepts of
    several vocabularies with the same name share the probability of what they all mean: they are added up, one a vocabulary.
    """
    parts = [_probability(part) for part in link.parts if part.concepts and part.probability is not None]
    probability = fmean(parts) if parts else _probability(link)
    if link.probability is None or probability >= least:
        return link
    return replace(link, concepts=(), name="", probability=None)


def _probability(link: Link) -> float:
    """That the concept or a namesake of it in another vocabulary is right."""
    sure = link.probability or 0.0
    if not link.candidates or len(link.concepts) > 1:
        return sure
    best, *others = link.candidates[:NAMESAKES]
    name, vocabularies = simplify(best.name), {_vocabulary(best.concept)}
    for other in others:
        is_new = _vocabulary(other.concept) not in vocabularies
        if is_new and _RERANKED in other.origin and simplify(other.name) == name:
            sure += other.score  # of a reranked candidate its probability, before calibration
            vocabularies.add(_vocabulary(other.concept))
    return min(sure, 1.0)


def _vocabulary(concept: str) -> str:
    return concept.partition(":")[0]


class Decisions:
    """Turns hits into links.

    A mention is NIL if the score of its best hit is below the pipeline's `min_score` (unless it was reranked), or its
    probability, of several things the mean of theirs, is below `min_probability`.
    """

    def __init__(self, group: TerminologyGroup, pipeline: Pipeline, reranking: Reranking) -> None:
        self._group, self._pipeline = group, pipeline
        self._reranker, self._calibrator = reranking.reranker, reranking.calibrator

    def links(
        self,
        mentions: Sequence[Mention],
        hits: Hits,
        splits: Mapping[int, Parts],
        *,
        confidence: Mapping[int, float] | None = None,
        decided: Collection[int] = (),
        k: int | None = None,
    ) -> list[Link]:
        """A link for each mention: to its best hit, to those of its parts, or NIL.

        hits        (N, k)
        splits      row → parts of a composite
        confidence  row → that the mention was read right, see `Choice`; 0: NIL; 1 for other rows
        decided     rows whose link or NIL a person decided, of probability 1
        k           candidates of a link; None: all of the hits
        """
        confidence = confidence or {}
        links = self._single(mentions, hits, k)
        for row, link in self._composite(links, splits, confidence, k).items():
            links[row] = link
        for row, sure in confidence.items():
            if row not in splits and row not in decided:
                links[row] = self._read_with(links[row], sure)
        for row in decided:
            links[row] = replace(links[row], probability=1.0)
        return links

    def _read_with(self, link: Link, confidence: float) -> Link:
        """The link of a mention that was read in another way than it is written."""
        if not link.concepts:
            return link
        probability = None if link.probability is None else round(link.probability * confidence, 4)
        if not confidence or (probability is not None and probability < self._pipeline.min_probability):
            return replace(link, concepts=(), name="", probability=None)
        return replace(link, probability=probability)

    def _single(self, mentions: Sequence[Mention], hits: Hits, k: int | None) -> list[Link]:
        """A link for each mention: to its best hit, or NIL."""
        group, min_probability = self._group, self._pipeline.min_probability
        counts = (hits.concepts >= 0).sum(axis=1)
        some = np.flatnonzero(counts)
        scores = hits.scores[some, 0].tolist() if len(some) else []
        enough = np.array([shown_score(score) >= self._pipeline.min_score for score in scores], bool)
        if len(some):
            enough |= (hits.origins[some, 0] & Origin.RERANKED) > 0
        probabilities = self._probabilities(mentions, hits)
        if min_probability:
            of_some = (probabilities[row] for row in some.tolist())
            enough &= np.array([p is None or p >= min_probability for p in of_some], bool)
        linked = some[enough]
        best = hits.concepts[linked, 0] if len(linked) else np.zeros(0, np.int32)
        concepts: list[tuple[str, ...]] = [()] * len(mentions)
        names = [""] * len(mentions)
        linked_probabilities: list[float | None] = [None] * len(mentions)
        for row, id, name in zip(linked.tolist(), group.ids(best), group.preferred_names(best), strict=True):
            concepts[row], names[row], linked_probabilities[row] = (id,), name, probabilities[row]
        candidates = [
            Candidates(group, hits, row, min(count, k or count)) for row, count in enumerate(counts.tolist())
        ]
        return list(map(Link, mentions, concepts, names, linked_probabilities, candidates))

    def _probabilities(self, mentions: Sequence[Mention], hits: Hits) -> list[float | None]:
        """(N,) that the best hit is right: calibrated, of literal names by what is known of them, and 1 if a person chose it."""
        group, probabilities = self._group, self._calibrator.probabilities(hits)
        if not hits.k:
            return probabilities
        rows = np.flatnonzero(is_literal(hits))
        if self._calibrator.literal is not None and len(rows):
            texts = [mentions[row].text for row in rows.tolist()]
            best = hits.concepts[rows, :NAMESAKES].astype(np.int64)
            known = np.where(best >= 0, best, best[:, :1])
            ids = np.array(group.ids(known.ravel()), object).reshape(known.shape).tolist()
            facts = literal_facts(
                texts,
                group.name_texts(hits.names[rows, 0].astype(np.int64)),
                group.preferred_names(best[:, 0]),
                hits.scores[rows],
                hits.origins[rows],
                recalled(self._reranker, texts, ids),
            )
            for row, value in zip(rows.tolist(), self._calibrator.literal.at(facts).tolist(), strict=True):
                probabilities[row] = round(value, 4)
        for row in np.flatnonzero(hits.origins[:, 0] & Origin.OVERRIDE).tolist():
            probabilities[row] = 1.0
        return probabilities

    def _composite(
        self,
        whole: Sequence[Link],
        splits: Mapping[int, Parts],
        confidence: Mapping[int, float],
        k: int | None,
    ) -> dict[int, Link]:
        """The links of split mentions by row, with the concepts of all parts and the candidates of the whole.

        whole   the unsplit links of all mentions
        splits  row → (text, (1, k) hits) of each part
        """
        texts = [text for parts in splits.values() for text, _ in parts]
        if not texts:
            return {}
        hits = Hits.stack([part_hits for parts in splits.values() for _, part_hits in parts])
        part_links = iter(self._single(list(map(Mention.alone, texts)), hits, k))
        links = {}
        for row, parts in splits.items():
            of_parts = tuple(self._decided_part(next(part_links), part_hits) for _, part_hits in parts)
            concepts = tuple(dict.fromkeys(id for link in of_parts for id in link.concepts))
            name = next((link.name for link in of_parts if link.name), "")
            sure, linked = confidence.get(row, 1.0), [link.probability for link in of_parts if link.concepts]
            known = [probability for probability in linked if probability is not None]
            probability = self._of_set(known, sure) if len(known) == len(linked) else None
            # As in `if_probable`: the mean of the parts is the share of the concepts that is right.
            if probability is not None and sure * fmean(known) < self._pipeline.min_probability:
                concepts, name, probability = (), "", None
            links[row] = Link(
                whole[row].mention, concepts, name, probability, whole[row].candidates, of_parts
            )
        return links

    def _decided_part(self, part: Link, hits: Hits) -> Link:
        """The part, with probability 1 if it is NIL because a person forbade its text."""
        is_decided = hits.concepts[0, 0] < 0 and self._group.is_forbidden(part.mention.text)
        return replace(part, probability=1.0) if is_decided else part

    def _of_set(self, of_parts: Sequence[float], confidence: float) -> float | None:
        """The probability that these concepts and no others are meant; None without parts.

        of_parts    that each is linked right; taken as independent
        confidence  that the mention names just these things
        """
        if not of_parts:
            return None
        raw = math.prod(of_parts) * confidence
        return round(raw if len(of_parts) == 1 else self._calibrator.of_set(raw), 4)
