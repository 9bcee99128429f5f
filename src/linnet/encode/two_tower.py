"""Two transformers into one space, in ONNX Runtime: mentions in context, and entities by name and definition.

A model directory holds `mention.onnx`, `entity.onnx` (absent where one graph serves both), `tokenizer.json`, `model.toml`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from linnet.arrays import Floats2d
from linnet.encode.markers import Marked
from linnet.encode.model import REBUILD, Model, open_model
from linnet.encode.session import POOLINGS, Session
from linnet.errors import DamagedError
from linnet.types import Mention

__all__ = ["ENTITY", "MENTION", "TOKENIZER", "TwoTowerEncoder"]

MENTION, ENTITY, TOKENIZER = "mention.onnx", "entity.onnx", "tokenizer.json"


class TwoTowerEncoder:
    """Vectors to compare by cosine, bit for bit independent of the batch. Source: TrainX §3. Safe to share between threads."""

    kind = "two-tower"

    def __init__(self, mention: Session, entity: Session, marked: Marked, model: Model) -> None:
        self._mention, self._entity, self._marked = mention, entity, marked
        self.name = model.name
        self.dimensions = model.dimensions
        self.digest = model.digest

    @classmethod
    def open(cls, path: str | Path, *, threads: int | None = None) -> Self:
        """Read a model directory.

        threads  number of batches at a time, None for one per core

        Raises as `open_model`, and DamagedError for unusable graphs or tokenizer.
        """
        from tokenizers import Tokenizer

        directory = Path(path)
        model = open_model(directory, kind=cls.kind)
        options = model.options

        def graph(file: str) -> Session:
            return Session.open(
                directory / file,
                dimensions=model.dimensions,
                precision=str(options["precision"]),
                threads=threads,
            )

        try:
            tokenizer: Any = Tokenizer.from_file(str(directory / TOKENIZER))
            marked = Marked(
                tokenizer,
                first=str(options["first"]),
                last=str(options["last"]),
                max_length=int(options["max_length"]),
            )
            mention = graph(MENTION)
            entity = mention if options["shared"] else graph(ENTITY)
        except Exception as error:  # both libraries raise subclasses of Exception only
            raise DamagedError(f"{directory} cannot be used: {error} {REBUILD}") from None
        return cls(mention, entity, marked, model)

    def encode_mentions(self, mentions: Sequence[Mention]) -> Floats2d:
        """(N, D) float32, raw, order kept; each mention with its context in the document."""
        return self._mention.vectors(self._marked.mentions(mentions), POOLINGS["cls"])

    def encode_entities(self, names: Sequence[str], definitions: Sequence[str]) -> Floats2d:
        """(N, D) float32, raw, order kept; "" for no definition."""
        return self._entity.vectors(self._marked.entities(names, definitions), POOLINGS["cls"])
