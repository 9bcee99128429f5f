"""What is reported of a system on a dev set; protocols, ranks and intervals are those of `linnet.evaluate`."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from benchmarks.generalisation.answers import Answer
from benchmarks.generalisation.calibration import Calibration, calibration
from benchmarks.generalisation.dev_set import DevSet
from linnet.evaluate.accuracy import strict
from linnet.evaluate.calibration import coverage_at_precision
from linnet.evaluate.gold import Gold, Predicted, golds_of
from linnet.evaluate.protocols import Context, Result, parse_protocol, score
from linnet.evaluate.ranking import gold_ranks, recall_at_k
from linnet.evaluate.resolution import resolve_answers, resolve_gold
from linnet.evaluate.score import Score, mean, share
from linnet.evaluate.significance import Difference, paired_bootstrap
from linnet.evaluate.vocabulary import Vocabulary

__all__ = ["DISTINCT", "PRECISION", "Figures", "Judged", "Lump", "difference", "figures", "judge", "lump"]

PRECISION = 0.95
DISTINCT = " of distinct texts"
"""After a protocol's name: of texts that are no exact name, each once a unit; see `DevSet.distinct`."""


@dataclass(frozen=True)
class Judged:
    """A system's answers and the gold with current ids, and results by protocol.

    golds    of mentions, with the unit of the bootstrap as their document
    """

    golds: list[Gold]
    answers: list[Answer]
    results: dict[str, Result]

    @property
    def predictions(self) -> list[Predicted]:
        return [answer.predicted for answer in self.answers]


@dataclass(frozen=True)
class Figures:
    """Scores of a system on a dev set, as shares with 95 % bootstrap intervals where there are units to draw.

    scores         by name: "lenient", "strict", these of distinct texts, "recall@8", "recall@64"; of strings "equal",
                   "NIL precision" …
    coverage       largest share of all mentions that are answered at 95 % precision, by falling confidence; NIL is an
                   answer where it has a probability
    probabilities  of each answer that has one, with whether it is right
    calibration    of these; None for a system without
    by_label       share of right sets by difficulty, of strings
    """

    scores: dict[str, Score]
    coverage: float
    probabilities: list[tuple[float, bool]] = field(default_factory=list)
    calibration: Calibration | None = None
    by_label: dict[str, Score] = field(default_factory=dict)


def judge(dev_set: DevSet, answers: Sequence[Answer]) -> Judged:
    """Score under `lenient` and `strict`, of real corpora also of distinct texts; strings under `nil`."""
    vocabulary = Vocabulary([dev_set.terminology])
    predictions = resolve_answers([answer.predicted for answer in answers], vocabulary.resolve)
    golds = [
        replace(gold, document=unit)
        for gold, unit in zip(golds_of(dev_set.mentions), dev_set.units, strict=True)
    ]
    golds = resolve_gold(golds, [predicted.order() for predicted in predictions], vocabulary.resolve)
    protocols = ["nil"] if dev_set.of_strings else ["lenient", "strict"]
    context = Context(known=vocabulary.known)
    results = {name: score(parse_protocol(name), golds, predictions, context) for name in protocols}
    if not (dev_set.of_strings or dev_set.held_out):
        distinct = {*dev_set.distinct}
        results |= {f"{name}{DISTINCT}": _of(result, distinct) for name, result in results.items()}
    current = [
        replace(answer, predicted=predicted) for answer, predicted in zip(answers, predictions, strict=True)
    ]
    return Judged(golds, current, results)


def figures(dev_set: DevSet, judged: Judged) -> Figures:
    """The figures of one system."""
    ranks = gold_ranks(judged.golds, judged.predictions)
    documents = [gold.document for gold in judged.golds]
    scores = {}
    for protocol, result in judged.results.items():
        units = [documents[place] for place in result.places]
        scores["equal" if protocol == "nil" else protocol] = mean(
            protocol, list(map(float, result.right)), units
        )
        scores |= {each.name: each for each in result.scores if each.name.startswith("NIL ")}
    for k in (8, 64):
        hits, total = recall_at_k(ranks, k=k)
        scores[f"recall@{k}"] = share(f"recall@{k}", hits, documents, of=total)
    sure = _sure(judged)
    confidences, right = [confidence for confidence, _ in sure], [is_right for _, is_right in sure]
    has_probabilities = _has_probabilities(judged)
    coverage, _ = coverage_at_precision(confidences, right, precision=PRECISION, total=len(judged.answers))
    return Figures(
        scores,
        coverage,
        sure if has_probabilities else [],
        calibration(confidences, right) if has_probabilities else None,
        _by_label(dev_set.labels, strict(judged.golds, judged.predictions), documents),
    )


def _sure(judged: Judged) -> list[tuple[float, bool]]:
    """How sure the system is of each answer that it is at all sure of, and whether this is right as in `strict`.

    NIL counts where it has a probability: a low score says nothing of how sure NIL is.
    """
    right = strict(judged.golds, judged.predictions)
    has_probabilities = _has_probabilities(judged)
    return [
        (answer.confidence, is_right)
        for answer, is_right in zip(judged.answers, right, strict=True)
        if (answer.predicted.probability is not None if has_probabilities else answer.predicted.concepts)
    ]


def _has_probabilities(judged: Judged) -> bool:
    return any(predicted.probability is not None for predicted in judged.predictions)


def difference(first: Judged, second: Judged, protocol: str) -> Difference:
    """The first system less the second in share of right answers, with a paired bootstrap interval over units."""
    a, b = first.results[protocol], second.results[protocol]
    places = sorted({*a.places} & {*b.places})
    verdicts = [dict(zip(result.places, result.right, strict=True)) for result in (a, b)]
    rights = [[verdict[place] for place in places] for verdict in verdicts]
    return paired_bootstrap(rights[0], rights[1], [first.golds[place].document for place in places])


class Lump(NamedTuple):
    """The text that makes most of a gain: the mentions gained there less those lost, as a share of those of all texts.

    unit     a document, or what else is drawn
    """

    unit: str
    share: float


def lump(first: Judged, second: Judged, protocol: str) -> Lump | None:
    """The unit that makes most of what the first system gains over the second; None if the second is no worse."""
    a, b = first.results[protocol], second.results[protocol]
    verdicts = dict(zip(b.places, b.right, strict=True))
    gained: Counter[str] = Counter()
    for place, right in zip(a.places, a.right, strict=True):
        if place in verdicts:
            gained[first.golds[place].document] += right - verdicts[place]
    total = gained.total()
    if total <= 0:
        return None
    [(unit, most)] = gained.most_common(1)
    return Lump(unit, most / total)


def _of(result: Result, places: Container[int]) -> Result:
    """A result of these mentions alone; only what is right of it, no scores."""
    pairs = [pair for pair in zip(result.places, result.right, strict=True) if pair[0] in places]
    return replace(
        result, scores=(), places=tuple(place for place, _ in pairs), right=tuple(right for _, right in pairs)
    )


def _by_label(labels: Sequence[str], right: Sequence[bool], documents: Sequence[str]) -> dict[str, Score]:
    groups: dict[str, list[int]] = defaultdict(list)
    for place, label in enumerate(labels):
        groups[label].append(place)
    return {
        label: mean(label, [float(right[i]) for i in places], [documents[i] for i in places])
        for label, places in sorted(groups.items())
    }
