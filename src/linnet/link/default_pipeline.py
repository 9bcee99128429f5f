"""The pipeline that a terminology stores as the default for linking against it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from linnet.advice import Step
from linnet.errors import StoreError
from linnet.io import artifact
from linnet.io.files import replacing
from linnet.link.pipeline import Pipeline
from linnet.terminology import Terminology
from linnet.terminology.store import MANIFEST

__all__ = ["kept_pipeline", "store_pipeline"]


def kept_pipeline(path: Path) -> dict[str, Any]:
    """The default pipeline of a terminology that is about to be replaced, for its successor; {} without one that this linnet
    can use."""
    try:
        stored = dict(Terminology.open(path).pipeline)
        Pipeline.from_manifest(stored)
    except StoreError:
        return {}
    return stored


def store_pipeline(terminology: Terminology, pipeline: Pipeline) -> None:
    """Store `pipeline` as the default for linking against this terminology; its content and indexes do not change."""
    path = terminology.path / MANIFEST
    fields = artifact.read_manifest(
        terminology.path,
        MANIFEST,
        what="terminology",
        rebuild=Step.BUILD_TERMINOLOGY(terminology=terminology.path),
    )
    defaults = asdict(Pipeline())
    fields["pipeline"] = {name: value for name, value in asdict(pipeline).items() if value != defaults[name]}
    with replacing(path) as draft:
        draft.write_text(artifact.as_manifest(fields), encoding="utf-8")
    terminology.manifest["pipeline"] = fields["pipeline"]
