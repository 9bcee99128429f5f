"""Resolution of retired and alternative ids to current ones, before anything is compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from linnet.evaluate.gold import Gold, Predicted

__all__ = ["Resolve", "current_ids", "resolve_answers", "resolve_gold"]

Resolve = Callable[[str], tuple[str, ...]]  # current ids of an id; empty if unknown


def current_ids(ids: Iterable[str], resolve: Resolve) -> frozenset[str]:
    """All current ids of some ids; an unknown id is kept."""
    return frozenset(now for id in ids for now in (resolve(id) or (id,)))


def resolve_answers(predictions: Sequence[Predicted], resolve: Resolve) -> list[Predicted]:
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


def resolve_gold(golds: Sequence[Gold], proposed: Sequence[Sequence[str]], resolve: Resolve) -> list[Gold]:
    """Gold with current ids.

    proposed  per mention, the concepts the system proposes, best first

    An id that was split into several concepts never asked for all of them. It becomes the concept that the system
    ranks highest and that no other gold id has taken, or the first if the system proposes none of them.
    """
    return [_resolve_gold(gold, order, resolve) for gold, order in zip(golds, proposed, strict=True)]


def _resolve_gold(gold: Gold, proposed: Sequence[str], resolve: Resolve) -> Gold:
    choices = sorted((resolve(id) or (id,) for id in sorted(gold.concepts)), key=len)
    taken: set[str] = set()
    for choice in choices:
        if len(choice) == 1:
            taken.add(choice[0])
            continue
        free = [id for id in choice if id not in taken] or list(choice)
        taken.add(next((id for id in proposed if id in free), free[0]))
    return replace(gold, concepts=frozenset(taken)) if taken != gold.concepts else gold
