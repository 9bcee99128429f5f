"""Transformer encoders in ONNX Runtime: encoding names needs no torch.

A model directory holds `model.onnx` (token ids → a vector per token), `tokenizer.json` and `model.toml`. A directory in
Hugging Face's format, or a name on its hub, is exported once, by `export.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from linnet.arrays import Floats2d, Ints
from linnet.encode.model import Model, open_model, opening_weights
from linnet.encode.session import POOLINGS, Session
from linnet.errors import UnknownNameError

__all__ = ["MAX_LENGTH", "POOLINGS", "PRECISIONS", "TransformerEncoder"]

PRECISIONS = ("fp32", "int8")
# Tokens of a name, [CLS] and [SEP] included, as in SapBERT.
MAX_LENGTH = 25


class TransformerEncoder:
    """A transformer's vector of the first token ("cls") or mean of all ("mean"), bit for bit reproducible: see `Session`."""

    kind = "transformer"

    def __init__(self, session: Session, tokenizer: Any, model: Model) -> None:
        """
        tokenizer  of the tokenizers library, truncating and not padding
        """
        self._session, self._tokenizer = session, tokenizer
        self._pool = POOLINGS[str(model.options["pooling"])]
        self.name = model.name
        self.dimensions = model.dimensions
        self.digest = model.digest

    @classmethod
    def open(cls, path: str | Path, *, threads: int | None = None) -> Self:
        """Read a model directory. Raises as `open_model`, and DamagedError where ONNX Runtime cannot read the weights."""
        from tokenizers import Tokenizer

        directory = Path(path)
        model = open_model(directory, kind=cls.kind)
        with opening_weights(directory):
            if model.options["pooling"] not in POOLINGS or model.options["precision"] not in PRECISIONS:
                raise ValueError(f"pooling and precision must be one of {tuple(POOLINGS)} and {PRECISIONS}")
            tokenizer = Tokenizer.from_file(str(directory / "tokenizer.json"))
            tokenizer.enable_truncation(int(model.options["max_length"]))
            tokenizer.no_padding()
            session = Session.open(
                directory / "model.onnx",
                dimensions=model.dimensions,
                precision=model.options["precision"],
                threads=threads,
            )
        return cls(session, tokenizer, model)

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
        """Open a transformer in Hugging Face's format, after exporting it if necessary.

        name_or_path  a directory with config.json, or a name on the hub, which is downloaded
        pooling       "cls" or "mean"; None for the model's own, else "cls"
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

    def pieces(self, texts: Sequence[str]) -> Ints:
        """(N,) word pieces of each text, [CLS] and [SEP] not counted."""
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return np.fromiter((len(encoding.ids) for encoding in encodings), np.int64, len(encodings))

    def encode(self, texts: Sequence[str]) -> Floats2d:
        """(N, D) float32, raw, order kept. An empty text has a vector too."""
        tokens = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
        return self._session.vectors(tokens, self._pool)
