"""Calibration curves, fitted to links of documents that the linker did not learn from."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from linnet.arrays import Doubles
from linnet.evaluate.accuracy import strict
from linnet.evaluate.gold import gold_mentions, golds_of, predicted_of
from linnet.evaluate.resolution import resolve_answers, resolve_gold
from linnet.evaluate.system import blank
from linnet.evaluate.vocabulary import Vocabulary
from linnet.link import Linker, Pipeline
from linnet.rerank.calibrator import Calibrator, fit_curve
from linnet.rerank.literal_names import fit_literal_names, literal_facts
from linnet.rerank.reranker import recalled
from linnet.retrieve.hits import Origin
from linnet.train.crossfit import Crossfit
from linnet.types import Document, Link

__all__ = ["JudgedLink", "fit_calibrator", "judge_fold", "judge_mentions"]


_CANDIDATES = 8  # of a link: `literal_facts` needs them
_LITERAL_NAMES = 400  # fewer do not tell the weights of the facts apart


class JudgedLink(NamedTuple):
    """Way and score of a link, see `Calibrator`, whether it is right, its probability, and of a literal name its facts. A
    composite's score is its probability."""

    way: str
    score: float
    right: bool
    probability: float | None = None
    literal: Doubles | None = None


def judge_mentions(
    linker: Linker, documents: Sequence[Document], *, types: Collection[str] = ()
) -> list[JudgedLink | None]:
    """The link to each gold mention of the documents, judged as `strict` does, gold NIL included; None for NIL, what a person decided,
    and composites if the linker has no calibrator: the curve for them maps their probabilities without it.
    """
    links = linker.link(list(gold_mentions(blank(documents), types=types)), k=_CANDIDATES)
    resolve = Vocabulary(linker.terminologies).resolve
    answers = resolve_answers(predicted_of(links), resolve)
    golds = golds_of(gold_mentions(documents, types=types))
    golds = resolve_gold(golds, [sorted(answer.concepts) for answer in answers], resolve)
    return [
        JudgedLink(*_way_and_score(link), right, link.probability, _literal(link, linker))
        if link.concepts
        and "override" not in link.origin
        and (not link.parts or (link.probability is not None and _is_set(link)))
        else None
        for link, right in zip(links, strict(golds, answers), strict=True)
    ]


def _is_set(link: Link) -> bool:
    """Whether several parts are linked: the curve of sets is not for one beside a part that was left out."""
    return sum(bool(part.concepts) for part in link.parts) > 1


def judge_fold(
    crossfit: Crossfit, pipeline: Pipeline, fold: int, *, sources: Iterable[int]
) -> list[list[JudgedLink]]:
    """The links of a fold to one concept, of each of these sources: plain, and augmented too if its mentions are remembered."""
    judged = []
    for number in sources:
        source = crossfit.sources[number]
        for augmented in (None, fold) if source.remembered else (None,):
            linker = crossfit.linker(number, augmented, pipeline)
            links = judge_mentions(linker, crossfit.in_fold(number, fold), types=source.settings.types)
            judged.append([link for link in links if link is not None and link.way != "set"])
    return judged


def fit_calibrator(judged: Iterable[JudgedLink]) -> Calibrator:
    """One curve for each way among the links, and a model of the literal names if there are enough.

    judged  by a reranker with the calibrator `CERTAIN`, so that their probability is how surely they were read: a doubt about that
            is not to be counted twice
    """
    judged = list(judged)
    by_way: dict[str, tuple[list[float], list[bool], list[float]]] = {}
    for link in judged:
        scores, verdicts, surely_read = by_way.setdefault(link.way, ([], [], []))
        scores.append(link.score)
        verdicts.append(link.right)
        surely_read.append(1.0 if link.probability is None else link.probability)
    facts = [(link.literal, link.right) for link in judged if link.literal is not None]
    literal = None
    if len(facts) >= _LITERAL_NAMES:
        literal = fit_literal_names(np.array([known for known, _ in facts]), [right for _, right in facts])
    return Calibrator({way: fit_curve(*by_way[way]) for way in sorted(by_way)}, literal)


def _literal(link: Link, linker: Linker) -> Doubles | None:
    if link.parts or "exact" not in link.origin or "reranked" in link.origin:
        return None
    flags = [sum(int(Origin[name.upper()]) for name in c.origin.split("+")) for c in link.candidates]
    scores = np.array([[candidate.score for candidate in link.candidates]], np.float32)
    texts, best = [link.mention.text], link.candidates[0]
    shares = recalled(linker.reranking.reranker, texts, [[c.concept for c in link.candidates]])
    origins = np.array([flags], np.uint16)
    return np.asarray(literal_facts(texts, [best.name], [link.name], scores, origins, shares)[0])


def _way_and_score(link: Link) -> tuple[str, float]:
    if link.parts:
        return "set", link.probability or 0.0
    best = link.candidates[0]
    return "reranked" if "reranked" in best.origin else "retrieved", best.score
