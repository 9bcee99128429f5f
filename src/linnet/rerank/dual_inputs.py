"""The inputs of a dual encoder: a mention in its sentence, and a concept described by its type and names.

Training and linking use the same inputs.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from linnet.read.abbreviations import abbreviations_by_document, document_key
from linnet.terminology import Terminology
from linnet.types import Mention
from linnet.words.sentences import split_sentences
from linnet.words.text import fold

__all__ = ["DescribedConcept", "MentionInContext", "describe_concept", "mentions_in_context"]


class MentionInContext(NamedTuple):
    """A mention with the rest of its sentence before and after it, all in `linnet.words.text.fold` form."""

    left: str
    text: str
    right: str


class DescribedConcept(NamedTuple):
    """A concept's semantic type, "" when unknown, and its names, the preferred one first, in `fold` form."""

    type: str
    names: tuple[str, ...]


def mentions_in_context(
    mentions: Sequence[Mention], texts: Sequence[str], *, defining: Sequence[Mention] | None = None
) -> list[MentionInContext]:
    """Each mention with the rest of its sentence, or of all sentences it touches.

    texts     replace the mentions' own texts: abbreviations expanded
    defining  mentions whose documents define abbreviations; they are expanded in the context too. None: the context stays
              as it is
    """
    abbreviations = {} if defining is None else abbreviations_by_document(defining)
    sentences: dict[int, list[tuple[int, int]]] = {}
    contexts = []
    for mention, text in zip(mentions, texts, strict=True):
        document = mention.document
        if id(document) not in sentences:
            sentences[id(document)] = split_sentences(document.text)
        start, end = _sentence_span(sentences[id(document)], mention.start, mention.end)
        left, right = document.text[start : mention.start], document.text[mention.end : end]
        if (known := abbreviations.get(document_key(mention))) is not None:
            left, right = known.expand(left), known.expand(right)
        contexts.append(MentionInContext(fold(left), fold(text), fold(right)))
    return contexts


def _sentence_span(sentences: Sequence[tuple[int, int]], start: int, end: int) -> tuple[int, int]:
    """The start of the first sentence that the span touches, and the end of the last."""
    if not sentences:
        return start, end
    begins = [begin for begin, _ in sentences]
    first = max(bisect_right(begins, start) - 1, 0)
    last = max(bisect_right(begins, max(end - 1, start)) - 1, 0)
    return min(sentences[first][0], start), max(sentences[last][1], end)


def describe_concept(terminology: Terminology, row: int, *, names: int) -> DescribedConcept:
    """A concept by its types, joined by spaces, and at most `names` distinct names."""
    texts = map(fold, terminology.names.take(terminology.name_rows(row)[: 4 * names]))
    return DescribedConcept(fold(" ".join(terminology.types(row))), tuple(dict.fromkeys(texts))[:names])
