"""The page of DILBERT's strategies with a pretrained transformer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import takewhile
from pathlib import Path
from typing import Any

from dilbert_data import CORPORA, STRINGS, TRIALS, asked, mentions_of, terminology
from dilbert_report import TITLES, Report
from dilbert_transformer_plan import TransformerPlan
from result_tables import markdown, percent

from linnet.artifact import digest
from linnet.plural import counted
from linnet.terminology import Terminology
from linnet.text import simplify
from linnet.train.corpus import linked_mentions

HERE = Path(__file__).parent
READING = HERE / "dilbert-transformer.md"


class TransformerReport(Report):
    """The tables of `Report` from a transformer's answers, as far as they are there, and how it was trained."""

    def corpora(self) -> list[str]:
        """Those whose strategies have all been trained, with one seed at least."""
        return [
            corpus
            for corpus in self.plan.seeds
            if all(self.seeds(corpus, name) for name in self.plan.strategies)
        ]

    def seeds(self, corpus: str, strategy: str) -> range:
        """Of the encoders that are trained; the transformer as it is has one."""
        count = 1 if strategy == "untrained" else self.plan.seeds[corpus]
        done = (self.plan.file(corpus, strategy, seed).exists() for seed in range(count))
        return range(sum(takewhile(bool, done)))

    def missing(self) -> str:
        """What has not been trained yet, or nothing."""
        corpora = self.corpora()
        undone = [TITLES[corpus] for corpus in self.plan.seeds if corpus not in corpora]
        for name in self.plan.strategies:
            some = {corpus: self.plan.seeds[corpus] - len(self.seeds(corpus, name)) for corpus in corpora}
            if any(some.values()):
                titles = ", ".join(TITLES[corpus] for corpus, count in some.items() if count)
                undone.append(f"{name} with {counted(max(some.values()), 'more seeds')} on {titles}")
        return f"Not trained yet: {'; '.join(undone)}.\n" if undone else ""

    def _answers(self, corpus: str, strategy: str, seed: int) -> Any:
        made = super()._answers(corpus, strategy, seed)
        return {
            **made,
            "answers": {target: _by_text(target, found) for target, found in made["answers"].items()},
        }

    def rates(self) -> str:
        """Learning rates on a held-out fifth of train, as far as they have been tried."""
        rows = []
        for rate in self.plan.rates:
            file = self.plan.file("choice", f"{rate:g}")
            if file.exists():
                made = json.loads(file.read_text(encoding="utf-8"))
                rows.append((f"{rate:g}", percent(made["right"]), f"{made['n']:,}"))
        return markdown(("learning rate", "Acc@1", "refined single-concept mentions held out"), rows)

    def trained(self, nil: Iterable[str]) -> str:
        """How long, on what, and what share of a pass. nil: corpora with all their removals"""
        rows = []
        for corpus in self.corpora():
            for name in self.plan.strategies:
                made = self.answers(corpus, name, 0)
                rows.append((f"{TITLES[corpus]}, {name}", *self._effort(made, *self._passes(corpus))))
        for corpus in nil:
            made = json.loads(self.plan.file("nil", corpus, 0).read_text(encoding="utf-8"))
            rows.append((f"{TITLES[corpus]}, `random`, for NIL", *self._effort(made)))
        head = ("trained on, with", "batches", "triplets", "of a pass over mentions", "of a pass over distinct mentions",
                "minutes", "sessions", "threads")  # fmt: skip
        return markdown(head, rows)

    def _effort(self, made: Mapping[str, Any], *passes: int) -> list[str]:
        triplets = made["steps"] * self.plan.triplets
        shares = [f"{100 * triplets / count:.0f} %" for count in passes] or ["", ""]
        return [
            f"{made['steps']:,}",
            f"{triplets:,}",
            *shares,
            f"{made['seconds'] / 60:.1f}",
            str(made.get("sessions", "")),
            str(made["threads"]),
        ]

    def _passes(self, corpus: str) -> tuple[int, int]:
        """Triplets of `random` over all mentions of train, and over each distinct text of a concept once."""
        here = terminology(self.plan.work / CORPORA[corpus][2])
        linked = linked_mentions(mentions_of(corpus, "train"), here)
        rows = linked.concepts.tolist()
        distinct = dict.fromkeys(zip(map(simplify, linked.texts), rows, strict=True))
        return triplets_of_pass(here, rows), triplets_of_pass(here, [row for _, row in distinct])

    def processors(self) -> str:
        """What the strategies were trained on."""
        results = (
            self.answers(corpus, name, seed)
            for corpus in self.corpora()
            for name in self.plan.strategies
            for seed in self.seeds(corpus, name)
        )
        return ", ".join(dict.fromkeys(made.get("gpu") or made["cpu"] for made in results)) or "nothing yet"


def _by_text(target: str, found: Iterable[Any]) -> dict[str, dict[str, Any]]:
    """Answers as `dilbert_names.answers` has them."""
    texts = dict.fromkeys(asked(target).texts)
    return {text: {"whole": whole, "parts": parts} for text, (whole, parts) in zip(texts, found, strict=True)}


def triplets_of_pass(here: Terminology, concepts: Iterable[int]) -> int:
    """Triplets of a pass over mentions of these concepts: up to 30 names of the concept, each with 5 others."""
    return sum(min(30, len(here.name_rows(row))) * 5 for row in concepts)


def _sections(made: TransformerReport, targets: Iterable[tuple[str, str]]) -> str:
    return "\n".join(
        f"### Trained on {TITLES[corpus]}, linked {TITLES[target]}\n\n"
        + (made.trials(corpus, target) if target in TRIALS else made.accuracy(corpus, target))
        for corpus, target in targets
    )


def page(plan: TransformerPlan, file: Path) -> str:
    """The tables as Markdown, of what has been done."""
    made = TransformerReport(plan)
    corpora = made.corpora()
    pairs = [(corpus, target) for corpus in corpora for target in plan.transfer[corpus]]
    nil = [corpus for corpus in plan.nil.corpora if plan.file("nil", corpus, plan.nil.removals - 1).exists()]
    gone = plan.nil
    texts = {
        "digest": digest(file.read_text(encoding="utf-8"))[:8],
        "triplets": plan.triplets,
        "steps": f"{plan.steps:,}",
        "margin": f"{plan.margin:g}",
        "seeds": ", ".join(f"{TITLES[corpus]} {count}" for corpus, count in plan.seeds.items()),
        "missing": made.missing(),
        "rates": made.rates(),
        "trained": made.trained(nil),
        "processors": made.processors(),
        "among": f"{plan.among:,}",
        "nearest": plan.nearest,
        "precision": plan.precision,
        "in_domain": _sections(made, (pair for pair in pairs if pair[0] == pair[1])),
        "across": _sections(
            made, (p for p in pairs if p[0] != p[1] and p[1] not in TRIALS and p[1] not in STRINGS)
        ),
        "strings": _sections(made, (pair for pair in pairs if pair[1] in STRINGS)),
        "trials": _sections(made, (pair for pair in pairs if pair[1] in TRIALS)),
        "mistakes": "\n".join(f"{TITLES[c]}:\n\n{made.mistakes(c, c)}" for c in corpora[:1]),
        "nil": "\n".join(
            f"{TITLES[corpus]}: {made.nil_facts(corpus)}; {counted(gone.removals, 'draws')}, {gone.splits} splits.\n\n"
            f"{made.nil(corpus)}\n{made.nil_precision(corpus)}"
            for corpus in nil
        ),
    }
    return READING.read_text(encoding="utf-8").format(**texts)
