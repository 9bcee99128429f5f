"""Whether a corpus can be scored: it has gold, and the terminologies have its concepts."""

from __future__ import annotations

from collections.abc import Collection, Sequence

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
    """Raise RequestError where scores would mean nothing.

    That is where there is no gold mention (of `types`); where no mention has a concept, unless the rules score spans or NIL
    alone; and, unless `allow_missing`, where fewer than a tenth of the gold ids are in the terminologies.
    """
    mentions = list(gold_mentions(documents, types=types))
    if not mentions:
        there = sorted({mention.type for mention in gold_mentions(documents)})
        if types and there:
            raise RequestError(
                f"No gold mention of type {', '.join(types)}. The corpus has: {', '.join(there)}."
            )
        raise RequestError(
            "The corpus has no gold mentions, so there is nothing to score. Give an annotated corpus."
        )
    ids = {id for mention in mentions for id in mention.concepts}
    if not ids and not all(rule.scoring in _WITHOUT_CONCEPTS for rule in rules):
        raise RequestError(
            f"{corpus} has {counted(len(mentions), 'gold mentions')} and not one has a concept, so links cannot be scored. "
            "Give a corpus with concept ids; to score spans or NIL alone, name --protocol end-to-end or --protocol nil."
        )
    if terminologies and not allow_missing:
        try:
            check_overlap(ids, terminologies, whose=corpus)
        except RequestError as error:
            raise RequestError(f"{error} To score it all the same, add --allow-missing.") from None


def check_vocabularies(golds: Sequence[Gold], predictions: Sequence[Predicted], *, system: str) -> None:
    """Raise RequestError where all predicted ids are of other vocabularies than all gold ids, so that none can be right."""
    gold_ids = sorted({id for gold in golds for id in gold.concepts})
    predicted_ids = sorted({id for predicted in predictions for id in predicted.concepts})
    if not gold_ids or not predicted_ids or _prefixes(gold_ids) & _prefixes(predicted_ids):
        return
    raise RequestError(
        f"'{system}' predicts concepts of other vocabularies than the gold, so none can be right: it has "
        f"{', '.join(examples(predicted_ids))}; the gold has {', '.join(examples(gold_ids))}. Translate its ids, or name a "
        "terminology that holds both: --terminology DIR. To score it all the same, add --allow-missing."
    )


def _prefixes(ids: Sequence[str]) -> set[str]:
    return {id.partition(":")[0] if ":" in id else "" for id in ids}
