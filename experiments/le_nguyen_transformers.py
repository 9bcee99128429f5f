"""Le & Nguyen's objectives with a pretrained transformer: mentions in context against 64 candidates of sparse or dense retrieval.

    python experiments/le_nguyen_transformers.py [RUN.toml] [--work DIR] [--report]     (LINNET_DATA: corpora and terminologies)

Does the runs that are not done yet, in the order of `Runs.all`, goes on within a run where it was stopped (Ctrl-C or SIGTERM;
after a power cut from the last checkpoint), and writes docs/results/le-nguyen-transformer.md. What finished runs found is kept in
experiments/results, which the repository has: delete a file there to do its run again. `--work` puts everything else into another
directory than the plan's; `--report` trains no transformer and writes the page of the results that are there.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # waiting threads leave the cores to whatever else runs

import numpy as np
from harness import RESULTS, execute
from le_nguyen_frame import BASE, NAMES, RETRIEVAL, SRN, Frame, seen_in, short
from le_nguyen_plan import TRANSFORMER_PLAN as PLAN
from le_nguyen_plan import Part, Plan, TransformerPlan
from le_nguyen_runs import Runs
from paper_corpora import TITLES
from result_tables import Array, left_out, markdown, percent
from transformer_runs import check_start

from linnet.io.settings_files import read_settings
from linnet.plural import counted
from linnet.terminology import Terminology
from linnet.train.clusters import Clusters, LinkedCandidates

# Epochs of the paper (§4.4).
EPOCHS = {"bc5cdr-disease": 6, "ncbi": 6, "medmentions": 3}
_POOLINGS = {
    "markers": "the mean of the outputs at the two markers",
    "span": "the mean of the outputs from marker to marker",
    "cls": "the output at `[CLS]`",
    "mean": "the mean of all outputs",
}


class Tables(Frame):
    """A method for each table. Parts whose runs are not all done are in `missing`."""

    def __init__(self, runs: Runs) -> None:
        self.runs, self.plan, self.kept = runs, runs.plan, runs.kept
        self.objectives = runs.experiment.objectives
        self._chosen = all(self.kept.has(one.key) for one in runs.choices())
        self.parts = [part for part in self.plan.parts if self._chosen and self._is_done(part)]
        self.missing = [part for part in self.plan.parts if part not in self.parts]

    def _is_done(self, part: Part) -> bool:
        """At least one seed of each objective."""
        return all(self._keys(part, kind) for kind in (*self.objectives, NAMES, BASE))

    def _keys(self, part: Part, column: str) -> list[str]:
        """Of the seeds that are done."""
        keys = ["-".join((column, *part))]
        if column in self.objectives:
            seeds = range(self.plan.seeds)
            keys = [self.runs.planned(part, column, seed).key for seed in seeds]
        return [key for key in keys if self.kept.has(key)]

    def dev(self, part: Part) -> LinkedCandidates:
        """See `Frame.dev`."""
        return self.runs.mentions(part, "dev")

    def learnt(self, part: Part) -> Sequence[LinkedCandidates]:
        """See `Frame.learnt`."""
        return [self.runs.mentions(part, "train")]

    def flags(self, part: Part, column: str, what: str) -> Array:
        """See `Frame.flags`."""
        return np.stack([self.kept.arrays(key)[what] for key in self._keys(part, column)])

    def terminology(self, part: Part) -> Terminology:
        """See `Frame.terminology`."""
        return Terminology.open(self.runs.experiment.terminology(part[0]))

    def all(self) -> dict[str, str]:
        """Table → Markdown."""
        more = [(self.objectives[0], RETRIEVAL), (self.objectives[-1], RETRIEVAL)]
        return {
            "training": self.training(),
            "corpora": self.corpora(),
            "recall": self.recall(tested=False),
            "alone": self.accuracy("alone", NAMES, BASE),
            "alone_differences": self.differences("alone", *more),
            "combined": self.accuracy("combined"),
            "combined_differences": self.differences("combined", *more),
            "seen": self.seen(self.parts),
            "radii": self.radii(),
            "choice": self.choice(),
            "repeated": self.repeated(),
        }

    def training(self) -> str:
        """How long each run was, on what, and what share of the paper's epochs."""
        rows = []
        for part in self.parts:
            passes = self.plan.passes[part[0]]
            facts = [self.kept.facts(key) for kind in self.objectives for key in self._keys(part, kind)]
            minutes = [one["seconds"] / 60 for one in facts]
            on = {f"{counted(one['threads'], 'threads')} of {one['cpu']}" for one in facts}
            share = f"{100 * passes / EPOCHS[part[0]]:.0f}"
            took = f"{min(minutes):.1f} to {max(minutes):.1f}", max(one["sessions"] for one in facts)
            effort = f"{facts[0]['steps']:,}", f"{passes:g}", share, *took, "; ".join(sorted(on))
            rows.append((*self.label(part), *effort))
        shares = ("passes over the clusters", "of the paper's epochs, %")
        head = ("corpus", "retrieval", "batches", *shares, "minutes a run", "sessions at most", "on")
        return markdown(head, rows)

    def corpora(self) -> str:
        """What is learnt from and scored."""
        rows = []
        for corpus in dict.fromkeys(corpus for corpus, _ in self.parts):
            part = next(part for part in self.parts if part[0] == corpus)
            [train], dev = self.learnt(part), self.dev(part)
            counts = (f"{len(some):,}" for some in (train, Clusters(train), dev))
            seen = (percent(some.mean()) for some in seen_in([train], dev))
            rows.append((TITLES[part[0]], *counts, *seen, left_out(dev.linked.left_out)))
        seen_head = ("dev concepts seen, %", "dev surfaces seen, %")
        return markdown(("corpus", "train", "clusters", "dev", *seen_head, "of dev left out"), rows)

    def radii(self) -> str:
        """λ as it was learnt."""
        rows = []
        for part in self.parts:
            facts = [self.kept.facts(key) for key in self._keys(part, SRN)]
            first, last, excluded = (
                np.mean([one[name][place] for one in facts])
                for name, place in (("radius", 0), ("radius", -1), ("excluded", -1))
            )
            rows.append((*self.label(part), f"{first:.2f}", f"{last:.2f}", percent(float(excluded))))
        return markdown(
            ("corpus", "retrieval", "λ₀", "λ at the end", "mentions excluded in batches, %"), rows
        )

    def choice(self) -> str:
        """The learning rates tried."""
        choice = self.plan.choice
        if not self._chosen:
            return "Not chosen yet.\n"
        chosen = self.runs.rate()
        if len(choice.rates) == 1:
            return f"All runs use the rate {chosen:g}, chosen earlier; see the run file.\n"
        rows = []
        for rate in choice.rates:
            facts = [self.kept.facts(one.key) for one in self.runs.choices() if one.rate == rate]
            title = f"{rate:g}" + (", chosen" if rate == chosen else "")
            rows.append((title, *(percent(one["scores"]["acc@1"]) for one in facts)))
        corpus, retrieval = choice.part
        return (
            f"Acc@1 in % on documents held out of {TITLES[corpus]} train, {retrieval} candidates, after {choice.passes:g} passes:\n\n"
            + markdown(("learning rate", *map(short, choice.objectives)), rows)
        )

    def repeated(self) -> str:
        """Whether a run that was done twice gave the same numbers."""
        keys = [one.key for one in self.runs.repetitions()] if self._chosen else [""]
        if not all(map(self.kept.has, keys)):
            return "The repeated run is not done yet."
        first, again = map(self.kept.facts, keys)
        given = self.plan.repeated
        same = first["distances"] == again["distances"] and first["weight"] == again["weight"]
        return (
            f"A run of {first['steps']} batches ({short(given.objective)}, {TITLES[given.part[0]]}, {given.part[1]}) was "
            f"repeated with the same seed: all dev distances are {'equal bit for bit' if same else 'NOT equal'}."
            " The runs of the tables were made before additions on several threads became deterministic "
            "(`linnet.train.repeatable`): repeated, they may differ by the order of additions."
        )


def texts(runs: Runs) -> dict[str, str]:
    """What the page has besides the plan's settings."""
    made, plan = Tables(runs), runs.plan
    left = ", ".join(f"{TITLES[corpus]} {retrieval}" for corpus, retrieval in made.missing)
    first = plan.first_layers
    return made.all() | {
        "left_out": f"\n\nNot done yet, and left out of all tables: {left}." if left else "",
        "layers": "all layers" if first is None else f"its first {counted(first, 'layers')}",
        "mention_pooling": _POOLINGS[plan.mention_pooling],
        "entity_pooling": _POOLINGS[plan.entity_pooling],
        "candidates": str(runs.experiment.candidates),
    }


def read(file: Path, *, work: Path | None = None) -> TransformerPlan:
    """The run file, with `work` and `results` of its experiment. work: directory of runs instead of that"""
    plan = read_settings(file, TransformerPlan)
    experiment = read_settings(plan.experiment, Plan)
    return replace(plan, work=work or experiment.work, results=experiment.results)


def runs_of(plan: TransformerPlan) -> Runs:
    """Whose numbers the repository keeps."""
    experiment = replace(read_settings(plan.experiment, Plan), work=plan.work)
    return Runs(plan, experiment, RESULTS)


def run(plan: TransformerPlan) -> None:
    """Everything that is not there yet."""
    runs = runs_of(plan)
    check_start(runs.kept.folder, plan.start)
    runs.all()


def tables(plan: TransformerPlan) -> dict[str, str]:
    """Of the runs that are there; the terminologies are built where they are missing."""
    runs = runs_of(plan)
    runs.build_terminologies()
    return texts(runs)


if __name__ == "__main__":
    execute(__doc__, "le-nguyen-transformer", PLAN, read=read, run=run, tables=tables)
