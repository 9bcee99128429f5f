"""What links depend on: the identity that linkers with equal results share, and its parts."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from linnet.encode.model import open_model
from linnet.io import artifact
from linnet.link.linker import Linker
from linnet.link.pipeline import Pipeline
from linnet.link.second_index import second_index
from linnet.recognise import recogniser_model
from linnet.retrieve.index import MANIFEST as INDEX_MANIFEST
from linnet.retrieve.index import index_path
from linnet.retrieve.spelling import Spelling

__all__ = ["digests_of", "identity", "models_of", "steps_of"]

_LATER = ("assertion", "amounts", "text_kind")  # fields of pipelines


def identity(linker: Linker) -> dict[str, Any]:
    """What determines a linker's results, apart from its restrictions; JSON-ready.

    Digests of terminologies, overrides, indexes and models, and the pipeline, but no paths of terminologies.
    """
    pipeline = steps_of(linker.pipeline)
    return {
        "terminologies": digests_of(linker),
        "models": {role: model["digest"] for role, model in models_of(linker).items()},
        "pipeline": {name: list(v) if isinstance(v, tuple) else v for name, v in pipeline.items()},
    }


def steps_of(pipeline: Pipeline) -> dict[str, Any]:
    """The fields of a pipeline. Those that came later are there only if they are asked for: runs begun before go on."""
    steps, usual = asdict(pipeline), Pipeline()
    return {
        name: value for name, value in steps.items() if name not in _LATER or value != getattr(usual, name)
    }


def models_of(linker: Linker) -> dict[str, dict[str, str]]:
    """The models that results depend on: role → {"name", "digest"}.

    Roles: "encoder" of each index with vectors, "reranker", "calibrator", "recogniser" (if it is trained), and "learned", a version
    of what a project of `linnet annotate` learnt. Roles without a model are absent.
    """
    models: dict[str, dict[str, str]] = {}
    encoders = [encoder for member in linker.group.members for encoder in member.encoders]
    for encoder in {encoder.digest: encoder for encoder in encoders}.values():
        models["encoder" if not models else f"encoder-{len(models) + 1}"] = _described(encoder)
    models["reader"] = _described(linker.reader)
    if linker.reranking.reranker is not None:
        models["reranker"] = _described(linker.reranking.reranker)
    if linker.reranking.calibrator.curves:
        models["calibrator"] = {"name": "calibrator", "digest": linker.reranking.calibrator.digest}
    # Read from its folder: if mentions are given, the recogniser is not opened, and may be absent.
    recogniser = recogniser_model(linker.pipeline.recogniser, linker.group.names())
    if recogniser is not None:
        models["recogniser"] = _described(open_model(recogniser, checked=False))
    if linker.learned is not None:
        models["learned"] = dict(linker.learned)
    return models


def digests_of(linker: Linker) -> list[dict[str, Any]]:
    """Digests of each terminology, its overrides and its indexes, with the vocabulary for misspelt words."""
    second = second_index(linker.pipeline.reranker)
    return [
        {
            "digest": member.terminology.digest,
            "overrides": artifact.digest(*files) if (files := member.overrides.files) else None,
            "indexes": {
                name: _digest(index_path(member.terminology, name) / INDEX_MANIFEST)
                for name in (
                    *linker.pipeline.retrievers,
                    *([] if second is None or member.second is None else [second.name]),
                    *([Spelling.kind] if member.spelling is not None else []),
                )
            },
        }
        for member in linker.group.members
    ]


def _digest(file: Path) -> str | None:
    return artifact.digest(file) if file.is_file() else None


def _described(model: Any) -> dict[str, str]:
    return {"name": str(model.name), "digest": str(model.digest)}
