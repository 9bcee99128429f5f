"""Calibration curves, fitted to links of documents that the linker did not learn from."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from linnet.evaluate.accuracy import strict
from linnet.evaluate.gold import gold_mentions, golds_of, predicted_of
from linnet.evaluate.resolution import resolve_answers, resolve_gold
from linnet.evaluate.system import blank
from linnet.evaluate.vocabulary import Vocabulary
from linnet.link import Linker, Pipeline
from linnet.rerank.calibrator import Calibrator, fit_curve
from linnet.train.crossfit import Crossfit
from linnet.types import Document, Link

__all__ = ["JudgedLink", "fit_calibrator", "judge_fold", "judge_links"]

JudgedLink = tuple[str, float, bool]
"""Way and score of a link, see `Calibrator`, and whether it is right. A composite's score is its probability."""


def judge_links(
    linker: Linker, documents: Sequence[Document], *, types: Collection[str] = ()
) -> list[JudgedLink]:
    """The links to the documents' gold mentions, judged as `strict` does, gold NIL included. NIL links are left out, and so are
    composites if the linker has no calibrator: the curve for them maps their probabilities without it."""
    links = linker.link(list(gold_mentions(blank(documents), types=types)), k=1)
    resolve = Vocabulary(linker.terminologies).resolve
    answers = resolve_answers(predicted_of(links), resolve)
    golds = golds_of(gold_mentions(documents, types=types))
    golds = resolve_gold(golds, [sorted(answer.concepts) for answer in answers], resolve)
    return [
        (*_way_and_score(link), right)
        for link, right in zip(links, strict(golds, answers), strict=True)
        if link.concepts
        and "override" not in link.origin
        and (not link.parts or link.probability is not None)
    ]


def judge_fold(
    crossfit: Crossfit, pipeline: Pipeline, fold: int, *, sources: Iterable[int]
) -> list[list[JudgedLink]]:
    """The links of a fold, of each of these sources: plain, and augmented too if its mentions are remembered."""
    return [
        judge_links(
            crossfit.linker(number, augmented, pipeline),
            crossfit.in_fold(number, fold),
            types=crossfit.sources[number].settings.types,
        )
        for number in sources
        for augmented in ((None, fold) if crossfit.sources[number].remembered else (None,))
    ]


def fit_calibrator(judged: Iterable[JudgedLink]) -> Calibrator:
    """One curve for each way among the links."""
    by_way: dict[str, tuple[list[float], list[bool]]] = {}
    for way, score, right in judged:
        scores, verdicts = by_way.setdefault(way, ([], []))
        scores.append(score)
        verdicts.append(right)
    return Calibrator({way: fit_curve(*by_way[way]) for way in sorted(by_way)})


def _way_and_score(link: Link) -> tuple[str, float]:
    if link.parts:
        return "set", link.probability or 0.0
    best = link.candidates[0]
    return "reranked" if "reranked" in best.origin else "retrieved", best.score
