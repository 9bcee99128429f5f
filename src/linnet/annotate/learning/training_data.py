"""What there is to learn from: a terminology and annotated documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from linnet.annotate.learning.learned_items import Blocked
from linnet.link import Linker
from linnet.terminology import Terminology
from linnet.types import Document

__all__ = ["Progress", "TrainingData", "resolved", "stage"]

Progress = Callable[[float, str], None]
"""`progress(progress, message)`: how far it is, 0 to 1, and what it does; raises where the job was cancelled."""


@dataclass(frozen=True, slots=True)
class TrainingData:
    """What learners may look at.

    documents  complete and checked, with GOLD and USER mentions only; none is held out
    partial    with what people annotated in documents that nobody has accepted: what is there is right, but not all
    linker     the terminology alone, which nothing has been learnt by
    others     the same texts as `documents`, as other annotators accepted them: further evidence for names, and for what is a
               mention at all
    blocked    what people have removed from what was learnt before
    """

    terminology: Terminology
    types: tuple[str, ...]
    documents: Sequence[Document]
    partial: Sequence[Document]
    linker: Linker
    others: Sequence[Document] = ()
    blocked: Blocked = field(default_factory=Blocked)

    @property
    def mentions(self) -> int:
        """Number of mentions to learn from."""
        return sum(len(document.mentions) for document in (*self.documents, *self.others, *self.partial))


def resolved(document: Document, terminology: Terminology) -> Document:
    """The document with retired concept ids as current ones; unknown ones stay."""
    mentions = [
        replace(
            mention,
            concepts=tuple(
                dict.fromkeys(
                    current for id in mention.concepts for current in terminology.resolve(id) or (id,)
                )
            ),
        )
        for mention in document.mentions
    ]
    return document.with_mentions(mentions)


def stage(progress: Progress, low: float, high: float) -> Progress:
    """Tells the progress of a part of the work, which takes it from `low` to `high`."""
    return lambda share, message: progress(low + (high - low) * share, message)
