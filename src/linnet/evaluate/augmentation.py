"""Corpus mentions as names of their concepts, for the `augmented` protocol."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from linnet.errors import RequestError
from linnet.evaluate.gold import gold_mentions
from linnet.terminology import Terminology
from linnet.terminology.overlap import check_overlap
from linnet.types import Document, Mention

__all__ = ["augmentation_pairs", "check_pairs"]


def check_pairs(
    pairs: Collection[tuple[str, str]], terminology: Terminology, *, whose: str, allow_missing: bool = False
) -> None:
    """Raise RequestError where there is no pair, or, unless `allow_missing`, hardly a pair's concept in the terminology.

    whose  where the pairs come from, for the message
    """
    if not pairs:
        raise RequestError(
            f"{whose} has no mention with a concept that could become a name. Give a corpus with concept ids, or other types."
        )
    if not allow_missing:
        try:
            check_overlap((concept for _, concept in pairs), [terminology], whose=whose)
        except RequestError as error:
            raise RequestError(f"{error} To add what there is, add --allow-missing.") from None


def augmentation_pairs(
    documents: Iterable[Document],
    *,
    types: Collection[str] = (),
    expand: Callable[[Mention], str] | None = None,
) -> list[tuple[str, str]]:
    """(name, concept) pairs for a dictionary, each once, in the order they first occur.

    types   only mentions of these types
    expand  the mention's text with abbreviations of its document written out; where it differs from the text, both
            become names

    A composite gives each part's text to the part's concept where the corpus says which is which
    (`mention.extra["parts"]`, as many texts as concepts), else nothing. Concepts that describe a mention only
    together (`extra["combined"]`) give nothing.
    """
    pairs: dict[tuple[str, str], None] = {}
    for mention in gold_mentions(documents, types=types):
        if not mention.concepts or mention.extra.get("combined"):
            continue
        if len(mention.concepts) == 1:
            names = [mention.text, expand(mention) if expand else mention.text]
            found = [(name, mention.concepts[0]) for name in names]
        else:
            parts = tuple(mention.extra.get("parts") or ())
            found = (
                list(zip(parts, mention.concepts, strict=True)) if len(parts) == len(mention.concepts) else []
            )
        for name, concept in found:
            if name := " ".join(str(name).split()):
                pairs[name, concept] = None
    return list(pairs)
