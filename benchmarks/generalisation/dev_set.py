"""A dev set: mentions with gold concepts, and the terminology they are linked to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from linnet.retrieve.exact import ExactIndex
from linnet.terminology import Terminology
from linnet.types import Document, Mention
from linnet.words.text import simplify

__all__ = ["DevSet", "mention_document", "only"]


@dataclass(frozen=True)
class DevSet:
    """Mentions of one kind against one terminology.

    documents  their mentions are those that count, with gold concepts; NIL only in sets of strings
    unit       what is drawn in the bootstrap: "document", "sentence", "text" (of paragraphs) or "string"
    note       where the set is from, and what of it the shipped models have seen
    seen       the shipped encoder has learnt from its mentions or names
    held_out   its texts are names that were taken out of the terminology
    labels     (N,) of a set of strings: the difficulty of each
    """

    name: str
    title: str
    terminology: Terminology
    documents: tuple[Document, ...]
    note: str
    unit: str = "document"
    seen: bool = False
    held_out: bool = False
    labels: tuple[str, ...] = ()

    @property
    def mentions(self) -> list[Mention]:
        """All mentions in order."""
        return [mention for document in self.documents for mention in document.mentions]

    @property
    def of_strings(self) -> bool:
        """Whether it holds bare strings, each with a difficulty, some of them NIL."""
        return bool(self.labels)

    @property
    def units(self) -> list[str]:
        """(N,) the unit of each mention, for the bootstrap."""
        return [self.unit_of(mention.document) for mention in self.mentions]

    @property
    def distinct(self) -> list[int]:
        """The places of mentions that are no exact name, apart from case and punctuation, each text once a unit."""
        texts = [simplify(mention.text) for mention in self.mentions]
        starts, _ = ExactIndex.open(self.terminology).lookup(texts)
        first = {pair: place for place, pair in reversed([*enumerate(zip(self.units, texts, strict=True))])}
        return sorted(place for place in first.values() if starts[place] == starts[place + 1])

    def unit_of(self, document: Document) -> str:
        """The unit that a document belongs to. A paragraph `PMID-number` belongs to the text `PMID`."""
        return document.id.split("-")[0] if self.unit == "text" else document.id


def mention_document(
    text: str, concepts: Iterable[str], *, id: str, left: str = "", right: str = "", type: str = ""
) -> Document:
    """A document of one mention with its context and gold concepts."""
    mention = Mention.alone(text, left=left, right=right, document=id, type=type)
    return mention.document.with_mentions([replace(mention, concepts=tuple(concepts))])


def only(documents: Sequence[Document], type: str = "") -> tuple[Document, ...]:
    """The documents with their mentions of this type that have a concept; those without any left out."""
    kept = (
        document.with_mentions([m for m in document.mentions if m.concepts and type in ("", m.type)])
        for document in documents
    )
    return tuple(document for document in kept if document.mentions)
