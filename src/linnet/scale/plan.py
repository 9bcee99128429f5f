"""A corpus cut into parts: each is linked by one worker, into one file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from linnet import artifact
from linnet.scale.duplicates import Repeated
from linnet.scale.scan import Survey
from linnet.scale.sources import Source

__all__ = ["Part", "is_part_name", "plan"]

_NAME = re.compile(r".+-\d{5,}\.(?:jsonl|parquet|csv|tsv)")


@dataclass(frozen=True, slots=True)
class Part:
    """Rows of a file that become one file of the output.

    name       of that file, with slashes, inside the output
    start, stop, line  where the rows are, see `Row`
    documents  how many there are to be linked
    left_out   lines whose documents are refused, their ids being those of others
    key        digest of all that the part's content follows from: the file's bytes, the rows, the linker, the options.
               A part that is there under this key need not be linked again
    """

    name: str
    source: Source
    start: int
    stop: int
    line: int
    documents: int
    left_out: frozenset[int]
    key: str


def plan(surveys: Sequence[Survey], repeated: Repeated, *, settings: str, ending: str) -> list[Part]:
    """The parts, in the order of files and rows: their contents, one after the other, are the output.

    settings  digest of linker and options
    ending    of the parts' names, ".jsonl"
    """
    parts: list[Part] = []
    for survey in surveys:
        lines = sorted(repeated.get(survey.source.name, ()))
        for number, cut in enumerate(survey.cuts):
            after = survey.cuts[number + 1].line if number + 1 < len(survey.cuts) else None
            left_out = [line for line in lines if cut.line <= line and (after is None or line < after)]
            parts.append(
                Part(
                    name=f"{survey.source.stem}-{number:05d}{ending}",
                    source=survey.source,
                    start=cut.start,
                    stop=cut.stop,
                    line=cut.line,
                    documents=cut.documents - len(left_out),
                    left_out=frozenset(left_out),
                    key=_key(settings, survey.source.name, survey.digest, cut.start, cut.stop, left_out),
                )
            )
    return parts


def is_part_name(name: str) -> bool:
    """Whether a file is called as `plan` calls parts."""
    return _NAME.fullmatch(name) is not None


def _key(*parts: object) -> str:
    return artifact.digest("\n".join(map(repr, parts)))
