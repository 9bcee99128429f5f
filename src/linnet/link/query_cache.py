"""An LRU cache of search results; each distinct text is searched once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from threading import Lock
from typing import Any

import numpy as np

from linnet.link.terminology_group import ExactMatches, TerminologyGroup
from linnet.retrieve.hits import Hits
from linnet.symbols import has_case
from linnet.text import fold

__all__ = ["QueryCache"]

_SIZE = 50_000  # cached results; some 50 MB with 64 candidates

_RECORD = np.dtype([("concepts", "<i4"), ("names", "<i4"), ("scores", "<f4"), ("origins", "<u2")])
Records = np.ndarray[Any, np.dtype[np.void]]


class QueryCache:
    """Search results by text and number of candidates; the least recently used are dropped first. Safe to share between
    threads, which search in parallel: only access to the table is locked."""

    def __init__(self, group: TerminologyGroup, *, size: int = _SIZE) -> None:
        self._group, self._size = group, size
        self._lock = Lock()
        self._records: OrderedDict[tuple[int, str], Records] = OrderedDict()

    def search(self, texts: Sequence[str], *, k: int, exact: ExactMatches | None = None) -> Hits:
        """(N, k) as `TerminologyGroup.search`. Texts that differ only in case, width or spaces are one, but for symbols.

        exact  what `TerminologyGroup.exact` returned for these texts and this k
        """
        # "CO" is not "Co": exact look-up tells symbols apart by their case.
        texts = [text if has_case(text) else fold(text) for text in texts]
        places: dict[str, int] = {}
        for place, text in enumerate(texts):
            places.setdefault(text, place)
        known = self._known(places, k)
        new = [text for text in places if text not in known]
        if new:
            matches = None if exact is None else exact.take([places[text] for text in new])
            records = _packed(self._group.search(new, k=k, exact=matches))
            searched = dict(zip(new, records, strict=True))
            self._store(searched, k)
            known |= searched
        return _unpacked([known[text] for text in texts], k)

    def _known(self, texts: Iterable[str], k: int) -> dict[str, Records]:
        known = {}
        with self._lock:
            for text in texts:
                if (record := self._records.get((k, text))) is not None:
                    self._records.move_to_end((k, text))
                    known[text] = record
        return known

    def _store(self, records: dict[str, Records], k: int) -> None:
        # Copies, as a row of a batch would keep the whole batch in memory.
        copies = {(k, text): record.copy() for text, record in records.items()}
        with self._lock:
            self._records.update(copies)
            while len(self._records) > self._size:
                self._records.popitem(last=False)


def _packed(hits: Hits) -> Records:
    """(N, k) one record per candidate."""
    records = np.empty(hits.concepts.shape, _RECORD)
    for column in _RECORD.names or ():
        records[column] = getattr(hits, column)
    return records


def _unpacked(records: Sequence[Records], k: int) -> Hits:
    table = np.stack(records) if records else np.empty((0, k), _RECORD)
    return Hits(*(np.ascontiguousarray(table[column]) for column in _RECORD.names or ()))
