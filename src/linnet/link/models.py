"""Which models a linker's answers depend on."""

from __future__ import annotations

from typing import Any

from linnet.encode.model import MANIFEST, open_model
from linnet.encode.named_models import model_place
from linnet.link.linker import Linker

__all__ = ["models_of"]


def models_of(linker: Linker) -> dict[str, dict[str, str]]:
    """Role → {"name", "digest"}: "encoder" of each dense index, "reranker", "calibrator", "recogniser", "learned" for what
    a project of `linnet annotate` learnt.

    A role that no model plays is left out, and so is a recogniser that only looks names up.
    """
    found: dict[str, dict[str, str]] = {}
    encoders = [
        index.encoder
        for member in linker.group.members
        for index in member.indexes
        if hasattr(index, "encoder")
    ]
    for encoder in {encoder.digest: encoder for encoder in encoders}.values():
        found["encoder" if not found else f"encoder-{len(found) + 1}"] = _described(encoder)
    if linker.reranking.reranker is not None:
        found["reranker"] = _described(linker.reranking.reranker)
    if linker.reranking.calibrator.curves:
        found["calibrator"] = {"name": "calibrator", "digest": linker.reranking.calibrator.digest}
    # Its directory tells: where mentions are given, it is not opened, and need not be there.
    recogniser = model_place(linker.pipeline.recogniser)
    if (recogniser / MANIFEST).is_file():
        found["recogniser"] = _described(open_model(recogniser, checked=False))
    if linker.learned is not None:
        found["learned"] = dict(linker.learned)
    return found


def _described(model: Any) -> dict[str, str]:
    return {"name": str(model.name), "digest": str(model.digest)}
