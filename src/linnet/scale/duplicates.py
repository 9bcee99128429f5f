"""Documents of one id, anywhere in a large corpus, in eight bytes a document."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from linnet.errors import DataError
from linnet.scale.rows import Reading, read_rows
from linnet.scale.scan import Survey, document_id, id_key

__all__ = ["Repeated", "find_duplicates"]

Repeated = dict[str, dict[int, DataError]]
"""File name → line → why the document there is refused."""


def find_duplicates(surveys: Sequence[Survey], reading: Reading) -> Repeated:
    """The documents whose id an earlier one has, with another content. One that is the same to the last character may stay.

    Hashes of all ids are compared, and the files in which one occurs twice are read again.
    """
    held = [np.frombuffer(survey.ids, dtype=np.uint64) for survey in surveys]
    keys = np.concatenate(held) if held else np.empty(0, np.uint64)
    keys.sort()
    twice = np.unique(keys[1:][keys[1:] == keys[:-1]])
    del keys
    found: Repeated = {}
    first: dict[str, tuple[bytes, str]] = {}
    for survey, own in zip(surveys, held, strict=True):
        if len(twice) and np.isin(own, twice).any():
            _look(survey, reading, {int(key) for key in twice}, first, found)
    return found


def _look(
    survey: Survey, reading: Reading, twice: set[int], first: dict[str, tuple[bytes, str]], found: Repeated
) -> None:
    source = survey.source
    for row in read_rows(source, reading, stop=survey.cuts[-1].stop):
        if row.document is None:
            continue
        id = document_id(row.document, source, reading)
        if id_key(id) not in twice:
            continue
        place = f"{source.path}:{row.line}"
        # Two mentions are never one, even if they are the same.
        content = place if reading.format == "mentions" else (row.document.text, row.document.mentions)
        digest = blake2b(repr(content).encode("utf-8", "surrogatepass"), digest_size=16).digest()
        known, at = first.setdefault(id, (digest, place))
        if known != digest:
            found.setdefault(source.name, {})[row.line] = DataError(
                f"{'mention' if reading.format == 'mentions' else 'document'} id '{id.rpartition(chr(10))[2]}' occurs again; "
                f"the first is at {at}. Give each its own id.",
                path=source.path,
                line=row.line,
            )
