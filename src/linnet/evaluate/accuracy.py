"""Whether each answer is right, under three definitions of "right"."""

from __future__ import annotations

from collections.abc import Sequence

from linnet.evaluate.gold import Gold, Predicted

__all__ = ["lenient", "overlap", "strict"]


def strict(golds: Sequence[Gold], predictions: Sequence[Predicted]) -> list[bool]:
    """Whether the emitted concepts are exactly the gold concepts (none for NIL)."""
    return [predicted.concepts == gold.concepts for gold, predicted in zip(golds, predictions, strict=True)]


def overlap(golds: Sequence[Gold], predictions: Sequence[Predicted]) -> list[bool]:
    """Whether any emitted concept is a gold concept (`any` in reports). A strictly right answer counts, except NIL."""
    return [
        bool(predicted.concepts & gold.concepts) for gold, predicted in zip(golds, predictions, strict=True)
    ]


def lenient(golds: Sequence[Gold], predictions: Sequence[Predicted]) -> list[bool]:
    """Whether every top name means a gold concept, and the top names together mean all gold concepts.

    A name means all concepts it belongs to, so a homonym is right if one of them is gold. Where the gold concepts
    describe the mention only together (`+`), one suffices, as in BioSyn. NIL is never right.
    Source: Sung et al. 2020 (BioSyn) and Liu et al. 2021 (SapBERT). Differs: they split a composite by the gold's count.
    """
    return [_lenient(gold, predicted) for gold, predicted in zip(golds, predictions, strict=True)]


def _lenient(gold: Gold, predicted: Predicted) -> bool:
    answers = predicted.answers
    meant = frozenset[str]().union(*answers)
    if gold.combined:
        return bool(meant & gold.concepts)
    return bool(answers) and all(answer & gold.concepts for answer in answers) and gold.concepts <= meant
