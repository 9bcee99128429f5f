"""`linnet evaluate`: score a linker, or anybody's predictions, against a gold corpus."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linnet.cli.corpora import (
    AllowMissingOption,
    ColumnOption,
    ConceptColumnOption,
    ConceptPrefixOption,
    IdColumnOption,
    OnError,
    OnErrorOption,
    table_columns,
)
from linnet.cli.linking import (
    LearnedOption,
    RecogniserOption,
    RerankerOption,
    RetrieverOption,
    ThreadsOption,
)

if TYPE_CHECKING:
    from linnet.evaluate.job import Answering

__all__ = ["evaluate"]


def evaluate(
    corpus: Annotated[Path, typer.Argument(help="Annotated corpus in any format linnet reads.")],
    terminology: Annotated[
        list[Path] | None,
        typer.Option(
            "--terminology",
            "-t",
            help="Compiled terminologies whose linker is scored; with --predictions, what tells which gold there is.",
        ),
    ] = None,
    predictions: Annotated[
        Path | None, typer.Option(help="File of predictions to score instead of a linker.", metavar="FILE")
    ] = None,
    compare: Annotated[
        Path | None,
        typer.Option(help="A second system: file of predictions, or terminology.", metavar="FILE"),
    ] = None,
    types: Annotated[list[str] | None, typer.Option(help="Only gold mentions of these types.")] = None,
    protocol: Annotated[
        str | None,
        typer.Option(
            help="Protocols joined by commas, each a combination such as lenient+augmented. "
            "strict,lenient if left out, and more with --train-corpus.",
            metavar="NAMES",
        ),
    ] = None,
    train_corpus: Annotated[
        list[Path] | None,
        typer.Option(
            help="What the system was trained on, for the leak audit, unseen mentions and +augmented."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Folder for report.md, report.json and report.html.", metavar="DIR"
        ),
    ] = None,
    retriever: RetrieverOption = None,
    reranker: RerankerOption = None,
    memory: Annotated[
        bool,
        typer.Option(
            "--memory/--no-memory",
            help="Whether the reranker may use what its training mentions meant; --no-memory measures it without.",
        ),
    ] = True,
    recogniser: RecogniserOption = None,
    learned: LearnedOption = None,
    input_format: Annotated[
        str | None,
        typer.Option(help="Format of the corpora; default: detected from their content.", metavar="NAME"),
    ] = None,
    column: ColumnOption = None,
    id_column: IdColumnOption = None,
    concept_column: ConceptColumnOption = None,
    concept_prefix: ConceptPrefixOption = "",
    on_error: OnErrorOption = OnError.stop,
    allow_missing: AllowMissingOption = False,
    threads: ThreadsOption = None,
) -> None:
    """Score a terminology's linker, or a file of predictions, on the gold mentions of CORPUS.

    Prints the figures as a table; -o writes the whole report as Markdown, JSON and one self-contained HTML page.
    Protocols: strict, lenient, document, end-to-end, nil, with +refined, +unseen-surface, +unseen-concept, +augmented.

    Examples:
      linnet evaluate dev.pubtator -t medic/ --types Disease -o report/
      linnet evaluate dev.pubtator -t medic/ --train-corpus train.pubtator --protocol strict,lenient+augmented
      linnet evaluate dev.pubtator -t medic/ --no-memory
      linnet evaluate dev.pubtator --predictions theirs.jsonl --compare ours.jsonl
      linnet evaluate phrases.tsv -t snomed/ --column phrase --concept-column concept
    """
    from linnet import __version__
    from linnet.cli.linking import open_linker
    from linnet.cli.progress import note
    from linnet.errors import RequestError
    from linnet.evaluate.job import Answering, report_on
    from linnet.evaluate.report import check_place, write_report
    from linnet.evaluate.summary import render_summary

    if not terminology and predictions is None:
        raise RequestError(
            "Nothing to score. Name a linker's terminology (--terminology DIR) or a file (--predictions FILE)."
        )
    for flag, value in (
        ("--retriever", retriever),
        ("--reranker", reranker),
        ("--recogniser", recogniser),
        ("--learned", learned),
        ("--no-memory", None if memory else "off"),
    ):
        if value is not None and not terminology:
            raise RequestError(f"{flag} is for a linker. Name its terminology: --terminology DIR")
    names = [name.strip() for name in (protocol or "").split(",") if name.strip()]
    if protocol is not None and not names:
        raise RequestError("--protocol names nothing. Write for example: --protocol strict,lenient")
    if output is not None:
        check_place(output)
    linker = (
        open_linker(
            terminology,
            retriever=retriever,
            reranker=reranker,
            memory=memory,
            recogniser=recogniser,
            learned=learned,
            threads=threads,
        )
        if terminology
        else None
    )
    system = Answering("linnet", linker) if linker else None
    if predictions is not None:
        system = Answering(predictions.name, predictions)
    assert system is not None
    report = report_on(
        corpus,
        system,
        against=_second(compare, system.name, threads) if compare else None,
        vocabulary=linker,
        protocols=names,
        train=train_corpus or (),
        types=types or (),
        format=input_format,
        columns=table_columns(column, id_column, concept_column, concept_prefix),
        on_error=on_error.value,
        allow_missing=allow_missing,
        threads=threads,
        provenance={"linnet": __version__, "command": " ".join(["linnet", *sys.argv[1:]])},
        started=note,
    )
    if output is not None:
        write_report(report, output)
        note(f"The whole report: {output / 'report.html'}")
    typer.echo(render_summary(report), nl=False)


def _second(path: Path, first: str, threads: int | None) -> Answering:
    """What --compare names: the linker of a terminology, which is a folder, or a file of predictions."""
    from linnet.cli.linking import open_linker
    from linnet.evaluate.job import Answering

    name = path.name if path.name != first else str(path)
    return Answering(name, open_linker([path], threads=threads) if path.is_dir() else path)
