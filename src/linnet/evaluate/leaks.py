"""Overlap of a corpus with training data, and coverage of its gold concepts by the terminology."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from linnet.encode.model import MANIFEST, Model, open_model
from linnet.encode.named_models import model_place
from linnet.evaluate.gold import Gold
from linnet.evaluate.subsets import seen_in
from linnet.io.artifact import digest
from linnet.link import Linker
from linnet.recognise import recogniser_model
from linnet.retrieve.encoder_stamp import index_encoder
from linnet.types import Document
from linnet.words.text import tokens

__all__ = ["LeakAudit", "SharedDocument", "audit", "near_identical", "training_leaks"]

_SHINGLE = 5  # words; long enough that stock phrases of abstracts are rarely shared
_ALIKE = 0.5  # Jaccard similarity of shingle sets; re-edited abstracts share more than half, unrelated ones under 2 %
_COMMON = 50  # a shingle in more documents than this is boilerplate and is ignored


@dataclass(frozen=True, slots=True)
class SharedDocument:
    """A corpus document that is also, or nearly, in the training data. Similarity 1: same id or same words."""

    document: str
    train_document: str
    similarity: float


@dataclass(frozen=True, slots=True)
class LeakAudit:
    """Counts to read before any score. The `seen_` counts are None without a training corpus."""

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
    """Overlap with train in surfaces, concepts, (surface, concept) pairs and documents, and coverage of the gold.

    known  whether the terminology has a concept; None without a terminology

    Overlaps count mentions with a gold concept; a mention is covered if all its concepts are known.
    """
    with_concept = [gold for gold in golds if gold.concepts]
    ids = {id for gold in with_concept for id in gold.concepts}
    outside = Counter(id for gold in with_concept for id in gold.concepts if known and not known(id))
    seen = seen_in(train_golds)
    pairs = {(gold.surface, id) for gold in train_golds for id in gold.concepts}
    trained = train_documents is not None
    return LeakAudit(
        documents=len(documents),
        mentions=len(golds),
        without_concept=len(golds) - len(with_concept),
        gold_concepts=len(ids),
        covered_mentions=sum(all(map(known, gold.concepts)) for gold in with_concept) if known else None,
        covered_concepts=len(ids) - len(outside) if known else None,
        outside_examples=tuple(
            id for id, _ in sorted(outside.items(), key=lambda item: (-item[1], item[0]))[:10]
        ),
        train_documents=len(train_documents) if train_documents is not None else None,
        seen_surface_mentions=sum(g.surface in seen.surfaces for g in with_concept) if trained else None,
        seen_concept_mentions=sum(bool(g.concepts & seen.concepts) for g in with_concept)
        if trained
        else None,
        seen_pair_mentions=(
            sum(any((g.surface, id) in pairs for id in g.concepts) for g in with_concept) if trained else None
        ),
        shared_documents=tuple(near_identical(documents, train_documents or ())),
    )


def near_identical(documents: Sequence[Document], train: Sequence[Document]) -> list[SharedDocument]:
    """Documents that share their id, or half of their five-word sequences, with a training document.

    In the order of `documents`, each with its most similar training document (ties: the first).
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


def training_leaks(linker: Linker, corpus: Path, *, recognises: bool = False) -> tuple[str, ...]:
    """A warning for each model of the linker that was trained on this file, recognised by digest or file name.

    recognises  check the recogniser too

    Models whose manifest does not name their training data are passed over.
    """
    if not corpus.is_file():
        return ()
    corpus_digest = digest(corpus)
    return tuple(
        f"{role} '{model.name}' was trained on {corpus.name}: these figures say how much it remembers, "
        "not how well it will do. Evaluate on documents it has not seen."
        for role, model in _models(linker, recognises=recognises)
        for data in [_training_data(model)]
        if corpus_digest in data.values() or corpus.name in {PurePath(name).name for name in data}
    )


def _models(linker: Linker, *, recognises: bool) -> Iterator[tuple[str, Model]]:
    pipeline = linker.pipeline
    named = [("The reranker", pipeline.reranker)]
    named += [
        ("The encoder", index_encoder(member.terminology, name))
        for member in linker.group.members
        for name in pipeline.retrievers
    ]
    if recognises:
        place = recogniser_model(pipeline.recogniser, linker.group.names())
        named += [("The recogniser", None if place is None else str(place))]
    seen: set[Path] = set()
    for role, name in named:
        place = model_place(name) if name else None
        if place is not None and place not in seen and (place / MANIFEST).is_file():
            seen.add(place)
            yield role, open_model(place, checked=False)


def _training_data(model: Model) -> dict[str, str]:
    """Name of each data source of the training run → its digest."""
    data = model.training.get("data", {})
    return data if isinstance(data, dict) else {}
