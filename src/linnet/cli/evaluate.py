"""`linnet evaluate`: score a linker, or anybody's predictions, against a gold corpus."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from linnet.cli.corpora import CorpusOptions
from linnet.cli.linking_options import PipelineOptions, StepOptions, ThreadsOption, linker_config
from linnet.cli.panels import input_option, output_option, terminology_option
from linnet.cli.raw_arguments import names_in

__all__ = ["evaluate"]


def evaluate(
    corpus: Annotated[Path, typer.Argument(help="Annotated corpus in any format linnet reads.")],
    *,
    terminology: Annotated[
        list[str] | None,
        terminology_option(
            "--terminology",
            "-t",
            help="Compiled terminologies whose linker is scored; with --predictions, those that define the valid ids.",
            metavar="DIR...",
        ),
    ] = None,
    predictions: Annotated[
        Path | None, input_option(help="File of predictions to score instead of a linker.", metavar="FILE")
    ] = None,
    compare: Annotated[
        Path | None,
        input_option(
            help="A second system: a file of predictions, or a terminology, linked with the same options.",
            metavar="FILE|DIR",
        ),
    ] = None,
    types: Annotated[
        list[str] | None, input_option(help="Only mentions of these types.", metavar="TYPE...")
    ] = None,
    protocol: Annotated[
        str | None,
        output_option(
            help="Protocols joined by commas, each a combination such as lenient+augmented. "
            "Default: strict,lenient, and more with --train-corpus.",
            metavar="NAMES",
        ),
    ] = None,
    train_corpus: Annotated[
        list[Path] | None,
        input_option(
            help="Corpora that the system was trained on, for the leak audit, unseen mentions and +augmented.",
            metavar="FILE...",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        output_option(
            "--output", "-o", help="Folder for report.md, report.json and report.html.", metavar="DIR"
        ),
    ] = None,
    steps: StepOptions,
    pipeline: PipelineOptions,
    input_format: Annotated[
        str | None,
        input_option(help="Format of the corpora; default: detected from their content.", metavar="NAME"),
    ] = None,
    corpus_options: CorpusOptions,
    id_column: Annotated[
        str | None, input_option(help="Tables: column with the id of each row.", metavar="NAME")
    ] = None,
    threads: ThreadsOption = None,
) -> None:
    """Score a terminology's linker, or a file of predictions, on the gold mentions of CORPUS.

    Prints a table of figures; -o writes the whole report as Markdown, JSON and one self-contained HTML page.
    Protocols: strict, lenient, document, end-to-end, nil, with +refined, +unseen-surface, +unseen-exact, +unseen-concept, +augmented.

    Examples:
      linnet evaluate dev.pubtator -t medic/ --types Disease -o report/
      linnet evaluate dev.pubtator -t medic/ --train-corpus train.pubtator --protocol strict,lenient+augmented
      linnet evaluate dev.pubtator -t medic/ --pipeline no-memory
      linnet evaluate dev.pubtator --predictions theirs.jsonl --compare ours.jsonl
      linnet evaluate phrases.tsv -t snomed/ --column phrase --concept-column concept
    """
    from linnet import __version__
    from linnet.cli.progress import counting, note
    from linnet.errors import RequestError
    from linnet.evaluate.job import Answering, report_on
    from linnet.evaluate.report import check_place, write_report
    from linnet.evaluate.summary import render_summary

    if not terminology and predictions is None:
        raise RequestError(
            "Nothing to score. Name a linker's terminology (--terminology DIR) or a file (--predictions FILE)."
        )
    for name, value in {**vars(steps), **vars(pipeline)}.items():
        if value is not None and not terminology:
            raise RequestError(f"--{name} is for a linker. Name its terminology: --terminology DIR")
    protocols = names_in(protocol or "")
    if protocol is not None and not protocols:
        raise RequestError("--protocol names nothing. Write for example: --protocol strict,lenient")
    if output is not None:
        check_place(output)
    linker = linker_config(terminology, pipeline, steps, threads=threads).open() if terminology else None
    system = Answering("linnet", linker) if linker else None
    if predictions is not None:
        system = Answering(predictions.name, predictions)
    assert system is not None
    second = None
    if compare is not None:
        name = compare.name if compare.name != system.name else str(compare)
        is_linker = compare.is_dir()
        answers = linker_config([compare], pipeline, steps, threads=threads).open() if is_linker else compare
        second = Answering(name, answers)
    report = report_on(
        corpus,
        system,
        against=second,
        vocabulary=linker,
        protocols=protocols,
        train=train_corpus or (),
        types=types or (),
        format=input_format,
        columns=corpus_options.columns(id_column),
        on_error=corpus_options.on_error.value,
        allow_missing=corpus_options.allow_missing,
        threads=threads,
        provenance={"linnet": __version__, "command": " ".join(["linnet", *sys.argv[1:]])},
        tell=note,
        progress=lambda batches, what, total: counting(batches, what, total=total, size=len),
    )
    if output is not None:
        write_report(report, output)
        note(f"The whole report: {output / 'report.html'}")
    typer.echo(render_summary(report), nl=False)
