"""A report as Markdown that also reads well as plain text: every figure has its denominator and interval."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from linnet.evaluate.formatting import (
    GLOSSARY,
    across,
    audit_rows,
    concept,
    denominator,
    difference_interval,
    interval,
    percent,
    provenance_rows,
    signed,
)
from linnet.evaluate.mistakes import KINDS
from linnet.evaluate.report import Group, Report

__all__ = ["render_markdown"]

_EXAMPLES = 20


def render_markdown(report: Report) -> str:
    """The whole report; the leak audit comes before any score."""
    return "\n".join(_blocks(report)).rstrip() + "\n"


def _blocks(report: Report) -> Iterator[str]:
    yield f"# {report.title}\n"
    for note in report.notes:
        yield f"> {note}\n"
    yield "## Data and leaks\n"
    yield _table(("", "count", "share"), audit_rows(report.leaks))
    if report.leaks.shared_documents:
        shown = ", ".join(
            f"{pair.document} ≈ {pair.train_document} ({pair.similarity:.2f})"
            for pair in report.leaks.shared_documents[:10]
        )
        yield f"Documents shared with training: {shown}\n"
    yield "## Scores\n"
    for result in report.results:
        yield f"### `{result.protocol}`\n"
        yield f"{result.rule}\n"
        if result.dropped:
            dropped = "; ".join(f"{count:,} {reason}" for reason, count in result.dropped.items())
            yield f"Not counted: {dropped}.\n"
        for note in result.notes:
            yield f"Note: {note}\n"
        rows = [(s.name, percent(s.value), interval(s), denominator(s), s.method) for s in result.scores]
        yield _table(("", "%", "95 % interval", "of", "method"), rows)
    yield "\n".join(f"- **{term}**: {meaning}" for term, meaning in GLOSSARY) + "\n"
    for title, groups in (("Seen and unseen in training", report.groups), ("By type", report.types)):
        if groups:
            yield f"## {title}\n"
            yield "Accuracy of all mentions with a gold concept, in or outside the terminology.\n"
            yield _table(("", "strict", "95 % interval", "lenient", "of"), list(map(_group_row, groups)))
    yield "## Recall@k\n"
    yield _table(
        ("k", "%", "95 % interval"), [(str(k), percent(s.value), interval(s)) for k, s in report.curve]
    )
    yield from _calibration(report)
    yield from _mistakes(report)
    yield from _comparison(report)
    yield "## Provenance\n"
    yield _table(("", ""), provenance_rows(report))


def _group_row(group: Group) -> tuple[str, ...]:
    strict = group.strict
    return (
        group.label,
        percent(strict.value),
        interval(strict),
        percent(group.lenient.value),
        denominator(strict),
    )


def _calibration(report: Report) -> Iterator[str]:
    yield "## Calibration\n"
    if report.calibration is None:
        yield "The system gives no probabilities.\n"
        return
    error = report.calibration.error
    bins = len(report.calibration.bins)
    figure = f"{percent(error.value)} % ({interval(error)})"
    yield f"Expected calibration error {figure}, {denominator(error)} mentions, {bins} bins of equal mass.\n"
    rows = [
        (percent(precision), percent(covered), "–" if threshold is None else f"{threshold:.3f}")
        for precision, covered, threshold in report.calibration.coverage
    ]
    yield _table(("precision at least", "mentions answered, %", "probability from"), rows)


def _mistakes(report: Report) -> Iterator[str]:
    mistakes = report.mistakes
    yield f"## Mistakes (strict): {mistakes.total:,}\n"
    yield _table(
        ("class", "mentions", "share", "Wu–Palmer", "meaning"),
        [
            (
                kind.name,
                f"{kind.count:,}",
                across(kind.count, mistakes.total),
                "–" if kind.similarity is None else f"{kind.similarity:.2f}",
                KINDS[kind.name],
            )
            for kind in mistakes.kinds
        ],
    )
    if mistakes.gold_at:
        ranks = ", ".join(f"{label} {count:,}" for label, count in mistakes.gold_at)
        yield f"Where the gold concept was: {ranks}.\n"
    if mistakes.wu_palmer.value is not None:
        figure = f"{mistakes.wu_palmer.value:.3f} over {denominator(mistakes.wu_palmer)} mentions"
        yield f"Mean Wu–Palmer similarity, right answers included: {figure}.\n"
    if mistakes.examples:
        yield f"The {min(_EXAMPLES, len(mistakes.examples))} most frequent:\n"
        yield _table(
            ("mention", "×", "gold", "predicted", "class", "gold at rank"),
            [
                (
                    m.text,
                    str(m.count),
                    concept(m.gold, m.gold_names),
                    concept(m.predicted, m.predicted_names) or "NIL",
                    m.kind,
                    str(m.rank or "–"),
                )
                for m in mistakes.examples[:_EXAMPLES]
            ],
        )


def _comparison(report: Report) -> Iterator[str]:
    comparison = report.comparison
    if comparison is None:
        return
    yield f"## {comparison.first} against {comparison.second}\n"
    if report.pipelines:
        yield f"{report.pipelines}\n"
    yield _table(
        (
            "protocol",
            comparison.first,
            comparison.second,
            "difference",
            "95 % interval",
            "only first / only second right",
            "McNemar p",
            "mentions",
        ),
        [
            (
                result.protocol,
                percent(result.first.value),
                percent(result.second.value),
                signed(result.difference.value),
                difference_interval(result.difference),
                f"{result.mcnemar.only_first:,} / {result.mcnemar.only_second:,}",
                f"{result.mcnemar.p:.2g} ({result.mcnemar.test})",
                f"{result.mentions:,}",
            )
            for result in comparison.protocols
        ],
    )
    for winner, loser, examples in comparison.disagreements:
        yield f"Only {winner} is right:\n"
        rows = [
            (e.text, str(e.count), concept(e.gold, e.gold_names), concept(e.wrong, e.wrong_names) or "NIL")
            for e in examples[:_EXAMPLES]
        ]
        yield _table(("mention", "×", "gold", f"{loser} said"), rows)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
