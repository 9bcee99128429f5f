"""Self-alignment of a pretrained transformer: one pass over open names, a sample for what is compared, and fine-tuning.

    python experiments/sapbert_transformers.py [RUN.toml] [--work DIR] [--report]     (LINNET_DATA: corpora and terminologies)

Does the runs of SapBERT's tables 1, 2 and 6 with a transformer that are not done yet, in the order of `Transformer.order`, goes on
within a run where it was stopped (Ctrl-C or SIGTERM; after a power cut from the last checkpoint), and writes
docs/results/sapbert-transformer.md. What finished runs found is kept in experiments/results, which the repository has: delete a
file there to do its run again. The weights of the pass stay in the work directory for fine-tuning; where they are gone, the pass
is trained again, but only if a run that starts from them is missing. `--work` puts everything but results into another directory
than the plan's; `--report` trains nothing and writes the page of the results that are there.
"""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # waiting threads leave the cores to whatever else runs

import numpy as np
from harness import RESULTS, execute
from result_tables import Array, markdown, percent
from sapbert_corpora import Corpora
from sapbert_frame import WITH_TRAIN, Frame
from sapbert_plan import ADAPTERS, BASE, MASKED, MASKED_SAMPLE, MORE_PAIRS, PASS, PLAN, Plan
from sapbert_runs import Runs
from transformer_runs import ROOT, check_start

from linnet.plural import counted

Pairs = Iterable[tuple[str, str]]


class Tables(Frame):
    """A method for each table: Acc@1 and Acc@5 on the dev sets, and differences of Acc@1."""

    def __init__(self, runs: Runs) -> None:
        super().__init__(runs.corpora)
        self.runs, self.plan = runs, runs.plan
        self._seeds: dict[str, list[int]] = {}  # that are done, of each name
        undone: dict[str, list[int]] = {}
        for name, seed in [(BASE, 0), *runs.plan.order()]:
            seeds = self._seeds.setdefault(name, [])
            done = runs.kept.has(runs.key(name, seed))
            (seeds if done else undone.setdefault(name, [])).append(seed)
        self.missing = [self._with_seeds(name, seeds) for name, seeds in undone.items()]
        for name in (BASE, PASS):
            unasked = [corpus for corpus in self.corpora.given if not self._scored(name, corpus)]
            self.missing += [
                f"{self.title(name)} on {self.corpora.given[corpus].title}" for corpus in unasked
            ]

    def _with_seeds(self, name: str, undone: Sequence[int]) -> str:
        if not self._seeds[name]:
            return self.title(name)
        numbers = " and ".join(map(str, undone))
        return f"{self.title(name)} (seed{'s' if len(undone) > 1 else ''} {numbers})"

    def title(self, name: str) -> str:
        """In a row."""
        if name in ADAPTERS:
            return f"the sample, {name.replace('-', ', ')}"
        if name in self.plan.fine_tunings:
            run = self.plan.fine_tunings[name]
            return f"{self.title(run.start or BASE)} + {self.corpora.given[run.corpus].title}"
        titles = {
            BASE: "as it is",
            PASS: "the pass",
            "mining-on": "the sample",
            "mining-off": "the sample, without mining",
            "neighbours-off": "the sample, batches at random",
            MASKED: "texts",
            MASKED_SAMPLE: "texts, then the sample",
            MORE_PAIRS: f"the sample, up to {self.plan.more_pairs} pairs a concept",
        }
        return titles.get(name, f"the sample, `{name}`")

    # ── what is learnt and scored ────────────────────────────────────────────────────────────────────────────

    def training(self) -> str:
        """Of each run that is done, of its first seed: what it cost."""
        rows = []
        for name in self._done([name for name in self._seeds if name != BASE]):
            facts = self.runs.kept.facts(self._key(name))
            added = facts["learnt"] if facts["learnt"] < facts["parameters"] else 0  # adapters
            part = 100 * facts["learnt"] / (facts["parameters"] - added)
            learnt = f"{facts['learnt']:,} ({part:.1f} %)"
            processor = facts.get("gpu") or f"{counted(facts['threads'], 'threads')} of {facts['cpu']}"
            effort = f"{facts['steps']:,}", f"{facts['seconds'] / 60:.0f}", facts["sessions"], processor
            rows.append((self.title(name), learnt, *effort))
        learnt = "learnt (of the transformer's parameters)"
        return _table(("trained", learnt, "batches", "minutes", "sessions", "on"), rows)

    def other_weights(self) -> list[str]:
        """Fine-tuned runs that started from other weights of the pass than those that its row is of."""
        if not self._seeds[PASS]:
            return []
        weights = self.runs.kept.facts(self._key(PASS))["weights"]
        return [
            self.title(name)
            for name in self._done(self.plan.fine_tunings)
            if self.runs.kept.facts(self._key(name)).get("start_weights", weights) != weights
        ]

    def left_out(self) -> str:
        """A paragraph of what the tables lack, or nothing."""
        sentences = []
        if self.missing:
            sentences.append(f"Not done yet, and left out of all tables: {'; '.join(self.missing)}.")
        if others := self.other_weights():
            others_named = "; ".join(others)
            sentences.append(f"Fine-tuned from a repetition of the pass with other weights: {others_named}.")
        return textwrap.fill(" ".join(sentences), 140) + "\n\n" if sentences else ""

    # ── the paper's tables ───────────────────────────────────────────────────────────────────────────────────

    def tables(self) -> dict[str, str]:
        """Table 1, before and after self-alignment; table 2, hard pairs; table 6, objectives, all with mining; fine-tuning."""
        plan, sample = self.plan, "mining-on"
        kinds, adapters = plan.objectives, plan.adapters
        gains = [(PASS, BASE), (sample, BASE), (PASS, sample), (MASKED, BASE), (MASKED_SAMPLE, MASKED)]
        gains += [(name, sample) for name in (MASKED_SAMPLE, MORE_PAIRS, *adapters)]
        tuned = plan.fine_tuning.passes
        return {
            "missing": self.left_out(),
            "mentions": self.mentions(self.corpora.given, train=True),
            "training": self.training(),
            "gains": self._scores([BASE, PASS, sample, MASKED, MASKED_SAMPLE, MORE_PAIRS, *adapters]),
            "gain_differences": self._differences(gains),
            "mining": self._scores([sample, "mining-off", "neighbours-off"]),
            "mining_differences": self._differences([(sample, "mining-off"), (sample, "neighbours-off")]),
            "objectives": self._scores([sample, *kinds]),
            "objective_differences": self._differences(
                [(name, other) for other in (sample, BASE) for name in kinds]
            ),
            "fine_tuning": "\n".join(
                f"### {self.corpora.given[key].title}\n\n{self.fine_tuning(key)}\n{self.fine_tuning_differences(key)}"
                for key in tuned
            ),
        }

    def fine_tuning(self, corpus: str) -> str:
        """Of table 1, on the dev mentions of a corpus: before and after fine-tuning, also on other corpora of its terminology."""
        tuned = [
            name
            for name, run in self.plan.fine_tunings.items()
            if run.corpus == corpus or (corpus in self.diseases and run.corpus in self.diseases)
        ]
        more = ["mining-on", *self.plan.adapters] if self.corpora.given[corpus].names == "own" else []
        unseen = self.corpora.unseen(corpus)
        rows = []
        for name in self._done([BASE, PASS, *more, *tuned]):
            if self._scored(name, corpus):
                cells: list[str] = []
                for question in (corpus, corpus + WITH_TRAIN):
                    right = self.right(name, question)
                    cells += [str(right), self.right(name, question, k=5).mean, str(right.of(unseen))]
                rows.append((self.title(name), *cells))
        columns = ("Acc@1", "Acc@5", f"Acc@1, n = {unseen.sum():,} unseen")
        return _table(("trained", *columns, *(f"with train, {column}" for column in columns)), rows)

    def fine_tuning_differences(self, corpus: str) -> str:
        """The same rows in pairs."""
        base, whole = (f"{start}-{corpus}" for start in (BASE, PASS))
        unseen = self.corpora.unseen(corpus)
        rows = [
            (
                f"{self.title(one)} − {self.title(other)}",
                *(
                    self.compared(one, other, corpus + names, mask)
                    for names in ("", WITH_TRAIN)
                    for mask in (None, unseen)
                ),
            )
            for one, other in [(PASS, BASE), (base, BASE), (whole, PASS), (whole, base)]
            if self.common(one, other) and self._scored(one, corpus) and self._scored(other, corpus)
        ]
        return _table(("difference", "all", "unseen", "with train, all", "with train, unseen"), rows)

    # ── cells ────────────────────────────────────────────────────────────────────────────────────────────────

    def ranks(self, name: str, question: str, seeds: Sequence[int] | None = None) -> Array:
        """See `Frame.ranks`."""
        chosen = self._seeds[name] if seeds is None else seeds
        return np.stack([self.runs.ranks(self.runs.key(name, seed))[question] for seed in chosen])

    def common(self, one: str, other: str) -> Sequence[int]:
        """See `Frame.common`; the transformer as it is has no seeds."""
        if BASE in (one, other):
            return self._seeds.get(one if other == BASE else other, []) if self._seeds[BASE] else []
        return [seed for seed in self._seeds.get(one, []) if seed in self._seeds.get(other, [])]

    def _key(self, name: str) -> str:
        return self.runs.key(name, self._seeds[name][0])

    def _done(self, names: Iterable[str]) -> list[str]:
        return [name for name in names if self._seeds.get(name)]

    def _scored(self, name: str, corpus: str) -> bool:
        """Whether a run, if it is done, has been scored on a corpus."""
        return not self._seeds.get(name) or corpus in self.runs.ranks(self._key(name))

    def _scores(self, names: Iterable[str]) -> str:
        rows = [(self.title(name), *self.scores(name)) for name in self._done(names)]
        return _table(("trained", *self.columns), rows)

    def _differences(self, pairs: Pairs) -> str:
        rows = [
            (f"{self.title(one)} − {self.title(other)}", *self.differences(one, other))
            for one, other in pairs
            if self.common(one, other)
        ]
        return markdown(("difference", *self.titles.values()), rows) if rows else ""


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """With a sentence in the place of a table without rows."""
    return markdown(head, rows) if rows else "Not done yet.\n"


def texts(runs: Runs) -> dict[str, str]:
    """What the page has besides the plan's settings."""
    plan = runs.plan
    passes = plan.fine_tuning.passes.items()
    return Tables(runs).tables() | {
        "sample": percent(plan.sample),
        "rates": ", ".join(f"{kind}: {runs.rate(kind):g}" for kind in plan.rates),
        "epochs": ", ".join(f"{runs.corpora.given[key].title} {amount:g}" for key, amount in passes),
    }


def runs_of(plan: Plan, *needed: Path) -> Runs:
    """Ends the program where a folder that is needed is not there, or a terminology that is linked to."""
    runs = Runs(plan.transformer, plan.work, Corpora(plan.work), RESULTS)
    linked = [ROOT / corpus.names for corpus in runs.corpora.given.values() if isinstance(corpus.names, Path)]
    for place in (*needed, *linked):
        if not place.is_dir():
            raise SystemExit(f"{place} is not there. Run the commands in {PLAN}.")
    return runs


def run(plan: Plan) -> None:
    """Everything that is not there yet."""
    start = plan.transformer.start
    runs = runs_of(plan, start, *plan.transformer.terminologies)
    check_start(runs.kept.folder, start)
    runs.all()


if __name__ == "__main__":
    execute(
        __doc__,
        "sapbert-transformer",
        PLAN,
        read=Plan,
        run=run,
        tables=lambda plan: texts(runs_of(plan)),
    )
