"""Figures of judged notes and of links of given mentions; README.md says what each means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from benchmarks.clinical.notes import ASSERTIONS, GoldMention, Note
from benchmarks.clinical.scoring import Judged
from benchmarks.clinical.systems import Answers
from linnet.evaluate.calibration import expected_calibration_error

__all__ = ["CLASSES", "assertion_figures", "end_to_end", "given_mentions", "precision_and_recall", "traps"]

CLASSES = (
    "abbreviation", "ambiguous", "brand", "misspelling", "broken", "table", "composite", "negated", "allergen", "verbatim",
)  # fmt: skip
_SURE = 0.9
Verbatim = Callable[[GoldMention], bool]
Fractions = dict[str, list[int]]


def end_to_end(judged: Sequence[Judged], verbatim: Verbatim) -> dict[str, Any]:
    """Weak and strong F1 over all mentions and by type, spans, classes, traps, and how good the probabilities are.

    "counts" of a type: right (weakly), found and gold of each note.
    """
    rows = [row for note in judged for row in note.rows]
    answers = [(a, right, note.name) for note in judged for a, right in note.annotations]
    figures: dict[str, Any] = {}
    for kind in ("all", "Disease", "Chemical"):
        counts = [_weak_counts(note, kind) for note in judged]
        weak, found, gold = map(sum, zip(*counts, strict=True))
        strong = sum(row.strong for row in rows if kind in ("all", row.gold.type))
        figures[kind] = {
            "weak": precision_and_recall(weak, found, gold),
            "strong": precision_and_recall(strong, found, gold),
            "counts": counts,
        }
    equal, found, gold = (sum(note.spans[i] for note in judged) for i in range(3))
    figures["spans"] = precision_and_recall(equal, found, gold)
    figures["classes"] = _by_class([(row.gold, row.weak is not None) for row in rows], verbatim)
    sure = [right for a, right, _ in answers if a.probability is not None and a.probability >= _SURE]
    figures["sure"] = [sum(sure), len(sure)]
    figures["calibration error"] = _calibration([(a.probability, right, name) for a, right, name in answers])
    return figures


def _weak_counts(note: Judged, kind: str) -> list[int]:
    """Right (weakly), found and gold of one note."""
    own = [row for row in note.rows if kind in ("all", row.gold.type)]
    weak = sum(row.weak is not None for row in own)
    return [weak, weak + sum(not right for a, right in note.annotations if kind in ("all", a.type)), len(own)]


def precision_and_recall(right: int, found: int, gold: int) -> dict[str, Any]:
    """The counts, and precision, recall and F1 in per cent."""
    return {
        "right": right,
        "found": found,
        "gold": gold,
        "precision": 100 * right / max(found, 1),
        "recall": 100 * right / max(gold, 1),
        "F1": 200 * right / max(found + gold, 1),
    }


def traps(notes: Sequence[Note], judged: Sequence[Judged]) -> Fractions:
    """Linked and all traps by kind, and "all"."""
    every = Counter(trap.kind for note in notes for trap in note.traps)
    linked = Counter(trap.kind for note in judged for trap in note.linked)
    return {kind: [linked[kind], every[kind]] for kind in sorted(every)} | {
        "all": [linked.total(), every.total()]
    }


def given_mentions(notes: Sequence[Note], answers: Sequence[Answers], verbatim: Verbatim) -> dict[str, Any]:
    """Right and all gold mentions with a concept by type and class, and those of NIL."""
    pairs = [(gold, concepts) for note, said in zip(notes, answers, strict=True)
             for gold, (concepts, _) in zip(note.mentions, said, strict=True)]  # fmt: skip
    named = [(gold, concepts in gold.answers) for gold, concepts in pairs if gold.concepts]
    nil = [not concepts or concepts in gold.answers for gold, concepts in pairs if not gold.concepts]
    figures: dict[str, Any] = {
        kind: _share(right for gold, right in named if kind in ("all", gold.type))
        for kind in ("all", "Disease", "Chemical")
    }
    return figures | {"classes": _by_class(named, verbatim), "NIL": _share(nil)}


def assertion_figures(notes: Sequence[Note], answers: Sequence[Answers]) -> dict[str, Any]:
    """Precision, recall and F1 of each attribute and of all together (micro), over the gold mentions given.

    "historical" does not count where the mention is of another person.
    """
    counts = {attribute: Counter[str]() for attribute in sorted(ASSERTIONS)}
    for note, said in zip(notes, answers, strict=True):
        for gold, (_, found) in zip(note.mentions, said, strict=True):
            for attribute, count in counts.items():
                if attribute == "historical" and "other person" in gold.assertion:
                    continue
                count["right"] += attribute in gold.assertion and attribute in found
                count["found"] += attribute in found
                count["gold"] += attribute in gold.assertion
    counts["micro"] = sum(counts.values(), Counter[str]())
    return {name: precision_and_recall(c["right"], c["found"], c["gold"]) for name, c in counts.items()}


def _by_class(pairs: Sequence[tuple[GoldMention, bool]], verbatim: Verbatim) -> Fractions:
    def has(gold: GoldMention, name: str) -> bool:
        return verbatim(gold) if name == "verbatim" else name in gold.classes

    return {name: _share(right for gold, right in pairs if has(gold, name)) for name in CLASSES}


def _share(right: Iterable[bool]) -> list[int]:
    values = list(right)
    return [sum(values), len(values)]


def _calibration(answers: Sequence[tuple[float | None, bool, str]]) -> dict[str, Any] | None:
    known = [(p, right, name) for p, right, name in answers if p is not None]
    if not known:
        return None
    bins = max(1, min(15, len(known) // 100))
    score = expected_calibration_error(*zip(*known, strict=True), bins=bins)
    return {"error": score.value, "low": score.low, "high": score.high, "links": len(known)}
