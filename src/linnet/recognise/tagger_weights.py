"""The weights of a tagger and what else it is made of, as they are stored in its model directory.

weights.safetensors  network, CRF, word vectors, gazetteers, calibration curve
encoder/             its own encoder of words, if it has one
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linnet.arrays import Floats
from linnet.encode import encoder_of_model
from linnet.encode.features import NgramFeatures
from linnet.encode.model import REBUILD
from linnet.encode.safetensors import read_safetensors
from linnet.errors import DamagedError
from linnet.recognise.bioes import Labels
from linnet.recognise.crf import CRF
from linnet.recognise.gazetteer import Gazetteer
from linnet.recognise.network import Network
from linnet.recognise.token_features import TokenFeatures
from linnet.recognise.word_vectors import ContextVectors, FixedVectors, WordVectors

if TYPE_CHECKING:
    from linnet.recognise.tagger import Tagger

__all__ = ["WEIGHTS", "Curve", "arrays_of", "read_parts"]

WEIGHTS = "weights.safetensors"
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


def read_parts(path: Path, options: Mapping[str, Any], *, threads: int | None = None) -> dict[str, Any]:
    """The arguments of `Tagger` in a model directory whose `model.toml` has these options. Raises as `Tagger.open`."""
    stored = read_safetensors(path / WEIGHTS, rebuild=REBUILD)
    weights = {
        name: np.asarray(array, np.float32) for name, array in stored.items() if array.dtype != np.uint8
    }
    try:
        silent = tuple(map(str, options.get("silent", ())))
        gazetteers = [
            Gazetteer(stored[f"{_GAZETTEER}{name}"].view(np.uint32), str(name))
            for name in options["gazetteers"]
        ]
        contexts = None
        if _CONTEXTS[1] in stored:
            contexts = ContextVectors(stored[_CONTEXTS[0]].view(np.uint32), weights[_CONTEXTS[1]])
        fixed = FixedVectors(encoder_of_model(path, options, threads=threads), contexts)
        ngrams = NgramFeatures(int(options["buckets"]), tuple(options["sizes"]))
        parts: dict[str, Any] = {
            "labels": Labels((*map(str, options["types"]), *silent)),
            "features": TokenFeatures(tuple(gazetteers)),
            "vectors": WordVectors(ngrams, weights["table"], fixed),
            "network": Network(_under(_NETWORK, weights)),
            "crf": CRF(**_under(_CRF, weights)),
            "curve": Curve(weights["curve.probabilities"], weights["curve.right"]),
            "silent": silent,
        }
        width = parts["vectors"].dimensions + parts["features"].size
        labels, inputs = len(parts["labels"]), parts["network"].arrays["projection.weight"].shape[1]
        if (inputs, len(parts["crf"].start)) != (width, labels):
            raise ValueError(f"weights do not fit {width} features and {labels} labels")
    except (KeyError, TypeError, ValueError) as error:
        raise DamagedError(f"{path / WEIGHTS} does not match its model.toml: {error!r}.", REBUILD) from None
    return parts


def arrays_of(tagger: Tagger, gazetteers: Sequence[str]) -> dict[str, Any]:
    """The arrays of `weights.safetensors` by name, weights in half precision. gazetteers: their names"""
    crf, contexts = tagger.crf, tagger.vectors.fixed.contexts
    halves = {
        "table": tagger.vectors.table,
        **{f"{_NETWORK}{name}": array for name, array in tagger.network.arrays.items()},
        **{f"{_CRF}{name}": getattr(crf, name) for name in ("start", "transitions", "end")},
    }
    arrays: dict[str, Any] = {name: array.astype(np.float16) for name, array in halves.items()}
    arrays |= {"curve.probabilities": tagger.curve.probabilities, "curve.right": tagger.curve.right}
    for name, gazetteer in zip(gazetteers, tagger.features.gazetteers, strict=True):
        arrays[f"{_GAZETTEER}{name}"] = gazetteer.hashes.view(np.uint8)
    if contexts is not None:
        arrays[_CONTEXTS[0]] = contexts.hashes.view(np.uint8)
        arrays[_CONTEXTS[1]] = contexts.table.astype(np.float16)
    return arrays


def _under(prefix: str, arrays: Mapping[str, Floats]) -> dict[str, Floats]:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
