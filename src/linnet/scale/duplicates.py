"""Documents that share an id, anywhere in a large corpus, found with eight bytes for each document."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from linnet.errors import DataError
from linnet.scale.rows import ReadOptions, read_rows
from linnet.scale.scan import Scan, document_id, id_hash

__all__ = ["Duplicates", "find_duplicates"]

Duplicates = dict[str, dict[int, DataError]]
"""File name → line → why the document there is refused."""


def find_duplicates(scans: Sequence[Scan], options: ReadOptions) -> Duplicates:
    """The documents with the id of an earlier document but other content; exact copies are accepted.

    Compares hashes of all ids, then reads again the files with repeated hashes.
    """
    hashes = [np.frombuffer(scan.ids, dtype=np.uint64) for scan in scans]
    keys = np.sort(np.concatenate([np.empty(0, np.uint64), *hashes]))
    repeated = np.unique(keys[1:][keys[1:] == keys[:-1]])
    del keys
    duplicates: Duplicates = {}
    first_seen: dict[str, tuple[bytes, str]] = {}
    for scan, own in zip(scans, hashes, strict=True):
        if len(repeated) and np.isin(own, repeated).any():
            _check_file(scan, options, {int(key) for key in repeated}, first_seen, duplicates)
    return duplicates


def _check_file(
    scan: Scan,
    options: ReadOptions,
    repeated: set[int],
    first_seen: dict[str, tuple[bytes, str]],
    duplicates: Duplicates,
) -> None:
    source = scan.source
    kind = "mention" if options.format == "mentions" else "document"
    for row in read_rows(source, options, stop=scan.ranges[-1].stop):
        if row.document is None:
            continue
        id = document_id(row.document, source, options)
        if id_hash(id) not in repeated:
            continue
        place = f"{source.path}:{row.line}"
        # Two mentions are different even if they are equal.
        content = place if kind == "mention" else (row.document.text, row.document.mentions)
        digest = blake2b(repr(content).encode("utf-8", "surrogatepass"), digest_size=16).digest()
        first_digest, first_place = first_seen.setdefault(id, (digest, place))
        if first_digest != digest:
            duplicates.setdefault(source.name, {})[row.line] = DataError(
                f"{kind} id '{id.rpartition(chr(10))[2]}' occurs again; the first is at {first_place}. Give each its own id.",
                path=source.path,
                line=row.line,
            )
