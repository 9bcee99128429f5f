"""Checks that a corpus can be scored: it has gold concepts, and the terminologies have them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from linnet.advice import Step
from linnet.errors import RequestError
from linnet.evaluate.gold import Gold, Predicted, gold_mentions
from linnet.evaluate.protocols import Protocol
from linnet.plural import counted
from linnet.terminology import Terminology
from linnet.terminology.overlap import check_overlap, examples
from linnet.types import Document

__all__ = ["check_gold", "check_vocabularies"]

_WITHOUT_CONCEPTS = frozenset({"end-to-end", "nil"})


def check_gold(
    documents: Sequence[Document],
    rules: Sequence[Protocol],
    terminologies: Sequence[Terminology],
    *,
    types: Collection[str] = (),
    corpus: str = "corpus",
    allow_missing: bool = False,
) -> None:
    """Raise RequestError if scores would be meaningless, that is, if

    - there is no gold mention (of `types`);
    - no mention has a concept, and a rule scores more than spans or NIL;
    - fewer than a tenth of the gold ids are in the terminologies, unless `allow_missing`.
    """
    mentions = list(gold_mentions(documents, types=types))
    if not mentions:
        known_types = sorted({mention.type for mention in gold_mentions(documents)})
        if types and known_types:
            raise RequestError(
                f"No gold mention has type {', '.join(types)}. The corpus has: {', '.join(known_types)}."
            )
        raise RequestError(
            "The corpus has no gold mentions, so there is nothing to score. Give an annotated corpus."
        )
    ids = {id for mention in mentions for id in mention.concepts}
    if not ids and not all(rule.scoring in _WITHOUT_CONCEPTS for rule in rules):
        raise RequestError(
            f"{corpus} has {counted(len(mentions), 'gold mentions')} but no concept, so links cannot be scored. "
            "Give a corpus with concept ids.",
            Step.SCORE_SPANS(),
        )
    if terminologies and not allow_missing:
        try:
            check_overlap(ids, terminologies, whose=corpus)
        except RequestError as error:
            raise RequestError(error.message, *error.advice, Step.ALLOW_MISSING()) from None


def check_vocabularies(golds: Sequence[Gold], predictions: Sequence[Predicted], *, system: str) -> None:
    """Raise RequestError if predicted and gold ids share no vocabulary, so that no answer can be right."""
    gold_ids = sorted({id for gold in golds for id in gold.concepts})
    predicted_ids = sorted({id for predicted in predictions for id in predicted.concepts})
    if not gold_ids or not predicted_ids or _prefixes(gold_ids) & _prefixes(predicted_ids):
        return
    raise RequestError(
        f"'{system}' predicts concepts of a different vocabulary, so none can be right: it has "
        f"{', '.join(examples(predicted_ids))}; the gold has {', '.join(examples(gold_ids))}. Translate its ids, or give a "
        "terminology that holds both.",
        Step.ALLOW_MISSING(),
    )


def _prefixes(ids: Sequence[str]) -> set[str]:
    return {id.partition(":")[0] if ":" in id else "" for id in ids}
