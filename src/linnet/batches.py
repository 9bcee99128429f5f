"""Documents in batches that are worked on together, of bounded size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from linnet.types import Document

__all__ = ["CHARACTERS", "DOCUMENTS", "batches"]

# Linked together: enough documents to share work between their mentions, little enough text to stay in memory.
DOCUMENTS = 512
CHARACTERS = 500_000


def batches(
    documents: Iterable[Document], *, characters: int, most: int | None = None
) -> Iterator[list[Document]]:
    """Lists of documents in their order, each of at most `most` documents that end with the one that reaches `characters`.

    Consecutive documents that share an id stay together, however many they are: they share their abbreviations.
    """
    batch: list[Document] = []
    length = 0
    for document in documents:
        full = length >= characters or (most is not None and len(batch) >= most)
        if batch and full and not (document.id and document.id == batch[-1].id):
            yield batch
            batch, length = [], 0
        batch.append(document)
        length += len(document.text)
    if batch:
        yield batch
