"""The request to link a corpus in chunks: input, output and options."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from linnet.advice import Step
from linnet.corpora.marks import ANNOTATIONS
from linnet.errors import RequestError, UnknownNameError
from linnet.scale.sources import holds_sources

__all__ = ["ENGINES", "FORMATS", "INPUTS", "Request", "is_chunked"]

ENGINES = ("local", "ray")
FORMATS = {"jsonl": ".jsonl", "mentions": ".jsonl", "parquet": ".parquet", "csv": ".csv", "tsv": ".tsv"}
"""Output format → ending of a chunk's file."""
INPUTS = ("jsonl", "mentions")
"""Input formats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The options of `linnet link` for linking in chunks. Field names are keys in manifests.

    chunk_bytes  least size of a chunk; an unfinished chunk is linked again
    workers      processes; None for one with the local engine, all the cluster's cores with Ray
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
    chunk_bytes: int = 8_000_000
    manifest: str | None = None

    def check(self) -> None:
        """Raise RequestError or UnknownNameError for mistakes that show before anything is opened."""
        if self.on_error not in ("stop", "skip"):
            raise RequestError(f"What to do on an error is stop or skip; got '{self.on_error}'.")
        if self.engine not in ENGINES:
            raise UnknownNameError("engine", self.engine, ENGINES)
        if self.address is not None and self.engine != "ray":
            raise RequestError("An address is for a Ray cluster.", Step.USE_RAY())
        if self.output == "-":
            raise RequestError("Linking in chunks writes a folder. Name one.")
        if self.format is not None and self.format not in FORMATS:
            raise RequestError(
                f"Linking in chunks writes {', '.join(sorted(FORMATS))}; got '{self.format}'. Convert the files afterwards."
            )
        if self.input_format is not None and self.input_format not in INPUTS:
            raise RequestError(
                f"Linking in chunks reads {' or '.join(INPUTS)} (Parquet columns are fields); got '{self.input_format}'."
            )
        output, source = Path(self.output).resolve(), Path(self.input).resolve()
        if output == source or (source in output.parents and source.is_dir()):
            raise RequestError(
                f"The output {self.output} lies in the input {self.input}. Name another folder with -o."
            )


def is_chunked(input: str, *, engine: str, workers: int | None, resume: bool, address: str | None) -> bool:
    """Whether to link in chunks: one of these options is used, or the input is a folder of Parquet or JSON Lines files."""
    if engine != "local" or workers is not None or resume or address is not None:
        return True
    folder = Path(input)
    if not folder.is_dir() or any(entry.suffix in (".txt", *ANNOTATIONS) for entry in folder.iterdir()):
        return False
    return holds_sources(folder)
