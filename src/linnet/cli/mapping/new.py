"""`linnet map new`: a table → a mapping."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linnet.cli.common_options import SheetOption
from linnet.cli.linking_options import (
    PipelineOptions,
    RerankerOption,
    Restrictions,
    StepOptions,
    TerminologyOption,
    ThreadsOption,
    linker_config,
)
from linnet.cli.panels import input_option, output_option

__all__ = ["new"]


def new(
    table: Annotated[str, typer.Argument(help="CSV, TSV, Parquet or Excel file.", metavar="TABLE")],
    terminology: TerminologyOption,
    output: Annotated[Path, output_option("--output", "-o", help="Folder to make.", metavar="DIR")],
    *,
    column: Annotated[str | None, input_option(help="Column to map.", metavar="NAME")] = None,
    id_column: Annotated[str | None, input_option(help="Column of the codes.", metavar="NAME")] = None,
    frequency_column: Annotated[
        str | None, input_option(help="Column that says how many records have the code.", metavar="NAME")
    ] = None,
    context: Annotated[
        list[str] | None,
        input_option(help="Column that tells equal strings apart; repeatable.", metavar="NAME"),
    ] = None,
    sheet: SheetOption = None,
    four_eyes: Annotated[
        bool,
        output_option("--four-eyes", help="A row counts once two people have decided the same."),
    ] = False,
    metadata: Annotated[
        list[str] | None,
        output_option(
            help="What exports say of the mappings, e.g. license=ADDRESS, or a TOML file of such keys; repeatable.",
            metavar="KEY=VALUE|FILE",
        ),
    ] = None,
    restrictions: Restrictions,
    pipeline: PipelineOptions,
    reranker: RerankerOption = None,
    threads: ThreadsOption = None,
) -> None:
    """Make a mapping of a column: one row for each distinct string, with linnet's proposals.

    Interrupted, `linnet map update DIR` goes on with the proposals.

    Examples:
      linnet map new diagnoses.csv --column diagnosis -t mesh/ -o diagnoses.map/
      linnet map new codes.xlsx --column label --id-column code --frequency-column n --context ward -t mesh/ -o codes.map/
    """
    from linnet.cli.mapping.shown import coverage, proposing
    from linnet.cli.progress import note
    from linnet.mapping import Columns, Mapping
    from linnet.plural import counted
    from linnet.terminology.mapping_metadata import read_metadata

    steps = StepOptions(reranker=reranker)
    config = linker_config(terminology, restrictions, pipeline, steps, threads=threads)
    columns = Columns(
        text=column, id=id_column, frequency=frequency_column, context=tuple(context or ()), sheet=sheet
    )
    settings = {"four_eyes": four_eyes, "metadata": dict(read_metadata(metadata or ()))}
    with proposing() as progress:
        mapping = Mapping.new(table, output, config, columns=columns, settings=settings, progress=progress)
    note(f"{output}: {counted(len(mapping), 'strings')}.")
    note(coverage(mapping))
    note(f"Next: linnet map review {output}")
