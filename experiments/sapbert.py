"""Self-alignment of names on open data: the questions of SapBERT's tables 2 and 6 (Liu et al. 2021).

    python experiments/sapbert.py [RUN.toml] [--work DIR]      (LINNET_DATA says where corpora and terminologies are)

Writes docs/results/sapbert.md. Mining and objectives are compared with the static n-gram encoder, learnt from nothing on the
names of MEDIC; `sapbert_transformers.py` does the same with a small pretrained transformer on the open terminologies.
Learning rates are chosen on the training mentions, whose annotations nothing learns from; what is reported is of the dev sets.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from kept import results_folder
from progress import say
from result_tables import compared, machine, markdown, percent, share, spread
from sapbert_corpora import DISEASES, Corpora
from sapbert_transformer_plan import Transformer
from transformer_runs import CHOOSING

from linnet.artifact import digest
from linnet.settings_files import read_settings, settings_from
from linnet.terminology import Terminology
from linnet.text import simplify
from linnet.train.learners.learner import Learner
from linnet.train.objectives.build import build_objective
from linnet.train.tasks.synonyms import SynonymsTask
from linnet.train.validation import NearestNames

HERE = Path(__file__).parent
DEV = {key: f"{corpus.title} dev" for key, corpus in DISEASES.items()}
MINING: dict[str, dict[str, Any]] = {
    "off": {"mining": False},
    "release": {"mining": True},
    "paper": {"mining": True, "mining_paper": True},
}
Encode = Callable[[Sequence[str]], Any]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The run file."""

    work: Path
    results: Path
    pairs: int
    steps: int
    seeds: int
    objectives: tuple[str, ...]
    rates: tuple[float, ...]
    encoder: Mapping[str, Any]
    transformer: Transformer

    @property
    def settings(self) -> list[tuple[str, str]]:
        """(objective, mining) of tables 2 and 6."""
        both = [(kind, mining) for kind in self.objectives for mining in ("off", "release")]
        return [*both, ("multi-similarity", "paper")]


class Experiment:
    """Runs that are not there yet; each leaves the places of the right concepts, from 1, in a file."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._corpora = Corpora(plan.work, DISEASES)

    @cached_property
    def medic(self) -> Terminology:
        """MEDIC of July 2012, whose names are learnt and looked among."""
        return self._corpora.terminology("ncbi")

    @cached_property
    def _all(self) -> dict[str, dict[str, NearestNames]]:
        """Mentions of "train" and "dev", looked for among all names of MEDIC."""
        return {
            part: {key: self._corpora.nearest(key, part) for key in DISEASES} for part in ("train", "dev")
        }

    def file(self, what: str, rate: float, seed: int) -> Path:
        """Where the result of a run lies."""
        return results_folder(self.plan, without=("transformer",)) / f"{what}-{rate:g}-{seed}.npz"

    def ngrams(self) -> None:
        """All runs of the n-gram encoder: the learning rates first, then the seeds."""
        plan = self.plan
        self._ngram_runs(CHOOSING, [(one, rate) for one in plan.settings for rate in plan.rates], "train")
        chosen = [(one, self.rate("-".join(one), plan.rates)) for one in plan.settings]
        for seed in range(plan.seeds):
            self._ngram_runs(seed, chosen, "dev")

    def rate(self, what: str, rates: Sequence[float]) -> float:
        """The best on the training mentions: mean Acc@1 of the two corpora."""
        if len(rates) == 1:
            return rates[0]
        right = {}
        for rate in rates:
            found = np.load(self.file(what, rate, CHOOSING))
            right[rate] = np.mean([np.mean(found[corpus] == 1) for corpus in DEV])
        return max(right, key=lambda rate: right[rate])

    def _ngram_runs(self, seed: int, runs: Sequence[tuple[tuple[str, str], float]], part: str) -> None:
        missing = [(one, rate) for one, rate in runs if not self.file("-".join(one), rate, seed).exists()]
        start = self.file("untrained", 0, seed)
        if not missing and (start.exists() or part == "train"):
            return
        task = self._task(seed, self.plan.encoder, self.plan.pairs)
        table = task.module.get_parameter("table")
        first = table.detach().clone()
        encode = self._ngram_encoder(task.module)
        if part == "dev" and not start.exists():
            self._keep(start, encode, self._all[part], loss=np.nan, seconds=0.0)
        for one, rate in missing:
            with torch.no_grad():
                table.copy_(first)
            kind, mining = one
            task.objective = build_objective({"kind": kind, **MINING[mining]})
            loss, seconds = fit(task, self.plan.steps, rate)
            file = self.file("-".join(one), rate, seed)
            self._keep(file, encode, self._all[part], loss=loss, seconds=seconds)

    def _task(self, seed: int, encoder: Mapping[str, Any], pairs: int) -> SynonymsTask:
        table = {
            "task": "synonyms",
            "seed": seed,
            "output": "model",
            "data": {"terminologies": [str(self.medic.path)], "pairs": pairs},
            "encoder": dict(encoder),
        }
        return SynonymsTask.prepare(settings_from(table, SynonymsTask.Settings))  # type: ignore[arg-type]

    def _ngram_encoder(self, learner: Learner) -> Encode:
        """Takes names and mentions apart once for all runs of a learner."""
        texts = self.medic.names.take(range(len(self.medic.names)))
        texts += [text for part in self._all.values() for one in part.values() for text in one.linked.texts]
        place = {text: number for number, text in enumerate(dict.fromkeys(map(simplify, texts)))}
        numbered = learner.numbered(list(place))

        def encode(asked: Sequence[str]) -> Any:
            with torch.no_grad():
                return numbered(np.array([place[text] for text in asked])).numpy()

        return encode

    def _keep(self, file: Path, encode: Encode, questions: Mapping[str, NearestNames], **more: Any) -> None:
        known: dict[str, Any] = {}  # what both corpora look among is encoded once

        def once(texts: Sequence[str]) -> Any:
            new = [text for text in texts if text not in known]
            if new:
                known.update(zip(new, encode(new), strict=True))
            return np.stack([known[text] for text in texts])

        ranks = {corpus: nearest.ranks(once) for corpus, nearest in questions.items()}
        file.parent.mkdir(parents=True, exist_ok=True)
        draft = file.with_suffix(".part.npz")
        np.savez(draft, allow_pickle=False, **ranks, **more)
        draft.rename(file)
        scores = ", ".join(f"{corpus} {percent(np.mean(places == 1))}" for corpus, places in ranks.items())
        say(f"{file.stem}: {scores}; loss {more['loss']:.3f}, {more['seconds']:.0f} s")

    # ── the report ───────────────────────────────────────────────────────────────────────────────────────────

    def ranks(self, what: str, rate: float, seeds: int, corpus: str) -> np.ndarray[Any, Any]:
        """(seeds, mentions of dev)"""
        return np.stack([np.load(self.file(what, rate, seed))[corpus] for seed in range(seeds)])

    def _row(self, what: str, rate: float, seeds: int) -> list[str]:
        """Acc@1 with its interval and deviation, and Acc@5, of both dev sets."""
        cells = []
        for corpus in DEV:
            ranks = self.ranks(what, rate, seeds, corpus)
            deviation = spread((ranks == 1).mean(axis=1).tolist()).partition("±")[2]
            between = share((ranks == 1).mean(axis=0), self.documents[corpus])
            cells += [between + (f" ±{deviation}" if deviation else ""), percent((ranks <= 5).mean())]
        return cells

    @cached_property
    def documents(self) -> dict[str, list[str]]:
        """Document of each mention of dev."""
        return {key: self._corpora.documents(key) for key in DISEASES}

    def _against(self, one: str, other: str, seeds: int, rate: Callable[[str], float]) -> list[str]:
        """Differences of Acc@1."""
        cells = []
        for corpus in DEV:
            first, second = (self.ranks(what, rate(what), seeds, corpus) == 1 for what in (one, other))
            cells.append(compared(first, second, self.documents[corpus]))
        return cells

    def ngram_rate(self, what: str) -> float:
        """The one chosen."""
        return self.rate(what, self.plan.rates)

    def mining(self) -> str:
        """Table 2."""
        seeds = self.plan.seeds
        rows = [("none: the table before training", "", *self._row("untrained", 0, seeds))]
        for mining, title in (("off", "off"), ("release", "on, as released"), ("paper", "on, equation 1")):
            what = f"multi-similarity-{mining}"
            rate = self.ngram_rate(what)
            rows.append((title, f"{rate:g}", *self._row(what, rate, seeds)))
        return markdown(("mining", "learning rate", *_columns()), rows)

    def mining_differences(self) -> str:
        """Of table 2."""
        rows = [
            (title, *self._against(f"multi-similarity-{one}", f"multi-similarity-{other}", self.plan.seeds, self.ngram_rate))
            for title, one, other in (
                ("released − off", "release", "off"),
                ("equation 1 − off", "paper", "off"),
                ("released − equation 1", "release", "paper"),
            )
        ]  # fmt: skip
        return markdown(("difference", *DEV.values()), rows)

    def objectives(self) -> str:
        """Table 6, mining on and off."""
        rows = []
        for kind in self.plan.objectives:
            for mining in ("release", "off"):
                what = f"{kind}-{mining}"
                rate = self.ngram_rate(what)
                on = "on" if mining == "release" else "off"
                rows.append((f"`{kind}`", on, f"{rate:g}", *self._row(what, rate, self.plan.seeds)))
        return markdown(("objective", "mining", "learning rate", *_columns()), rows)

    def objective_differences(self) -> str:
        """Of table 6: mining for each objective, and each objective against multi-similarity."""
        rows = []
        for kind in self.plan.objectives:
            cells = self._against(f"{kind}-release", f"{kind}-off", self.plan.seeds, self.ngram_rate)
            if kind == "multi-similarity":
                cells += ["", ""]
            else:
                cells += self._against(
                    f"{kind}-release", "multi-similarity-release", self.plan.seeds, self.ngram_rate
                )
            rows.append((f"`{kind}`", *cells))
        titles = [
            f"{what}, {corpus}"
            for what in ("mining on − off", "on − multi-similarity on")
            for corpus in DEV.values()
        ]
        return markdown(("objective", *titles), rows)

    def mentions(self) -> str:
        """What counts."""
        rows = []
        for corpus, title in DEV.items():
            linked = self._all["dev"][corpus].linked
            dropped = "; ".join(f"{count:,} {why}" for why, count in linked.left_out.items() if count)
            rows.append((title, f"{len(linked):,}", dropped))
        return markdown(("corpus", "mentions", "left out"), rows)


def _columns() -> list[str]:
    return [f"{corpus}, Acc@{k}" for corpus in DEV.values() for k in (1, 5)]


def fit(task: SynonymsTask, steps: int, rate: float) -> tuple[float, float]:
    """So many steps at a constant rate; the mean loss of the last tenth, and the processor's seconds all took."""
    optimiser, began = task.optimiser(), time.process_time()
    for group in optimiser.param_groups:
        group["lr"] = rate
    task.module.train()
    last = []
    for step in range(steps):
        loss = task.loss(step)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        if step >= 0.9 * steps:
            last.append(loss.item())
    task.module.eval()
    return float(np.mean(last)), time.process_time() - began


def report(experiment: Experiment, plan_file: Path) -> str:
    """The tables as Markdown."""
    plan = experiment.plan
    text = (HERE / "sapbert.md").read_text(encoding="utf-8")
    other = "sapbert-transformer.md"
    beside = f" With a transformer, adapters and fine-tuning: [{other}]({other})."
    return text.format(
        beside=beside if (plan.results / other).exists() else "",
        run_file=digest(plan_file.read_text(encoding="utf-8"))[:8],
        medic=f"{len(experiment.medic):,} concepts, {len(experiment.medic.names):,} names, {experiment.medic.digest[:8]}",
        mentions=experiment.mentions(),
        seeds=plan.seeds,
        steps=plan.steps,
        pairs=plan.pairs,
        mining=experiment.mining(),
        mining_differences=experiment.mining_differences(),
        objectives=experiment.objectives(),
        objective_differences=experiment.objective_differences(),
        machine=machine(),
    )


def read_plan(file: Path, *, work: Path | None = None) -> Plan:
    """The run file. work: directory of runs and results instead of the file's"""
    plan = read_settings(file, Plan)
    return plan if work is None else replace(plan, work=work)


def main(arguments: Sequence[str]) -> None:
    """Everything that is not there yet, then the report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("plan", nargs="?", type=Path, default=HERE / "plans/sapbert.toml", metavar="RUN.toml")
    parser.add_argument("--work", type=Path, help="directory of runs and results, instead of the plan's")
    given = parser.parse_args(list(arguments))
    experiment = Experiment(read_plan(given.plan, work=given.work))
    torch.set_num_threads(1)  # the batches are too small for more
    experiment.ngrams()
    page = experiment.plan.results / "sapbert.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(report(experiment, given.plan), encoding="utf-8")
    say(f"written: {page}")


if __name__ == "__main__":
    main(sys.argv[1:])
