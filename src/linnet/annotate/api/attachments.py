"""Files that are sent as downloads."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

from fastapi.responses import FileResponse
from starlette.background import BackgroundTask

__all__ = ["ARCHIVE", "FILE", "attachment", "downloads", "file_name"]

ARCHIVE, FILE = "application/zip", "application/octet-stream"


def downloads(*kinds: str) -> dict[int | str, dict[str, Any]]:
    """The answer of a route that sends a file of one of these media types, for OpenAPI."""
    content = {kind: {"schema": {"type": "string", "format": "binary"}} for kind in kinds}
    return {200: {"description": "The file, as an attachment.", "content": content}}


def attachment(path: Path, name: str, folder: Path) -> FileResponse:
    """Send a file as a download, then remove its folder."""
    return FileResponse(
        path,
        filename=file_name(name),
        media_type=ARCHIVE if path.suffix == ".zip" else FILE,
        background=BackgroundTask(shutil.rmtree, folder, ignore_errors=True),
    )


def file_name(name: str) -> str:
    """A name that every file system accepts."""
    return re.sub(r"[^\w.+-]+", "-", name).strip("-.") or "linnet"
