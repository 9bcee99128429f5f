"""A recogniser: the tokens of annotated documents labelled, and its confidence calibrated on documents held out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import torch
from torch import Tensor, nn

from linnet.arrays import Mask
from linnet.artifact import digest
from linnet.corpora import read
from linnet.encode import load_encoder
from linnet.encode.named_models import SHIPPED, model_place
from linnet.errors import DataError
from linnet.recognise.gazetteer import Gazetteer
from linnet.recognise.labels import OUTSIDE, Labels, TokenSpan
from linnet.recognise.tagger import Curve, Tagger, found_spans
from linnet.recognise.token_features import DocumentFeatures, TokenFeatures
from linnet.recognise.word_vectors import ContextVectors, FixedVectors
from linnet.rerank.calibrator import fit_curve
from linnet.settings_files import NameOrPath
from linnet.terminology import Terminology
from linnet.train.epochs import Epochs
from linnet.train.learners.tagger import Batch, TaggerLearner, TaggerSettings, Vocabulary
from linnet.train.task import RunSettings
from linnet.train.word_contexts import context_vectors
from linnet.types import Document, Mention

__all__ = ["RecogniserSettings", "RecogniserTask", "Source"]

_HELD_OUT = 1 << 41
_SHIPPED_ENCODER, _NO_ENCODER = NameOrPath("ngram"), "none"


@dataclass(frozen=True, kw_only=True)
class Source:
    """One of `[[data.sources]]`: corpora that are annotated in the same way.

    types  mentions of these types are learnt; all where none is named
    label  what all its mentions are called instead of their types ("Disease" for NCBI's classes of mentions)

    Of types that only other sources have, nothing is learnt from it: neither mentions nor that there are none.
    """

    corpora: tuple[Path, ...]
    types: tuple[str, ...] = ()
    label: str | None = None


@dataclass(frozen=True, kw_only=True)
class GazetteerSettings:
    """One of `[[data.gazetteers]]`: names that the model is to know.

    name   what it is called        terminologies  whose names        types  of these types of concepts only
    """

    name: str
    terminologies: tuple[Path, ...]
    types: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ContextSettings:
    """The section `[data.contexts]`, see `linnet.train.word_contexts`.

    texts       files of any corpus format; annotations are not looked at
    words, beside  how many words, the most frequent ones, get vectors, and how many count where they stand beside one
    dimensions  of the vectors
    characters  of the texts that are read
    """

    texts: tuple[Path, ...]
    words: int = 20_000
    beside: int = 3000
    dimensions: int = 64
    characters: int = 40_000_000

    def __post_init__(self) -> None:
        for name in ("words", "beside", "dimensions", "characters"):
            if getattr(self, name) < 1:
                raise ValueError(f"'{name}' is {getattr(self, name)}; expected 1 or more.")


@dataclass(frozen=True, kw_only=True)
class DataSettings:
    """The section `[data]`.

    sources     what is learnt from; several share one model
    gazetteers  lists of names, whose matches are features
    encoder     directory or name of the encoder of words; "none" for none
    contexts    what words are used like in texts without annotations; None for nothing
    held_out    share of the documents of each source that chooses the weights and calibrates; 0 for none
    documents   of a batch
    """

    sources: tuple[Source, ...]
    gazetteers: tuple[GazetteerSettings, ...] = ()
    encoder: NameOrPath = _SHIPPED_ENCODER
    contexts: ContextSettings | None = None
    held_out: float = 0.1
    documents: int = 8

    def __post_init__(self) -> None:
        if not self.sources:
            raise ValueError("'sources' is empty; expected one or more.")
        if not 0 <= self.held_out < 1:
            raise ValueError(f"'held_out' is {self.held_out}; expected 0 to less than 1.")
        if self.documents < 1:
            raise ValueError(f"'documents' is {self.documents}; expected 1 or more.")
        names = [one.name for one in self.gazetteers]
        if len(set(names)) < len(names):
            raise ValueError(f"'gazetteers' are called {', '.join(names)}; expected different names.")


@dataclass(frozen=True, kw_only=True)
class RecogniserSettings(RunSettings):
    """A run file with task = "recogniser"."""

    data: DataSettings
    tagger: TaggerSettings = field(default_factory=TaggerSettings)


@dataclass(frozen=True, slots=True)
class Example:
    """A document: what is seen of it, (T, L) labels that its annotation allows, its mentions (start, end, kind), and the
    kinds that are annotated in it."""

    features: DocumentFeatures
    allowed: Mask
    gold: frozenset[tuple[int, int, int]]
    kinds: frozenset[int]


class RecogniserTask:
    """Batches of documents, every one once in an epoch."""

    Settings: ClassVar[type[RunSettings]] = RecogniserSettings
    batch_key: ClassVar[str] = "data.documents"

    def __init__(
        self,
        settings: RecogniserSettings,
        labels: Labels,
        features: TokenFeatures,
        examples: Sequence[Example],
        held_out: Sequence[Example],
        data: Mapping[str, str],
        contexts: ContextVectors | None = None,
    ) -> None:
        self.settings, self.labels, self.features, self.data = settings, labels, features, data
        self._train, self._dev = examples, held_out
        name = settings.data.encoder
        encoder = None if name == _NO_ENCODER else load_encoder(name, threads=1)
        self._fixed = FixedVectors(encoder, contexts)
        self.module: nn.Module = TaggerLearner(
            settings.tagger,
            labels,
            fixed=self._fixed.dimensions,
            signals=features.size,
        )
        words = sorted({word for one in (*examples, *held_out) for word in one.features.words})
        self._vocabulary = Vocabulary(words, self.learner.ngrams, self._fixed)
        self._epochs = Epochs(len(examples), batch=settings.data.documents, seed=settings.seed)

    @property
    def learner(self) -> TaggerLearner:
        """`module`."""
        assert isinstance(self.module, TaggerLearner)
        return self.module

    @classmethod
    def prepare(cls, settings: RecogniserSettings) -> Self:
        """See `Task.prepare`. Raises DataError where a corpus has no mention to learn from."""
        wanted = settings.data
        data: dict[str, str] = {}
        read_in = [_read(source, data) for source in wanted.sources]
        types = sorted({mention.type for documents in read_in for d in documents for mention in d.mentions})
        labels = Labels(tuple(types))
        gazetteers = [_gazetteer(one, data) for one in wanted.gazetteers]
        features = TokenFeatures(tuple(gazetteers))
        train: list[Example] = []
        dev: list[Example] = []
        for number, documents in enumerate(read_in):
            there = {mention.type for document in documents for mention in document.mentions}
            kinds = frozenset(types.index(kind) for kind in there)
            held = _drawn(
                len(documents), wanted.held_out, np.random.default_rng([settings.seed, _HELD_OUT, number])
            )
            for place, document in enumerate(documents):
                example = _example(document, features, labels, kinds)
                if len(example.features.tokens):
                    (dev if place in held else train).append(example)
        if not train:
            raise DataError("no document is left to train on. Lower data.held_out, or add documents.")
        contexts = None if wanted.contexts is None else _contexts(wanted.contexts, data, seed=settings.seed)
        return cls(settings, labels, features, train, dev, data, contexts)

    def optimiser(self) -> torch.optim.Optimizer:
        """The learner's."""
        return self.learner.optimiser()

    def loss(self, step: int) -> Tensor:
        """Of batch `step`."""
        chosen = [self._train[row] for row in self._epochs.rows(step)]
        device = next(self.learner.parameters()).device
        batch = self._batch([one.features for one in chosen]).to(device)
        allowed = torch.from_numpy(np.concatenate([one.allowed for one in chosen])).to(device)
        return self.learner.loss(self.learner(batch), allowed, batch)

    def _batch(self, documents: Sequence[DocumentFeatures]) -> Batch:
        return Batch.of(documents, self._vocabulary)

    def evaluate(self) -> dict[str, float]:
        """F1 of mentions of the documents held out, spans and types equal: over all types, and of each."""
        if not self._dev:
            return {}
        counts: dict[str, Counter[int]] = {name: Counter() for name in ("right", "found", "gold")}
        for example, spans, _ in self._found():
            counts["found"].update(kind for _, _, kind in spans)
            counts["gold"].update(kind for _, _, kind in example.gold)
            counts["right"].update(kind for _, _, kind in set(spans) & example.gold)
        right, found, gold = (counts[name] for name in ("right", "found", "gold"))
        scores = {"f1": _f1(right.total(), found.total(), gold.total())}
        for kind, name in enumerate(self.labels.types):
            scores[f"f1 {name}"] = _f1(right[kind], found[kind], gold[kind])
        return scores

    def _found(self) -> list[tuple[Example, list[tuple[int, int, int]], list[float]]]:
        """Each document held out, its mentions of the types annotated in it, and their probabilities."""
        chain = self.learner.chain()
        device = next(self.learner.parameters()).device
        results = []
        for example in self._dev:
            emissions = self.learner(self._batch([example.features]).to(device)).detach().cpu().numpy()
            tokens = example.features.tokens
            [(spans, probabilities)] = found_spans([emissions], [tokens.sentences], chain, self.labels)
            kept = [i for i, span in enumerate(spans) if span.kind in example.kinds]
            offsets = [
                (int(tokens.starts[span.first]), int(tokens.ends[span.last - 1]), span.kind) for span in spans
            ]
            results.append((example, [offsets[i] for i in kept], [probabilities[i] for i in kept]))
        return results

    def state(self) -> dict[str, Tensor]:
        """Nothing."""
        return {}

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """Nothing."""

    def tagger(self, *, name: str = "tagger") -> Tagger:
        """With the weights as they are now, calibrated on the documents held out if there are any mentions in them."""
        self.learner.eval()
        learner = self.learner
        with torch.no_grad():
            pairs = [
                (probability, span in example.gold)
                for example, spans, probabilities in self._found()
                for span, probability in zip(spans, probabilities, strict=True)
            ]
        curve = None
        if pairs:
            fitted = fit_curve([score for score, _ in pairs], [right for _, right in pairs])
            curve = Curve(np.array(fitted.scores, np.float32), np.array(fitted.probabilities, np.float32))
        return Tagger(
            self.labels,
            self.features,
            learner.vectors(self._fixed),
            learner.network(),
            learner.chain(),
            curve=curve,
            name=name,
        )

    def save(self, directory: Path, *, card: str, training: Mapping[str, Any]) -> None:
        """Write the recogniser."""
        name = self.settings.data.encoder
        place = model_place(str(name))
        own = None if name == _NO_ENCODER or place.parent == SHIPPED else place
        gazetteers = [one.name for one in self.settings.data.gazetteers]
        self.tagger(name=directory.name).save(
            directory, gazetteers=gazetteers, encoder=own, card=card, training=training
        )


def _f1(right: int, found: int, gold: int) -> float:
    return 2 * right / (found + gold) if found + gold else 0.0


def _drawn(count: int, share: float, rng: np.random.Generator) -> set[int]:
    """Which documents are held out: a share of them, one at least where there are two or more and it is not 0."""
    if not share or count < 2:
        return set()
    return set(rng.permutation(count)[: max(1, round(share * count))].tolist())


def _read(source: Source, data: dict[str, str]) -> list[Document]:
    """The documents of a source with the mentions that are learnt from. Raises DataError where there are none."""
    documents: list[Document] = []
    for path in source.corpora:
        data[str(path)] = digest(" ".join(source.types), str(source.label), *_files(path))
        documents += [_relabelled(document, source) for document in read(path, annotated=True)]
    if not any(document.mentions for document in documents):
        wanted = f" of type {', '.join(source.types)}" if source.types else ""
        raise DataError(
            f"no mention{wanted} is annotated in it. Name an annotated corpus, or other types.",
            path=source.corpora[0] if source.corpora else None,
        )
    return documents


def _contexts(settings: ContextSettings, data: dict[str, str], *, seed: int) -> ContextVectors:
    for path in settings.texts:
        data[str(path)] = digest(*_files(path))
    return context_vectors(
        (document.text for path in settings.texts for document in read(path)),
        words=settings.words,
        contexts=settings.beside,
        dimensions=settings.dimensions,
        characters=settings.characters,
        seed=seed,
    )


def _files(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(file for file in path.iterdir() if file.is_file())


def _relabelled(document: Document, source: Source) -> Document:
    kept = [
        Mention(document, m.start, m.end, m.text, source.label or m.type or "Entity")
        for m in document.mentions
        if not source.types or m.type in source.types
    ]
    return document.with_mentions(kept)


def _gazetteer(settings: GazetteerSettings, data: dict[str, str]) -> Gazetteer:
    names: list[str] = []
    for path in settings.terminologies:
        terminology = Terminology.open(path)
        data[f"{path} for {settings.name}"] = digest(terminology.digest, *settings.types)
        chosen = terminology.select(types=settings.types or None)
        rows = np.asarray(terminology.name_concepts)
        names += terminology.names.take(
            np.arange(len(rows)) if chosen is None else np.flatnonzero(chosen[rows])
        )
    return Gazetteer.of(names)


def _example(document: Document, features: TokenFeatures, labels: Labels, kinds: frozenset[int]) -> Example:
    seen = features.of(document.text)
    allowed = np.zeros((len(seen.tokens), len(labels)), bool)
    allowed[:, OUTSIDE] = True
    for kind in range(len(labels.types)):
        if kind not in kinds:
            allowed[:, labels.of_kind(kind)] = True
    gold = {(m.start, m.end, labels.types.index(m.type)) for m in document.mentions}
    edges = np.array(seen.tokens.sentences)
    taken = np.zeros(len(seen.tokens), bool)
    # Of mentions that overlap the longest is learnt, the first of equal ones.
    for start, end, kind in sorted(gold, key=lambda m: (m[0] - m[1], m[0], m[2])):
        first, last = seen.tokens.within(start, end)
        if first == last or taken[first:last].any():
            continue
        taken[first:last] = True
        if ((edges > first) & (edges < last)).any():  # goes across what is taken for the end of a sentence
            allowed[first:last] = True
            continue
        span = TokenSpan(first, last, kind)
        allowed[first:last] = False
        allowed[np.arange(first, last), labels.of_span(span)] = True
    return Example(seen, allowed, frozenset(gold), kinds)
