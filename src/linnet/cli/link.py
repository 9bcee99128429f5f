"""`linnet link`: text or mentions in, concepts out."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from linnet.cli.common_options import OutputOption, SheetOption
from linnet.cli.linking_options import (
    AssertionOptions,
    PipelineOptions,
    Restrictions,
    StepOptions,
    TerminologyOption,
    linker_config,
    report,
)
from linnet.cli.panels import input_option, linking_option, output_option, running_option

__all__ = ["link"]


def link(
    input: Annotated[
        str,
        typer.Argument(help="File or folder with text or mentions; - for standard input.", metavar="INPUT"),
    ],
    terminology: TerminologyOption,
    *,
    output: OutputOption = "-",
    mentions: Annotated[
        bool,
        input_option("--mentions", help="Link the mentions given in the input instead of recognising them."),
    ] = False,
    input_format: Annotated[
        str | None,
        input_option(
            help="Format of the input; default: detected from its content. 'text' is running text.",
            metavar="NAME",
        ),
    ] = None,
    format: Annotated[
        str | None,
        output_option(
            help="Format of the output: jsonl, mentions, csv, tsv, parquet, sssom, omop, or a corpus format. "
            "Default: by the ending of OUT, else JSON Lines.",
            metavar="NAME",
        ),
    ] = None,
    metadata: Annotated[
        list[str] | None,
        output_option(
            help="For sssom and omop: what is said of the mappings, e.g. license=ADDRESS, or a TOML file of such keys; repeatable.",
            metavar="KEY=VALUE|FILE",
        ),
    ] = None,
    column: Annotated[
        str | None,
        input_option(help="Column to link of a CSV, TSV, Parquet or Excel file.", metavar="NAME"),
    ] = None,
    id_column: Annotated[
        str | None, input_option(help="Column with the id of each row.", metavar="NAME")
    ] = None,
    frequency_column: Annotated[
        str | None,
        input_option(
            help="Column that says how many records a row stands for, to report the share linked.",
            metavar="NAME",
        ),
    ] = None,
    sheet: SheetOption = None,
    lines: Annotated[
        bool,
        input_option("--lines", help="Plain text: each line is a document, or with --mentions a mention."),
    ] = False,
    types: Annotated[
        list[str] | None, linking_option(help="Keep only mentions of these types.", metavar="TYPE...")
    ] = None,
    k: Annotated[int, linking_option(help="Candidates per mention.", min=1, max=1000, metavar="N")] = 5,
    restrictions: Restrictions,
    steps: StepOptions,
    assertion: AssertionOptions,
    pipeline: PipelineOptions,
    on_error: Annotated[
        str,
        input_option(help="At a malformed document or row: stop, or skip and count it.", metavar="stop|skip"),
    ] = "stop",
    engine: Annotated[
        str, running_option(help="Where to link: local, or ray (Ray Data).", metavar="local|ray")
    ] = "local",
    address: Annotated[
        str | None,
        running_option(
            help="Ray cluster: HOST:6379, or auto for one on this machine; default: start one here.",
            metavar="ADDRESS",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        running_option(
            "--jobs",
            "-j",
            help="Processes; default: 1, or all cores of the cluster with --engine ray.",
            min=1,
            metavar="N",
        ),
    ] = None,
    resume: Annotated[
        bool,
        running_option("--resume", help="Continue an interrupted run in OUT; start one if there is none."),
    ] = False,
    part_size: Annotated[
        float, running_option(help="Megabytes of input per chunk.", min=0.001, metavar="MB")
    ] = 8.0,
    threads: Annotated[
        int | None,
        running_option(
            help="Threads; default: all cores, or one per process with --jobs.", min=1, metavar="N"
        ),
    ] = None,
    manifest: Annotated[
        str | None,
        output_option(
            help="Where to write the manifest; - for standard error; default: OUT.manifest.json.",
            metavar="FILE",
        ),
    ] = None,
) -> None:
    """Link the mentions of INPUT to concepts.

    Plain text and documents: linnet finds the mentions, or takes those in the input with --mentions. A file of mentions
    and a column of a table are linked as they are. An input that looks like a table or a list of names is refused unless
    --column, --lines, --mentions or --input-format says how to read it.

    A folder of Parquet or JSON Lines files (or one such file with --jobs, --resume or --engine ray) is linked in
    chunks into the folder OUT. Each row is a document with the columns id and text; --id-column and --column name
    others. With --mentions, the mentions in the column mentions are linked, or the whole text if there is no such
    column.

    Examples:
      linnet link abstract.txt -t mesh/
      linnet link corpus.pubtator -t mesh/ --mentions -o linked.jsonl
      linnet link names.csv --column disease -t mesh/ -o linked.csv
      echo "heart attack" | linnet link - -t mesh/ --mentions
      linnet link abstracts/ -t mesh/ -o linked/ --jobs 8 --resume
      linnet link abstracts/ -t mesh/ -o linked/ --engine ray --address 10.0.0.1:6379
      linnet link notes/ -t mesh/ --assertion -o linked.csv
      linnet link codes.csv --column label --id-column code -t mesh/ --format sssom --metadata mappings.toml
      linnet link abstract.txt -t mesh/ --pipeline my.toml --learned version-3/
    """
    from linnet import scale
    from linnet.cli.progress import counting, note
    from linnet.corpora.size import document_count
    from linnet.errors import RequestError
    from linnet.jobs.job import run
    from linnet.jobs.request import Request

    requested: dict[str, Any] = {
        "input": input,
        "output": output,
        "given_mentions": mentions,
        "input_format": input_format,
        "format": format,
        "column": column,
        "id_column": id_column,
        "types": tuple(types) if types else None,
        "k": k,
        "on_error": on_error,
        "manifest": manifest,
    }
    config = linker_config(terminology, restrictions, pipeline, steps, assertion, threads=threads)
    if scale.is_chunked(input, engine=engine, workers=jobs, resume=resume, address=address):
        for given, what in (
            (lines, "--lines is for plain text, which is not linked in chunks"),
            (frequency_column, "--frequency-column counts the records of a table, which chunks do not"),
            (sheet, "--sheet is for Excel files, which are not linked in chunks"),
            (metadata, "--metadata describes mappings, which are not written in chunks"),
        ):
            if given:
                raise RequestError(f"{what}. Leave it out.")
        in_chunks = scale.Request(
            **requested,
            engine=engine,
            address=address,
            workers=jobs,
            resume=resume,
            chunk_bytes=round(part_size * 1e6),
        )
        in_chunks.check()
        from linnet.scale.job import run as run_in_chunks

        summary = run_in_chunks(
            in_chunks, config, progress=lambda chunks, total: counting(chunks, "chunks", total=total)
        )
        recognised = not mentions
    else:
        request = Request(
            **requested,
            lines=lines,
            frequency_column=frequency_column,
            sheet=sheet,
            metadata=tuple(metadata) if metadata else None,
        )
        request.check()
        total = document_count(input, by_line=lines or mentions)
        summary = run(
            request, config.open(), progress=lambda linked: counting(linked, "documents", total=total)
        )
        recognised = summary.recognised
    if steps.recogniser and not recognised:
        note(
            "--recogniser was not used: the mentions are given, and it finds mentions in text. Leave it out."
        )
    report(summary, types or ())
