"""Engines: where the tasks of a run are done."""

from linnet.scale.engines.engine import Engine
from linnet.scale.engines.processes import InProcess, ProcessPool

__all__ = ["Engine", "InProcess", "ProcessPool"]
