"""Whether a corpus can be scored: it has gold, and the terminologies have its concepts."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from linnet.errors import RequestError
from linnet.evaluate.gold import gold_mentions
from linnet.evaluate.protocols import Protocol
from linnet.terminology import Terminology
from linnet.terminology.overlap import check_overlap
from linnet.types import Document

__all__ = ["check_gold"]

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
            f"{corpus} has {len(mentions):,} gold mentions and not one has a concept, so links cannot be scored. "
            "Give a corpus with concept ids; to score spans or NIL alone, name --protocol end-to-end or --protocol nil."
        )
    if terminologies and not allow_missing:
        try:
            check_overlap(ids, terminologies, whose=corpus)
        except RequestError as error:
            raise RequestError(f"{error} To score it all the same, add --allow-missing.") from None
