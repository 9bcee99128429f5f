"""The listwise reranker, which scores the features of each candidate against all others of its list, in numpy.

Its directory is a model directory of kind `listwise`:

    weights.safetensors  the scorer's weights, the rarity of words, the counts of `MentionPriors`
    composites.json      hashes of texts that meant several concepts in training
    calibrator.json      optional: turns its scores into probabilities
    encoder/             optional: the encoder of the features' vectors
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from copy import copy
from pathlib import Path
from threading import Lock
from typing import Any, Self
from weakref import WeakKeyDictionary

import numpy as np

from linnet.arrays import Doubles, Floats
from linnet.encode import Encoder, encoder_of_model
from linnet.encode.model import REBUILD, Model, open_model, write_model
from linnet.encode.safetensors import read_safetensors, write_safetensors
from linnet.errors import DamagedError, MismatchError
from linnet.io import artifact
from linnet.rerank.calibrator import FILE, Calibrator
from linnet.rerank.candidate_table import CandidateTable
from linnet.rerank.features import FEATURES, Features
from linnet.rerank.listwise_scorer import ListwiseScorer
from linnet.rerank.mention_priors import CountTable, MentionPriors
from linnet.rerank.name_features import StringTable, crc_hash
from linnet.rerank.reranker import Concepts, reorder
from linnet.retrieve.hits import Hits
from linnet.retrieve.slices import run_in_slices
from linnet.system.cores import cores
from linnet.types import Mention

__all__ = ["ListwiseReranker"]

_WEIGHTS = "weights.safetensors"
_COMPOSITES = "composites.json"
_TABLES = ("concepts", "surfaces", "pairs")
# The most mentions whose features are held at a time, and the fewest that are split among threads.
_BATCH, _SPLIT_FROM = 1024, 128


class ListwiseReranker:
    """Orders candidates by their probability among those of their list and "none of these"."""

    kind = "listwise"

    def __init__(
        self,
        scorer: ListwiseScorer,
        priors: MentionPriors,
        rarity: Floats,
        *,
        features: Sequence[str] = FEATURES,
        encoder: Encoder | None = None,
        name: str = "listwise",
        digest: str = "",
        threads: int | None = None,
    ) -> None:
        """
        rarity    (BUCKETS,) idf of words, see `Features`
        features  of `FEATURES`, those that the scorer takes, in its order
        threads   that share a batch, None for all cores; results do not depend on it
        """
        self.scorer, self.priors, self.rarity, self.encoder = scorer, priors, rarity, encoder
        self.name, self.digest = name, digest
        self._columns = tuple(features)
        self._taken = None if self._columns == FEATURES else [FEATURES.index(name) for name in self._columns]
        self._threads = threads or cores()
        self._lock = Lock()
        self._clear()

    def _clear(self) -> None:
        strings = StringTable(self.encoder)
        features = Features(strings, self.priors, self.rarity)
        self._state: tuple[StringTable, Features, WeakKeyDictionary[Concepts, CandidateTable]] = (
            strings,
            features,
            WeakKeyDictionary(),
        )

    @classmethod
    def open(cls, path: Path, *, threads: int | None = None) -> Self:
        """See `Reranker.open`. Also raises MismatchError if it was trained on features that this linnet does not compute, or
        with another encoder of the same name."""
        model = open_model(path, kind=cls.kind)
        options = model.options
        features = tuple(options.get("features", ()))
        unknown = ", ".join(name for name in features if name not in FEATURES)
        if unknown or not features:
            what = f"features that this linnet does not compute ({unknown})" if unknown else "no features"
            raise MismatchError(f"{path} was trained on {what}.", REBUILD)
        encoder = encoder_of_model(path, options, threads=threads)
        arrays = read_safetensors(path / _WEIGHTS, rebuild=REBUILD)
        try:
            counts: dict[str, Any] = {
                name: CountTable(arrays[f"{name}.keys"], arrays[f"{name}.counts"]) for name in _TABLES
            }
            scorer = ListwiseScorer.of(arrays)
            rarity = np.asarray(arrays["rarity"], np.float32)
        except KeyError as error:
            raise DamagedError(f"{path / _WEIGHTS} has no {error}.", REBUILD) from None
        try:
            stored = json.loads((path / _COMPOSITES).read_text(encoding="utf-8"))
            composites = {int(surface): tuple(ids) for surface, ids in stored.items()}
        except (OSError, ValueError, TypeError, AttributeError) as error:
            raise DamagedError(f"{path / _COMPOSITES} cannot be read: {error!r}.", REBUILD) from None
        kinds = dict(zip(options.get("kinds", ()), options.get("kind_values", ()), strict=True))
        return cls(
            scorer,
            MentionPriors(**counts, kinds=kinds, composites=composites),
            rarity,
            features=features,
            encoder=encoder,
            name=model.name,
            digest=model.digest,
            threads=threads,
        )

    def save(
        self,
        path: Path,
        *,
        card: str = "",
        training: Mapping[str, Any] | None = None,
        encoder: Path | None = None,
        calibrator: Calibrator | None = None,
    ) -> None:
        """Write the model directory. `encoder` is copied into it; without it, `open` finds the encoder by name."""
        arrays: dict[str, Any] = dict(self.scorer.arrays())
        for name in _TABLES:
            table: CountTable = getattr(self.priors, name)
            arrays[f"{name}.keys"], arrays[f"{name}.counts"] = table.keys, table.values

        def fill(draft: Path) -> None:
            write_safetensors(draft / _WEIGHTS, {**arrays, "rarity": self.rarity.astype(np.float16)})
            composites = json.dumps(self.priors.composites, indent=0)
            (draft / _COMPOSITES).write_text(composites + "\n", encoding="utf-8")
            if calibrator is not None:
                calibrator.save(draft / FILE)
            if encoder is not None:
                shutil.copytree(encoder, draft / "encoder")

        options = {
            "features": list(self._columns),
            "encoder": self.encoder.name if self.encoder else "",
            "encoder_digest": self.encoder.digest if self.encoder else "",
            "kinds": list(self.priors.kinds),
            "kind_values": list(self.priors.kinds.values()),
        }
        model = Model(self.kind, self.name, len(self._columns), "gloss", options, dict(training or {}))
        self.digest = write_model(path, model, fill=fill, card=card).digest

    def rerank(
        self, mentions: Sequence[Mention], texts: Sequence[str], hits: Hits, concepts: Concepts
    ) -> Hits:
        """See `Reranker.rerank`. Scores are probabilities; the rest to 1 in a row is that of "none of these"."""
        scores = np.zeros(hits.concepts.shape, np.float32)

        def score(part: slice) -> None:
            features = self.features(mentions[part], texts[part], hits.take(part), concepts)
            scores[part] = self.scorer.probabilities(features, hits.concepts[part] >= 0)

        run_in_slices(score, len(texts), most=_BATCH, alone=_SPLIT_FROM, threads=self._threads)
        return reorder(hits, scores)

    def composites(self, mentions: Sequence[Mention], texts: Sequence[str]) -> dict[int, tuple[str, ...]]:
        """See `Remembers.composites`: by the text as written, otherwise with abbreviations expanded."""
        composites = (
            self.priors.composite(mention.text) or (text != mention.text and self.priors.composite(text))
            for mention, text in zip(mentions, texts, strict=True)
        )
        return {row: ids for row, ids in enumerate(composites) if ids}

    def without_memory(self) -> Self:
        """See `Remembers.without_memory`."""
        return self.remembering(
            self.priors.emptied(), digest=artifact.digest(f"{self.digest} without memory")
        )

    def remembering(self, priors: MentionPriors, *, digest: str = "") -> Self:
        """The same reranker with the counts of other mentions."""
        other = copy(self)
        other.priors, other.digest, other._lock = priors, digest, Lock()
        other._clear()
        return other

    def recalled(self, texts: Sequence[str], ids: Sequence[Sequence[str]]) -> Doubles:
        """See `Remembers.recalled`."""
        by_stems = self.priors.hashes(texts)[:, 1:]  # texts with the same words have the same stems
        concepts = np.array([[crc_hash(id) for id in row] for row in ids], np.int64)
        concepts = concepts.reshape(len(texts), len(ids[0]) if ids else 1)
        with np.errstate(invalid="ignore"):
            shares = self.priors.meant(by_stems, concepts) / self.priors.seen(by_stems)
        return shares.astype(np.float64)

    def column(self, feature: str) -> int:
        """The place of one of `FEATURES` among the scorer's. Raises ValueError where it was not trained on it."""
        return self._columns.index(feature)

    def features(
        self, mentions: Sequence[Mention], texts: Sequence[str], hits: Hits, concepts: Concepts
    ) -> Floats:
        """(N, k, F) the input of the scorer: the features that it was trained on."""
        with self._lock:
            if self._state[0].full:
                self._clear()
            strings, features, tables = self._state
            table = tables.setdefault(concepts, CandidateTable(concepts, strings, self.priors))
        values = features.of(mentions, texts, hits, table)
        return values if self._taken is None else values[..., self._taken]
