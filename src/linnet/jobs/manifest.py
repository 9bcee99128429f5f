"""The manifest beside a result: everything needed to make it again."""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from linnet.io import artifact
from linnet.io.filenames import writable
from linnet.io.files import on_disk, open_output
from linnet.link.identity import digests_of, models_of, steps_of
from linnet.link.linker import Linker

__all__ = ["manifest", "write_manifest"]

_PACKAGES = ("linnet", "numpy", "scipy", "pyarrow", "faiss-cpu", "onnxruntime", "tokenizers")


def manifest(
    linker: Linker, *, input: str, flags: Mapping[str, Any], counts: Mapping[str, int], started: datetime
) -> dict[str, Any]:
    """Everything needed to reproduce a result.

    input   path or "-"; standard input and folders have the digest None
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
                **digests,
                "sources": member.terminology.manifest.get("sources", []),
                "counts": member.terminology.manifest.get("counts", {}),
            }
            for member, digests in zip(linker.group.members, digests_of(linker), strict=True)
        ],
        "models": models_of(linker),
        "pipeline": steps_of(linker.pipeline),
        "flags": dict(flags),
        "counts": dict(counts),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": {name: installed for name in _PACKAGES if (installed := _version(name))},
    }


def write_manifest(record: Mapping[str, Any], place: str) -> None:
    """Write a manifest to a file, or to standard error for `-`."""
    text = json.dumps(record, indent=1, ensure_ascii=False, default=_plain) + "\n"
    if place == "-":
        sys.stderr.write(text)
        return
    with open_output(place) as stream:
        stream.write(writable(text))


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, (set, frozenset, tuple)) else str(value)
