"""Training data: a terminology and annotated documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from linnet.active.learned_items import Blocked
from linnet.link import Linker
from linnet.terminology import Terminology
from linnet.types import Document

__all__ = ["UNCHANGED", "Progress", "TrainingData", "checked", "resolved", "stage"]

UNCHANGED = "unchanged"
"""Source of mentions that a person accepted with their whole document, without a change."""

Progress = Callable[[float, str], None]
"""`progress(share, message)`: what is done, 0 to 1, and what is being done; raises if the job was cancelled."""


@dataclass(frozen=True, slots=True)
class TrainingData:
    """What learners learn from.

    documents  accepted, so completely annotated; gold and user mentions only, also those accepted unchanged, which are the model's own
               guesses: they say where mentions are, but not what they mean, see `checked`; none is held out
    partial    not accepted, with users' annotations: those are right, but some are missing
    linker     of the terminology alone
    others     the texts of `documents` as other annotators accepted them: more evidence for names and mentions
    blocked    what users removed from what was learnt before
    strings    approved strings of a mapping, each a document with one mention: they say what names mean, but nothing of texts
    """

    terminology: Terminology
    types: tuple[str, ...]
    documents: Sequence[Document]
    partial: Sequence[Document]
    linker: Linker
    others: Sequence[Document] = ()
    blocked: Blocked = field(default_factory=Blocked)
    strings: Sequence[Document] = ()

    @property
    def mentions(self) -> int:
        """Number of mentions to learn from."""
        return sum(
            len(document.mentions)
            for document in (*self.documents, *self.others, *self.partial, *self.strings)
        )


def resolved(document: Document, terminology: Terminology) -> Document:
    """The document with retired concept ids replaced by current ones; unknown ids stay."""
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


def checked(document: Document) -> Document:
    """The document without the mentions that were accepted unchanged: a model must neither learn links from its own guesses nor be
    measured by them."""
    return document.with_mentions([mention for mention in document.mentions if mention.source != UNCHANGED])


def stage(progress: Progress, low: float, high: float) -> Progress:
    """Progress of a stage of the work, which runs from `low` to `high`."""
    return lambda share, message: progress(low + (high - low) * share, message)
