"""Linking: the concept, concepts or NIL of each mention, with the candidates considered."""

from linnet.link.linker import Linked, Linker
from linnet.link.pipeline import Pipeline

__all__ = ["Linked", "Linker", "Pipeline"]
