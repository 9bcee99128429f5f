"""What linnet uses of FAISS beside its documented interface; `pyproject.toml` names the versions that have it.

A new version of FAISS that fails here would read indexes wrongly, or not at all: `retrieve/ivf.py`, `product_codes.py` and `hnsw.py`
have to follow it first.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import faiss
import numpy as np


def test_lists_on_disk_lie_as_linnet_writes_them(tmp_path: Path) -> None:
    """`lists.bin`: the codes of a list with room for its capacity, then its 64-bit ids; `retrieve.ivf.layout` says where."""
    lists = faiss.OnDiskInvertedLists(2, 4, str(tmp_path / "lists.bin"))
    codes, ids = np.arange(12, dtype=np.uint8), np.array([7, 8, 9], np.int64)
    lists.add_entries(1, 3, faiss.swig_ptr(ids), faiss.swig_ptr(codes))
    entry = lists.lists.at(1)
    content = (tmp_path / "lists.bin").read_bytes()[entry.offset :]
    assert content[:12] == codes.tobytes()
    assert content[4 * entry.capacity :][:24] == ids.tobytes()


def test_the_table_of_lists_is_three_numbers_a_list(tmp_path: Path) -> None:
    """Size, capacity and offset, 64 bits each: linnet copies its own table over FAISS's."""
    lists = faiss.OnDiskInvertedLists(2, 4, str(tmp_path / "lists.bin"))
    codes, ids = np.arange(12, dtype=np.uint8), np.array([7, 8, 9], np.int64)
    lists.add_entries(1, 3, faiss.swig_ptr(ids), faiss.swig_ptr(codes))
    table = np.zeros((2, 3), np.uint64)
    faiss.memcpy(faiss.swig_ptr(table.view(np.uint8).ravel()), lists.lists.data(), table.nbytes)
    entry: Any = lists.lists.at(1)
    assert table[1].tolist() == [entry.size, entry.capacity, entry.offset]


def test_attributes_that_linnet_sets_exist() -> None:
    """SWIG takes any attribute that is set: one that FAISS has lost would be ignored silently."""
    lists, book = faiss.OnDiskInvertedLists(), faiss.ProductQuantizer(8, 2, 4)
    for name in ("nlist", "code_size", "filename", "totsize", "read_only", "prefetch_nthread"):
        assert hasattr(lists, name), name
    index = faiss.IndexIVFPQFastScan(faiss.IndexFlatIP(8), 8, 1, 2, 4, faiss.METRIC_INNER_PRODUCT, 32)
    for name in (
        "by_residual",
        "pq",
        "is_trained",
        "ntotal",
        "implem",
        "search_preassigned_c",
        "replace_invlists",
    ):
        assert hasattr(index, name), name
    assert faiss.vector_to_array(book.centroids).shape == (16 * 8,)
    settings = faiss.SearchParametersHNSW(efSearch=7)
    assert (settings.efSearch, hasattr(settings, "sel")) == (7, True)
    assert isinstance(faiss.IO_FLAG_MMAP_IFC, int)
