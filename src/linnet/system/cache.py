"""The cache directory for files that linnet can rebuild: compiled starter terminology, exported models."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["cache_directory"]


def cache_directory() -> Path:
    """`$LINNET_CACHE`, else the platform's cache directory. It may not exist yet."""
    if configured := os.environ.get("LINNET_CACHE"):
        return Path(configured)
    import platformdirs

    return platformdirs.user_cache_path("linnet", appauthor=False)
