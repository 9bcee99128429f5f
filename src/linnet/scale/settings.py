"""Settings of a run, derived from the request: how rows are read, how workers open the linker, what decides the result."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linnet import __version__, corpora
from linnet.advice import Step
from linnet.corpora.detect import AS_TEXT
from linnet.errors import DataError, RequestError
from linnet.link.linker_config import STARTER, LinkerConfig
from linnet.link.pipeline import MODELS
from linnet.scale.request import INPUTS, Request
from linnet.scale.rows import MAX_ROW_BYTES, ReadOptions
from linnet.scale.sources import Source

if TYPE_CHECKING:
    from linnet.scale.worker import Job

__all__ = ["for_workers", "read_options", "run_settings"]


def for_workers(config: LinkerConfig) -> LinkerConfig:
    """The config for a process that may run elsewhere: absolute paths, and one thread by default. "starter" stays: every process
    has it."""
    models = {name: config.changes[name] for name in MODELS if config.changes.get(name)}
    return replace(
        config,
        terminologies=tuple(
            path if path == STARTER else str(Path(path).absolute()) for path in config.terminologies
        ),
        changes={**config.changes, **{name: _absolute(model) for name, model in models.items()}},
        threads=config.threads or 1,
    )


def _absolute(name: str) -> str:
    """A model's directory, absolute; the name of a shipped model unchanged."""
    return str(Path(name).absolute()) if Path(name).is_dir() else name


def read_options(request: Request, sources: list[Source]) -> ReadOptions:
    """How to read the input's rows.

    Raises RequestError for a format that cannot be read in chunks, DataError where none is recognised.
    """
    format, first = request.input_format, sources[0]
    if format is None:
        filled = next((source for source in sources if source.bytes), first)
        try:
            format = "jsonl" if first.kind == "parquet" or request.column else corpora.detect(filled.path)
        except DataError as error:
            # Plain text is no option here, but naming the fields is.
            raise error.again(Step.NAME_FIELDS(), but=AS_TEXT) from None
        if format not in INPUTS:
            raise RequestError(
                f"{filled.path} is read as '{format}'; expected JSON Lines, one object with 'text' per line.",
                Step.NAME_FIELDS_OR_FORMAT(),
            )
    return ReadOptions(
        format=format,
        column=request.column,
        id_column=request.id_column,
        whole=request.given_mentions and first.kind == "parquet",
        named=Path(request.input).is_dir(),
        longest=MAX_ROW_BYTES,
    )


def run_settings(job: Job) -> dict[str, Any]:
    """What decides the content of the chunks, for `run.json`; engine and number of workers do not."""
    config, request = job.config, job.request
    restrictions = {
        "types": config.concept_types, "sources": config.sources, "allow": config.allow, "deny": config.deny
    }  # fmt: skip
    return {
        "linnet": __version__,
        **job.identity,
        "restrictions": {name: sorted(ids) for name, ids in restrictions.items() if ids},
        "reading": asdict(job.read_options),
        "options": {
            "mentions": request.given_mentions,
            "types": sorted(request.types) if request.types else None,
            "k": request.k,
            "on-error": request.on_error,
            "format": job.format,
            "part-size": request.chunk_bytes,
        },
    }
