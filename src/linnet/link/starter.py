"""The packaged starter terminology, compiled into the user's cache at first use."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path

from linnet import samples
from linnet.errors import LinnetError
from linnet.link.indexing import index_terminology
from linnet.link.pipeline import Pipeline
from linnet.rerank.name_feature_index import NameFeatureIndex
from linnet.retrieve import open_retriever
from linnet.retrieve.spelling import Spelling
from linnet.system.cache import cache_directory
from linnet.terminology import Terminology, write_terminology

__all__ = ["starter_terminology"]


def starter_terminology() -> Path:
    """Path of the compiled starter, which is compiled if it is missing, outdated or damaged."""
    path = cache_directory() / "starter"
    try:
        return path if _is_current(path) else _compile(path)
    except LinnetError:
        # The cache cannot be written: compile a copy for this process.
        temporary = tempfile.mkdtemp(prefix="linnet-")
        atexit.register(shutil.rmtree, temporary, ignore_errors=True)
        return _compile(Path(temporary) / "starter")


def _is_current(path: Path) -> bool:
    try:
        terminology = Terminology.open(path)
        for name in Pipeline().retrievers:
            open_retriever(terminology, name)
        Spelling.open(terminology)
        NameFeatureIndex.open(terminology)
    except (LinnetError, OSError):  # OSError: a file that another version of linnet did not write
        return False
    [source] = terminology.manifest["sources"]
    return bool(source["digest"] == samples.digest())


def _compile(path: Path) -> Path:
    source = {
        "path": "packaged starter",
        "format": "jsonl",
        "licence": "Apache-2.0",
        "digest": samples.digest(),
    }
    terminology = write_terminology(samples.concepts(), path, sources=[source])
    index_terminology(terminology)
    return path
