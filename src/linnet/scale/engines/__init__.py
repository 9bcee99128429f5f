"""Engines: who does the tasks of a run."""

from linnet.scale.engines.engine import Engine
from linnet.scale.engines.local import Here, Processes

__all__ = ["Engine", "Here", "Processes"]
