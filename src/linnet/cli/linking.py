"""What commands that link have in common: a linker from flags, and what is said at the end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linnet.cli.progress import note
from linnet.plural import counted

if TYPE_CHECKING:
    from linnet.link import Linker
    from linnet.link.job import Summary
    from linnet.link.linker_config import LinkerConfig

__all__ = [
    "AllowOption",
    "ConceptTypesOption",
    "DenyOption",
    "LearnedOption",
    "MinProbabilityOption",
    "RecogniserOption",
    "RerankerOption",
    "RetrieverOption",
    "SourcesOption",
    "TerminologyOption",
    "ThreadsOption",
    "linker_opening",
    "open_linker",
    "read_ids",
    "say",
]

TerminologyOption = Annotated[
    list[Path],
    typer.Option("--terminology", "-t", help="Compiled terminologies to link against.", metavar="DIR..."),
]
ConceptTypesOption = Annotated[
    list[str] | None, typer.Option(help="Link only to concepts of these semantic types.")
]
SourcesOption = Annotated[
    list[str] | None, typer.Option(help="Link only to concepts from these vocabularies.")
]
AllowOption = Annotated[
    Path | None, typer.Option(help="File of concept ids, one a line: link only to these.", metavar="FILE")
]
DenyOption = Annotated[
    Path | None, typer.Option(help="File of concept ids, one a line: never link to these.", metavar="FILE")
]
RetrieverOption = Annotated[
    str | None,
    typer.Option(help="Indexes to search, joined by commas: exact,dense,sparse.", metavar="NAMES"),
]
RerankerOption = Annotated[
    str | None,
    typer.Option(help="What reorders the candidates: context, a directory, or none.", metavar="NAME"),
]
RecogniserOption = Annotated[
    str | None,
    typer.Option(
        help="What finds mentions in plain text: dictionary, recogniser (trained, of diseases and chemicals), or a directory.",
        metavar="NAME",
    ),
]
LearnedOption = Annotated[
    Path | None,
    typer.Option(
        help="What a project of linnet annotate has learnt with the terminology: the folder of a version.",
        metavar="DIR",
    ),
]
MinProbabilityOption = Annotated[
    float | None,
    typer.Option(help="Links less probable are NIL; needs a calibrated reranker.", min=0, max=1, metavar="P"),
]
ThreadsOption = Annotated[int | None, typer.Option(help="Threads; all cores if left out.", min=1)]

_SHOWN = 10  # skipped parts named one by one; the manifest lists all


def open_linker(
    terminologies: Sequence[Path],
    *,
    retriever: str | None = None,
    reranker: str | None = None,
    memory: bool = True,
    recogniser: str | None = None,
    learned: Path | None = None,
    threads: int | None = None,
) -> Linker:
    """A linker for the terminologies, with the first one's pipeline changed by the flags that were given."""
    return linker_opening(
        terminologies,
        retriever=retriever,
        reranker=reranker,
        memory=memory,
        recogniser=recogniser,
        learned=learned,
        threads=threads,
    ).open()


def linker_opening(
    terminologies: Sequence[Path],
    *,
    concept_types: Sequence[str] | None = None,
    sources: Sequence[str] | None = None,
    allow: Path | None = None,
    deny: Path | None = None,
    retriever: str | None = None,
    encoder: str | None = None,
    reranker: str | None = None,
    memory: bool = True,
    recogniser: str | None = None,
    min_probability: float | None = None,
    learned: Path | None = None,
    threads: int | None = None,
) -> LinkerConfig:
    """How to open a linker for the terminologies, with the first one's pipeline changed by the flags that were given."""
    from linnet.link.linker_config import LinkerConfig

    given: dict[str, Any] = {
        "retrievers": None
        if retriever is None
        else tuple(name.strip() for name in retriever.split(",") if name.strip()),
        "encoder": encoder,
        "reranker": reranker,
        "recogniser": recogniser,
        "min_probability": min_probability,
        "memory": None if memory else False,
    }
    changes = {name: value for name, value in given.items() if value is not None}
    if reranker == "none":
        changes["reranker"] = None
    return LinkerConfig(
        terminologies=tuple(str(path) for path in terminologies),
        changes=changes,
        concept_types=tuple(concept_types) if concept_types else None,
        sources=tuple(sources) if sources else None,
        allow=tuple(read_ids(allow)) if allow else None,
        deny=tuple(read_ids(deny)) if deny else (),
        threads=threads,
        learned=None if learned is None else str(learned.absolute()),
    )


def read_ids(path: Path) -> list[str]:
    """Concept ids, one a line; blank lines and what follows `#` are ignored. Raises DataError when none is left."""
    from linnet.errors import DataError
    from linnet.files import read_lines

    ids = [text for _, line in read_lines(path) if (text := line.partition("#")[0].strip())]
    if not ids:
        raise DataError("no concept id in it. Expected one id a line, e.g. MESH:D003920.", path=path)
    return ids


def say(summary: Summary, types: Sequence[str] = ()) -> None:
    """What was done, what was skipped or not read, what could not be written, and which of the `types` asked for no mention has."""
    for error in summary.skipped[:_SHOWN]:
        note(f"Skipped: {error}")
    if len(summary.skipped) > _SHOWN:
        note(f"Skipped {len(summary.skipped) - _SHOWN:,} more; the manifest lists all.")
    for line in summary.notes.lines():
        note(f"Input: {line}.")
    for line in summary.losses:
        note(line)
    _say_types(summary, types)
    done = summary.counts()
    read = f"{counted(done['documents'], 'documents')}, {counted(done['mentions'], 'mentions')}"
    note(f"{read}, {done['linked']:,} linked, {done['nil']:,} NIL.")


def _say_types(summary: Summary, types: Sequence[str]) -> None:
    seen = {name.casefold() for name in summary.types}
    missing = [name for name in types if name.casefold() not in seen]
    if missing and summary.types:
        there = ", ".join(
            f"{name or 'no type'} ({count:,})" for name, count in summary.types.most_common(_SHOWN)
        )
        note(f"No mention is of type {' or '.join(missing)}. Types here: {there}.")
