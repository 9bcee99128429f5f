"""`linnet annotate simulate`: annotation strategies compared on an annotated corpus."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linnet.cli.failures import needs_extra
from linnet.cli.linking_options import RerankerOption

if TYPE_CHECKING:
    from collections.abc import Iterator

    from linnet.active.simulation.studies import Study

__all__ = ["simulate"]


def simulate(
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="Folder for report, plots and steps; an interrupted run resumes.",
            metavar="DIR",
        ),
    ],
    corpora: Annotated[
        list[str] | None,
        typer.Argument(help="Named corpora: ncbi, bc5cdr; read from $LINNET_DATA.", metavar="[CORPUS]..."),
    ] = None,
    pool: Annotated[
        Path | None,
        typer.Option("--pool", help="Annotated file to choose documents from.", metavar="FILE"),
    ] = None,
    dev: Annotated[
        Path | None, typer.Option("--dev", help="Annotated file to evaluate on.", metavar="FILE")
    ] = None,
    terminology: Annotated[
        Path | None,
        typer.Option("--terminology", "-t", help="Compiled terminology of --pool and --dev.", metavar="DIR"),
    ] = None,
    types: Annotated[
        list[str] | None,
        typer.Option("--types", help="Use only mentions and concepts of these types in --pool and --dev."),
    ] = None,
    strategy: Annotated[
        list[str] | None,
        typer.Option("--strategies", help="Strategies to compare with random; default: all."),
    ] = None,
    seeds: Annotated[
        list[int] | None, typer.Option("--seeds", help="Seeds, each for one run; default: 0 1 2 3 4.")
    ] = None,
    shares: Annotated[
        list[float] | None,
        typer.Option(
            "--shares",
            help="Share of all mentions that is annotated after each batch; default: 0.1 0.2 0.4 0.6 0.8 1.",
        ),
    ] = None,
    learner: Annotated[
        list[str] | None,
        typer.Option(
            "--learners",
            help="Learners: names, recogniser, stops, threshold (these by default), encoder, two-tower.",
        ),
    ] = None,
    lean: Annotated[
        bool,
        typer.Option("--lean", help="Train a small recogniser, in a fifth of the time."),
    ] = False,
    reranker: RerankerOption = None,
    memory: Annotated[
        bool,
        typer.Option(
            "--memory/--no-memory",
            help="Whether the reranker uses its memory of training mentions; off by default, because the shipped one was trained on "
            "ncbi and bc5cdr.",
        ),
    ] = False,
) -> None:
    """Compare annotation strategies, with an annotated corpus in place of the expert.

    A strategy chooses the order in which the documents of a pool are annotated, batch by batch. After each batch the model
    learns and links as in a project, with the same reranker, and is evaluated on other documents. The folder holds
    report.md (learning curves, the areas under them, the annotation needed for a score), curves.csv, summary.json,
    mentions.png, documents.png and every step.

    Examples:
      linnet annotate simulate ncbi bc5cdr -o simulation/
      linnet annotate simulate ncbi --strategies least-confident diversity --seeds 0 1 2 -o simulation/
      linnet annotate simulate ncbi --reranker none -o without-reranker/
      linnet annotate simulate --pool train.txt --dev dev.txt -t mesh/ --types Disease -o simulation/
    """
    from linnet.cli.progress import counting, note
    from linnet.errors import RequestError, UnknownNameError

    with needs_extra("The report of a simulation", "train"):
        from linnet.active.simulation.curves import curves_of
        from linnet.active.simulation.plan import Plan
        from linnet.active.simulation.report import BASELINE, Result, write_report
        from linnet.active.simulation.runner import Simulation
        from linnet.active.strategies import strategies
    plan = Plan(
        **({"shares": tuple(shares)} if shares else {}),
        learners=tuple(learner or ()),
        lean=lean,
        reranker=reranker,
        memory=memory,
    )
    chosen = list(dict.fromkeys([BASELINE, *(strategy or strategies)]))
    for name in chosen:
        if name not in strategies:
            raise UnknownNameError("strategy", name, strategies)
    numbers = list(dict.fromkeys(seeds or range(5)))
    if min(numbers) < 0:
        raise RequestError(f"--seeds has {min(numbers)}; expected 0 or more.")
    results = []
    for study in _studies(corpora or [], pool, dev, terminology, types or [], output):
        simulation = Simulation(study, plan, chosen, numbers, output / study.name)
        points = list(counting(simulation.points(), f"Annotating {study.name}", total=simulation.total))
        results.append(Result(study, plan, curves_of(points)))
    write_report(output, results)
    note(f"Report: {output / 'report.md'}; plots: {output / 'mentions.png'}, {output / 'documents.png'}")


def _studies(
    corpora: list[str],
    pool: Path | None,
    dev: Path | None,
    terminology: Path | None,
    types: list[str],
    output: Path,
) -> Iterator[Study]:
    """The requested studies, after checking the request."""
    from linnet.active.simulation.studies import named_corpora, named_study, read_study
    from linnet.cli.progress import note
    from linnet.errors import RequestError, UnknownNameError
    from linnet.terminology import Terminology

    files = {"--pool": pool, "--dev": dev, "--terminology": terminology}
    missing = [name for name, path in files.items() if path is None]
    if not corpora and len(missing) == len(files):
        raise RequestError(
            f"No corpus given. Name one ({', '.join(named_corpora)}), or give files: --pool FILE --dev FILE --terminology DIR"
        )
    if corpora and (len(missing) < len(files) or types):
        raise RequestError(
            "A named corpus has its own files, terminology and types. Leave out the names, or --pool, --dev, --terminology "
            "and --types."
        )
    for name in corpora:
        if name not in named_corpora:
            raise UnknownNameError("corpus", name, named_corpora)
    for name in dict.fromkeys(corpora):
        yield named_study(name, output / "terminologies", report=note)
    if pool is not None and dev is not None and terminology is not None:
        opened = Terminology.open(terminology)
        yield read_study(pool.name.split(".")[0], pool, dev, opened, types=types)
    elif not corpora:
        raise RequestError(
            f"{' and '.join(missing)} missing; expected all three: --pool FILE --dev FILE --terminology DIR"
        )
