"""What the supervisor tells a process it starts, and what it is told."""

from __future__ import annotations

import base64
import pickle

from linnet.serve.settings import Settings

__all__ = ["FOLDER", "READY", "heard", "told"]

READY = "ready"
# Names the folder where several processes leave their counts; `prometheus_client` looks at it when it is imported.
FOLDER = "PROMETHEUS_MULTIPROC_DIR"


def told(settings: Settings) -> str:
    """A line for a process's standard input."""
    return base64.b64encode(pickle.dumps(settings)).decode() + "\n"


def heard(line: str) -> Settings:
    """The settings of a line that `told` made."""
    settings: Settings = pickle.loads(base64.b64decode(line))
    return settings
