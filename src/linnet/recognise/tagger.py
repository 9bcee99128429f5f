"""The trained recogniser: labels tokens with a network and a CRF, and gives each mention a confidence.

It is stored as a model directory of kind `tagger`, see `linnet.recognise.tagger_weights`. It runs on numpy.
The mentions of a document do not depend on other documents.
"""

from __future__ import annotations

import shutil
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, Self

import numpy as np

from linnet.arrays import Floats
from linnet.encode.model import Model, open_model, write_model
from linnet.encode.safetensors import write_safetensors
from linnet.recognise.bioes import NO_MENTION, Labels, TokenSpan
from linnet.recognise.crf import CRF
from linnet.recognise.name_evidence import Judgement
from linnet.recognise.network import Network
from linnet.recognise.span_scores import judged_spans
from linnet.recognise.tagger_weights import WEIGHTS, Curve, arrays_of, read_parts
from linnet.recognise.token_features import DocumentFeatures, TokenFeatures
from linnet.recognise.tokens import Tokens
from linnet.recognise.word_vectors import WordVectors
from linnet.system.blas import single_threaded_blas
from linnet.system.recent_values import RecentValues
from linnet.types import Document, Mention

__all__ = ["Tagger"]

_BATCH = 64  # documents labelled together
# Hit rate of word vectors for the words of BC5CDR dev, by abstract: 83 %, and no more with twice the size. 12 MB as shipped.
_WORDS = 8192
_TOGETHER = 16  # documents through the network together: more are no faster


class Tagger:
    """Recognises mentions of the types it was trained on. Not changed by use."""

    kind = "tagger"

    def __init__(
        self,
        labels: Labels,
        features: TokenFeatures,
        vectors: WordVectors,
        network: Network,
        crf: CRF,
        *,
        curve: Curve | None = None,
        types: Collection[str] = (),
        silent: Collection[str] = (),
        name: str = "tagger",
        digest: str = "",
    ) -> None:
        """
        curve   calibrates its probabilities; None: they are the confidences
        types   the types to recognise; if it knows none of these, all that it knows
        silent  the last types of `labels`: it tells them from the others, and never recognises them
        """
        self.labels, self.features, self.vectors = labels, features, vectors
        self.network, self.crf = network, crf
        self.curve = curve or Curve(np.zeros(0, np.float32), np.zeros(0, np.float32))
        self.name, self.digest = name, digest
        self._cache = RecentValues[str, Floats](size=_WORDS)
        wanted = {kind.casefold() for kind in types}
        self._reported = labels.types[: len(labels.types) - len(silent)]
        if set(labels.types[len(self._reported) :]) != set(silent):
            raise ValueError(
                f"the silent types {', '.join(silent)} are not the last of {', '.join(labels.types)}"
            )
        known = {number for number, kind in enumerate(self._reported) if kind.casefold() in wanted}
        self._kinds = known or set(range(len(self._reported)))
        self._kind_of = {kind.casefold(): number for number, kind in enumerate(self._reported)}

    @property
    def types(self) -> frozenset[str]:
        """The types it recognises."""
        return frozenset(self.labels.types[kind] for kind in self._kinds)

    def confidence(self, probability: float) -> float:
        """The confidence of a mention that has this probability under the CRF: a limit that outlives a new calibration."""
        return self.curve.at([probability])[0]

    def recognise(self, documents: Sequence[Document]) -> list[Document]:
        """See `Recogniser`; mentions in text order, without overlaps."""
        return [document for document, _ in self.recognise_beside(documents, documents)]

    def recognise_beside(
        self, documents: Sequence[Document], others: Sequence[Document]
    ) -> list[tuple[Document, list[Judgement | None]]]:
        """As `recognise`; and what it says of each mention of the same documents that another recogniser found.

        others  the documents with the other's mentions

        The probabilities are the CRF's: the calibration curve is of mentions that this tagger chose. They are None for a type
        that this tagger does not recognise, for a mention that is not of whole tokens, and for one that crosses the end of a
        sentence.
        """
        found = self._found_and_judged(documents, others, self._own_kinds)
        return [
            (document.with_mentions(mentions), [_judgement(p) if p else None for p in probabilities])
            for document, (mentions, probabilities) in zip(documents, found, strict=True)
        ]

    def span_probabilities(
        self, documents: Sequence[Document], *, types: Collection[str]
    ) -> list[list[float | None]]:
        """For each mention of the documents, the probability that it is one of these types, silent ones included.

        The mention's own type does not matter. The probability is the CRF's, and None as in `recognise_beside`.
        """
        kinds = [kind for kind, type in enumerate(self.labels.types) if type in types]
        found = self._found_and_judged(documents, documents, lambda mention: kinds)
        return [[sum(p) if p else None for p in probabilities] for _, probabilities in found]

    def _own_kinds(self, mention: Mention) -> Sequence[int]:
        """The kind that it recognises under the mention's type, and none at all; nothing if there is no such kind."""
        kind = self._kind_of.get(mention.type.casefold(), NO_MENTION)
        return [kind, NO_MENTION] if kind in self._kinds else []

    def _found_and_judged(
        self,
        documents: Sequence[Document],
        others: Sequence[Document],
        kinds_of: Callable[[Mention], Sequence[int]],
    ) -> Iterator[tuple[list[Mention], list[list[float]]]]:
        """For each document the mentions that this tagger finds, and the probability that each mention of the other's is of each of
        its kinds; empty where it has none, and as in `recognise_beside`."""
        with single_threaded_blas():
            for start in range(0, len(documents), _BATCH):
                batch = documents[start : start + _BATCH]
                features = [self.features.of(document.text) for document in batch]
                wanted = [
                    [_token_spans(feature.tokens, mention, kinds_of(mention)) for mention in other.mentions]
                    for feature, other in zip(features, others[start : start + _BATCH], strict=True)
                ]
                judged = self.judged(features, [list(chain.from_iterable(spans)) for spans in wanted])
                for document, feature, (found, own, probabilities), named in zip(
                    batch, features, judged, wanted, strict=True
                ):
                    following = iter(probabilities)
                    yield (
                        self._mentions(document, feature.tokens, found, own),
                        [list(islice(following, len(spans))) for spans in named],
                    )

    def _mentions(
        self, document: Document, tokens: Tokens, spans: list[TokenSpan], probabilities: list[float]
    ) -> list[Mention]:
        mentions = []
        for span, confidence in zip(spans, self.curve.at(probabilities), strict=True):
            if span.kind not in self._kinds:
                continue
            start, end = int(tokens.starts[span.first]), int(tokens.ends[span.last - 1])
            text, type = document.text[start:end], self.labels.types[span.kind]
            mentions.append(
                Mention(document, start, end, text, type, source=self.name, confidence=confidence)
            )
        return mentions

    def judged(
        self, features: Sequence[DocumentFeatures], wanted: Sequence[Sequence[TokenSpan]]
    ) -> list[tuple[list[TokenSpan], list[float], list[float]]]:
        """The mentions of each document in tokens, the uncalibrated probability of each, and that of each span wanted."""
        if not any(len(document.tokens) for document in features):
            return [([], [], []) for _ in features]
        words = list(dict.fromkeys(word for document in features for word in document.words))
        known = self._cache.of(words, lambda new: [row.copy() for row in self.vectors.of(new)])
        vectors = np.array([known[word] for word in words], np.float32).reshape(-1, self.vectors.dimensions)
        rows = {word: row for row, word in enumerate(words)}
        own = [vectors[[rows[word] for word in document.words]] for document in features]
        emissions: list[Floats] = []
        for start in range(0, len(features), _TOGETHER):
            batch = slice(start, start + _TOGETHER)
            emissions += self.network.emissions(own[batch], features[batch])
        sentences = [document.tokens.sentences for document in features]
        return judged_spans(emissions, sentences, self.crf, self.labels, wanted)

    @classmethod
    def open(cls, path: Path, *, types: Collection[str] = (), threads: int | None = None) -> Self:
        """Read a model directory; `types` as for the class.

        Raises as `open_model`, DamagedError where the weights do not fit `model.toml`, and MismatchError if the encoder of this
        name has changed.
        """
        model = open_model(path, kind=cls.kind)
        parts = read_parts(path, model.options, threads=threads)
        return cls(**parts, types=types, name=model.name, digest=model.digest)

    def save(
        self,
        path: Path,
        *,
        gazetteers: Sequence[str] = (),
        encoder: Path | None = None,
        card: str = "",
        training: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the model directory, with weights in half precision.

        gazetteers  their names        encoder  directory to copy into the model; None: the model refers to it by name
        """
        arrays = arrays_of(self, gazetteers)

        def fill(draft: Path) -> None:
            write_safetensors(draft / WEIGHTS, arrays)
            if encoder is not None:
                shutil.copytree(encoder, draft / "encoder")

        word_encoder = self.vectors.fixed.encoder
        options = {
            "types": list(self._reported),
            "gazetteers": list(gazetteers),
            "buckets": self.vectors.features.buckets,
            "sizes": list(self.vectors.features.sizes),
            "encoder": word_encoder.name if word_encoder else "",
            "encoder_digest": word_encoder.digest if word_encoder else "",
        }
        if silent := self.labels.types[len(self._reported) :]:
            options["silent"] = list(silent)
        width = self.network.arrays["output.weight"].shape[1]
        model = Model(self.kind, self.name, width, "simplify", options, dict(training or {}))
        self.digest = write_model(path, model, fill=fill, card=card).digest


def _judgement(probabilities: Sequence[float]) -> Judgement:
    exact, outside = probabilities
    return Judgement(round(exact, 4), round(1 - outside, 4))


def _token_spans(tokens: Tokens, mention: Mention, kinds: Sequence[int]) -> list[TokenSpan]:
    """The mention as each of these kinds; none unless it is of whole tokens of one sentence."""
    first, last = tokens.within(mention.start, mention.end)
    if first == last or (tokens.starts[first], tokens.ends[last - 1]) != (mention.start, mention.end):
        return []
    within = bisect_right(tokens.sentences, first) == bisect_right(tokens.sentences, last - 1)
    return [TokenSpan(first, last, kind) for kind in kinds] if within else []
