"""Curves of a calibrator, from links of documents that the linker did not learn from."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from linnet.evaluate.accuracy import strict
from linnet.evaluate.gold import Gold, gold_mentions, golds_of, predicted_of
from linnet.evaluate.resolution import resolve_answers, resolve_gold
from linnet.evaluate.system import blank
from linnet.evaluate.vocabulary import Vocabulary
from linnet.link import Linker
from linnet.rerank.calibrator import Calibrator, fit_curve
from linnet.types import Document, Link

__all__ = ["Judged", "calibrated", "judge"]

Judged = list[tuple[str, float, bool]]
"""Way, score and verdict of links, see `Calibrator`; a composite's score is that of its parts, multiplied."""


def judge(linker: Linker, documents: Sequence[Document], *, types: Collection[str] = ()) -> Judged:
    """Every link to the gold mentions of the documents (as `strict` judges, gold NIL included); NIL links are left out."""
    golds, links = _linked(linker, documents, types)
    return _judged(golds, links, linker)


def calibrated(judged: Iterable[tuple[str, float, bool]]) -> Calibrator:
    """A curve for each way that there are links of."""
    by_way: dict[str, tuple[list[float], list[bool]]] = {}
    for way, score, right in judged:
        scores, verdicts = by_way.setdefault(way, ([], []))
        scores.append(score)
        verdicts.append(right)
    return Calibrator({way: fit_curve(*by_way[way]) for way in sorted(by_way)})


def _linked(
    linker: Linker, documents: Sequence[Document], types: Collection[str]
) -> tuple[list[Gold], list[Link]]:
    golds = golds_of(gold_mentions(documents, types=types))
    return golds, linker.link(list(gold_mentions(blank(documents), types=types)), k=1)


def _judged(golds: Sequence[Gold], links: Sequence[Link], linker: Linker) -> Judged:
    resolve = Vocabulary(linker.terminologies).resolve
    answers = resolve_answers(predicted_of(links), resolve)
    golds = resolve_gold(golds, [sorted(answer.concepts) for answer in answers], resolve)
    judged: Judged = []
    for link, right in zip(links, strict(golds, answers), strict=True):
        if not link.concepts:
            continue
        if link.parts:
            score = 1.0
            for part in link.parts:
                score *= _score(part)
            judged.append(("composite", score, right))
        else:
            way = "reranked" if "reranked" in link.candidates[0].origin else "retrieved"
            judged.append((way, _score(link), right))
    return judged


def _score(link: Link) -> float:
    return link.candidates[0].score if link.candidates else 0.0
