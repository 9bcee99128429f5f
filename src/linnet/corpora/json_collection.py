"""Writes a JSON object with the list `documents`, one document at a time, so that corpora of any size fit in memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from linnet.io.files import open_output
from linnet.types import Document

__all__ = ["write_collection"]


def write_collection(
    path: str | Path,
    documents: Iterable[Document],
    *,
    header: Callable[[Document], Mapping[str, Any]],
    empty: Mapping[str, Any],
    record: Callable[[Document], Any],
) -> None:
    """Write `{…header, "documents": […]}` with one document per line.

    header  the other fields (at least one), made from the first document
    empty   the other fields if there is no document
    record  the JSON value of a document
    """
    with open_output(path) as stream:
        begun = False
        for document in documents:
            opening = ",\n" if begun else _open(header(document)) + "\n"
            stream.write(opening + json.dumps(record(document), ensure_ascii=False))
            begun = True
        stream.write("\n]}\n" if begun else _open(empty) + "]}\n")


def _open(fields: Mapping[str, Any]) -> str:
    return json.dumps(fields, ensure_ascii=False)[:-1] + ', "documents": ['
