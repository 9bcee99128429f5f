"""A report as one self-contained HTML file: no script, font or request; light and dark; any screen size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from linnet.evaluate import plots
from linnet.evaluate.formatting import GLOSSARY, audit_rows, denominator, interval, percent, provenance_rows
from linnet.evaluate.html_findings import comparison_section, mistake_section
from linnet.evaluate.html_table import table
from linnet.evaluate.mistakes import Mistakes
from linnet.evaluate.protocols import Result
from linnet.evaluate.report import Group, Report
from linnet.evaluate.score import Score

__all__ = ["render_html"]

_FOLDED = 300
_TICKS = (1, 2, 5, 10, 20, 64)
_SECTIONS = (
    ("audit", "Audit"),
    ("scores", "Scores"),
    ("plots", "Plots"),
    ("mistakes", "Mistakes"),
    ("comparison", "Comparison"),
    ("again", "Provenance"),
)


def render_html(report: Report) -> str:
    """The whole page. Headline figures come first; the leak audit stands before the scores."""
    style = Path(__file__).with_name("report.css").read_text(encoding="utf-8")
    sections = [(id, label) for id, label in _SECTIONS if id != "comparison" or report.comparison]
    links = "".join(f'<li><a href="#{id}">{label}</a></li>' for id, label in sections)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{escape(report.title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        f'{_header(report)}\n<nav class="top" aria-label="Sections"><ul>{links}</ul></nav>\n'
        f"<main>\n{chr(10).join(_blocks(report))}\n</main>\n"
        "<footer>Figures in percent with 95 % intervals. Written by <code>linnet evaluate</code>.</footer>\n</body>\n</html>\n"
    )


def _header(report: Report) -> str:
    corpus = report.corpus
    types = ", ".join(type for type in corpus["types"] if type)
    terminologies = ", ".join(entry["name"] for entry in report.provenance.get("terminologies", ()))
    line = f"{corpus['mentions']:,} mentions in {corpus['documents']:,} documents"
    line += f" · {types}" if types else ""
    line += f" · against {terminologies}" if terminologies else ""
    notes = "".join(f'<p class="note">{escape(note)}</p>' for note in report.notes)
    return f'<header class="top"><h1>{escape(report.title)}</h1><p class="soft">{escape(line)}</p>{notes}</header>'


def _blocks(report: Report) -> Iterator[str]:
    yield '<h2 id="audit">Data and leaks</h2>'
    yield table(
        ("", "count", "share"),
        [(escape(a), b, c) for a, b, c in audit_rows(report.leaks)],
        numeric=(1, 2),
        style="narrow",
    )
    if report.leaks.shared_documents:
        rows = [
            (escape(s.document), escape(s.train_document), f"{s.similarity:.2f}")
            for s in report.leaks.shared_documents[:_FOLDED]
        ]
        shared = table(("document", "training document", "similarity"), rows, numeric=(2,), style="narrow")
        yield f"<details><summary>Documents shared with training ({len(report.leaks.shared_documents)})</summary>{shared}</details>"
    yield '<h2 id="scores">Scores</h2>'
    yield f'<div class="tiles">{"".join(map(_tile, report.results))}</div>'
    yield f'<div class="rules">{"".join(map(_protocol, report.results))}</div>'
    terms = "".join(f"<dt>{escape(term)}</dt><dd>{escape(meaning)}</dd>" for term, meaning in GLOSSARY)
    yield f"<details><summary>What the figures mean</summary><dl>{terms}</dl></details>"
    yield '<h2 id="plots">Plots</h2>'
    yield f'<div class="plots">{"".join(_figures(report))}</div>'
    yield from mistake_section(report.mistakes)
    if report.comparison:
        yield from comparison_section(report.comparison, report.pipelines)
    yield '<h2 id="again">Provenance</h2>'
    yield table(
        ("", ""), [(escape(key), f"<code>{escape(value)}</code>") for key, value in provenance_rows(report)]
    )


def _tile(result: Result) -> str:
    first = result.scores[0]
    limits = f"{interval(first)} · " if first.low is not None else ""
    unit = "" if first.value is None else " %"
    return (
        f'<div class="tile"><div class="name">{escape(result.protocol)}</div>'
        f'<div class="value">{percent(first.value)}<small>{unit} {escape(first.name)}</small></div>'
        f'{plots.gauge(first)}<div class="detail">{limits}of {denominator(first)}</div></div>'
    )


def _protocol(result: Result) -> str:
    dropped = "; ".join(f"{count:,} {reason}" for reason, count in result.dropped.items())
    text = f'<p class="soft">{escape(result.rule)}</p>'
    text += f'<p class="soft">Not counted: {escape(dropped)}.</p>' if dropped else ""
    text += "".join(f'<p class="note">{escape(note)}</p>' for note in result.notes)
    rows = [
        (escape(s.name), percent(s.value), interval(s), denominator(s), escape(s.method))
        for s in result.scores
    ]
    scores = table(("", "%", "95 % interval", "of", "interval by"), rows, numeric=(1, 2, 3), style="narrow")
    return f"<details><summary><b>{escape(result.protocol)}</b> <span>rule and all figures</span></summary>{text}{scores}</details>"


def _figures(report: Report) -> Iterator[str]:
    series = [(report.system, report.curve)]
    if report.comparison:
        series.append((report.comparison.second, report.other_curve))
    names = [name for name, _ in series] if len(series) > 1 else ()
    svg = plots.curve("Recall at k", series, x_label="k, concepts looked at (logarithmic)", ticks=_TICKS)
    yield _figure("Recall@k", "Share of gold concepts among the first k candidates, %.", svg, names)
    accuracy = "Accuracy, %, of all mentions with a gold concept."
    if report.groups:
        svg = plots.bars("Seen and unseen", _rows(report.groups))
        yield _figure("Seen and unseen in training", accuracy, svg, ("strict", "lenient"))
    if report.types:
        yield _figure("By type", accuracy, plots.bars("By type", _rows(report.types)), ("strict", "lenient"))
    if report.calibration:
        error = report.calibration.error
        caption = f"Share right in each bin of equal mass, %. Expected calibration error {percent(error.value)} % ({interval(error)})."
        coverage = "".join(
            f"<li>{100 * precision:.0f} % right when {percent(covered)} % of the mentions are answered</li>"
            for precision, covered, _ in report.calibration.coverage
        )
        yield _figure(
            "Reliability",
            caption,
            plots.reliability("Reliability", report.calibration.bins),
            extra=f'<ul class="soft">{coverage}</ul>',
        )
    else:
        yield _figure("Reliability", "The system gives no probabilities.", "")
    svg = plots.histogram(
        "Mentions per concept", report.frequencies, x_label="mentions of a concept in this corpus"
    )
    yield _figure("Mentions per concept", "Number of gold concepts.", svg)
    if report.mistakes.gold_at:
        svg = plots.histogram(
            "Where the gold concept was",
            _short(report.mistakes),
            x_label="rank of the gold concept of a wrong answer",
        )
        yield _figure(
            "Where the gold concept was", "Wrong answers under strict; “none”: it was not retrieved.", svg
        )


def _short(mistakes: Mistakes) -> list[tuple[str, int]]:
    words = {"not retrieved": "none", "beyond rank 64": "> 64"}
    return [(words.get(label, label.removeprefix("rank ")), count) for label, count in mistakes.gold_at]


def _rows(groups: Sequence[Group]) -> list[tuple[str, list[tuple[str, Score]]]]:
    return [(group.label, [("strict", group.strict), ("lenient", group.lenient)]) for group in groups]


def _figure(title: str, caption: str, svg: str, names: Sequence[str] = (), *, extra: str = "") -> str:
    styles = ("one", "two")
    items = "".join(
        f'<li class="{style}">{escape(name)}</li>' for style, name in zip(styles, names, strict=False)
    )
    legend = f'<ul class="legend">{items}</ul>' if items else ""
    return f"<figure><figcaption><h3>{escape(title)}</h3>{escape(caption)}{legend}</figcaption>{svg}{extra}</figure>"
