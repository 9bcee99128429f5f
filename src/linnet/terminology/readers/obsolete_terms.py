"""Obsolete terms and alternative ids of an ontology, for OBO and OBO Graphs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from linnet.advice import Step
from linnet.plural import counted
from linnet.terminology.readers.entry import Entry
from linnet.terminology.readers.options import ReadOptions, SourceFile
from linnet.types import Concept

__all__ = ["concepts_of", "is_left_out", "tell_left_out"]


def concepts_of(
    entry: Entry, obsolete: bool, consider: Sequence[str], alternatives: Sequence[str], options: ReadOptions
) -> Iterator[Concept]:
    """The term as a concept or a retired id, then its alternative ids as retired ids.

    An obsolete term without successor is left out, and so is a term without a name (a reference to another ontology).
    With `suppressed`, an obsolete term stays a concept; its names lose the word "obsolete".
    """
    if obsolete and not options.suppressed:
        successors = entry.replaced_by or list(consider)
        if successors:
            yield Entry(entry.id, replaced_by=successors).concept()
        current = successors
    elif entry.names:
        if obsolete:
            entry.names = [name.removeprefix("obsolete ").removeprefix("OBSOLETE ") for name in entry.names]
        entry.replaced_by = []
        yield entry.concept()
        current = [entry.id]
    else:
        return
    if current:
        for id in alternatives:
            yield Entry(id, replaced_by=current).concept()


def is_left_out(entry: Entry, obsolete: bool, consider: Sequence[str], options: ReadOptions) -> bool:
    """Whether nothing of an obsolete term is kept, as it has no successor."""
    return obsolete and not options.suppressed and not entry.replaced_by and not consider


def tell_left_out(count: int, file: SourceFile) -> None:
    """Report the number of obsolete terms without a successor."""
    if count:
        file.tell(
            f"left out: {counted(count, 'obsolete terms without a successor')}.",
            Step.READ_THEM(suppressed=True),
        )
