"""Two transformers into one space, in ONNX Runtime: mentions in context, and entities by name and definition.

A model directory holds `mention.onnx`, `entity.onnx` (absent where one graph serves both), `tokenizer.json`, `model.toml`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, Self

from linnet.arrays import Floats2d
from linnet.encode.markers import Marked
from linnet.encode.model import MANIFEST, Model, open_model, opening_weights
from linnet.encode.named_models import absent_model, model_class, model_place
from linnet.encode.session import POOLINGS, Session
from linnet.types import Mention

__all__ = [
    "ENTITY",
    "MENTION",
    "TOKENIZER",
    "TwoTowerEncoder",
    "TwoTowers",
    "is_tower",
    "is_two_tower",
    "load_two_towers",
]

# Kind in model.toml → module and class.
two_towers: dict[str, str] = {"two-tower": "linnet.encode.two_tower:TwoTowerEncoder"}
MENTION, ENTITY, TOKENIZER = "mention.onnx", "entity.onnx", "tokenizer.json"


class TwoTowers(Protocol):
    """Mentions in context, and entities, → vectors to compare by cosine, (N, D) float32, raw, order kept.

    A vector does not depend on the rest of the batch. Safe to share between threads.
    """

    @property
    def name(self) -> str: ...
    @property
    def dimensions(self) -> int: ...
    @property
    def digest(self) -> str: ...

    def encode_mentions(self, mentions: Sequence[Mention]) -> Floats2d: ...
    def encode_entities(self, names: Sequence[str], definitions: Sequence[str]) -> Floats2d: ...


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

        with opening_weights(directory):
            tokenizer: Any = Tokenizer.from_file(str(directory / TOKENIZER))
            marked = Marked(
                tokenizer,
                first=str(options["first"]),
                last=str(options["last"]),
                max_length=int(options["max_length"]),
            )
            mention = graph(MENTION)
            entity = mention if options["shared"] else graph(ENTITY)
        return cls(mention, entity, marked, model)

    def encode_mentions(self, mentions: Sequence[Mention]) -> Floats2d:
        """(N, D) float32, raw, order kept; each mention with its context in the document."""
        return self._mention.vectors(self._marked.mentions(mentions), POOLINGS["cls"])

    def encode_entities(self, names: Sequence[str], definitions: Sequence[str]) -> Floats2d:
        """(N, D) float32, raw, order kept; "" for no definition."""
        return self._entity.vectors(self._marked.entities(names, definitions), POOLINGS["cls"])


def load_two_towers(directory: str | Path, *, threads: int | None = None) -> TwoTowerEncoder:
    """Open a model directory that `linnet train` made with task "two-tower".

    threads  as of `TwoTowerEncoder.open`

    Raises StoreError for what is no model directory, MismatchError for a model of another kind, and as `TwoTowerEncoder.open`.
    """
    path = model_place(directory)
    if not path.is_dir():
        raise absent_model(directory, "two-tower encoder", two_towers, ["DIRECTORY"])
    found: TwoTowerEncoder = model_class(path, "a two-tower encoder", two_towers).open(path, threads=threads)
    return found


def is_two_tower(encoder: object) -> bool:
    """Whether a name or path is that of a two-tower model, whatever its state."""
    if not isinstance(encoder, str | Path):
        return isinstance(encoder, TwoTowerEncoder)
    path = model_place(encoder)
    return (path / MANIFEST).is_file() and open_model(path, checked=False).kind in two_towers


def is_tower(path: Path) -> bool:
    """Whether a directory is one tower of a two-tower model, as such a model keeps it to be trained further."""
    towers = {Path(graph).stem for graph in (MENTION, ENTITY)}
    return path.name in towers and (path / "config.json").is_file() and is_two_tower(path.parent)
