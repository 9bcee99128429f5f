"""`linnet link`: text or mentions in, concepts out."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from linnet.cli.linking import (
    AllowOption,
    ConceptTypesOption,
    DenyOption,
    LearnedOption,
    MinProbabilityOption,
    RecogniserOption,
    RerankerOption,
    RetrieverOption,
    SourcesOption,
    TerminologyOption,
    linker_opening,
    say,
)

__all__ = ["link"]


def link(
    input: Annotated[
        str,
        typer.Argument(help="File or folder with text or mentions; - for standard input.", metavar="INPUT"),
    ],
    terminology: TerminologyOption,
    output: Annotated[
        str, typer.Option("--output", "-o", help="Where to write; - for standard output.", metavar="OUT")
    ] = "-",
    mentions: Annotated[
        bool,
        typer.Option("--mentions", help="Link the mentions given in the input instead of recognising them."),
    ] = False,
    input_format: Annotated[
        str | None,
        typer.Option(
            help="Format of the input; default: detected from its content. 'text' insists on running text.",
            metavar="NAME",
        ),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            help="Format of the output: jsonl, mentions, csv, tsv, parquet, sssom, omop, or that of a corpus. "
            "Told from the name of OUT if left out, else JSON Lines.",
            metavar="NAME",
        ),
    ] = None,
    column: Annotated[
        str | None,
        typer.Option(help="Column of a CSV, TSV, Parquet or Excel (.xlsx) file with what to link."),
    ] = None,
    id_column: Annotated[str | None, typer.Option(help="Column with the id of each row.")] = None,
    sheet: Annotated[
        str | None, typer.Option(help="Sheet of an Excel file that has several.", metavar="NAME")
    ] = None,
    lines: Annotated[
        bool,
        typer.Option("--lines", help="Plain text: every line is a document, or with --mentions a mention."),
    ] = False,
    types: Annotated[list[str] | None, typer.Option(help="Keep mentions of these types.")] = None,
    concept_types: ConceptTypesOption = None,
    sources: SourcesOption = None,
    allow: AllowOption = None,
    deny: DenyOption = None,
    retriever: RetrieverOption = None,
    encoder: Annotated[
        str | None, typer.Option(help="Refuse a dense index of any other encoder.", metavar="NAME")
    ] = None,
    reranker: RerankerOption = None,
    recogniser: RecogniserOption = None,
    min_probability: MinProbabilityOption = None,
    learned: LearnedOption = None,
    k: Annotated[int, typer.Option(help="Candidates a mention.", min=1, max=1000)] = 5,
    on_error: Annotated[
        str, typer.Option(help="A malformed document or row: stop, or skip and count.", metavar="stop|skip")
    ] = "stop",
    engine: Annotated[
        str, typer.Option(help="Who does the work: local, or ray (Ray Data).", metavar="local|ray")
    ] = "local",
    address: Annotated[
        str | None,
        typer.Option(
            help="Ray cluster to use, HOST:6379, or auto for the one of this machine; one is started here if left out.",
            metavar="ADDRESS",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            help="Processes that link chunks of the input; by default 1, or with --engine ray all cores of the cluster.",
            min=1,
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Continue an interrupted run in OUT, or start if there is none."),
    ] = False,
    part_size: Annotated[
        float,
        typer.Option(help="Size of the chunks of the input, in megabytes.", min=0.001, metavar="MB"),
    ] = 8.0,
    threads: Annotated[
        int | None,
        typer.Option(help="Threads; if left out all cores, and one a process with --jobs.", min=1),
    ] = None,
    manifest: Annotated[
        str | None,
        typer.Option(
            help="Where to write the manifest; OUT.manifest.json if left out; - for standard error.",
            metavar="FILE",
        ),
    ] = None,
) -> None:
    """Link the mentions of INPUT to concepts.

    Without --mentions, mentions are first recognised in plain text and in documents. A file of mentions
    and a column of a table are linked as they are. What looks like a table or a list of names is refused unless
    --column, --lines, --mentions or --input-format says how to read it.

    A folder of Parquet or JSON Lines files (and one such file with --jobs, --resume or --engine ray) is linked in
    chunks into the folder OUT. Its rows are documents with the columns id and text, whatever --column and
    --id-column call them; with --mentions, the mentions in their column mentions are linked, or the whole text where
    there is none. --resume continues an interrupted run.

    Examples:
      linnet link abstract.txt -t mesh/
      linnet link corpus.pubtator -t mesh/ --mentions -o linked.jsonl
      linnet link names.csv --column disease -t mesh/ -o linked.csv
      echo "heart attack" | linnet link - -t mesh/ --mentions
      linnet link abstracts/ -t mesh/ -o linked/ --learned version-3/
      linnet link abstracts/ -t mesh/ -o linked/ --jobs 8 --resume
      linnet link abstracts/ -t mesh/ -o linked/ --engine ray --address 10.0.0.1:6379
    """
    from linnet import scale
    from linnet.cli.progress import counting
    from linnet.errors import RequestError
    from linnet.link.job import Request, run

    asked: dict[str, Any] = {
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
    opening = linker_opening(
        terminology,
        concept_types=concept_types,
        sources=sources,
        allow=allow,
        deny=deny,
        retriever=retriever,
        encoder=encoder,
        reranker=reranker,
        recogniser=recogniser,
        min_probability=min_probability,
        learned=learned,
        threads=threads,
    )
    if scale.is_chunked(input, engine=engine, workers=jobs, resume=resume, address=address):
        if lines:
            raise RequestError("--lines is for plain text, which is not linked in chunks. Leave it out.")
        if sheet:
            raise RequestError("--sheet is for Excel files, which are not linked in chunks. Leave it out.")
        in_chunks = scale.Request(
            **asked,
            engine=engine,
            address=address,
            workers=jobs,
            resume=resume,
            chunk_bytes=round(part_size * 1e6),
        )
        in_chunks.check()
        from linnet.scale.job import run as run_in_chunks

        done = run_in_chunks(
            in_chunks, opening, progress=lambda chunks, total: counting(chunks, "chunks", total=total)
        )
    else:
        request = Request(**asked, lines=lines, sheet=sheet)
        request.check()
        done = run(request, opening.open(), progress=lambda linked: counting(linked, "documents"))
    say(done, types or ())
