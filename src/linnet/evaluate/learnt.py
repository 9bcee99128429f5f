"""Which of a linker's models have learnt from the very corpus they are about to be judged on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePath

from linnet.artifact import digest
from linnet.encode.model import MANIFEST, Model, open_model
from linnet.encode.named_models import model_place
from linnet.link import Linker

__all__ = ["learnt_from"]


def learnt_from(linker: Linker, corpus: Path, *, recognises: bool = False) -> tuple[str, ...]:
    """A sentence for each model whose training run read this file, told by its digest or its name.

    recognises  whether its recogniser is judged as well

    A model whose training manifest does not name corpora is passed over.
    """
    if not corpus.is_file():
        return ()
    read = digest(corpus)
    return tuple(
        f"{role} '{model.name}' has learnt from {corpus.name}: these figures say how much it remembers, "
        "not how well it will do. Evaluate on documents it has not seen."
        for role, model in _models(linker, recognises=recognises)
        for data in [_data(model)]
        if read in data.values() or corpus.name in {PurePath(name).name for name in data}
    )


def _models(linker: Linker, *, recognises: bool) -> Iterator[tuple[str, Model]]:
    pipeline = linker.pipeline
    named = [("The reranker", pipeline.reranker)]
    encoders = (getattr(index, "encoder", None) for t in linker.group.members for index in t.indexes)
    named += [("The encoder", encoder.name) for encoder in encoders if encoder is not None]
    named += [("The encoder", pipeline.encoder)]
    if recognises:
        named += [("The recogniser", pipeline.recogniser)]
    seen: set[Path] = set()
    for role, name in named:
        place = model_place(name) if name else None
        if place is not None and place not in seen and (place / MANIFEST).is_file():
            seen.add(place)
            yield role, open_model(place, checked=False)


def _data(model: Model) -> dict[str, str]:
    """Name of each data source of the training run → its digest."""
    data = model.training.get("data", {})
    return data if isinstance(data, dict) else {}
