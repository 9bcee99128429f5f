from __future__ import annotations

from linnet.batches import batches
from linnet.types import Document


def cut(ids: str, *, characters: int = 1000, most: int | None = None) -> list[str]:
    """The ids of each batch of documents of ten characters."""
    found = batches((Document(id, "x" * 10) for id in ids), characters=characters, most=most)
    return ["".join(document.id for document in batch) for batch in found]


def test_a_batch_ends_with_its_last_document_or_the_one_that_reaches_the_characters() -> None:
    assert cut("abcde", most=2) == ["ab", "cd", "e"]
    assert cut("abcde", characters=15) == ["ab", "cd", "e"]
    assert cut("abcde", characters=1) == ["a", "b", "c", "d", "e"]
    assert cut("abcde") == ["abcde"]
    assert cut("") == []


def test_consecutive_documents_of_one_id_stay_together() -> None:
    assert cut("aabbbc", most=2) == ["aa", "bbb", "c"]
    assert cut("abba", characters=1) == ["a", "bb", "a"]
