"""What commands that link have in common: their options, a linker from these, and a summary of what was done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from linnet.cli.panels import linking_option, running_option, terminology_option
from linnet.cli.progress import note
from linnet.cli.raw_arguments import names_in
from linnet.plural import counted

if TYPE_CHECKING:
    from linnet.jobs.job import Summary
    from linnet.link.linker_config import LinkerConfig

__all__ = [
    "AssertionOptions",
    "PipelineOptions",
    "RerankerOption",
    "Restrictions",
    "StepOptions",
    "TerminologyOption",
    "ThreadsOption",
    "linker_config",
    "read_ids",
    "report",
]

TerminologyOption = Annotated[
    list[str],
    terminology_option(
        "--terminology",
        "-t",
        help="Compiled terminologies to link against, in order of precedence; starter: the small packaged one.",
        metavar="DIR...",
    ),
]
RerankerOption = Annotated[
    str | None,
    linking_option(
        help="Reranker of the candidates: context, accurate, strengths, a directory, or none.", metavar="NAME"
    ),
]
ThreadsOption = Annotated[int | None, running_option(help="Threads; default: all cores.", min=1, metavar="N")]

_SHOWN = 10  # skipped documents and types listed in a message; the manifest lists all that was skipped


@dataclass(frozen=True, kw_only=True)
class Restrictions:
    """Options that restrict which concepts may be linked to."""

    concept_types: Annotated[
        list[str] | None,
        terminology_option(help="Link only to concepts of these semantic types.", metavar="TYPE..."),
    ] = None
    sources: Annotated[
        list[str] | None,
        terminology_option(help="Link only to concepts from these vocabularies.", metavar="NAME..."),
    ] = None
    allow: Annotated[
        Path | None,
        terminology_option(help="Link only to the concepts in this file, one id per line.", metavar="FILE"),
    ] = None
    deny: Annotated[
        Path | None,
        terminology_option(help="Never link to the concepts in this file, one id per line.", metavar="FILE"),
    ] = None
    min_probability: Annotated[
        float | None,
        linking_option(
            help="Links with a lower probability become NIL; needs a calibrated reranker.",
            min=0,
            max=1,
            metavar="P",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class PipelineOptions:
    """Options that say how the terminology's pipeline is changed as a whole."""

    pipeline: Annotated[
        str | None,
        linking_option(
            help="How to link: default, accurate, clinical or literature (read every text as a note, or as an article), no-memory, or a "
            "TOML file of settings (see Pipelines in the documentation).",
            metavar="NAME|FILE.toml",
        ),
    ] = None
    learned: Annotated[
        Path | None,
        linking_option(
            help="Use what a project of linnet annotate has learnt: the folder of a version of its model.",
            metavar="DIR",
        ),
    ] = None
    overrides: Annotated[
        Path | None,
        linking_option(
            help="Force or forbid concepts for the names in this file, beside the terminology's overrides.tsv.",
            metavar="FILE",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class StepOptions:
    """Options for single steps of the pipeline."""

    retriever: Annotated[
        str | None,
        linking_option(
            help="Indexes to search, joined by commas: exact,dense,sparse,entities.", metavar="NAMES"
        ),
    ] = None
    reranker: RerankerOption = None
    recogniser: Annotated[
        str | None,
        linking_option(
            help="Recogniser of mentions in text: combined (default: recogniser and dictionary together, if the types fit), dictionary, "
            "recogniser (trained), or a directory.",
            metavar="NAME",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class AssertionOptions:
    """Whether to say what the text says of a mention."""

    assertion: Annotated[
        bool | None,
        linking_option(
            "--assertion",
            help="Mark mentions that the text negates, or that are uncertain, historical, about another person, or hypothetical (English).",
        ),
    ] = None


def linker_config(
    terminologies: Sequence[str | Path],
    *groups: Restrictions | PipelineOptions | StepOptions | AssertionOptions,
    threads: int | None = None,
) -> LinkerConfig:
    """A linker for the terminologies, not yet opened: the first one's pipeline, changed by the options that were given.

    Raises RequestError for "starter" where a folder has that name too, and as `LinkerConfig.of`.
    """
    from linnet.errors import RequestError
    from linnet.link.linker_config import STARTER, LinkerConfig

    if STARTER in terminologies and Path(STARTER).is_dir():
        raise RequestError(
            f"'{STARTER}' is the name of the packaged terminology, and a folder here has it too. "
            f"Write ./{STARTER} for the folder."
        )
    given: dict[str, Any] = {
        name: value for group in groups for name, value in vars(group).items() if value not in (None, [])
    }
    for name in ("allow", "deny"):
        if name in given:
            given[name] = read_ids(given[name])
    if "retriever" in given:
        given["retrievers"] = names_in(given.pop("retriever"))
    for name in ("learned", "overrides"):
        if name in given:
            given[name] = given[name].absolute()
    return LinkerConfig.of(terminologies, {**given, "threads": threads})


def read_ids(path: Path) -> list[str]:
    """Concept ids, one a line, without blank lines and comments (`#` to the end of the line). Raises DataError for no id."""
    from linnet.errors import DataError
    from linnet.io.files import read_lines

    ids = [text for _, line in read_lines(path) if (text := line.partition("#")[0].strip())]
    if not ids:
        raise DataError("the file has no concept id. Expected one id a line, e.g. MESH:D003920.", path=path)
    return ids


def report(summary: Summary, types: Sequence[str] = ()) -> None:
    """Report what was done, skipped, not read and not written, and which requested `types` no mention has."""
    for error in summary.skipped[:_SHOWN]:
        note(f"Skipped: {error.happened}")
    if len(summary.skipped) > _SHOWN:
        note(f"Skipped {len(summary.skipped) - _SHOWN:,} more; the manifest lists all.")
    for line in summary.notes.lines():
        note(f"Input: {line}.")
    for line in summary.losses:
        note(line)
    _report_types(summary, types)
    counts = summary.counts()
    read = f"{counted(counts['documents'], 'documents')}, {counted(counts['mentions'], 'mentions')}"
    if notes := summary.text_kinds["note"]:
        note(f"{notes:,} of {counted(counts['documents'], 'documents')} read as clinical notes.")
    note(f"{read}, {counts['linked']:,} linked, {counts['nil']:,} NIL.")
    if records := counts.get("records"):
        share = 100 * counts["records_linked"] / records
        note(f"{share:.1f} % of {counted(records, 'records')} have a concept.")


def _report_types(summary: Summary, types: Sequence[str]) -> None:
    seen = {name.casefold() for name in summary.types}
    missing = [name for name in types if name.casefold() not in seen]
    if missing and summary.types:
        present = ", ".join(
            f"{name or 'no type'} ({count:,})" for name, count in summary.types.most_common(_SHOWN)
        )
        note(f"No mention is of type {' or '.join(missing)}. Types here: {present}.")
