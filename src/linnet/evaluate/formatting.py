"""Figures and rows as text, shared by all formats of a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from linnet.evaluate.leaks import LeakAudit
from linnet.evaluate.report import Report
from linnet.evaluate.score import Score
from linnet.evaluate.significance import Difference

__all__ = [
    "GLOSSARY",
    "across",
    "audit_rows",
    "concept",
    "denominator",
    "difference_interval",
    "interval",
    "percent",
    "provenance_rows",
    "signed",
]

GLOSSARY = (
    ("accuracy", "Share of mentions that are right by the protocol's rule."),
    ("any", "Share of mentions with at least one emitted concept that is gold."),
    (
        "Acc@k",
        "Share of mentions all of whose gold concepts are among the first k candidates (of each part of a split mention).",
    ),
    ("recall@k", "Share of gold concepts among the first k candidates. k counts concepts, not names."),
    ("MRR", "Mean over gold concepts of 1 / rank, 0 where the concept is not among the candidates."),
    (
        "95 % interval",
        "Mentions of one document resemble each other, so documents are the sampling unit: shares have Wilson's interval with "
        "the number of mentions divided by the design effect, everything else a bootstrap over documents.",
    ),
    ("Wu–Palmer", "Closeness of two concepts in the hierarchy: 1 for the same, 0 without a common ancestor."),
)


def percent(value: float | None) -> str:
    """A share as percent with one decimal: 0.8234 → "82.3"; "–" for none."""
    return "–" if value is None else f"{100 * value:.1f}"


def signed(value: float) -> str:
    """A difference of shares in points, with its sign: −0.012 → "−1.2"."""
    text = f"{100 * value:+.1f}"
    return text.replace("-", "−") if float(text) else "0.0"


def interval(score: Score) -> str:
    """Limits in percent: "79.4–85.0"; "–" for none."""
    return "–" if score.low is None or score.high is None else f"{percent(score.low)}–{percent(score.high)}"


def difference_interval(difference: Difference) -> str:
    """Limits of a difference in points: "−1.2 to 0.4"; "–" for none."""
    low, high = difference.low, difference.high
    return "–" if low is None or high is None else f"{signed(low)} to {signed(high)}"


def denominator(score: Score) -> str:
    """How many mentions or concepts a score is of: "4,179"."""
    return f"{score.denominator:,.0f}"


def across(count: int, total: int) -> str:
    """A count as a share of a total: "12.0 %"."""
    return f"{percent(count / total)} %" if total else "–"


def concept(ids: Sequence[str], names: Sequence[str]) -> str:
    """Concepts with their names: "Ataxia Telangiectasia (MESH:D001260)"; several joined by " + "; "" for NIL."""
    return " + ".join(f"{name} ({id})" if name else id for id, name in zip(ids, names, strict=True))


def audit_rows(leaks: LeakAudit) -> list[tuple[str, str, str]]:
    """Label, count and share of each item; items that were not audited say so."""
    with_concept = leaks.mentions - leaks.without_concept
    rows = [
        ("documents", f"{leaks.documents:,}", ""),
        ("mentions", f"{leaks.mentions:,}", ""),
        (
            "mentions without a gold concept",
            f"{leaks.without_concept:,}",
            across(leaks.without_concept, leaks.mentions),
        ),
        ("distinct gold concepts", f"{leaks.gold_concepts:,}", ""),
    ]
    if leaks.covered_mentions is None or leaks.covered_concepts is None:
        rows.append(("gold in the terminology", "no terminology given", ""))
    else:
        rows += [
            (
                "mentions whose gold is in the terminology",
                f"{leaks.covered_mentions:,}",
                across(leaks.covered_mentions, with_concept),
            ),
            (
                "gold concepts in the terminology",
                f"{leaks.covered_concepts:,}",
                across(leaks.covered_concepts, leaks.gold_concepts),
            ),
        ]
    if leaks.outside_examples and leaks.covered_mentions is not None:
        outside = with_concept - leaks.covered_mentions
        label = f"mentions outside it, e.g. of {', '.join(leaks.outside_examples[:3])}"
        rows.append((label, f"{outside:,}", across(outside, with_concept)))
    if leaks.train_documents is None:
        return [*rows, ("overlap with training data", "no training corpus given", "")]
    seen = (
        ("mentions whose surface is in train", leaks.seen_surface_mentions),
        ("mentions with a concept in train", leaks.seen_concept_mentions),
        ("mentions with surface and concept together in train", leaks.seen_pair_mentions),
    )
    return [
        *rows,
        ("training documents", f"{leaks.train_documents:,}", ""),
        *((label, f"{count or 0:,}", across(count or 0, with_concept)) for label, count in seen),
        (
            "documents that are, nearly, in train",
            f"{len(leaks.shared_documents):,}",
            across(len(leaks.shared_documents), leaks.documents),
        ),
    ]


def provenance_rows(report: Report) -> list[tuple[str, str]]:
    """Key and value, nested values flattened to "terminologies 1 digest"."""
    return list(_flat("", {"corpus digest": report.corpus["digest"], **report.provenance}))


def _flat(key: str, value: Any) -> list[tuple[str, str]]:
    if isinstance(value, Mapping):
        return [row for name, item in value.items() for row in _flat(f"{key} {name}".strip(), item)]
    if isinstance(value, list | tuple):
        if all(isinstance(item, str | int | float) for item in value):
            return [(key, ", ".join(map(str, value)))] if value else []
        return [row for position, item in enumerate(value, 1) for row in _flat(f"{key} {position}", item)]
    return [(key, "–" if value is None else str(value))]
