"""The trained recogniser: labels tokens with a network and a chain, and says how sure it is of each mention.

Its directory is a model directory of kind `tagger`:

    weights.safetensors  the network, the chain, the tables of word vectors, the gazetteers, the curve of confidence
    encoder/             the encoder of words, where it has one of its own

Computed with numpy. What is found in a document does not depend on the others.
"""

from __future__ import annotations

import shutil
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
from linnet.recognise.crf import Chain
from linnet.recognise.gazetteer import Gazetteer
from linnet.recognise.labels import Labels, TokenSpan
from linnet.recognise.network import Network
from linnet.recognise.token_features import DocumentFeatures, TokenFeatures
from linnet.recognise.tokens import Tokens
from linnet.recognise.vector_cache import VectorCache
from linnet.recognise.word_vectors import ContextVectors, FixedVectors, WordVectors
from linnet.types import Document, Mention

__all__ = ["Curve", "Tagger", "found_spans"]

# Documents whose labels are chosen together.
_TOGETHER = 64

_WEIGHTS = "weights.safetensors"
_GAZETTEER, _NETWORK, _CHAIN = "gazetteer.", "network.", "chain."
_CONTEXTS = ("contexts.hashes", "contexts.table")


@dataclass(frozen=True, slots=True)
class Curve:
    """How often a mention of such a probability is right: linear between points, level beyond them; no points, no change.

    probabilities  (N,) rising, as the chain gives them        right  (N,) rising
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
    """Finds mentions of the types it was trained on. Not changed by use."""

    kind = "tagger"

    def __init__(
        self,
        labels: Labels,
        features: TokenFeatures,
        vectors: WordVectors,
        network: Network,
        chain: Chain,
        *,
        curve: Curve | None = None,
        types: Collection[str] = (),
        name: str = "tagger",
        digest: str = "",
    ) -> None:
        """
        curve  what makes its probabilities confidences, None to give them as they are
        types  mentions of other types are left out, if it knows any of these at all
        """
        self.labels, self.features, self.vectors, self.network, self.chain = (
            labels,
            features,
            vectors,
            network,
            chain,
        )
        self.curve = curve or Curve(np.zeros(0, np.float32), np.zeros(0, np.float32))
        self.name, self.digest = name, digest
        self._cache = VectorCache(vectors.of, vectors.dimensions)
        wanted = {kind.casefold() for kind in types}
        known = {number for number, kind in enumerate(labels.types) if kind.casefold() in wanted}
        self._kinds = known or set(range(len(labels.types)))

    @property
    def types(self) -> frozenset[str]:
        """Those it was trained on, without the ones that are left out."""
        return frozenset(self.labels.types[kind] for kind in self._kinds)

    def recognise(self, documents: Sequence[Document]) -> list[Document]:
        """The documents with the mentions found in them, in text order and without overlaps; theirs are replaced."""
        found: list[Document] = []
        with single_threaded_blas():
            for start in range(0, len(documents), _TOGETHER):
                batch = documents[start : start + _TOGETHER]
                features = [self.features.of(document.text) for document in batch]
                found += [
                    document.with_mentions(self._mentions(document, feature.tokens, spans, probabilities))
                    for document, feature, (spans, probabilities) in zip(
                        batch, features, self.spans(features), strict=True
                    )
                ]
        return found

    def _mentions(
        self, document: Document, tokens: Tokens, spans: list[TokenSpan], probabilities: list[float]
    ) -> list[Mention]:
        found = []
        for span, confidence in zip(spans, self.curve.at(probabilities), strict=True):
            if span.kind not in self._kinds:
                continue
            start, end = int(tokens.starts[span.first]), int(tokens.ends[span.last - 1])
            kind = self.labels.types[span.kind]
            found.append(
                Mention(
                    document,
                    start,
                    end,
                    document.text[start:end],
                    kind,
                    source=self.name,
                    confidence=confidence,
                )
            )
        return found

    def spans(self, features: Sequence[DocumentFeatures]) -> list[tuple[list[TokenSpan], list[float]]]:
        """The mentions of each document in tokens, and the probability of each before the curve."""
        if not any(len(one.tokens) for one in features):
            return [([], []) for _ in features]
        words = list(dict.fromkeys(word for one in features for word in one.words))
        vectors, rows = self._cache.of(words), {word: row for row, word in enumerate(words)}
        # Matrix products are those of one document: how BLAS rounds depends on how many rows it is given.
        emissions = [
            self.network.emissions(vectors[[rows[word] for word in one.words]], one) for one in features
        ]
        return found_spans(emissions, [one.tokens.sentences for one in features], self.chain, self.labels)

    @classmethod
    def open(cls, path: Path, *, types: Collection[str] = (), threads: int | None = None) -> Self:
        """Read a model directory. `threads` is accepted for all models.

        types  as for the class

        Raises as `open_model`, and MismatchError where the encoder of the name it asks for is another now.
        """
        model = open_model(path, kind=cls.kind)
        arrays = read_safetensors(path / _WEIGHTS, rebuild=REBUILD)
        try:
            options = model.options
            encoder = _encoder(path, options, threads)
            labels = Labels(tuple(map(str, options["types"])))
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
            chain = Chain(**_under(_CHAIN, weights))
            curve = Curve(weights["curve.probabilities"], weights["curve.right"])
            wanted = vectors.dimensions + features.size
            if network.arrays["projection.weight"].shape[1] != wanted or len(chain.start) != len(labels):
                raise ValueError(
                    f"weights for other features or labels than the model's {wanted} and {len(labels)}"
                )
        except (KeyError, TypeError, ValueError) as error:
            raise DamagedError(
                f"{path / _WEIGHTS} does not hold what its model.toml says: {error!r}. {REBUILD}"
            ) from None
        return cls(
            labels,
            features,
            vectors,
            network,
            chain,
            curve=curve,
            types=types,
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
        """Write the model directory, weights in half precision.

        gazetteers  a name for each        encoder  directory that is copied into it; without, it is asked for by name
        """
        halves = {
            "table": self.vectors.table,
            **{f"{_NETWORK}{name}": array for name, array in self.network.arrays.items()},
            f"{_CHAIN}start": self.chain.start,
            f"{_CHAIN}transitions": self.chain.transitions,
            f"{_CHAIN}end": self.chain.end,
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

        own = self.vectors.fixed.encoder
        options = {
            "types": list(self.labels.types),
            "gazetteers": list(gazetteers),
            "buckets": self.vectors.features.buckets,
            "sizes": list(self.vectors.features.sizes),
            "encoder": own.name if own else "",
            "encoder_digest": own.digest if own else "",
        }
        width = self.network.arrays["output.weight"].shape[1]
        model = Model(self.kind, self.name, width, "simplify", options, dict(training or {}))
        self.digest = write_model(path, model, fill=fill, card=card).digest


def found_spans(
    emissions: Sequence[Floats], sentences: Sequence[Sequence[int]], chain: Chain, labels: Labels
) -> list[tuple[list[TokenSpan], list[float]]]:
    """Of each document, the mentions on the best path through each sentence, and the probability of each.

    emissions  (T, L) of each document's tokens        sentences  of each document, as in `Tokens`
    """
    bounds = [0]
    for own in sentences:
        bounds += [bounds[-1] + place for place in own[1:]]
    together = np.concatenate([*emissions, np.zeros((0, len(labels)), np.float32)])
    spans = labels.spans(chain.best_paths(together, bounds).tolist())
    probabilities = chain.probabilities(together, bounds, spans, labels)
    found: list[tuple[list[TokenSpan], list[float]]] = []
    begin, at = 0, 0
    for length in map(len, emissions):
        stop = next((i for i in range(at, len(spans)) if spans[i].first >= begin + length), len(spans))
        shifted = [TokenSpan(s.first - begin, s.last - begin, s.kind) for s in spans[at:stop]]
        found.append((shifted, probabilities[at:stop]))
        begin, at = begin + length, stop
    return found


def _under(prefix: str, arrays: Mapping[str, Floats]) -> dict[str, Floats]:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def _encoder(path: Path, options: Mapping[str, Any], threads: int | None) -> Encoder | None:
    if not options["encoder"]:
        return None
    own = path / "encoder"
    encoder = load_encoder(own if own.is_dir() else str(options["encoder"]), threads=threads)
    if encoder.digest != options["encoder_digest"]:
        raise MismatchError(
            f"{path} was trained with encoder '{options['encoder']}' (digest {options['encoder_digest']}); "
            f"the one of that name now has digest {encoder.digest}. {REBUILD}"
        )
    return encoder
