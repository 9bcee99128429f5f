"""The weights by which readings of a string are compared: a model folder, written by `linnet train` (task `reader`).

`weights.json` holds the name of each feature of `linnet.link.reading_features`, and of the rules of `linnet.read`, with its weight.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any, ClassVar, Self

from linnet.advice import Step
from linnet.encode.model import Model, open_model, write_model
from linnet.encode.named_models import absent_model, model_place
from linnet.errors import DamagedError, UnknownNameError

__all__ = ["KINDS", "Reader"]

_WEIGHTS = "weights.json"
KINDS = {"reader": "linnet.link.reader:Reader"}
"""Kind in model.toml → module and class."""


@dataclass(frozen=True)
class Reader:
    """Weights of features, by name; features without a weight count nothing."""

    name: str
    weights: Mapping[str, float]
    digest: str = ""

    kind: ClassVar[str] = "reader"

    @classmethod
    def open(cls, name_or_path: str | Path) -> Self:
        """Open a reader, the name of a shipped one or a directory.

        Raises UnknownNameError for a name that is neither; StoreError, DamagedError or MismatchError where the directory cannot be used.
        """
        path = model_place(name_or_path)
        if not path.is_dir():
            raise absent_model(name_or_path, "reader", KINDS, ["DIRECTORY"])
        model = open_model(path, kind=cls.kind)
        try:
            stored = json.loads((path / _WEIGHTS).read_text(encoding="utf-8"))
            weights = {str(name): float(weight) for name, weight in stored.items()}
            if not all(map(isfinite, weights.values())):
                raise ValueError("a weight is not finite")
        except (OSError, ValueError, TypeError, AttributeError) as error:
            raise DamagedError(f"{path / _WEIGHTS} is damaged: {error!r}.", Step.TRAIN_AGAIN()) from None
        return cls(model.name, weights, model.digest)

    def save(self, directory: Path, *, card: str = "", training: Mapping[str, Any] | None = None) -> None:
        """Write the model directory. Raises StoreError where the disk refuses."""

        def fill(draft: Path) -> None:
            ordered = dict(sorted(self.weights.items()))
            (draft / _WEIGHTS).write_text(
                json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
            )

        model = Model(self.kind, self.name, 0, "simplify", {}, training or {})
        write_model(directory, model, fill=fill, card=card)

    def without(self, features: Collection[str]) -> Self:
        """The same with these features switched off. Raises UnknownNameError for one that has no weight."""
        for name in features:
            if name not in self.weights:
                raise UnknownNameError("feature of the reader", name, self.weights)
        if not features:
            return self
        kept = {name: weight for name, weight in self.weights.items() if name not in features}
        return replace(self, weights=kept)
