"""What a corpus shares with the data a system was trained on, and what the terminology can cover at all."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from linnet.evaluate.gold import Gold
from linnet.evaluate.subsets import seen_in
from linnet.text import tokens
from linnet.types import Document

__all__ = ["LeakAudit", "SharedDocument", "audit", "near_identical"]

_SHINGLE = 5  # words; long enough that stock phrases of abstracts are rarely shared
_ALIKE = 0.5  # Jaccard similarity of shingle sets; a re-edited abstract keeps more than half, unrelated ones under 2 %
_COMMON = 50  # a shingle in more documents than this is boilerplate and proposes no pair


@dataclass(frozen=True, slots=True)
class SharedDocument:
    """A document of the corpus that is, nearly, in the training data. similarity 1 means the same id or the same words."""

    document: str
    train_document: str
    similarity: float


@dataclass(frozen=True, slots=True)
class LeakAudit:
    """Counts to read before any score. The `seen_` counts are None where no training corpus is named."""

    documents: int
    mentions: int
    without_concept: int
    gold_concepts: int
    covered_mentions: int | None
    covered_concepts: int | None
    outside_examples: tuple[str, ...]
    train_documents: int | None
    seen_surface_mentions: int | None
    seen_concept_mentions: int | None
    seen_pair_mentions: int | None
    shared_documents: tuple[SharedDocument, ...]


def audit(
    documents: Sequence[Document],
    golds: Sequence[Gold],
    *,
    train_documents: Sequence[Document] | None = None,
    train_golds: Sequence[Gold] = (),
    known: Callable[[str], bool] | None = None,
) -> LeakAudit:
    """Surface, concept, (surface, concept) and document overlap with train, and gold coverage by a terminology.

    known  whether the terminology has a concept; None where there is no terminology

    Overlaps count mentions with a gold concept; a mention is covered when all its concepts are known.
    """
    having = [gold for gold in golds if gold.concepts]
    ids = {id for gold in having for id in gold.concepts}
    outside = Counter(id for gold in having for id in gold.concepts if known and not known(id))
    seen = seen_in(train_golds)
    pairs = {(gold.surface, id) for gold in train_golds for id in gold.concepts}
    trained = train_documents is not None
    return LeakAudit(
        documents=len(documents),
        mentions=len(golds),
        without_concept=len(golds) - len(having),
        gold_concepts=len(ids),
        covered_mentions=sum(all(map(known, gold.concepts)) for gold in having) if known else None,
        covered_concepts=len(ids) - len(outside) if known else None,
        outside_examples=tuple(
            id for id, _ in sorted(outside.items(), key=lambda item: (-item[1], item[0]))[:10]
        ),
        train_documents=len(train_documents) if train_documents is not None else None,
        seen_surface_mentions=sum(g.surface in seen.surfaces for g in having) if trained else None,
        seen_concept_mentions=sum(bool(g.concepts & seen.concepts) for g in having) if trained else None,
        seen_pair_mentions=(
            sum(any((g.surface, id) in pairs for id in g.concepts) for g in having) if trained else None
        ),
        shared_documents=tuple(near_identical(documents, train_documents or ())),
    )


def near_identical(documents: Sequence[Document], train: Sequence[Document]) -> list[SharedDocument]:
    """Documents with an id, or half of their five-word sequences, in common with a training document.

    In the order of `documents`, each with the most similar training document (ties: the first).
    """
    ids = {document.id: i for i, document in enumerate(train) if document.id}
    shingles = [_shingles(document.text) for document in train]
    places: defaultdict[int, list[int]] = defaultdict(list)
    for i, own in enumerate(shingles):
        for shingle in own:
            places[shingle].append(i)
    shared = []
    for document in documents:
        if document.id in ids:
            shared.append(SharedDocument(document.id, document.id, 1.0))
            continue
        own = _shingles(document.text)
        common = Counter(
            i for shingle in own if len(places.get(shingle, ())) <= _COMMON for i in places.get(shingle, ())
        )
        best = max(((_jaccard(own, shingles[i]), -i) for i in common), default=(0.0, 0))
        if best[0] >= _ALIKE:
            shared.append(SharedDocument(document.id, train[-best[1]].id, best[0]))
    return shared


def _shingles(text: str) -> frozenset[int]:
    words = tokens(text)
    if not words:
        return frozenset()
    return frozenset(hash(tuple(words[i : i + _SHINGLE])) for i in range(max(1, len(words) - _SHINGLE + 1)))


def _jaccard(a: frozenset[int], b: frozenset[int]) -> float:
    return len(a & b) / len(a | b)
