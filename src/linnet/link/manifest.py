"""The record kept beside every result: what was linked, with what, how, and how many."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from linnet import artifact
from linnet.files import on_disk
from linnet.link.identity import read_beside
from linnet.link.linker import Linker
from linnet.link.models import models_of

__all__ = ["manifest"]

_PACKAGES = (
    "linnet",
    "numpy",
    "scipy",
    "pyarrow",
    "faiss-cpu",
    "onnxruntime",
    "tokenizers",
)


def manifest(
    linker: Linker, *, input: str, flags: Mapping[str, Any], counts: Mapping[str, int], started: datetime
) -> dict[str, Any]:
    """All that is needed to link the same again.

    input   path or "-"; its digest is None for standard input and folders
    counts  documents, mentions, linked, skipped …
    """
    file = on_disk(input)
    return {
        "linnet": _version("linnet"),
        "started": started.isoformat(timespec="seconds"),
        "seconds": round((datetime.now(UTC) - started).total_seconds(), 3),
        "input": {"path": input, "digest": artifact.digest(file) if file.is_file() else None},
        "terminologies": [
            {
                "path": str(member.terminology.path),
                "digest": member.terminology.digest,
                **read_beside(member, linker.pipeline),
                "sources": member.terminology.manifest.get("sources", []),
                "counts": member.terminology.manifest.get("counts", {}),
            }
            for member in linker.group.members
        ],
        "models": models_of(linker),
        "pipeline": asdict(linker.pipeline),
        "flags": dict(flags),
        "counts": dict(counts),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": {name: found for name in _PACKAGES if (found := _version(name))},
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
