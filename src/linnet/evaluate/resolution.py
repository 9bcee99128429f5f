"""Old and alternative ids brought to current ones before anything is compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from linnet.evaluate.gold import Gold, Predicted

__all__ = ["Resolve", "as_they_are", "current", "settle", "settled_answers"]

Resolve = Callable[[str], tuple[str, ...]]  # current ids of an id; empty when unknown


def as_they_are(id: str) -> tuple[str, ...]:
    """Every id stands for itself: what is used where no terminology is given."""
    return (id,)


def current(ids: Iterable[str], resolve: Resolve) -> frozenset[str]:
    """All current ids of some ids; an unknown id stays as it is."""
    return frozenset(now for id in ids for now in (resolve(id) or (id,)))


def settled_answers(predictions: Sequence[Predicted], resolve: Resolve) -> list[Predicted]:
    """Answers with current ids. An id that was replaced by several becomes the first of them."""
    return [_answer(predicted, resolve) for predicted in predictions]


def _answer(predicted: Predicted, resolve: Resolve) -> Predicted:
    def now(id: str) -> str:
        return (resolve(id) or (id,))[0]

    return replace(
        predicted,
        concepts=frozenset(map(now, predicted.concepts)),
        ranked=tuple(tuple(dict.fromkeys(map(now, group))) for group in predicted.ranked),
        parts=tuple(_answer(part, resolve) for part in predicted.parts),
    )


def settle(golds: Sequence[Gold], offered: Sequence[Sequence[str]], resolve: Resolve) -> list[Gold]:
    """Gold with current ids.

    offered  per mention, what the system proposes, best first

    An id that now stands for several concepts was never meant to ask for all of them: it becomes the one the system
    ranks highest and no other gold id has taken, or the first where it proposes none.
    """
    return [_settle(gold, order, resolve) for gold, order in zip(golds, offered, strict=True)]


def _settle(gold: Gold, offered: Sequence[str], resolve: Resolve) -> Gold:
    choices = sorted((resolve(id) or (id,) for id in sorted(gold.concepts)), key=len)
    taken: set[str] = set()
    for choice in choices:
        if len(choice) == 1:
            taken.add(choice[0])
            continue
        free = [id for id in choice if id not in taken] or list(choice)
        taken.add(next((id for id in offered if id in free), free[0]))
    return replace(gold, concepts=frozenset(taken)) if taken != gold.concepts else gold
