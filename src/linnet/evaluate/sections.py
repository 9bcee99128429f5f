"""The sections of a report that cover all mentions: curve, frequencies, groups, calibration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import cast

from linnet.evaluate.accuracy import lenient, strict
from linnet.evaluate.calibration import coverage_at_precision, expected_calibration_error, reliability
from linnet.evaluate.gold import Gold, Predicted
from linnet.evaluate.ranking import gold_ranks, recall_score
from linnet.evaluate.report import Calibration, Group
from linnet.evaluate.score import Score, share
from linnet.evaluate.subsets import Seen

__all__ = ["calibration", "curve", "frequencies", "seen_groups", "type_groups"]

_KS = (1, 2, 3, 5, 10, 20, 30, 40, 50, 64)
_PRECISIONS = (0.9, 0.95, 0.99)
_FREQUENCIES = ((1, "1"), (2, "2"), (4, "3–4"), (8, "5–8"), (16, "9–16"), (32, "17–32"))


def curve(golds: Sequence[Gold], predictions: Sequence[Predicted]) -> tuple[tuple[int, Score], ...]:
    """recall@k over all gold concepts for rising k."""
    documents = [gold.document for gold in golds]
    ranks = gold_ranks(golds, predictions)
    return tuple((k, recall_score(ranks, documents, k=k)) for k in _KS)


def frequencies(golds: Sequence[Gold]) -> tuple[tuple[str, int], ...]:
    """Number of concepts with one mention, two, three or four, …; empty bands included."""
    counts = Counter(id for gold in golds for id in gold.concepts)
    bands = Counter(
        next((label for limit, label in _FREQUENCIES if n <= limit), "33+") for n in counts.values()
    )
    return tuple((label, bands[label]) for label in (*(label for _, label in _FREQUENCIES), "33+"))


def seen_groups(golds: Sequence[Gold], predictions: Sequence[Predicted], seen: Seen) -> tuple[Group, ...]:
    """Accuracy on mentions whose surface, or any of whose concepts, was seen in training, and on the others."""
    groups = {
        "surface": [gold.surface in seen.surfaces for gold in golds],
        "concept": [bool(gold.concepts & seen.concepts) for gold in golds],
    }
    return tuple(
        _group(f"{kind} {label}", golds, predictions, [is_seen == wanted for is_seen in seen_mentions])
        for kind, seen_mentions in groups.items()
        for label, wanted in (("seen", True), ("unseen", False))
    )


def type_groups(golds: Sequence[Gold], predictions: Sequence[Predicted]) -> tuple[Group, ...]:
    """Accuracy per mention type in alphabetical order; empty if there is only one type."""
    types = sorted({gold.type for gold in golds})
    if len(types) < 2:
        return ()
    return tuple(
        _group(type or "(no type)", golds, predictions, [gold.type == type for gold in golds])
        for type in types
    )


def _group(
    label: str, golds: Sequence[Gold], predictions: Sequence[Predicted], members: Sequence[bool]
) -> Group:
    places = [i for i, gold in enumerate(golds) if gold.concepts and members[i]]
    own, answers = [golds[i] for i in places], [predictions[i] for i in places]
    documents = [gold.document for gold in own]
    return Group(
        label,
        share("strict accuracy", strict(own, answers), documents),
        share("lenient accuracy", lenient(own, answers), documents),
    )


def calibration(golds: Sequence[Gold], predictions: Sequence[Predicted]) -> Calibration | None:
    """Over all mentions with a probability, gold NIL included, "right" as in `strict`; None if there are none."""
    places = [i for i, answer in enumerate(predictions) if answer.probability is not None]
    if not places:
        return None
    verdicts = strict(golds, predictions)
    right = [verdicts[i] for i in places]
    probabilities = [cast(float, predictions[i].probability) for i in places]
    documents = [golds[i].document for i in places]
    return Calibration(
        expected_calibration_error(probabilities, right, documents),
        tuple(reliability(probabilities, right)),
        tuple(
            (precision, *coverage_at_precision(probabilities, right, precision=precision, total=len(golds)))
            for precision in _PRECISIONS
        ),
    )
