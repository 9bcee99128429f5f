"""The request to link an input into a file: input, output and options."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from linnet import corpora
from linnet import formats as table
from linnet.advice import Step
from linnet.errors import RequestError, UnknownNameError
from linnet.io import compression, workbook
from linnet.jobs.outputs import MAPPINGS, formats
from linnet.terminology.mapping_metadata import read_metadata

__all__ = ["Request", "output_format"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What to link, and how to read and write it; see `linnet link --help`."""

    input: str
    output: str = "-"
    given_mentions: bool = False
    input_format: str | None = None
    format: str | None = None
    column: str | None = None
    id_column: str | None = None
    frequency_column: str | None = None
    sheet: str | None = None
    metadata: tuple[str, ...] | None = None
    lines: bool = False
    types: tuple[str, ...] | None = None
    k: int = 5
    on_error: str = "stop"
    manifest: str | None = None

    def check(self) -> None:
        """Raise RequestError or UnknownNameError for invalid options, before anything is opened."""
        if self.on_error not in ("stop", "skip"):
            raise RequestError(f"on_error is '{self.on_error}'; expected 'stop' or 'skip'.")
        if self.format is not None and self.format not in formats():
            raise UnknownNameError("output format", self.format, formats())
        if self.input_format is not None and self.input_format not in corpora.readers:
            raise UnknownNameError("input format", self.input_format, corpora.readers)
        self._check_ending()
        if self.metadata is not None and output_format(self, "") not in MAPPINGS:
            raise RequestError(
                f"Metadata describe mappings ({' or '.join(sorted(MAPPINGS))}). Leave them out.",
                *(Step.WRITE_AS(format=format) for format in sorted(MAPPINGS)),
            )
        read_metadata(self.metadata or ())
        source, goal = Path(self.input), Path(self.output)
        if self.output != "-" and source.exists() and goal.exists() and source.samefile(goal):
            raise RequestError(
                f"Input and output are the same file, {self.input}. Name another output with -o."
            )

    def _check_ending(self) -> None:
        """Raise RequestError for an output whose name says that it is a file of another kind than linnet writes."""
        output = Path(self.output)
        ending, bare = output.suffix.lower(), output.with_suffix("")
        if ending in compression.ALL_SUFFIXES:
            raise RequestError(
                f"{output}: linnet writes no compressed files. Name -o {bare} and compress it, or write to standard output: "
                f"| gzip > {output.name}"
            )
        if ending in workbook.SUFFIXES:
            raise RequestError(
                f"{output}: linnet writes no workbooks. Name -o {bare}.csv, which spreadsheets open."
            )
        if ending == ".parquet" and self.format not in (None, "parquet"):
            raise RequestError(
                f"{output} is the name of a Parquet file, but the format is {self.format}. Leave the format out, or name another file."
            )


def output_format(request: Request, input_format: str) -> str:
    """The format to write: as requested, by the ending of the output, else JSON Lines of mentions or documents."""
    ending = Path(request.output).suffix.lower()
    known = (format for use in ("links", "corpus") for format in table.formats(use).values())
    by_ending = (format.name for format in known if format.asked_by == ending)
    asked = request.format or (next(by_ending, "") if ending else "")
    return asked or ("mentions" if input_format in ("mentions", "table") else "jsonl")
