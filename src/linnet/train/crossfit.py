"""Candidates to train a reranker on: for each document from a linker that has not seen its mentions.

The documents of a corpus are dealt into folds, those of one `GROUP` together. A document is linked twice: with the plain
terminology, and with one that has the mentions of all other folds as names (the `augmented` protocol). `MentionPriors` too
are counted on the other folds. So a model learns how far to trust memorised names, and works with and without them.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from linnet.arrays import Floats, Mask
from linnet.encode import encoder_digest
from linnet.errors import DataError
from linnet.evaluate.augmentation import augmentation_pairs
from linnet.evaluate.gold import gold_mentions
from linnet.evaluate.system import blank
from linnet.io.artifact import digest
from linnet.link import Linker, Pipeline
from linnet.link.indexing import build_indexes
from linnet.read.abbreviations import spelt_out
from linnet.rerank.mention_priors import MentionPriors, id_prefix
from linnet.rerank.name_features import BUCKETS, bucket, stems
from linnet.retrieve.hits import Hits
from linnet.terminology import Terminology, write_terminology
from linnet.terminology.augment import augment
from linnet.train.sources import Source, SourceSettings
from linnet.types import Document, Mention

__all__ = ["GROUP", "KINDS", "CandidateLists", "Crossfit", "is_right", "word_rarity"]

KINDS = ("plain", "augmented", "forgetful")
"""Lists of candidates from the plain terminology, from the augmented one, and from the plain one with memory emptied."""

GROUP = "group"
"""Key of a document's `extra`: documents with the same value, as sentences of one abstract, are dealt into one fold."""

# Changes whenever the terminologies of folds are made otherwise.
_VERSION = "2"


@dataclass(frozen=True, slots=True)
class CandidateLists:
    """The candidates of the mentions of one fold of a source.

    source, fold, augmented   their origin
    mentions, texts, hits     (N,), (N,), (N, k): the input of a reranker
    gold                      (N,) concept rows of the mention's concept
    right                     (N, k) whether a candidate is the mention's concept
    usable                    (N,) whether the mention has one gold concept or none, which is right if the terminology has it
    """

    source: int
    fold: int
    augmented: bool
    mentions: tuple[Mention, ...]
    texts: tuple[str, ...]
    hits: Hits
    gold: tuple[tuple[int, ...], ...]
    right: Mask
    usable: Mask


class Crossfit:
    """Sources in folds, with a terminology for each fold."""

    def __init__(
        self,
        sources: Sequence[SourceSettings],
        *,
        folds: int,
        depth: int,
        retrievers: Sequence[str] = ("exact", "dense"),
        encoder: str | None = None,
        threads: int | None = None,
        place: Path | None = None,
        seed: int = 0,
    ) -> None:
        """
        depth       candidates of a mention
        retrievers  of the candidates; `encoder` is that of "dense"
        place       directory for the terminologies of the folds, which later runs with the same sources reuse; temporary
                    by default

        Raises DataError where a corpus has fewer documents than folds, or no concept; RequestError where its terminology
        has hardly any of its concepts.
        """
        self.folds, self.depth, self.seed = folds, depth, seed
        self.pipeline = Pipeline(
            retrievers=tuple(retrievers), encoder=encoder, composites=False, reranker=None
        )
        self._threads = threads
        self._temporary = tempfile.TemporaryDirectory(prefix="linnet-folds-") if place is None else None
        self._place = Path(self._temporary.name) if self._temporary else Path(place or "")
        self.sources = tuple(Source.read(source, self._place, seed=seed) for source in sources)
        self._fold_of = [_dealt(source.documents, folds, seed) for source in self.sources]
        self._encoder = encoder_digest(encoder) if encoder is not None else None

    @property
    def data(self) -> dict[str, str]:
        """Name of each file and terminology, and "encoder" of the candidates → its digest."""
        read = {name: value for source in self.sources for name, value in source.data.items()}
        return read if self._encoder is None else {**read, "encoder": self._encoder}

    def terminology(self, source: int, fold: int | None) -> Terminology:
        """A source's terminology, augmented with the mentions of all folds but this one; plain for None."""
        plain, given = self.sources[source].terminology, self.sources[source].settings
        if fold is None:
            if given.names:  # written by `Source.read`, so not indexed by anyone else
                self._index(plain)
            return plain
        made_by = (_VERSION, plain.digest, " ".join(given.types), f"{self.folds} {self.seed}", given.columns)
        key = digest("\n".join(map(str, made_by)), *self.sources[source].files)
        place = self._place / f"{key[:12]}-{fold}"
        if not place.is_dir():
            pairs = augmentation_pairs(self._outside(source, fold), types=given.types, expand=spelt_out)
            write_terminology(augment(plain, pairs), place, sources=plain.manifest.get("sources", ()))
        built = Terminology.open(place)
        self._index(built)
        return built

    def _index(self, terminology: Terminology) -> None:
        wanted = self.pipeline
        build_indexes(
            terminology, wanted.retrievers, encoder=wanted.encoder, update=True, threads=self._threads
        )

    def in_fold(self, source: int, fold: int) -> list[Document]:
        """The documents of a fold."""
        return [d for d in self.sources[source].documents if self._fold_of[source][_group_of(d)] == fold]

    def _outside(self, source: int, fold: int | None) -> list[Document]:
        """The documents of all folds but one; of all folds for None."""
        return [d for d in self.sources[source].documents if self._fold_of[source][_group_of(d)] != fold]

    def linker(self, source: int, fold: int | None, pipeline: Pipeline | None = None) -> Linker:
        """A linker for `terminology(source, fold)`."""
        return Linker.open(
            [self.terminology(source, fold)], pipeline=pipeline or self.pipeline, threads=self._threads
        )

    def lists(self) -> Iterator[CandidateLists]:
        """The candidates of every mention, from the plain terminology, and from the augmented one if mentions are remembered."""
        for source, given in enumerate(self.sources):
            plain = self.linker(source, None)
            for fold in range(self.folds):
                for augmented in (False, True) if given.remembered else (False,):
                    linker = self.linker(source, fold) if augmented else plain
                    yield self._lists(source, fold, augmented, linker)

    def _lists(self, source: int, fold: int, augmented: bool, linker: Linker) -> CandidateLists:
        documents, types = self.in_fold(source, fold), self.sources[source].settings.types
        mentions = list(gold_mentions(blank(documents), types=types))
        choice = linker.retrieve(mentions, k=self.depth)
        texts, hits = choice.texts, choice.hits
        gold = [self._concepts(source, mention) for mention in gold_mentions(documents, types=types)]
        terminology = linker.terminologies[0]
        rows = tuple(tuple(terminology.row(id) for id in ids or ()) for ids in gold)
        usable = np.array([ids is not None for ids in gold], bool)
        right = is_right(hits, rows)
        return CandidateLists(
            source, fold, augmented, tuple(mentions), tuple(texts), hits, rows, right, usable
        )

    def remembering(
        self, lists: Iterable[CandidateLists] | None = None, *, left_out: int | None = None
    ) -> Iterator[tuple[CandidateLists, str, MentionPriors]]:
        """Each list that is not of the fold left out, with the memory of each of the `KINDS` that it is learnt with.

        lists  result of `lists`, where it is wanted several times

        Mentions that are remembered are seen with the memory of all other folds, others with that of all; plain lists also
        without any memory, as where the terminology or the domain is another.
        """
        memory = {fold: self.mention_priors(fold) for fold in range(self.folds) if fold != left_out}
        of_all = self.mention_priors(left_out)
        for of_fold in self.lists() if lists is None else lists:
            if of_fold.fold == left_out:
                continue
            known = memory[of_fold.fold] if self.sources[of_fold.source].remembered else of_all
            if of_fold.augmented:
                yield of_fold, "augmented", known
            else:
                yield of_fold, "plain", known
                yield of_fold, "forgetful", known.emptied()

    def mention_priors(self, fold: int | None) -> MentionPriors:
        """Counted on the mentions of all folds but this one, of sources to remember; of all folds for None."""
        sources = [number for number, source in enumerate(self.sources) if source.remembered]
        names = [list(self._names(source, fold)) for source in sources]
        observed, expected = Counter[str](), Counter[str]()
        for source, pairs in zip(sources, names, strict=True):
            plain = self.sources[source].terminology
            observed.update(id_prefix(id) for _, id in pairs)
            concepts = Counter(id_prefix(plain.ids[row]) for row in range(len(plain)))
            for kind, count in concepts.items():
                expected[kind] += max(1, round(len(pairs) * count / len(plain)))
        kinds = {
            kind: float(np.log(observed[kind] + 1) - np.log(expected[kind] + 1))
            for kind in sorted(observed | expected)
        }
        several = (pair for source in sources for pair in self._several(source, fold))
        return MentionPriors.of((pair for pairs in names for pair in pairs), kinds=kinds, several=several)

    def _names(self, source: int, fold: int | None) -> Iterator[tuple[str, str]]:
        """(text, concept id) of the mentions of all folds but one, texts as written and spelt out."""
        for mention in gold_mentions(self._outside(source, fold), types=self.sources[source].settings.types):
            spelt = spelt_out(mention)
            for id in self._concepts(source, mention) or ():
                for text in dict.fromkeys((mention.text, spelt)):
                    yield text, id

    def _several(self, source: int, fold: int | None) -> Iterator[tuple[str, tuple[str, ...]]]:
        """(text, current ids) of the mentions of all folds but one; () where an id is unknown or they are one concept."""
        for mention in gold_mentions(self._outside(source, fold), types=self.sources[source].settings.types):
            now = [self.sources[source].terminology.resolve(id)[:1] for id in mention.concepts]
            sure = all(now) and not mention.extra.get("combined")
            yield mention.text, tuple(dict.fromkeys(id for ids in now for id in ids)) if sure else ()

    def _concepts(self, source: int, mention: Mention) -> tuple[str, ...] | None:
        """The current ids of a mention's one gold concept; () where it has none or an unknown one; None where it has several."""
        if len(mention.concepts) > 1 or mention.extra.get("combined"):
            return None
        return tuple(now for id in mention.concepts for now in self.sources[source].terminology.resolve(id))


def is_right(hits: Hits, gold: Sequence[Sequence[int]]) -> Mask:
    """(N, k) whether each candidate is one of the rows of its mention's concept."""
    right = [np.isin(row, rows) & (row >= 0) for row, rows in zip(hits.concepts, gold, strict=True)]
    return np.array(right, bool).reshape(hits.concepts.shape)


def word_rarity(terminologies: Iterable[Terminology]) -> Floats:
    """(BUCKETS,) idf of words over the names of terminologies, 0 to 1."""
    counts, names = np.zeros(BUCKETS), 0
    for terminology in terminologies:
        for text in terminology.names.array.to_pylist():
            names += 1
            counts[list({bucket(word) % BUCKETS for word in stems(text)})] += 1
    rarity = np.log((names + 1) / (counts + 1)) / np.log(names + 1) if names else np.ones(BUCKETS)
    # In the stored precision, so that saving changes nothing.
    return np.asarray(rarity.astype(np.float16), np.float32)


def _group_of(document: Document) -> str:
    """What is dealt into a fold as a whole: the document's `GROUP`, or the document."""
    return str(document.extra.get(GROUP, document.id))


def _dealt(documents: Sequence[Document], folds: int, seed: int) -> dict[str, int]:
    """Each group of documents → its fold, the same for the same groups and seed."""
    groups = sorted({_group_of(document) for document in documents})
    if len(groups) < folds:
        raise DataError(f"{len(groups)} documents cannot be dealt into {folds} folds. Lower data.folds.")
    order = np.random.default_rng(seed).permutation(len(groups))
    return {groups[place]: number % folds for number, place in enumerate(order)}
