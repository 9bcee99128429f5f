"""DILBERT's strategies with a pretrained transformer: triplets, transfer to other corpora and to bare strings, NIL.

    python experiments/dilbert_transformers.py [RUN.toml] [--work DIR] [--report]     (LINNET_DATA: corpora and terminologies)

Does the runs that are not done yet, in the order of `Runs.all`, goes on within a run where it was stopped (Ctrl-C or SIGTERM;
after a power cut from the last checkpoint), and writes docs/results/dilbert-transformer.md. What finished runs found is kept in
experiments/results, which the repository has: delete a file there to do its run again. `--work` puts everything else into another
directory than the plan's; `--report` trains nothing and writes the page of the results that are there.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # waiting threads leave the cores to whatever else runs

from dilbert_data import STRINGS, TITLES, TRIALS, asked, build, mentions_of
from dilbert_nil import NilTables
from dilbert_plan import TRANSFORMER_PLAN as PLAN
from dilbert_plan import Plan, TransformerPlan
from dilbert_runs import Runs
from dilbert_tables import UNTRAINED, Tables
from harness import RESULTS, execute
from result_tables import markdown, percent
from transformer_runs import check_start

from linnet.io.settings_files import read_settings
from linnet.plural import counted
from linnet.terminology import Terminology
from linnet.train.corpus import linked_mentions
from linnet.words.text import simplify


class TransformerTables(Tables):
    """The tables of a transformer's answers, as far as they are there, and how it was trained."""

    def corpora(self) -> list[str]:
        """Those whose strategies have all been trained, with one seed at least."""
        names = self.plan.strategies
        return [corpus for corpus in self.plan.seeds if all(self.seeds(corpus, name) for name in names)]

    def seeds(self, corpus: str, strategy: str) -> range:
        """Of the encoders that are trained; the transformer as it is has one."""
        count = 1 if strategy == UNTRAINED else self.plan.seeds[corpus]
        done = (self.plan.kept.has(corpus, strategy, seed) for seed in range(count))
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
        """As `dilbert_names.answers` has them; what is kept has no texts."""
        return {
            target: {
                text: {"whole": whole, "parts": parts}
                for text, (whole, parts) in zip(dict.fromkeys(asked(target).texts), found, strict=True)
            }
            for target, found in super()._answers(corpus, strategy, seed).items()
        }

    def rates(self) -> str:
        """Learning rates on a held-out fifth of train, as far as they have been tried."""
        tried = [rate for rate in self.plan.rates if self.plan.kept.has(f"choice-{rate:g}")]
        made = [self.plan.kept.facts(f"choice-{rate:g}") for rate in tried]
        rows = [
            (f"{rate:g}", percent(one["right"]), f"{one['n']:,}")
            for rate, one in zip(tried, made, strict=True)
        ]
        return markdown(("learning rate", "Acc@1", "refined single-concept mentions held out"), rows)

    def trained(self, nil: Iterable[str]) -> str:
        """How long, on what, and what share of a pass. nil: corpora with all their removals"""
        kept, rows = self.plan.kept, []
        for corpus in self.corpora():
            for name in self.plan.strategies:
                effort = self._effort(kept.facts(corpus, name, 0), *self._passes(corpus))
                rows.append((f"{TITLES[corpus]}, {name}", *effort))
        for corpus in nil:
            rows.append((f"{TITLES[corpus]}, `random`, for NIL", *self._effort(kept.facts("nil", corpus, 0))))
        passes = ("of a pass over mentions", "of a pass over distinct mentions")
        took = ("minutes", "sessions", "threads")
        return markdown(("trained on, with", "batches", "triplets", *passes, *took), rows)

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
        here = self.here(corpus)
        linked = linked_mentions(mentions_of(corpus, "train"), here)
        rows = linked.concepts.tolist()
        distinct = dict.fromkeys(zip(map(simplify, linked.texts), rows, strict=True))
        return triplets_of_pass(here, rows), triplets_of_pass(here, [row for _, row in distinct])

    def processors(self) -> str:
        """What the strategies were trained on."""
        results = (
            self.plan.kept.facts(corpus, name, seed)
            for corpus in self.corpora()
            for name in self.plan.strategies
            for seed in self.seeds(corpus, name)
        )
        return ", ".join(dict.fromkeys(made.get("gpu") or made["cpu"] for made in results)) or "nothing yet"

    def nil(self, corpus: str) -> str:
        """A paragraph and its tables."""
        of_nil, gone = NilTables(self.plan, corpus), self.plan.nil
        draws = f"{counted(gone.removals, 'draws')}, {gone.splits} splits"
        return f"{TITLES[corpus]}: {of_nil.counts()}; {draws}.\n\n{of_nil.accuracy()}\n{of_nil.precision()}"

    def all(self) -> dict[str, str]:
        """Table → Markdown, of what has been done."""
        plan, corpora, last = self.plan, self.corpora(), self.plan.nil.removals - 1
        pairs = [(corpus, target) for corpus in corpora for target in plan.transfer[corpus]]
        apart = [pair for pair in pairs if pair[1] not in TRIALS and pair[1] not in STRINGS]
        nil = [corpus for corpus in plan.nil.corpora if plan.kept.has("nil", corpus, last)]
        return {
            "seeds": ", ".join(f"{TITLES[corpus]} {count}" for corpus, count in plan.seeds.items()),
            "missing": self.missing(),
            "rates": self.rates(),
            "trained": self.trained(nil),
            "processors": self.processors(),
            "in_domain": self.sections(pair for pair in apart if pair[0] == pair[1]),
            "across": self.sections(pair for pair in apart if pair[0] != pair[1]),
            "strings": self.sections(pair for pair in pairs if pair[1] in STRINGS),
            "trials": self.sections(pair for pair in pairs if pair[1] in TRIALS),
            "mistakes": "\n".join(f"{TITLES[c]}:\n\n{self.mistakes(c)}" for c in corpora[:1]),
            "nil": "\n".join(map(self.nil, nil)),
        }


def triplets_of_pass(here: Terminology, concepts: Iterable[int]) -> int:
    """Triplets of a pass over mentions of these concepts: up to 30 names of the concept, each with 5 others."""
    return sum(min(30, len(here.name_rows(row))) * 5 for row in concepts)


def read(file: Path, *, work: Path | None = None) -> TransformerPlan:
    """The run file, with `work` and `results` of its experiment. work: directory of runs instead of that"""
    plan = read_settings(file, TransformerPlan)
    experiment = read_settings(plan.experiment, Plan)
    work = (work or experiment.work).absolute()
    return replace(plan, work=work, results=experiment.results, repository=RESULTS)


def run(plan: TransformerPlan) -> None:
    """Everything that is not there yet."""
    build(plan.work)
    check_start(plan.kept.folder, plan.start)
    Runs(plan).all()


def tables(plan: TransformerPlan) -> dict[str, str]:
    """Of the runs that are there; the terminologies are built where they are missing."""
    build(plan.work)
    return TransformerTables(plan).all()


if __name__ == "__main__":
    execute(__doc__, "dilbert-transformer", PLAN, read=read, run=run, tables=tables)
