"""A corpus cut into chunks: one worker links each chunk into one file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from linnet.io import artifact
from linnet.scale.duplicates import Duplicates
from linnet.scale.scan import Scan
from linnet.scale.sources import Source

__all__ = ["Chunk", "is_chunk_name", "plan"]

_NAME = re.compile(r".+-\d{5,}\.(?:jsonl|parquet|csv|tsv)")


@dataclass(frozen=True, slots=True)
class Chunk:
    """Rows of an input file that become one output file.

    name       of the output file, with slashes, relative to the output
    start, stop, line  of the rows, see `Row`
    documents  number to be linked
    left_out   lines whose documents are refused as duplicates
    key        digest of everything that decides the content: the file's bytes, the rows, the linker, the options.
               A finished chunk with this key need not be linked again
    """

    name: str
    source: Source
    start: int
    stop: int
    line: int
    documents: int
    left_out: frozenset[int]
    key: str


def plan(scans: Sequence[Scan], duplicates: Duplicates, *, settings: str, ending: str) -> list[Chunk]:
    """The chunks, in the order of files and rows; their contents, concatenated, are the output.

    settings  digest of linker and options
    ending    of the chunks' names, ".jsonl"
    """
    chunks: list[Chunk] = []
    for scan in scans:
        lines = sorted(duplicates.get(scan.source.name, ()))
        for number, (rows, following) in enumerate(pairwise([*scan.ranges, None])):
            assert rows is not None
            left_out = [
                line for line in lines if rows.line <= line and (following is None or line < following.line)
            ]
            key = (settings, scan.source.name, scan.digest, rows.start, rows.stop, left_out)
            chunks.append(
                Chunk(
                    name=f"{scan.source.stem}-{number:05d}{ending}",
                    source=scan.source,
                    start=rows.start,
                    stop=rows.stop,
                    line=rows.line,
                    documents=rows.documents - len(left_out),
                    left_out=frozenset(left_out),
                    key=artifact.digest("\n".join(map(repr, key))),
                )
            )
    return chunks


def is_chunk_name(name: str) -> bool:
    """Whether a file name has the form of a chunk's."""
    return _NAME.fullmatch(name) is not None
