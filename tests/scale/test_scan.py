"""Cutting files: whatever the size of the parts, their rows together are the file's, each once."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import tempfile
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.scale.rows import ReadOptions, Row, read_rows
from linnet.scale.scan import scan_file
from linnet.scale.sources import find_sources

texts = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=30), min_size=1, max_size=25)

PACK = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


@settings(max_examples=60, deadline=None)
@given(
    texts,
    st.integers(1, 400),
    st.sampled_from(["a.jsonl", "a.jsonl.gz", "a.jsonl.bz2", "a.jsonl.xz", "a.jsonl.zip", "a.parquet"]),
    st.integers(1, 9),
)
def test_the_parts_of_a_file_are_its_rows(made: list[str], chunk_bytes: int, name: str, group: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        if name == "a.parquet":
            columns = {"id": [str(n) for n in range(len(made))], "text": made}
            pq.write_table(pa.table(columns), path, row_group_size=group)
        else:
            lines = [
                json.dumps({"id": str(n), "text": text}, ensure_ascii=False) for n, text in enumerate(made)
            ]
            blank = "\n" * (group % 3)
            raw = f"{blank}{(chr(10) + blank).join(lines)}".encode()
            if name.endswith(".zip"):
                with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
                    target.writestr("a.jsonl", raw)
            else:
                path.write_bytes(PACK.get(path.suffix, bytes)(raw))
        [source] = find_sources(str(path))
        scan = scan_file(source, ReadOptions(), chunk_bytes=chunk_bytes, on_error="stop")
        whole = list(read_rows(source, ReadOptions()))
        parts = [
            list(read_rows(source, ReadOptions(), start=rows.start, stop=rows.stop, line=rows.line))
            for rows in scan.ranges
        ]
    assert [row for part in parts for row in part] == whole
    assert [row.document.text for row in whole if row.document] == made
    assert [rows.documents for rows in scan.ranges] == [len(part) for part in parts]
    assert all(sum(map(_size, part)) >= chunk_bytes for part in parts[:-1])


def _size(row: Row) -> int:
    return row.size
