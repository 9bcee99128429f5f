"""Self-alignment of names on open data: the questions of SapBERT's tables 2 and 6 (Liu et al. 2021).

    python experiments/sapbert.py [RUN.toml] [--work DIR] [--report]      (LINNET_DATA says where corpora and terminologies are)

Writes docs/results/sapbert.md. Mining and objectives are compared with the static n-gram encoder, learnt from nothing on the
names of MEDIC; `sapbert_transformers.py` does the same with a small pretrained transformer on the open terminologies.
Learning rates are chosen on the training mentions, whose annotations nothing learns from; what is reported is of the dev sets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import cached_property
from typing import Any

import numpy as np
import torch
from harness import CHOOSING, Kept, best_rate, execute, fit, key_of, say
from result_tables import Array, markdown, percent
from sapbert_corpora import DISEASES, Corpora
from sapbert_frame import Frame
from sapbert_plan import PLAN, Plan
from transformer_runs import remembering

from linnet.io.settings_files import settings_from
from linnet.terminology import Terminology
from linnet.train.objectives.build import build_objective
from linnet.train.tasks.synonyms import SynonymsTask
from linnet.train.validation import NearestNames
from linnet.words.text import simplify

SAME = "multi-similarity"  # with which the others are compared
MINING: dict[str, dict[str, Any]] = {
    "off": {"mining": False},
    "release": {"mining": True},
    "paper": {"mining": True, "mining_paper": True},
}


class Experiment(Frame):
    """Runs that are not there yet; each leaves the ranks of the right concepts in a file."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(Corpora(plan.work, DISEASES))
        self.plan = plan
        self.kept = Kept(plan.work / f"results-{key_of(asdict(plan), without=('transformer',))}")

    @cached_property
    def medic(self) -> Terminology:
        """MEDIC of July 2012, whose names are learnt and looked among."""
        return self.corpora.terminology("ncbi")

    @cached_property
    def _all(self) -> dict[str, dict[str, NearestNames]]:
        """Mentions of "train" and "dev", looked for among all names of MEDIC."""
        return {part: {key: self.corpora.nearest(key, part) for key in DISEASES} for part in ("train", "dev")}

    # ── runs ─────────────────────────────────────────────────────────────────────────────────────────────────

    def all(self) -> None:
        """The learning rates first, then the seeds."""
        plan = self.plan
        self._do(CHOOSING, [(one, rate) for one in plan.settings for rate in plan.rates], "train")
        chosen = [(one, self.rate("-".join(one))) for one in plan.settings]
        for seed in range(plan.seeds):
            self._do(seed, chosen, "dev")

    def rate(self, what: str) -> float:
        """The best on the training mentions: mean Acc@1 of the two corpora."""
        if what == "untrained":
            return 0

        def right(rate: float) -> float:
            found = self.kept.arrays(what, f"{rate:g}", CHOOSING)
            return float(np.mean([np.mean(found[corpus] == 1) for corpus in DISEASES]))

        return best_rate(self.plan.rates, right)

    def _do(self, seed: int, runs: Sequence[tuple[tuple[str, str], float]], part: str) -> None:
        """All runs of one seed begin with the same table."""
        missing = [(one, rate) for one, rate in runs if not self.kept.has(*one, f"{rate:g}", seed)]
        untrained = part == "dev" and not self.kept.has("untrained", 0, seed)
        if not missing and not untrained:
            return
        task = self._task(seed)
        table = task.module.get_parameter("table")
        first = table.detach().clone()
        encode = self._encoder(task.module)
        if untrained:
            self._keep(("untrained", 0, seed), encode, part, loss=np.nan, seconds=0.0)
        for one, rate in missing:
            with torch.no_grad():
                table.copy_(first)
            kind, mining = one
            task.objective = build_objective({"kind": kind, **MINING[mining]})
            loss, seconds = fit(task, self.plan.steps, rate=rate)
            self._keep((*one, f"{rate:g}", seed), encode, part, loss=loss, seconds=seconds)

    def _task(self, seed: int) -> SynonymsTask:
        table = {
            "task": "synonyms",
            "seed": seed,
            "output": "model",
            "data": {"terminologies": [str(self.medic.path)], "pairs": self.plan.pairs},
            "encoder": dict(self.plan.encoder),
        }
        return SynonymsTask.prepare(settings_from(table, SynonymsTask.Settings))  # type: ignore[arg-type]

    def _encoder(self, learner: Any) -> Any:
        """Takes names and mentions apart once for all runs of a learner."""
        texts = self.medic.names.take(range(len(self.medic.names)))
        texts += [text for part in self._all.values() for one in part.values() for text in one.linked.texts]
        place = {text: number for number, text in enumerate(dict.fromkeys(map(simplify, texts)))}
        numbered = learner.numbered(list(place))
        return lambda asked: numbered(np.array([place[text] for text in asked]))

    def _keep(self, key: Sequence[object], encode: Any, part: str, **facts: float) -> None:
        once = remembering(encode)  # what both corpora look among
        ranks = {corpus: nearest.ranks(once) for corpus, nearest in self._all[part].items()}
        self.kept.keep(*key, facts=facts, **ranks)
        scores = ", ".join(f"{corpus} {percent(np.mean(places == 1))}" for corpus, places in ranks.items())
        say(f"{self.kept.file(*key).stem}: {scores}; loss {facts['loss']:.3f}, {facts['seconds']:.0f} s")

    # ── tables ───────────────────────────────────────────────────────────────────────────────────────────────

    def ranks(self, name: str, question: str, seeds: Sequence[int] | None = None) -> Array:
        """See `Frame.ranks`."""
        chosen = range(self.plan.seeds) if seeds is None else seeds
        rate = f"{self.rate(name):g}"
        return np.stack([self.kept.arrays(name, rate, seed)[question] for seed in chosen])

    def _rows(self, rows: Sequence[tuple[Sequence[str], str]]) -> list[tuple[str, ...]]:
        """(titles, system) → a row with the system's learning rate and scores."""
        return [
            (*titles, f"{self.rate(name):g}" if name != "untrained" else "", *self.scores(name))
            for titles, name in rows
        ]

    def tables(self) -> dict[str, str]:
        """Table 2, mining, and table 6, objectives."""
        return {
            "mentions": self.mentions(DISEASES, train=False),
            "mining": self._mining(),
            "mining_differences": self._mining_differences(),
            "objectives": self._objectives(),
            "objective_differences": self._objective_differences(),
        }

    def _mining(self) -> str:
        rows = [(("none: the table before training",), "untrained")]
        for mining, title in (("off", "off"), ("release", "on, as released"), ("paper", "on, equation 1")):
            rows.append(((title,), f"{SAME}-{mining}"))
        return markdown(("mining", "learning rate", *self.columns), self._rows(rows))

    def _mining_differences(self) -> str:
        pairs = {
            "released − off": ("release", "off"),
            "equation 1 − off": ("paper", "off"),
            "released − equation 1": ("release", "paper"),
        }
        rows = [
            (title, *self.differences(f"{SAME}-{one}", f"{SAME}-{other}"))
            for title, (one, other) in pairs.items()
        ]
        return markdown(("difference", *self.titles.values()), rows)

    def _objectives(self) -> str:
        rows = [
            ((f"`{kind}`", on), f"{kind}-{mining}")
            for kind in self.plan.objectives
            for on, mining in (("on", "release"), ("off", "off"))
        ]
        return markdown(("objective", "mining", "learning rate", *self.columns), self._rows(rows))

    def _objective_differences(self) -> str:
        """Mining for each objective, and each objective against multi-similarity."""
        rows = []
        for kind in self.plan.objectives:
            cells = self.differences(f"{kind}-release", f"{kind}-off")
            cells += ["", ""] if kind == SAME else self.differences(f"{kind}-release", f"{SAME}-release")
            rows.append((f"`{kind}`", *cells))
        whats = ("mining on − off", "on − multi-similarity on")
        titles = [f"{what}, {corpus}" for what in whats for corpus in self.titles.values()]
        return markdown(("objective", *titles), rows)


def run(plan: Plan) -> None:
    """Everything that is not there yet."""
    torch.set_num_threads(1)  # the batches are too small for more
    Experiment(plan).all()


def tables(plan: Plan) -> dict[str, str] | None:
    """Of the runs that are there."""
    experiment = Experiment(plan)
    if not experiment.kept.folder.is_dir():
        return None
    medic = experiment.medic
    size = f"{len(medic):,} concepts, {len(medic.names):,} names, {medic.digest[:8]}"
    return experiment.tables() | {"medic": size}


if __name__ == "__main__":
    execute(__doc__, "sapbert", PLAN, read=Plan, run=run, tables=tables)
