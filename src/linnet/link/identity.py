"""What decides a linker's answers: linkers of one identity give equal answers."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from linnet import artifact
from linnet.link.linker import Linker
from linnet.link.models import models_of
from linnet.link.pipeline import Pipeline
from linnet.link.terminology_group import Member
from linnet.retrieve.index import MANIFEST, index_path
from linnet.retrieve.spelling import Spelling
from linnet.terminology.overrides import FILE as OVERRIDES

__all__ = ["identity", "read_beside"]


def identity(linker: Linker) -> dict[str, Any]:
    """What decides a linker's answers, apart from its restrictions: JSON-ready, equal where the answers are equal.

    Digests of terminologies, overrides, indexes and models, and the pipeline. Paths of terminologies are not in it.
    """
    pipeline = linker.pipeline
    return {
        "terminologies": [
            {"digest": member.terminology.digest, **read_beside(member, pipeline)}
            for member in linker.group.members
        ],
        "models": {role: model["digest"] for role, model in models_of(linker).items()},
        "pipeline": {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(pipeline).items()},
    }


def read_beside(member: Member, pipeline: Pipeline) -> dict[str, Any]:
    """Digests of what linking reads beside a terminology's content: "overrides", None without them, and "indexes" by name,
    the vocabulary for misspelt words included."""
    path = member.terminology.path
    names = [*pipeline.retrievers, *([Spelling.kind] if member.spelling is not None else [])]
    return {
        "overrides": _digest(path / OVERRIDES),
        "indexes": {name: _digest(index_path(member.terminology, name) / MANIFEST) for name in names},
    }


def _digest(file: Path) -> str | None:
    return artifact.digest(file) if file.is_file() else None
