"""What is nearest to a text among all names of a terminology, for an encoder of the DILBERT experiment."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from transformer_runs import DEVICE

from linnet.read.divide.shared_words import possible_splits
from linnet.read.doses import strip_doses
from linnet.terminology import Terminology
from linnet.train.learners.learner import Learner
from linnet.train.learners.transformer import TransformerLearner
from linnet.words.text import simplify

__all__ = ["Names", "NgramNames", "TransformerNames", "answers"]

_NGRAM_BATCH, _TRANSFORMER_BATCH = 1024, 4096
_QUERIES = 128  # compared with all names at a time


class Names(ABC):
    """All names of a terminology, each distinct text once.

    texts   (N,) their `simplify` forms
    owners  (N,) ids of the concepts that have each of them
    """

    def __init__(self, terminology: Terminology) -> None:
        owners: dict[str, dict[int, None]] = {}
        texts = terminology.names.take(range(len(terminology.names)))
        for text, row in zip(texts, np.asarray(terminology.name_concepts).tolist(), strict=True):
            owners.setdefault(simplify(text), {})[row] = None
        self.texts = list(owners)
        self.owners = [[terminology.ids[row] for row in rows] for rows in owners.values()]
        self._vectors = np.zeros((0, 0), np.float32)

    @abstractmethod
    def encode(self, texts: Sequence[str]) -> Any:
        """(N, D) float32 vectors of texts in `simplify` form."""

    def nearest(self, texts: Sequence[str]) -> tuple[list[list[str]], list[float], list[float]]:
        """For each text: the concepts of the nearest name, its Euclidean distance, the text's own length."""
        queries = self.encode([simplify(text) for text in texts])
        own, names = np.square(queries).sum(1), torch.from_numpy(self._vectors).to(DEVICE)
        lengths = names.square().sum(1)
        places, distances = [], []
        for start in range(0, len(queries), _QUERIES):
            some = torch.from_numpy(queries[start : start + _QUERIES]).to(DEVICE)
            # The text's own length does not change which name is nearest.
            nearest = (lengths - 2 * some @ names.T).min(1)
            places.append(nearest.indices.cpu().numpy())
            distances.append(nearest.values.cpu().numpy() + own[start : start + _QUERIES])
        found = np.sqrt(np.maximum(np.concatenate(distances), 0)).tolist()
        return [self.owners[place] for place in np.concatenate(places)], found, np.sqrt(own).tolist()


class NgramNames(Names):
    """Names taken apart once for all n-gram encoders with the features of one.

    The learner's weights are replaced by those of whatever encoder is asked.
    """

    def __init__(self, terminology: Terminology, learner: Learner) -> None:
        super().__init__(terminology)
        self._learner = learner
        self._numbered = learner.numbered(self.texts)

    @torch.no_grad()
    def load(self, module: torch.nn.Module) -> None:
        """Names as this encoder has them."""
        self._learner.load_state_dict(module.state_dict())
        self._learner.eval()
        places = np.arange(len(self.texts))
        starts = range(0, len(places), _NGRAM_BATCH)
        parts = [self._numbered(places[start : start + _NGRAM_BATCH]).numpy() for start in starts]
        self._vectors = np.concatenate(parts)

    @torch.no_grad()
    def encode(self, texts: Sequence[str]) -> Any:
        return self._learner(texts).numpy()


class TransformerNames(Names):
    """Names as one transformer has them. precision: "bf16" is faster where the processor has instructions for it."""

    def __init__(self, terminology: Terminology, learner: TransformerLearner, *, precision: str) -> None:
        super().__init__(terminology)
        self._learner, self._half = learner.eval().to(DEVICE), precision == "bf16"
        self._vectors = self.encode(self.texts)

    @torch.no_grad()
    def encode(self, texts: Sequence[str]) -> Any:
        """See `Names.encode`. Texts of like length are encoded together."""
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        vectors = np.zeros((len(texts), self._learner.network.config.hidden_size), np.float32)
        for start in range(0, len(order), _TRANSFORMER_BATCH):
            batch = order[start : start + _TRANSFORMER_BATCH]
            with torch.autocast(DEVICE.type, dtype=torch.bfloat16, enabled=self._half):
                vectors[batch] = self._learner([texts[place] for place in batch]).float().cpu().numpy()
        return vectors


def answers(names: Names, texts: Sequence[str]) -> dict[str, Any]:
    """Distinct text → {"whole", "distance", "length": of the text as it is; "parts": of what it is split into, or null}.

    A text is split where each part is nearer to a name than the whole is, measured in the length of its own vector.
    """
    texts = list(dict.fromkeys(texts))
    ways = [next(iter(possible_splits(text)), [strip_doses(text)]) for text in texts]
    single = list(dict.fromkeys([*texts, *(part for way in ways if len(way) > 1 for part in way)]))
    found = {text: one for text, *one in zip(single, *names.nearest(single), strict=True)}
    result = {}
    for text, way in zip(texts, ways, strict=True):
        whole, distance, length = found[text]
        parts = None
        if len(way) > 1 and max(found[part][1] / found[part][2] for part in way) < distance / length:
            parts = [found[part][0] for part in way]
        result[text] = {"whole": whole, "distance": distance, "length": length, "parts": parts}
    return result
