"""The cache directory for files that linnet can rebuild: compiled starter terminology, exported models."""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["cache_directory"]


def cache_directory() -> Path:
    """`$LINNET_CACHE`, else the platform's cache directory. It may not exist yet."""
    configured = os.environ.get("LINNET_CACHE")
    if configured:
        return Path(configured)
    home = Path.home()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", home / "AppData" / "Local")) / "linnet" / "cache"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "linnet"
    return Path(os.environ.get("XDG_CACHE_HOME", home / ".cache")) / "linnet"
