"""What to link in parts, and how: as it was asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from linnet.corpora.marks import ANNOTATIONS
from linnet.errors import RequestError, UnknownNameError
from linnet.scale.sources import holds_sources

__all__ = ["ENGINES", "FORMATS", "INPUTS", "Request", "in_parts"]

ENGINES = ("local", "ray")
FORMATS = {"jsonl": ".jsonl", "mentions": ".jsonl", "parquet": ".parquet", "csv": ".csv", "tsv": ".tsv"}
"""What a part can be written as, and the ending of its file."""
INPUTS = ("jsonl", "mentions")
"""What a part can be read as."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What to link in parts, and how; see `linnet link --help`.

    part_bytes  least size of what is linked together, and read again when it was not finished
    workers     processes, None for one with the local engine and all the cluster's cores with Ray
    """

    input: str
    output: str
    given_mentions: bool = False
    input_format: str | None = None
    format: str | None = None
    column: str | None = None
    id_column: str | None = None
    types: tuple[str, ...] | None = None
    k: int = 5
    on_error: str = "stop"
    engine: str = "local"
    address: str | None = None
    workers: int | None = None
    resume: bool = False
    part_bytes: int = 8_000_000
    manifest: str | None = None

    def check(self) -> None:
        """Raise RequestError or UnknownNameError for what can be refused before anything is opened."""
        if self.on_error not in ("stop", "skip"):
            raise RequestError(f"--on-error is stop or skip; got '{self.on_error}'.")
        if self.engine not in ENGINES:
            raise UnknownNameError("engine", self.engine, ENGINES)
        if self.address is not None and self.engine != "ray":
            raise RequestError("--address is that of a Ray cluster. Add --engine ray.")
        if self.output == "-":
            raise RequestError("What is linked in parts is written into a folder. Name one: -o linked/")
        if self.format is not None and self.format not in FORMATS:
            raise RequestError(
                f"Parts are written as {', '.join(sorted(FORMATS))}; got --format {self.format}. Convert them afterwards."
            )
        if self.input_format is not None and self.input_format not in INPUTS:
            raise RequestError(
                f"Parts are read as {' or '.join(INPUTS)} (in Parquet the columns are the fields); got --input-format {self.input_format}."
            )
        output, place = Path(self.output).resolve(), Path(self.input).resolve()
        if output == place or (place in output.parents and place.is_dir()):
            raise RequestError(
                f"The output {self.output} lies in the input {self.input}. Name another folder with -o."
            )


def in_parts(input: str, *, engine: str, workers: int | None, resume: bool, address: str | None) -> bool:
    """Whether an input is linked in parts: asked for by an option, or a folder of Parquet or JSON Lines files."""
    if engine != "local" or workers is not None or resume or address is not None:
        return True
    folder = Path(input)
    if not folder.is_dir() or any(entry.suffix in (".txt", *ANNOTATIONS) for entry in folder.iterdir()):
        return False
    return holds_sources(folder)
