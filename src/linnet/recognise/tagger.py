"""The trained recogniser: labels tokens with a network and a CRF, and gives each mention a confidence.

It is stored as a model directory of kind `tagger`:

    weights.safetensors  network, CRF, word vectors, gazetteers, calibration curve
    encoder/             its own encoder of words, if it has one

It runs on numpy. The mentions of a document do not depend on other documents.
"""

from __future__ import annotations

import shutil
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from linnet.arrays import Floats
from linnet.blas import single_threaded_blas
from linnet.encode import Encoder, load_encoder
from linnet.encode.features import NgramFeatures
from linnet.encode.model import REBUILD, Model, open_model, write_model
from linnet.encode.safetensors import read_safetensors, write_safetensors
from linnet.errors import DamagedError, MismatchError
from linnet.recognise.bioes import Labels, TokenSpan
from linnet.recognise.crf import CRF
from linnet.recognise.gazetteer import Gazetteer
from linnet.recognise.network import Network
from linnet.recognise.span_scores import judged_spans
from linnet.recognise.token_features import DocumentFeatures, TokenFeatures
from linnet.recognise.tokens import Tokens
from linnet.recognise.vector_cache import VectorCache
from linnet.recognise.word_vectors import ContextVectors, FixedVectors, WordVectors
from linnet.types import Document, Mention

__all__ = ["Curve", "Tagger"]

_BATCH = 64  # documents labelled together
_TOGETHER = 16  # documents through the network together: more are no faster

_WEIGHTS = "weights.safetensors"
# Prefixes of names of arrays.
_GAZETTEER, _NETWORK, _CRF = "gazetteer.", "network.", "chain."
_CONTEXTS = ("contexts.hashes", "contexts.table")


@dataclass(frozen=True, slots=True)
class Curve:
    """Calibration: the share of right mentions by probability, linear between points, constant beyond them.

    probabilities  (N,) of the CRF, rising; without points, probabilities are unchanged        right  (N,) rising
    """

    probabilities: Floats
    right: Floats

    def at(self, probabilities: Sequence[float]) -> list[float]:
        """(M,) confidences, to four decimals."""
        values = np.asarray(probabilities, np.float64)
        if len(self.probabilities):
            values = np.interp(values, self.probabilities, self.right)
        return [round(value, 4) for value in values.tolist()]


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
        self._cache = VectorCache(vectors.of, vectors.dimensions)
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
    ) -> list[tuple[Document, list[float | None]]]:
        """As `recognise`; and the probability of each mention of the same documents that another recogniser found.

        others  the documents with the other's mentions

        The probability is the CRF's: the calibration curve is of mentions that this tagger chose. It is None for a type
        that this tagger does not recognise, for a mention that is not of whole tokens, and for one that crosses the end of a
        sentence.
        """
        results: list[tuple[Document, list[float | None]]] = []
        with single_threaded_blas():
            for start in range(0, len(documents), _BATCH):
                batch = slice(start, start + _BATCH)
                features = [self.features.of(document.text) for document in documents[batch]]
                wanted = [
                    [self._own_span(feature.tokens, mention) for mention in other.mentions]
                    for feature, other in zip(features, others[batch], strict=True)
                ]
                for document, feature, (spans, probabilities, judged), named in zip(
                    documents[batch], features, self._judged(features, wanted), wanted, strict=True
                ):
                    mentions = self._mentions(document, feature.tokens, spans, probabilities)
                    following = iter(judged)
                    results.append(
                        (
                            document.with_mentions(mentions),
                            [None if span is None else round(next(following), 4) for span in named],
                        )
                    )
        return results

    def span_probabilities(
        self, documents: Sequence[Document], *, types: Collection[str]
    ) -> list[list[float | None]]:
        """For each mention of the documents, the probability that it is one of these types, silent ones included.

        The mention's own type does not matter. The probability is the CRF's, and None as in `recognise_beside`.
        """
        kinds = [kind for kind, type in enumerate(self.labels.types) if type in types]
        results: list[list[float | None]] = []
        with single_threaded_blas():
            for start in range(0, len(documents), _BATCH):
                batch = documents[start : start + _BATCH]
                features = [self.features.of(document.text) for document in batch]
                places = [
                    [_place(feature.tokens, mention) for mention in document.mentions]
                    for feature, document in zip(features, batch, strict=True)
                ]
                wanted = [
                    [TokenSpan(*place, kind) for place in own if place for kind in kinds] for own in places
                ]
                for own, (_, _, probabilities) in zip(places, self._judged(features, wanted), strict=True):
                    following = iter(probabilities)
                    results.append(
                        [None if place is None else sum(next(following) for _ in kinds) for place in own]
                    )
        return results

    def _own_span(self, tokens: Tokens, mention: Mention) -> TokenSpan | None:
        kind = self._kind_of.get((mention.type or "").casefold())
        place = None if kind is None or kind not in self._kinds else _place(tokens, mention)
        return None if kind is None or place is None else TokenSpan(*place, kind)

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

    def spans(self, features: Sequence[DocumentFeatures]) -> list[tuple[list[TokenSpan], list[float]]]:
        """The mentions of each document in tokens, and the uncalibrated probability of each."""
        judged = self._judged(features, [[] for _ in features])
        return [(spans, probabilities) for spans, probabilities, _ in judged]

    def _judged(
        self, features: Sequence[DocumentFeatures], wanted: Sequence[Sequence[TokenSpan | None]]
    ) -> list[tuple[list[TokenSpan], list[float], list[float]]]:
        """As `spans`, and the uncalibrated probability of each span wanted, if it is not None."""
        if not any(len(document.tokens) for document in features):
            return [([], [], []) for _ in features]
        words = list(dict.fromkeys(word for document in features for word in document.words))
        vectors, rows = self._cache.of(words), {word: row for row, word in enumerate(words)}
        own = [vectors[[rows[word] for word in document.words]] for document in features]
        emissions: list[Floats] = []
        for start in range(0, len(features), _TOGETHER):
            batch = slice(start, start + _TOGETHER)
            emissions += self.network.emissions_of(own[batch], features[batch])
        sentences = [document.tokens.sentences for document in features]
        spans = [[span for span in named if span is not None] for named in wanted]
        return judged_spans(emissions, sentences, self.crf, self.labels, wanted=spans)

    @classmethod
    def open(cls, path: Path, *, types: Collection[str] = (), threads: int | None = None) -> Self:
        """Read a model directory; `types` as for the class.

        Raises as `open_model`, DamagedError where the weights do not fit `model.toml`, and MismatchError if the encoder of this
        name has changed.
        """
        model = open_model(path, kind=cls.kind)
        arrays = read_safetensors(path / _WEIGHTS, rebuild=REBUILD)
        try:
            options = model.options
            encoder = _encoder(path, options, threads)
            silent = tuple(map(str, options.get("silent", ())))
            labels = Labels((*map(str, options["types"]), *silent))
            lists = [arrays[f"{_GAZETTEER}{name}"].view(np.uint32) for name in options["gazetteers"]]
            features = TokenFeatures(tuple(Gazetteer(hashes) for hashes in lists))
            weights = {
                name: np.asarray(array, np.float32)
                for name, array in arrays.items()
                if array.dtype != np.uint8
            }
            ngrams = NgramFeatures(int(options["buckets"]), tuple(options["sizes"]))
            contexts = None
            if _CONTEXTS[1] in arrays:
                contexts = ContextVectors(arrays[_CONTEXTS[0]].view(np.uint32), weights[_CONTEXTS[1]])
            vectors = WordVectors(ngrams, weights["table"], FixedVectors(encoder, contexts))
            network = Network(_under(_NETWORK, weights))
            crf = CRF(**_under(_CRF, weights))
            curve = Curve(weights["curve.probabilities"], weights["curve.right"])
            width = vectors.dimensions + features.size
            if network.arrays["projection.weight"].shape[1] != width or len(crf.start) != len(labels):
                raise ValueError(f"weights do not fit {width} features and {len(labels)} labels")
        except (KeyError, TypeError, ValueError) as error:
            raise DamagedError(
                f"{path / _WEIGHTS} does not match its model.toml: {error!r}. {REBUILD}"
            ) from None
        return cls(
            labels,
            features,
            vectors,
            network,
            crf,
            curve=curve,
            types=types,
            silent=silent,
            name=model.name,
            digest=model.digest,
        )

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
        halves = {
            "table": self.vectors.table,
            **{f"{_NETWORK}{name}": array for name, array in self.network.arrays.items()},
            f"{_CRF}start": self.crf.start,
            f"{_CRF}transitions": self.crf.transitions,
            f"{_CRF}end": self.crf.end,
        }
        arrays: dict[str, Any] = {name: array.astype(np.float16) for name, array in halves.items()}
        arrays |= {"curve.probabilities": self.curve.probabilities, "curve.right": self.curve.right}
        for name, gazetteer in zip(gazetteers, self.features.gazetteers, strict=True):
            arrays[f"{_GAZETTEER}{name}"] = gazetteer.hashes.view(np.uint8)

        if (contexts := self.vectors.fixed.contexts) is not None:
            arrays[_CONTEXTS[0]] = contexts.hashes.view(np.uint8)
            arrays[_CONTEXTS[1]] = contexts.table.astype(np.float16)

        def fill(draft: Path) -> None:
            write_safetensors(draft / _WEIGHTS, arrays)
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


def _place(tokens: Tokens, mention: Mention) -> tuple[int, int] | None:
    """The mention's first and last + 1 token; None unless it is of whole tokens of one sentence."""
    first, last = tokens.within(mention.start, mention.end)
    if first == last or (tokens.starts[first], tokens.ends[last - 1]) != (mention.start, mention.end):
        return None
    within = bisect_right(tokens.sentences, first) == bisect_right(tokens.sentences, last - 1)
    return (first, last) if within else None


def _under(prefix: str, arrays: Mapping[str, Floats]) -> dict[str, Floats]:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def _encoder(path: Path, options: Mapping[str, Any], threads: int | None) -> Encoder | None:
    if not options["encoder"]:
        return None
    copy = path / "encoder"
    encoder = load_encoder(copy if copy.is_dir() else str(options["encoder"]), threads=threads)
    if encoder.digest != options["encoder_digest"]:
        raise MismatchError(
            f"{path} was trained with encoder '{options['encoder']}' (digest {options['encoder_digest']}); "
            f"the encoder of this name now has digest {encoder.digest}. {REBUILD}"
        )
    return encoder
