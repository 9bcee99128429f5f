"""What the linker proposes for a span."""

from __future__ import annotations

from linnet.link import Linker
from linnet.types import Document, Link, Mention

__all__ = ["candidates_for"]


def candidates_for(linker: Linker, name: str, text: str, start: int, end: int, *, k: int) -> Link:
    """The linker's answer with up to k candidates; the document's abbreviations are known to it."""
    home = Document(name, text)
    mention = Mention(home, start, end, text[start:end])
    [link] = linker.link([mention], k=k)
    return link
