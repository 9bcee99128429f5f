"""The listwise reranker: features of each candidate, scored against all others of its list, with numpy alone.

Its directory is a model directory of kind `listwise`:

    weights.safetensors  the scorer's weights, the rarity of words, the counts of `MentionPriors`
    composites.json      texts, by hash, that meant several concepts in training
    calibrator.json      optional: what its scores say of being right
    encoder/             the encoder of the features' vectors, where it has one of its own
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, Self
from weakref import WeakKeyDictionary

import numpy as np

from linnet import artifact
from linnet.arrays import Floats
from linnet.cores import cores
from linnet.encode import Encoder, load_encoder
from linnet.encode.model import REBUILD, Model, open_model, write_model
from linnet.encode.safetensors import read_safetensors, write_safetensors
from linnet.errors import DamagedError, MismatchError
from linnet.rerank.calibrator import FILE, Calibrator
from linnet.rerank.candidate_table import CandidateTable
from linnet.rerank.features import FEATURES, Features
from linnet.rerank.listwise_scorer import ListwiseScorer
from linnet.rerank.mention_priors import CountTable, MentionPriors
from linnet.rerank.name_features import StringTable
from linnet.rerank.reranker import Concepts
from linnet.retrieve.hits import Hits, Origin
from linnet.retrieve.slices import run_in_slices
from linnet.types import Mention

__all__ = ["ListwiseReranker", "reorder"]

_WEIGHTS = "weights.safetensors"
_COMPOSITES = "composites.json"
_TABLES = ("concepts", "surfaces", "pairs")
# Mentions whose features are held at a time, at most; so few are not shared out among threads.
_TOGETHER, _ALONE = 1024, 128


class ListwiseReranker:
    """Candidates by their probability among those of their list and "none of these"."""

    kind = "listwise"

    def __init__(
        self,
        scorer: ListwiseScorer,
        memory: MentionPriors,
        rarity: Floats,
        *,
        encoder: Encoder | None = None,
        name: str = "listwise",
        digest: str = "",
        threads: int | None = None,
    ) -> None:
        """
        rarity   (BUCKETS,) idf of words, see `Features`
        threads  that share a batch, None for all cores; results do not depend on it
        """
        self.scorer, self.memory, self.rarity, self.encoder = scorer, memory, rarity, encoder
        self.name, self.digest = name, digest
        self._threads = threads or cores()
        self._lock = Lock()
        self._begin()

    def _begin(self) -> None:
        strings = StringTable(self.encoder)
        features = Features(strings, self.memory, self.rarity)
        self._state: tuple[StringTable, Features, WeakKeyDictionary[Concepts, CandidateTable]] = (
            strings,
            features,
            WeakKeyDictionary(),
        )

    @classmethod
    def open(cls, path: Path, *, threads: int | None = None) -> Self:
        """As `Reranker.open`. Raises MismatchError too where it was trained on other features, or with another encoder
        of the name it asks for."""
        model = open_model(path, kind=cls.kind)
        options = model.options
        if tuple(options.get("features", ())) != FEATURES:
            raise MismatchError(f"{path} was trained on other features than this linnet computes. {REBUILD}")
        encoder = None
        if options.get("encoder"):
            own = path / "encoder"
            encoder = load_encoder(own if own.is_dir() else str(options["encoder"]), threads=threads)
            if encoder.digest != options.get("encoder_digest"):
                raise MismatchError(
                    f"{path} was trained with encoder '{options['encoder']}' (digest {options.get('encoder_digest')}); "
                    f"the one of that name now has digest {encoder.digest}. {REBUILD}"
                )
        arrays = read_safetensors(path / _WEIGHTS, rebuild=REBUILD)
        try:
            counts = [CountTable(arrays[f"{name}.keys"], arrays[f"{name}.counts"]) for name in _TABLES]
            scorer = ListwiseScorer.of(arrays)
            rarity = np.asarray(arrays["rarity"], np.float32)
        except KeyError as error:
            raise DamagedError(f"{path / _WEIGHTS} has no {error}. {REBUILD}") from None
        try:
            known = json.loads((path / _COMPOSITES).read_text(encoding="utf-8"))
            composites = {int(surface): tuple(ids) for surface, ids in known.items()}
        except (OSError, ValueError, TypeError, AttributeError) as error:
            raise DamagedError(f"{path / _COMPOSITES} cannot be read: {error!r}. {REBUILD}") from None
        kinds = dict(zip(options.get("kinds", ()), options.get("kind_values", ()), strict=True))
        return cls(
            scorer,
            MentionPriors(*counts, kinds=kinds, composites=composites),
            rarity,
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
        """Write the model directory; the encoder's is copied into it where it is given, else asked for by name."""
        arrays: dict[str, Any] = dict(self.scorer.arrays())
        for name in _TABLES:
            table: CountTable = getattr(self.memory, name)
            arrays[f"{name}.keys"], arrays[f"{name}.counts"] = table.keys, table.values

        def fill(draft: Path) -> None:
            write_safetensors(draft / _WEIGHTS, {**arrays, "rarity": self.rarity.astype(np.float16)})
            (draft / _COMPOSITES).write_text(
                json.dumps(self.memory.composites, indent=0) + "\n", encoding="utf-8"
            )
            if calibrator is not None:
                calibrator.save(draft / FILE)
            if encoder is not None:
                shutil.copytree(encoder, draft / "encoder")

        options = {
            "features": list(FEATURES),
            "encoder": self.encoder.name if self.encoder else "",
            "encoder_digest": self.encoder.digest if self.encoder else "",
            "kinds": list(self.memory.kinds),
            "kind_values": list(self.memory.kinds.values()),
        }
        model = Model(self.kind, self.name, len(FEATURES), "gloss", options, dict(training or {}))
        self.digest = write_model(path, model, fill=fill, card=card).digest

    def rerank(
        self, mentions: Sequence[Mention], texts: Sequence[str], hits: Hits, concepts: Concepts
    ) -> Hits:
        """As `Reranker.rerank`. Scores are probabilities; a row's sum falls short of 1 by that of "none of these"."""
        scores = np.zeros(hits.concepts.shape, np.float32)

        def score(part: slice) -> None:
            features = self.features(mentions[part], texts[part], hits.take(part), concepts)
            scores[part] = self.scorer.probabilities(features, hits.concepts[part] >= 0)

        run_in_slices(score, len(texts), most=_TOGETHER, alone=_ALONE, threads=self._threads)
        return reorder(hits, scores)

    def composites(self, mentions: Sequence[Mention], texts: Sequence[str]) -> dict[int, tuple[str, ...]]:
        """As `RemembersComposites.composites`: by the text as written, else with abbreviations spelt out."""
        found = (
            self.memory.composite(mention.text) or (text != mention.text and self.memory.composite(text))
            for mention, text in zip(mentions, texts, strict=True)
        )
        return {row: ids for row, ids in enumerate(found) if ids}

    def without_memory(self) -> Self:
        """As `RemembersMentions.without_memory`."""
        return type(self)(
            self.scorer,
            self.memory.emptied(),
            self.rarity,
            encoder=self.encoder,
            name=self.name,
            digest=artifact.digest(f"{self.digest} without memory"),
            threads=self._threads,
        )

    def features(
        self, mentions: Sequence[Mention], texts: Sequence[str], hits: Hits, concepts: Concepts
    ) -> Floats:
        """(N, k, F), what the scorer sees."""
        with self._lock:
            if self._state[0].full:
                self._begin()
            strings, features, known = self._state
            rows = known.setdefault(concepts, CandidateTable(concepts, strings, self.memory))
        return features.of(mentions, texts, hits, rows)


def reorder(hits: Hits, scores: Floats) -> Hits:
    """The candidates by these scores (N, k), best first, marked as reranked; ties keep their order."""
    there = hits.concepts >= 0
    # To five decimals, so that a batch's arithmetic cannot decide a tie.
    scores = np.where(there, np.round(scores, 5), -np.inf).astype(np.float32)
    order = np.argsort(-scores, axis=1, kind="stable")
    columns = (hits.concepts, hits.names, scores, np.where(there, hits.origins | Origin.RERANKED, 0))
    concepts, names, scores, origins = (np.take_along_axis(column, order, 1) for column in columns)
    return Hits(concepts, names, scores, origins.astype(np.uint16))
