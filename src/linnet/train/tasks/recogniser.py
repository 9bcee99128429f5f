"""A recogniser: a tagger trained on annotated documents, with confidence calibrated on documents held out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import torch
from torch import Tensor

from linnet.corpora import read
from linnet.encode import load_encoder
from linnet.encode.model import open_model
from linnet.encode.named_models import SHIPPED, model_place
from linnet.errors import DataError, MismatchError
from linnet.io.artifact import digest
from linnet.io.settings_files import NameOrPath, check_at_least, check_share
from linnet.recognise.bioes import Labels
from linnet.recognise.gazetteer import Gazetteer
from linnet.recognise.span_scores import judged_spans
from linnet.recognise.tagger import Tagger
from linnet.recognise.tagger_weights import Curve
from linnet.recognise.token_features import TokenFeatures
from linnet.recognise.word_vectors import ContextVectors, FixedVectors
from linnet.rerank.calibrator import fit_curve
from linnet.terminology import Terminology
from linnet.train.corpus import corpus_files
from linnet.train.epochs import Epochs
from linnet.train.learners.tagger import TaggerLearner, TaggerSettings
from linnet.train.learners.tagger_batch import DocumentBatch, WordInputs
from linnet.train.tagged_corpora import Example, TaggedCorpora, TaggedSource
from linnet.train.task import RunSettings, Task
from linnet.train.word_contexts import context_vectors

__all__ = ["RecogniserSettings", "RecogniserTask"]

_HELD_OUT = 1 << 41
_SHIPPED_ENCODER, _NO_ENCODER = NameOrPath("ngram"), "none"


@dataclass(frozen=True, kw_only=True)
class GazetteerSettings:
    """One of `[[data.gazetteers]]`: names for the model to know.

    name   of the gazetteer        terminologies  whose names        types  only of these types of concepts
    """

    name: str
    terminologies: tuple[Path, ...]
    types: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ContextSettings:
    """The section `[data.contexts]`, see `linnet.train.word_contexts`.

    texts       files in any corpus format; annotations are ignored
    words, beside  number of the most frequent words that get vectors, and that count as contexts
    dimensions  of the vectors
    characters  of text to read
    """

    texts: tuple[Path, ...]
    words: int = 20_000
    beside: int = 3000
    dimensions: int = 64
    characters: int = 40_000_000

    def __post_init__(self) -> None:
        check_at_least(self, 1, "words", "beside", "dimensions", "characters")


@dataclass(frozen=True, kw_only=True)
class RecogniserData:
    """The section `[data]`.

    start       a recogniser whose weights to begin with, and whose vectors of words by their contexts to keep: for types,
                signals and gazetteers of the same name. None: begin with random weights
    average     share of these weights in the mean with the trained ones, which is the model
    sources     training data of the one model
    silent      types to learn that the recogniser never reports: they keep it from calling such mentions something else
    gazetteers  lists of names whose matches are features
    encoder     directory or name of the encoder of words; "none" for none
    contexts    word vectors from unannotated texts; None for none
    held_out    share of each source's documents that chooses the weights and calibrates; 0 for none
    documents   of a batch
    """

    sources: tuple[TaggedCorpora, ...]
    silent: tuple[str, ...] = ()
    gazetteers: tuple[GazetteerSettings, ...] = ()
    encoder: NameOrPath = _SHIPPED_ENCODER
    contexts: ContextSettings | None = None
    start: NameOrPath | None = None
    average: float = 0.0
    held_out: float = 0.1
    documents: int = 8

    def __post_init__(self) -> None:
        if not self.sources:
            raise ValueError("'sources' is empty; expected at least one.")
        check_share(self, "held_out", "average")
        if self.average and self.start is None:
            raise ValueError("'average' is of the weights of 'start'; name one, or leave 'average' out.")
        check_at_least(self, 1, "documents")
        if self.start is not None and self.contexts is not None:
            raise ValueError("'start' brings its vectors of words by their contexts; leave 'contexts' out.")
        names = [gazetteer.name for gazetteer in self.gazetteers]
        if len(set(names)) < len(names):
            raise ValueError(f"'gazetteers' have the names {', '.join(names)}; expected different names.")


@dataclass(frozen=True, kw_only=True)
class RecogniserSettings(RunSettings):
    """A run file with task = "recogniser"."""

    data: RecogniserData
    tagger: TaggerSettings = field(default_factory=TaggerSettings)


class RecogniserTask(Task):
    """Batches of documents, each once in an epoch."""

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
        self.encoder = None if name == _NO_ENCODER else load_encoder(name, threads=1)
        self._fixed = FixedVectors(self.encoder, contexts)
        self.module: TaggerLearner = TaggerLearner(
            settings.tagger,
            labels,
            fixed=self._fixed.dimensions,
            signals=features.size,
        )
        words = sorted({word for example in (*examples, *held_out) for word in example.features.words})
        self._inputs = WordInputs(words, self.module.ngrams, self._fixed)
        self._epochs = Epochs(len(examples), batch=settings.data.documents, seed=settings.seed)

    @classmethod
    def prepare(cls, settings: RecogniserSettings) -> Self:
        """See `Task.prepare`. Raises DataError where a corpus has no mention to learn from, or none of the `data.silent` types,
        MismatchError where `data.start` has another encoder or other shapes."""
        wanted = settings.data
        data: dict[str, str] = {}
        sources = [TaggedSource.read(source, data) for source in wanted.sources]
        found = set[str]().union(*(source.types for source in sources))
        silent = set(wanted.silent)
        if not silent < found:
            raise DataError(
                f"data.silent names {', '.join(sorted(silent))}; expected some, not all, of the types of the sources' "
                f"mentions: {', '.join(sorted(found))}."
            )
        types = [*sorted(found - silent), *sorted(silent)]
        labels = Labels(tuple(types))
        for source, settings_of in zip(sources, wanted.sources, strict=True):
            source.check(types, settings_of)
        features = TokenFeatures(tuple(_gazetteer(gazetteer, data) for gazetteer in wanted.gazetteers))
        train: list[Example] = []
        dev: list[Example] = []
        for number, source in enumerate(sources):
            rng = np.random.default_rng([settings.seed, _HELD_OUT, number])
            held = _draw_held_out(len(source.documents), wanted.held_out, rng)
            for position, document in enumerate(source.documents):
                example = Example.of(document, features, labels, source)
                if len(example.features.tokens):
                    (dev if position in held else train).append(example)
        if not train:
            raise DataError("no document is left to train on. Lower data.held_out, or add documents.")
        contexts = None if wanted.contexts is None else _contexts(wanted.contexts, data, seed=settings.seed)
        if wanted.start is None:
            return cls(settings, labels, features, train, dev, data, contexts)
        beginning = model_place(str(wanted.start))
        start = Tagger.open(beginning)
        data[f"{wanted.start} to start with"] = start.digest
        task = cls(settings, labels, features, train, dev, data, start.vectors.fixed.contexts)
        own_encoder, encoder = start.vectors.fixed.encoder, task.encoder
        if (own_encoder.digest if own_encoder else "") != (encoder.digest if encoder else ""):
            raise MismatchError(
                f"{wanted.start} was trained with another encoder than data.encoder, '{wanted.encoder}'."
            )
        gazetteers = tuple(gazetteer.name for gazetteer in wanted.gazetteers)
        task.module.start_with(start, gazetteers, own=tuple(open_model(beginning).options["gazetteers"]))
        return task

    def steps_of_pass(self) -> int:
        """Batches of an epoch."""
        return self._epochs.batches

    def loss(self, step: int) -> Tensor:
        """Of batch `step`."""
        examples = [self._train[row] for row in self._epochs.rows(step)]
        batch = self._batch(examples)
        allowed = torch.from_numpy(np.concatenate([example.allowed for example in examples]))
        return self.module.loss(self.module(batch), allowed.to(batch.word.device), batch)

    def _batch(self, examples: Sequence[Example]) -> DocumentBatch:
        batch = DocumentBatch.of([example.features for example in examples], self._inputs)
        return batch.to(next(self.module.parameters()).device)

    def evaluate(self) -> dict[str, float]:
        """F1 of mentions (span and type) of the documents held out, over all types and for each."""
        if not self._dev:
            return {}
        right, predicted, gold = Counter[int](), Counter[int](), Counter[int]()
        for example, spans, _ in self._predictions(self.module):
            predicted.update(kind for _, _, kind in spans)
            gold.update(kind for _, _, kind in example.gold)
            right.update(kind for _, _, kind in set(spans) & example.gold)
        scores = {"f1": _f1(right.total(), predicted.total(), gold.total())}
        for kind, name in enumerate(self.labels.types):
            scores[f"f1 {name}"] = _f1(right[kind], predicted[kind], gold[kind])
        return scores

    def _predictions(
        self, module: TaggerLearner
    ) -> list[tuple[Example, list[tuple[int, int, int]], list[float]]]:
        """Each document held out, with the predicted mentions that its annotation judges, and their probabilities."""
        crf = module.crf()
        results = []
        for example in self._dev:
            emissions = module(self._batch([example])).detach().cpu().numpy()
            tokens = example.features.tokens
            [(spans, probabilities, _)] = judged_spans(
                [emissions], [tokens.sentences], crf, self.labels, [[]]
            )
            offsets = [
                (int(tokens.starts[span.first]), int(tokens.ends[span.last - 1]), span.kind) for span in spans
            ]
            kept = [i for i, mention in enumerate(offsets) if example.is_judged(*mention)]
            results.append((example, [offsets[i] for i in kept], [probabilities[i] for i in kept]))
        return results

    def tagger(self, *, name: str = "tagger") -> Tagger:
        """With the current weights, calibrated on the documents held out of sources that calibrate, if it finds mentions there."""
        share = self.settings.data.average
        learner = (self.module.averaged(share) if share else self.module).eval()
        with torch.no_grad():
            pairs = [
                (probability, span in example.gold)
                for example, spans, probabilities in self._predictions(learner)
                if example.calibrates
                for span, probability in zip(spans, probabilities, strict=True)
            ]
        curve = None
        if pairs:
            fitted = fit_curve([score for score, _ in pairs], [right for _, right in pairs])
            curve = Curve(np.array(fitted.scores, np.float32), np.array(fitted.probabilities, np.float32))
        vectors = learner.vectors(self._fixed)
        return Tagger(
            self.labels,
            self.features,
            vectors,
            learner.network(),
            learner.crf(),
            curve=curve,
            silent=self.settings.data.silent,
            name=name,
        )

    def save(self, directory: Path, *, card: str, training: Mapping[str, Any]) -> None:
        """Write the recogniser."""
        name = self.settings.data.encoder
        path = model_place(str(name))
        own = None if name == _NO_ENCODER or path.parent == SHIPPED else path
        gazetteers = [gazetteer.name for gazetteer in self.settings.data.gazetteers]
        self.tagger(name=directory.name).save(
            directory, gazetteers=gazetteers, encoder=own, card=card, training=training
        )


def _f1(right: int, predicted: int, gold: int) -> float:
    return 2 * right / (predicted + gold) if predicted + gold else 0.0


def _draw_held_out(count: int, share: float, rng: np.random.Generator) -> set[int]:
    """Places of the documents held out: at least one of two or more, unless the share is 0."""
    if not share or count < 2:
        return set()
    return set(rng.permutation(count)[: max(1, round(share * count))].tolist())


def _contexts(settings: ContextSettings, data: dict[str, str], *, seed: int) -> ContextVectors:
    for path in settings.texts:
        data[str(path)] = digest(*corpus_files(path))
    return context_vectors(
        (document.text for path in settings.texts for document in read(path)),
        words=settings.words,
        contexts=settings.beside,
        dimensions=settings.dimensions,
        characters=settings.characters,
        seed=seed,
    )


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
