"""Files that are sent as downloads."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fastapi.responses import FileResponse
from starlette.background import BackgroundTask

__all__ = ["ARCHIVE", "FILE", "attachment", "downloads", "draft_folder", "file_name"]

ARCHIVE, FILE = "application/zip", "application/octet-stream"


def downloads(*kinds: str) -> dict[int | str, dict[str, Any]]:
    """The answer of a route that sends a file of one of these media types, for OpenAPI."""
    content = {kind: {"schema": {"type": "string", "format": "binary"}} for kind in kinds}
    return {200: {"description": "The file, as an attachment.", "content": content}}


@contextmanager
def draft_folder(kind: str) -> Iterator[Path]:
    """A new folder for a file to send, removed if making the file fails."""
    folder = Path(tempfile.mkdtemp(prefix=f"linnet-{kind}-"))
    try:
        yield folder
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def attachment(path: Path, name: str, *, losses: Sequence[str] = ()) -> FileResponse:
    """Send a file as a download, then remove its folder. losses: what it could not hold, for the header `X-Linnet-Losses`."""
    answer = FileResponse(
        path,
        filename=file_name(name),
        media_type=ARCHIVE if path.suffix == ".zip" else FILE,
        background=BackgroundTask(shutil.rmtree, path.parent, ignore_errors=True),
    )
    if losses:
        answer.headers["X-Linnet-Losses"] = "; ".join(losses)[:2000].encode("ascii", "replace").decode()
    return answer


def file_name(name: str) -> str:
    """A name that every file system accepts."""
    return re.sub(r"[^\w.+-]+", "-", name).strip("-.") or "linnet"
