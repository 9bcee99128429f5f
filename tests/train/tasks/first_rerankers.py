"""A home for rerankers that stand behind another: a terminology, a corpus, and a listwise reranker trained on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from linnet import corpora
from linnet.io.settings_files import settings_from
from linnet.link.indexing import build_indexes
from linnet.terminology import write_terminology
from linnet.types import Concept, Document, Mention

RETRIEVERS = ("exact", "char")


def data(home: Path, *, candidates: int) -> dict[str, Any]:
    """The section `[data]` of a listwise reranker that learns from the corpus in three folds."""
    return {
        "sources": [{"corpora": [str(home / "c.jsonl")], "terminology": str(home / "t")}],
        "folds": 3,
        "candidates": candidates,
        "retrievers": list(RETRIEVERS),
        "place": str(home / "folds"),
        "lists": 8,
    }


def fill(
    home: Path,
    concepts: Sequence[Concept],
    sentences: Sequence[tuple[str, str, str]],
    section: Mapping[str, Any],
) -> None:
    """Write a terminology `t`, a corpus of 30 documents, and a listwise reranker `first`, which compares characters.

    sentences  (text, mention in it, concept), a document for each, in turn
    """
    import torch

    from linnet.train.tasks.listwise import ListwiseSettings, ListwiseTask

    build_indexes(write_terminology(concepts, home / "t", sources=[]), RETRIEVERS)
    documents = []
    for number in range(30):
        text, word, concept = sentences[number % len(sentences)]
        at = text.index(word)
        mention = Mention(Document("", text), at, at + len(word), word, "", (concept,))
        documents.append(Document(str(number), text, (mention,)))
    corpora.write(documents, home / "c.jsonl", format="jsonl")
    torch.manual_seed(0)
    table = {"task": "listwise", "output": "out", "data": section, "scorer": {"hidden": 0}}
    ListwiseTask.prepare(settings_from(table, ListwiseSettings)).save(
        home / "first", card="# First\n", training={}
    )


def mentions(sentences: Sequence[tuple[str, str, str]]) -> list[Mention]:
    """Each sentence's mention, with the text around it."""
    return [
        Mention.alone(word, left=text.partition(word)[0], right=text.partition(word)[2])
        for text, word, _ in sentences
    ]
