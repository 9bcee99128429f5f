"""Links as JSON Lines, in the shapes of the command line's contract."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from linnet.files import open_output
from linnet.link.linker import Linked
from linnet.link.records import document_record, mention_record

__all__ = ["write_documents", "write_mentions"]


def write_documents(linked: Iterable[Linked], path: str | Path) -> None:
    """One document a line, with its linked mentions."""
    with open_output(path) as stream:
        for document, links in linked:
            stream.write(json.dumps(document_record(document, links), ensure_ascii=False) + "\n")


def write_mentions(linked: Iterable[Linked], path: str | Path) -> None:
    """One mention a line."""
    with open_output(path) as stream:
        for _, links in linked:
            for link in links:
                stream.write(json.dumps(mention_record(link), ensure_ascii=False) + "\n")
