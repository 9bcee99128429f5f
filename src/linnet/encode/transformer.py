"""Transformer encoders in ONNX Runtime: no torch where names are encoded.

A model directory holds `model.onnx` (token ids → a vector per token), `tokenizer.json` and `model.toml`. A directory of
Hugging Face's form, or a name on its hub, is exported into one once: `export.py`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Self

import numpy as np

from linnet.encode.encoder import Floats2d
from linnet.encode.model import REBUILD, Model, open_model
from linnet.errors import DamagedError, UnknownNameError

__all__ = ["MAX_LENGTH", "POOLINGS", "PRECISIONS", "TransformerEncoder"]

Ints = np.ndarray[Any, np.dtype[np.int64]]

POOLINGS = ("cls", "mean")
PRECISIONS = ("fp32", "int8")
# Tokens of a name, [CLS] and [SEP] included, as SapBERT trains and tests with.
MAX_LENGTH = 25
# Texts of one length run together: enough to fill a core, few enough to share between cores.
_TOGETHER = 32


class TransformerEncoder:
    """Names through a transformer, the first token's vector ("cls") or the mean of all ("mean").

    Only texts of equal length run together, without padding, each batch on one thread: a text's vector is the same to
    the last bit whatever else is encoded and on however many threads. int8 models, whose arithmetic depends on the
    whole batch, run text by text.
    """

    kind = "transformer"

    def __init__(self, session: Any, tokenizer: Any, model: Model, *, threads: int | None = None) -> None:
        """
        session    of ONNX Runtime, input `input_ids` (N, L), output (N, L, D)
        tokenizer  of the tokenizers library, truncating and not padding
        threads    batches run at once, None for one per available core
        """
        self._session, self._tokenizer = session, tokenizer
        self._pooling = str(model.options["pooling"])
        self._together = 1 if model.options["precision"] == "int8" else _TOGETHER
        self._threads = threads or len(os.sched_getaffinity(0))
        self.name = model.name
        self.dimensions = model.dimensions
        self.digest = model.digest

    @classmethod
    def open(cls, path: str | Path, *, threads: int | None = None) -> Self:
        """Read a model directory. Raises as `open_model`, and DamagedError where ONNX Runtime cannot read the weights."""
        import onnxruntime
        from tokenizers import Tokenizer

        directory = Path(path)
        model = open_model(directory, kind=cls.kind)
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = settings.inter_op_num_threads = 1
        settings.log_severity_level = 3
        try:
            if model.options["pooling"] not in POOLINGS or model.options["precision"] not in PRECISIONS:
                raise ValueError(f"pooling and precision must be one of {POOLINGS} and {PRECISIONS}")
            tokenizer = Tokenizer.from_file(str(directory / "tokenizer.json"))
            tokenizer.enable_truncation(int(model.options["max_length"]))
            tokenizer.no_padding()
            session = onnxruntime.InferenceSession(
                str(directory / "model.onnx"), settings, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # both libraries raise bare Exceptions of their own
            raise DamagedError(f"{directory} cannot be used: {error} {REBUILD}") from None
        return cls(session, tokenizer, model, threads=threads)

    @classmethod
    def load(
        cls,
        name_or_path: str | Path,
        *,
        pooling: str | None = None,
        max_length: int = MAX_LENGTH,
        precision: str = "fp32",
        threads: int | None = None,
    ) -> Self:
        """Open a transformer of Hugging Face's form, exporting it first where that was not done yet.

        name_or_path  a directory with config.json, or a name on the hub, which is downloaded
        pooling       "cls" or "mean"; what the model's own settings say, else "cls"
        precision     "fp32" or "int8" (a quarter of the size)

        Raises UnknownNameError for an unknown pooling or precision, and as `export_transformer`.
        """
        for kind, value, known in (
            ("pooling", pooling or "cls", POOLINGS),
            ("precision", precision, PRECISIONS),
        ):
            if value not in known:
                raise UnknownNameError(kind, value, known)
        from linnet.encode.export import Settings, exported

        return cls.open(exported(name_or_path, Settings(pooling, max_length, precision)), threads=threads)

    def encode(self, texts: Sequence[str]) -> Floats2d:
        """(N, D) float32, raw. Order kept; every text has a vector, also an empty one."""
        tokens = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
        batches = _batches(np.fromiter(map(len, tokens), np.int64, len(tokens)), self._together)
        vectors = np.empty((len(texts), self.dimensions), np.float32)

        def run(batch: Ints) -> None:
            [states] = self._session.run(None, {"input_ids": np.array([tokens[i] for i in batch], np.int64)})
            vectors[batch] = states[:, 0] if self._pooling == "cls" else states.mean(axis=1)

        if self._threads == 1 or len(batches) < 2:
            for batch in batches:
                run(batch)
        else:
            with ThreadPoolExecutor(self._threads) as pool:
                list(pool.map(run, batches))
        return vectors


def _batches(lengths: Ints, together: int) -> list[Ints]:
    """Positions of texts of equal length, at most so many at a time, the longest first (they take longest)."""
    order = np.argsort(-lengths, kind="stable")
    starts = np.flatnonzero(np.diff(lengths[order], prepend=-1))
    groups = np.split(order, starts[1:]) if len(order) else []
    return [group[start : start + together] for group in groups for start in range(0, len(group), together)]
