"""What a run is to do, worked out of what was asked for: how rows are read, how workers open the linker, what decides the result."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from linnet import __version__, corpora
from linnet.corpora.not_a_corpus import AS_TEXT
from linnet.errors import DataError, RequestError
from linnet.link.linker_config import LinkerConfig
from linnet.link.pipeline import MODELS
from linnet.scale.request import INPUTS, Request
from linnet.scale.rows import LONGEST, Reading
from linnet.scale.sources import Source

__all__ = ["for_workers", "reading_of", "settings_of"]


def for_workers(opening: LinkerConfig) -> LinkerConfig:
    """The same for a process that may run elsewhere: absolute paths, and one thread where no number was asked for."""
    models = {name: opening.changes[name] for name in MODELS if opening.changes.get(name)}
    return replace(
        opening,
        terminologies=tuple(str(Path(path).absolute()) for path in opening.terminologies),
        changes={**opening.changes, **{name: _absolute(model) for name, model in models.items()}},
        threads=opening.threads or 1,
    )


def _absolute(name: str) -> str:
    """A model's directory; the name of a shipped one stays."""
    return str(Path(name).absolute()) if Path(name).is_dir() else name


def reading_of(request: Request, sources: list[Source]) -> Reading:
    """How the rows of the input are read. Raises RequestError for a format that cannot be read in parts."""
    format, first = request.input_format, sources[0]
    if format is None:
        filled = next((source for source in sources if source.bytes), first)
        try:
            format = "jsonl" if first.kind == "parquet" or request.column else corpora.detect(filled.path)
        except DataError as error:
            # What is linked in parts cannot be insisted on as text, but its fields can be named.
            message = (
                error.message.removesuffix(AS_TEXT) + "Or name the fields: --column NAME --id-column NAME"
            )
            raise DataError(message, path=error.path) from None
        if format not in INPUTS:
            raise RequestError(
                f"{filled.path} is read as '{format}'; expected JSON Lines, an object with 'text' a line. "
                "If it is that, name the fields: --column NAME, or --input-format jsonl."
            )
    return Reading(
        format=format,
        column=request.column,
        id_column=request.id_column,
        whole=request.given_mentions and first.kind == "parquet",
        named=Path(request.input).is_dir(),
        longest=LONGEST,
    )


def settings_of(
    request: Request, opening: LinkerConfig, reading: Reading, format: str, told: dict[str, Any]
) -> dict[str, Any]:
    """What decides the content of the parts; neither engine nor number of workers does."""
    restrictions = {
        "types": opening.concept_types, "sources": opening.sources, "allow": opening.allow, "deny": opening.deny
    }  # fmt: skip
    return {
        "linnet": __version__,
        **told,
        "restrictions": {name: sorted(ids) for name, ids in restrictions.items() if ids},
        "reading": asdict(reading),
        "options": {
            "mentions": request.given_mentions,
            "types": sorted(request.types) if request.types else None,
            "k": request.k,
            "on-error": request.on_error,
            "format": format,
            "part-size": request.part_bytes,
        },
    }
