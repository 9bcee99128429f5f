"""A system under test: its answers to the gold mentions, and how a linker gives them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from linnet.evaluate.gold import Gold, Predicted, gold_mentions, golds_of, predicted_of
from linnet.types import Document, Link, Mention

__all__ = ["LinksMentions", "Progress", "System", "ask", "blank"]

_BATCH = 1024  # mentions linked together; changes no answer
_K = 64  # the deepest figure reported is recall@64

Progress = Callable[[Sequence[Any], str, int], Iterable[Any]]


class LinksMentions(Protocol):
    """What evaluation needs of a linker."""

    def link(self, mentions: Sequence[Mention], *, k: int) -> list[Link]:
        """One link per mention, in order, with up to k candidates."""

    def annotate(self, text: Document) -> Document:
        """The document with the linker's own linked mentions instead of its own."""


@dataclass(frozen=True, slots=True)
class System:
    """A system's answers to the gold mentions of some documents.

    annotations  its annotations of the running text; None if not requested
    augmented    its answers with the training mentions in its dictionary; None if not requested
    """

    name: str
    predictions: Sequence[Predicted]
    annotations: Sequence[Gold] | None = None
    augmented: Sequence[Predicted] | None = None
    notes: tuple[str, ...] = ()


def ask(
    linker: LinksMentions,
    documents: Sequence[Document],
    *,
    name: str = "linnet",
    types: Collection[str] = (),
    recognise: bool = False,
    augmented: LinksMentions | None = None,
    progress: Progress = lambda batches, what, total: batches,
) -> System:
    """Link the gold mentions of the documents. The linker does not see their concepts.

    types      only mentions of these types
    recognise  also annotate the running text (for `end-to-end`)
    augmented  a linker whose dictionary also holds the training mentions
    progress   wraps the batches of what is linked or recognised, `total` items in all
    """

    def linked(by: LinksMentions) -> list[Predicted]:
        batches = [mentions[begin : begin + _BATCH] for begin in range(0, len(mentions), _BATCH)]
        shown = progress(batches, "mentions", len(mentions))
        return predicted_of([link for batch in shown for link in by.link(batch, k=_K)])

    bare = list(blank(documents))
    mentions = list(gold_mentions(bare, types=types))
    annotations = None
    if recognise:
        texts = progress([[document.with_mentions(())] for document in bare], "documents", len(bare))
        annotated = [linker.annotate(text) for [text] in texts]
        annotations = golds_of(mention for document in annotated for mention in document.mentions)
    return System(
        name,
        linked(linker),
        annotations,
        linked(augmented) if augmented else None,
    )


def blank(documents: Sequence[Document]) -> Iterator[Document]:
    """The documents without concepts and `extra`: a linker can see these through `mention.document`."""
    for document in documents:
        bare = tuple(replace(mention, concepts=(), extra={}) for mention in document.mentions)
        yield replace(document, mentions=bare, extra={})
