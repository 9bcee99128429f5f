"""The static n-gram encoder: a name's vector is the weighted sum of its buckets' vectors.

    vector(name) = Σ over its features f of weight(bucket(f)) · table(bucket(f))

There are no context and no layers: the sum is one sparse product, which encodes ten thousands of names a second.
Untrained, the weights are idf over a terminology's names and the table is random signs: a random projection of TF-IDF, which
keeps cosines to about 1/√D. In a trained encoder the table is learnt; the weights may be folded into it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from linnet.arrays import Floats, Floats2d, Ints
from linnet.encode.features import Bags, NgramFeatures
from linnet.encode.model import REBUILD, Model, open_model, write_model
from linnet.encode.safetensors import read_safetensors, write_safetensors
from linnet.encode.table import RandomTable, StoredTable, Table
from linnet.errors import DamagedError
from linnet.io import artifact

__all__ = ["Features", "NgramEncoder"]

_WEIGHTS = "weights.safetensors"
# Texts encoded together: enough for words to repeat, few enough for the processor's caches.
_TOGETHER = 4096
# Up to so many features, of a text or two, summing in a loop is faster than setting up a sparse matrix.
_FEW = 256


class Features(NamedTuple):
    """Input of an embedding bag; bag i is entries `offsets[i]` to `offsets[i + 1]`, offsets (N + 1,).

    buckets  (M,) row of the table        weights  (M,) factor of that row
    """

    offsets: Ints
    buckets: Ints
    weights: Floats


class NgramEncoder:
    """Hashed n-grams and words, summed. Runs on one thread."""

    kind = "ngram"

    def __init__(
        self, features: NgramFeatures, table: Table, weights: Floats, *, name: str, digest: str = ""
    ) -> None:
        """
        table    of `features.buckets` rows        weights  (buckets,) factor of each bucket
        digest   of the stored model; by default computed from the contents
        """
        self._features = features
        self.table = table
        # In the stored precision, so that saving changes nothing.
        self._weights = weights.astype(np.float16).astype(np.float32)
        self.name = name
        self.dimensions = table.dimensions
        self.digest = digest or artifact.digest(json.dumps(self._options(), sort_keys=True), *self._bytes())

    @classmethod
    def untrained(
        cls,
        names: Iterable[str],
        *,
        buckets: int = 2**18,
        dimensions: int = 256,
        pairs: bool = False,
        seed: int = 0,
    ) -> Self:
        """A random projection of the names' idf-weighted n-grams and words.

        names  for idf: log((1 + names) / (1 + names with the bucket)); unknown buckets weigh most
        """
        features = NgramFeatures(buckets, pairs=pairs)
        counts, total = np.zeros(buckets, np.int64), 0
        for batch in _batches(names, _TOGETHER):
            offsets, values = features.bags(batch)
            owners = np.repeat(np.arange(len(batch)), np.diff(offsets))
            keys = np.sort(owners * buckets + values)
            once = keys[np.diff(keys, prepend=-1) != 0] % buckets
            counts += np.bincount(once, minlength=buckets)
            total += len(batch)
        weights = np.log((1 + total) / (1 + counts)).astype(np.float32)
        table = RandomTable(dimensions=dimensions, seed=seed)
        return cls(features, table, weights, name="ngram-untrained")

    @classmethod
    def open(cls, path: str | Path, *, threads: int | None = None) -> Self:
        """Read a model directory; the table stays memory-mapped. One thread is used, whatever `threads` is.

        Raises as `open_model`, and DamagedError where the weights do not fit `model.toml`.
        """
        model = open_model(path, kind=cls.kind)
        file = Path(path) / _WEIGHTS
        arrays = read_safetensors(file, rebuild=REBUILD)
        try:
            options = model.options
            sizes, words, pairs = tuple(options["sizes"]), bool(options["words"]), bool(options["pairs"])
            features = NgramFeatures(int(options["buckets"]), sizes, words, pairs)
            weights = arrays.pop("weights").astype(np.float32)
            table = _open_table(arrays, options, features.buckets, model.dimensions)
            if weights.shape != (features.buckets,):
                raise ValueError(f"{len(weights)} weights for {features.buckets} buckets")
        except (KeyError, TypeError, ValueError) as error:
            raise DamagedError(f"{file} does not match its model.toml: {error!r}.", REBUILD) from None
        return cls(features, table, weights, name=model.name, digest=model.digest)

    def save(
        self,
        path: str | Path,
        *,
        name: str | None = None,
        card: str = "",
        training: Mapping[str, Any] | None = None,
    ) -> Self:
        """Write a model directory and open it. The table keeps its quantisation, see `StoredTable.of`.

        Raises StoreError where the disk refuses.
        """
        arrays: dict[str, Any] = {"weights": self._weights.astype(np.float16)}
        if isinstance(self.table, StoredTable):
            arrays |= self.table.arrays

        def fill(draft: Path) -> None:
            write_safetensors(draft / _WEIGHTS, arrays)

        options, training = self._options(), dict(training or {})
        model = Model(
            self.kind, name or self.name, self.dimensions, "simplify", options, training, self.digest
        )
        write_model(path, model, fill=fill, card=card)
        return self.open(path)

    @property
    def ngrams(self) -> NgramFeatures:
        """How texts become buckets."""
        return self._features

    def folded(self) -> Floats2d:
        """(buckets, D) the table with each row multiplied by its weight: everything trainable."""
        table = self.table.rows(np.arange(self._features.buckets))
        table *= self._weights[:, None]
        return table

    def features(self, texts: Sequence[str]) -> Features:
        """The buckets and weights of each text, in the order in which `encode` adds them: for an embedding bag."""
        offsets, buckets = self._features.bags(texts)
        return Features(offsets, buckets, self._weights[buckets])

    def encode(self, texts: Sequence[str]) -> Floats2d:
        """(N, D) float32, raw. A text without letters, digits or signs gets zeros.

        A row's order of summation does not depend on the batch: equal texts get equal bits.
        """
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for start in range(0, len(texts), _TOGETHER):
            batch = texts[start : start + _TOGETHER]
            words, texts_, pairs = self._features.parts(batch)
            sums = _sums(texts_, self._sum(words))
            if len(pairs.values):
                sums += self._sum(pairs)
            vectors[start : start + _TOGETHER] = sums
        return vectors

    def _sum(self, bags: Bags) -> Floats2d:
        """Weighted sum of the table's rows for each bag; only rows that occur are read."""
        if len(bags.values) <= _FEW:
            rows, place = np.unique(bags.values, return_inverse=True)
        else:
            occurs = np.zeros(self._features.buckets, dtype=bool)
            occurs[bags.values] = True
            rows = np.flatnonzero(occurs)
            numbers = np.empty(self._features.buckets, np.int64)
            numbers[rows] = np.arange(len(rows))
            place = numbers[bags.values]
        vectors = self.table.rows(rows)
        vectors *= self._weights[rows, None]
        return _sums(Bags(bags.offsets, place), vectors)

    def _options(self) -> dict[str, Any]:
        options = {**asdict(self._features), "sizes": list(self._features.sizes)}
        if isinstance(self.table, RandomTable):
            return {**options, "table": "random", "seed": self.table.seed}
        if isinstance(self.table, StoredTable):
            return {**options, "table": self.table.quantisation}
        raise TypeError(f"a table of {type(self.table).__name__} cannot be stored")

    def _bytes(self) -> Iterator[bytes]:
        yield self._weights.tobytes()
        if isinstance(self.table, StoredTable):
            for name in sorted(self.table.arrays):
                yield self.table.arrays[name].tobytes()


def _open_table(
    arrays: Mapping[str, Any], options: Mapping[str, Any], buckets: int, dimensions: int
) -> Table:
    quantisation = str(options["table"])
    if quantisation == "random":
        return RandomTable(dimensions=dimensions, seed=int(options["seed"]))
    width = dimensions // 2 if quantisation == "int4" else dimensions
    if arrays["table"].shape != (buckets, width):
        raise ValueError(f"a table of {arrays['table'].shape} instead of {(buckets, width)}")
    return StoredTable(arrays, quantisation=quantisation, dimensions=dimensions)


def _sums(bags: Bags, vectors: Floats2d) -> Floats2d:
    """Sum of the rows of `vectors` for each bag, added in the order of the bag."""
    if len(bags.values) <= _FEW:
        sums = np.zeros((len(bags.offsets) - 1, vectors.shape[1]), np.float32)
        for number, (start, end) in enumerate(pairwise(bags.offsets.tolist())):
            if start < end:
                sums[number] = np.cumsum(vectors[bags.values[start:end]], axis=0)[-1]
        return sums
    from scipy.sparse import csr_matrix

    shape = (len(bags.offsets) - 1, len(vectors))
    ones = np.ones(len(bags.values), np.float32)
    return np.asarray(csr_matrix((ones, bags.values, bags.offsets), shape=shape) @ vectors, dtype=np.float32)


def _batches(items: Iterable[str], size: int) -> Iterator[list[str]]:
    stream = iter(items)
    while batch := list(islice(stream, size)):
        yield batch
