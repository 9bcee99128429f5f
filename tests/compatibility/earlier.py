"""Backups of projects as linnet made them before those of projects and servers had one format."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

from tests.compatibility.answers import FIXTURES

__all__ = ["earlier_backup"]


def earlier_backup(name: str, change: Callable[[Any], Any] = lambda record: record) -> bytes:
    """One of them, each record changed. name: "shared" or "independent"."""
    changed = io.BytesIO()
    with zipfile.ZipFile(FIXTURES / f"project-{name}.zip") as source, zipfile.ZipFile(changed, "w") as goal:
        for member in source.namelist():
            content = source.read(member)
            records = [content] if member == "backup.json" else content.splitlines()
            lines = [json.dumps(change(json.loads(record))) for record in records]
            goal.writestr(member, "".join(f"{line}\n" for line in lines))
    return changed.getvalue()
