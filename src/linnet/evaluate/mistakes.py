"""What kind of mistakes a system makes, with examples: each wrong mention in exactly one class."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from linnet.evaluate.accuracy import lenient, strict
from linnet.evaluate.gold import Gold, Predicted
from linnet.evaluate.hierarchy import Hierarchy
from linnet.evaluate.score import Score, mean

__all__ = ["KINDS", "Kind", "Mistake", "Mistakes", "find_mistakes"]

# class → what it says to a reader; of several that fit, the first is taken
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
    """A wrong answer; equal ones (surface, gold, answer) are one with a count.

    matched  the dictionary name the answer came through, "" when the system does not say
    rank     best place of a gold concept among the candidates, 0 when none is there
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
    """A class of mistakes: how many, and their mean Wu–Palmer similarity (None where it is not defined)."""

    name: str
    count: int
    similarity: float | None


@dataclass(frozen=True, slots=True)
class Mistakes:
    """All mistakes under `strict`.

    kinds       in the order of `KINDS`, those that occur
    gold_at     where the best-placed gold concept of a wrong answer was: rank 1 (one of a composite), 2–5, …, not retrieved
    examples    distinct mistakes, the most frequent first
    wu_palmer   mean similarity over mentions with one gold concept, right ones included; without value where no
                gold concept is in the hierarchy
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
    """Classify what is wrong under `strict`; mentions without a gold concept are left out."""
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
    """Mean over mentions with one gold concept that has a place in the hierarchy; NIL counts 0."""
    values, documents = [], []
    for gold, answer in pairs:
        (concept, *others) = gold.concepts
        if not others and tree.places(concept):
            values.append(max((tree.wu_palmer(concept, said) for said in answer.concepts), default=0.0))
            documents.append(gold.document)
    return mean("Wu–Palmer", values, documents)


def _mistake(
    gold: Gold,
    answer: Predicted,
    known: Callable[[str], bool] | None,
    name: Callable[[str], str],
    tree: Hierarchy,
) -> Mistake:
    true, said = tuple(sorted(gold.concepts)), tuple(sorted(answer.concepts))
    single = len(true) == 1 and len(said) == 1
    ranks = [rank for id in true if (rank := answer.rank(id))]
    return Mistake(
        kind=_kind(gold, answer, known, tree),
        document=gold.document,
        text=gold.text,
        gold=true,
        gold_names=tuple(map(name, true)),
        predicted=said,
        predicted_names=tuple(map(name, said)),
        matched="; ".join(one.names[0] for one in (answer.parts or (answer,)) if one.names and one.concepts),
        rank=min(ranks, default=0),
        similarity=tree.wu_palmer(true[0], said[0])
        if single and tree.places(true[0]) and tree.places(said[0])
        else None,
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
