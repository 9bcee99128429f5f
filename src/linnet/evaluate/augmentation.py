"""Names for the `augmented` protocol, taken from corpus mentions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from linnet.advice import Step
from linnet.errors import RequestError
from linnet.evaluate.gold import gold_mentions
from linnet.terminology import Terminology
from linnet.terminology.overlap import check_overlap
from linnet.types import Document, Mention

__all__ = ["augmentation_pairs", "check_pairs"]


def check_pairs(
    pairs: Collection[tuple[str, str]], terminology: Terminology, *, whose: str, allow_missing: bool = False
) -> None:
    """Raise RequestError if there are no pairs or, unless `allow_missing`, the terminology lacks nearly all their concepts.

    whose  the source of the pairs, for the message
    """
    if not pairs:
        raise RequestError(
            f"{whose} has no mention with a concept, so there are no names to add. Give a corpus with concept ids, or other types."
        )
    if not allow_missing:
        try:
            check_overlap((concept for _, concept in pairs), [terminology], whose=whose)
        except RequestError as error:
            raise RequestError(error.message, *error.advice, Step.ALLOW_MISSING()) from None


def augmentation_pairs(
    documents: Iterable[Document],
    *,
    types: Collection[str] = (),
    expand: Callable[[Mention], str] | None = None,
) -> list[tuple[str, str]]:
    """Distinct (name, concept) pairs in order of first occurrence.

    types   only mentions of these types
    expand  writes out the abbreviations in a mention's text; the expanded text becomes a name too

    A composite adds the text of each part for the concept of that part, if the corpus aligns them
    (`mention.extra["parts"]`, one text per concept); otherwise it adds nothing. Nor do concepts that describe the
    mention only together (`extra["combined"]`).
    """
    pairs: dict[tuple[str, str], None] = {}
    for mention in gold_mentions(documents, types=types):
        if not mention.concepts or mention.extra.get("combined"):
            continue
        if len(mention.concepts) == 1:
            names = [mention.text, expand(mention) if expand else mention.text]
            named = [(name, mention.concepts[0]) for name in names]
        else:
            parts = tuple(mention.extra.get("parts") or ())
            aligned = len(parts) == len(mention.concepts)
            named = list(zip(parts, mention.concepts, strict=True)) if aligned else []
        for name, concept in named:
            if name := " ".join(str(name).split()):
                pairs[name, concept] = None
    return list(pairs)
