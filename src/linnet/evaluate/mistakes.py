"""Mistakes of a system by class, with examples. Each wrong mention is in exactly one class."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from linnet.evaluate.accuracy import lenient, strict
from linnet.evaluate.gold import Gold, Predicted
from linnet.evaluate.hierarchy import Hierarchy
from linnet.evaluate.score import Score, mean

__all__ = ["KINDS", "Kind", "Mistake", "Mistakes", "find_mistakes"]

# class → explanation for the reader; the first class that fits is taken
KINDS = {
    "outside the terminology": "a gold concept is not in the terminology: no answer could be right",
    "nothing emitted": "NIL where there is a gold concept",
    "homonym": "the name is right but belongs to several concepts, and another was chosen",
    "composite, incomplete": "some of the gold concepts of a composite are missing, none is wrong",
    "composite, wrong": "a composite with a wrong concept",
    "split too far": "one gold concept, several emitted",
    "too broad: parent": "the predicted concept is a parent of the gold concept",
    "too narrow: child": "the predicted concept is a child of the gold concept",
    "sibling": "both share a parent",
    "too broad: ancestor": "the predicted concept is an ancestor further up",
    "too narrow: descendant": "the predicted concept is a descendant further down",
    "unrelated": "elsewhere in the hierarchy",
    "not in the hierarchy": "one of the two has no parents here, so nothing can be said",
}
_RELATION = {
    "parent": "too broad: parent",
    "child": "too narrow: child",
    "ancestor": "too broad: ancestor",
    "descendant": "too narrow: descendant",
}
_BANDS = ((5, "rank 2–5"), (20, "rank 6–20"), (64, "rank 21–64"))


@dataclass(frozen=True, slots=True)
class Mistake:
    """A wrong answer; `count` says how often it occurs with the same surface, gold and answer.

    matched  the dictionary name behind the answer, "" if the system does not give it
    rank     best rank of a gold concept among the candidates, 0 for none
    """

    kind: str
    document: str
    text: str
    gold: tuple[str, ...]
    gold_names: tuple[str, ...]
    predicted: tuple[str, ...]
    predicted_names: tuple[str, ...]
    matched: str
    rank: int
    similarity: float | None
    count: int = 1


@dataclass(frozen=True, slots=True)
class Kind:
    """A class of mistakes: their number and mean Wu–Palmer similarity (None if undefined)."""

    name: str
    count: int
    similarity: float | None


@dataclass(frozen=True, slots=True)
class Mistakes:
    """All mistakes under `strict`.

    kinds      those that occur, in the order of `KINDS`
    gold_at    rank of the best-placed gold concept of wrong answers: 1 (one of a composite), 2–5, …, not retrieved
    examples   distinct mistakes, the most frequent first
    wu_palmer  mean similarity over mentions with one gold concept, right answers included; no value if no gold
               concept is in the hierarchy
    """

    total: int
    kinds: tuple[Kind, ...]
    gold_at: tuple[tuple[str, int], ...]
    examples: tuple[Mistake, ...]
    wu_palmer: Score


def find_mistakes(
    golds: Sequence[Gold],
    predictions: Sequence[Predicted],
    *,
    known: Callable[[str], bool] | None = None,
    name: Callable[[str], str] = lambda id: "",
    hierarchy: Hierarchy | None = None,
) -> Mistakes:
    """Classify the answers that are wrong under `strict`; mentions without a gold concept are ignored."""
    tree = hierarchy or Hierarchy(lambda id: ())
    pairs = [(gold, answer) for gold, answer in zip(golds, predictions, strict=True) if gold.concepts]
    verdicts = strict([gold for gold, _ in pairs], [answer for _, answer in pairs])
    wrong = [
        _mistake(gold, answer, known, name, tree)
        for (gold, answer), ok in zip(pairs, verdicts, strict=True)
        if not ok
    ]
    counts: defaultdict[str, list[float | None]] = defaultdict(list)
    for mistake in wrong:
        counts[mistake.kind].append(mistake.similarity)
    same: dict[tuple[str, tuple[str, ...], tuple[str, ...]], Mistake] = {}
    for mistake in wrong:
        key = (mistake.text.lower(), mistake.gold, mistake.predicted)
        before = same.get(key)
        same[key] = replace(before, count=before.count + 1) if before else mistake
    bands = Counter(_band(mistake.rank) for mistake in wrong)
    order = ("rank 1", *(label for _, label in _BANDS), "beyond rank 64", "not retrieved")
    return Mistakes(
        len(wrong),
        tuple(Kind(kind, len(counts[kind]), _mean(counts[kind])) for kind in KINDS if kind in counts),
        tuple((band, bands[band]) for band in order if bands[band]),
        tuple(sorted(same.values(), key=lambda m: (-m.count, m.text.lower(), m.gold, m.predicted))),
        _wu_palmer(pairs, tree),
    )


def _wu_palmer(pairs: Sequence[tuple[Gold, Predicted]], tree: Hierarchy) -> Score:
    """Mean over mentions whose only gold concept is in the hierarchy; NIL counts 0."""
    values, documents = [], []
    for gold, answer in pairs:
        (concept, *others) = gold.concepts
        if not others and tree.places(concept):
            values.append(max((tree.wu_palmer(concept, id) for id in answer.concepts), default=0.0))
            documents.append(gold.document)
    return mean("Wu–Palmer", values, documents)


def _mistake(
    gold: Gold,
    answer: Predicted,
    known: Callable[[str], bool] | None,
    name: Callable[[str], str],
    tree: Hierarchy,
) -> Mistake:
    expected, predicted = tuple(sorted(gold.concepts)), tuple(sorted(answer.concepts))
    comparable = len(expected) == len(predicted) == 1 and all(map(tree.places, expected + predicted))
    ranks = [rank for id in expected if (rank := answer.rank(id))]
    named = [part.names[0] for part in (answer.parts or (answer,)) if part.names and part.concepts]
    return Mistake(
        kind=_kind(gold, answer, known, tree),
        document=gold.document,
        text=gold.text,
        gold=expected,
        gold_names=tuple(map(name, expected)),
        predicted=predicted,
        predicted_names=tuple(map(name, predicted)),
        matched="; ".join(named),
        rank=min(ranks, default=0),
        similarity=tree.wu_palmer(expected[0], predicted[0]) if comparable else None,
    )


def _kind(gold: Gold, answer: Predicted, known: Callable[[str], bool] | None, tree: Hierarchy) -> str:
    if known is not None and not all(map(known, gold.concepts)):
        return "outside the terminology"
    if not answer.concepts:
        return "nothing emitted"
    if not gold.combined and lenient([gold], [answer])[0]:
        return "homonym"
    if len(gold.concepts) > 1:
        return "composite, incomplete" if answer.concepts < gold.concepts else "composite, wrong"
    if len(answer.concepts) > 1:
        return "split too far"
    relation = tree.relation(*gold.concepts, *answer.concepts)
    return _RELATION.get(relation, relation)


def _band(rank: int) -> str:
    if rank <= 1:
        return "rank 1" if rank else "not retrieved"
    return next((label for limit, label in _BANDS if rank <= limit), "beyond rank 64")


def _mean(values: Sequence[float | None]) -> float | None:
    given = [value for value in values if value is not None]
    return sum(given) / len(given) if given else None
