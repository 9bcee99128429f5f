"""The runs of `dilbert_transformers.py`: trainings in two stages, and what the encoders answer."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dilbert_data import asked, fold_of, mentions_of, place_of, terminology
from dilbert_judging import share_right
from dilbert_names import TransformerNames, answers
from dilbert_plan import Strategy, TransformerPlan
from dilbert_removal import Removal
from dilbert_tables import UNTRAINED
from harness import CHOOSING, best_rate, say
from transformer_runs import finished, portable, run_table, trained

from linnet.corpora import write
from linnet.train.learners.transformer import TransformerLearner, TransformerSettings
from linnet.train.run import folder_of
from linnet.types import Mention

__all__ = ["Runs"]

_RANDOM = Strategy(strategy="random")


class Runs:
    """Each is done once; those that are there are left alone."""

    def __init__(self, plan: TransformerPlan) -> None:
        self.plan, self.kept = plan, plan.kept

    def all(self) -> None:
        """Everything that is not there yet: the learning rate, then for each corpus the encoder as it is, the strategies, NIL."""
        for corpus, seeds in self.plan.seeds.items():
            self.choose()
            self.ask(corpus, UNTRAINED, 0, self.plan.start, {"steps": 0, "seconds": 0.0})
            for seed in range(seeds):
                for name in self.plan.strategies:
                    self.compare(corpus, name, seed)
            if corpus in self.plan.nil.corpora:
                for number in range(self.plan.nil.removals):
                    self.remove(corpus, number)

    # ── training ─────────────────────────────────────────────────────────────────────────────────────────────

    def choose(self) -> None:
        """Learning rates, on a held-out fifth of the first corpus' train documents, after half a stage of `random`."""
        plan, corpus = self.plan, next(iter(self.plan.seeds))
        mentions, place = mentions_of(corpus, "train"), plan.work / place_of(corpus)
        folds = fold_of([mention.document.id for mention in mentions], folds=5, seed=0)
        own = [mention for mention, fold in zip(mentions, folds, strict=True) if fold]
        for rate in plan.rates if len(plan.rates) > 1 else ():
            key = f"choice-{rate:g}"
            if self.kept.has(key):
                continue
            model, _ = self.stage(key, own, place, _RANDOM, CHOOSING, rate, plan.start, share=0.5)
            names = self.names(model, place)
            facts = share_right(mentions, folds == 0, lambda texts, names=names: answers(names, texts), place)
            self.kept.keep(key, facts=facts)
            say(f"learning rate {rate:g}: {facts['right']:.3f} of {facts['n']} held out")
            shutil.rmtree(model)

    def rate(self) -> float:
        """The one chosen."""
        return best_rate(self.plan.rates, lambda rate: self.kept.facts(f"choice-{rate:g}")["right"])

    def stage(
        self,
        key: str,
        mentions: Sequence[Mention],
        place: Path,
        strategy: Strategy,
        seed: int,
        rate: float,
        start: Path,
        *,
        share: float = 1.0,
    ) -> tuple[Path, dict[str, Any]]:
        """The directory of a model after one stage, and what `finished` tells of it.

        share  of the stage's steps
        """
        plan, runs = self.plan, self.plan.folder / "runs"
        runs.mkdir(parents=True, exist_ok=True)
        key = key.replace(" ", "")
        corpus = runs / f"{key}.jsonl"
        if not corpus.exists():
            write_corpus(mentions, corpus)
        steps = round(share * plan.steps)
        same = {name: getattr(plan, name) for name in ("nearest", "among", "triplets")}
        data = {
            "terminology": str(place.absolute()),
            "corpora": [corpus.name],
            "all_above": True,
            "refresh": steps,
        }
        encoder = {"kind": "transformer", "name": "dilbert", "start": portable(start), "learning_rate": rate}
        loop = {"steps": steps, "warm_up": round(plan.warm_up * steps)}
        objective = {"kind": "name-triplet", "margin": plan.margin}
        table = run_table(
            plan, key, task="mentions", seed=seed, loop=loop, encoder={**encoder, "dropout": 0.0},
            objective=objective, data={**data, **same, "strategy": strategy.strategy, "k": strategy.k},
        )  # fmt: skip
        settings = trained(runs / f"{key}.toml", table)
        for checkpoint in folder_of(settings).glob("*.safetensors"):
            checkpoint.unlink()
        return settings.output, finished(settings)

    def compare(self, corpus: str, name: str, seed: int) -> None:
        """Two stages of one strategy. Resampling goes on from the first stage of `random`."""
        if self._is_kept((corpus, name, seed), {"targets": list(self.plan.transfer[corpus])}):
            return
        place, mentions = self.plan.work / place_of(corpus), mentions_of(corpus, "train")
        resampling = self.plan.strategies[name].strategy.startswith("resampling")
        ways = ["random" if resampling else name, name]
        stages = [(f"{corpus}-{way}-{seed}", self.plan.strategies[way]) for way in ways]
        begun, model, facts = self.two_stages(stages, mentions, place, seed)
        self.ask(corpus, name, seed, model, facts)
        shutil.rmtree(model)
        if not resampling:  # which begins with that of `random`
            shutil.rmtree(begun)

    def two_stages(
        self,
        stages: Sequence[tuple[str, Strategy]],
        mentions: Sequence[Mention],
        place: Path,
        number: int,
    ) -> tuple[Path, Path, dict[str, Any]]:
        """The models after each of two stages, (key, strategy), the second from the first, and what both took."""
        models, facts = [self.plan.start], []
        for stage, (key, strategy) in enumerate(stages, start=1):
            # With the seed of the first, the second stage would draw its triplets once more.
            seed = 2 * number + stage - 1
            model, told = self.stage(
                f"{key}-{stage}", mentions, place, strategy, seed, self.rate(), models[-1]
            )
            models.append(model)
            facts.append(told)
        return models[1], models[2], _together(*facts)

    # ── answers ──────────────────────────────────────────────────────────────────────────────────────────────

    def names(self, model: Path, place: Path) -> TransformerNames:
        """Names of a terminology as a model has them."""
        learner = TransformerLearner(TransformerSettings(start=model), (), seed=0)
        return TransformerNames(terminology(place), learner, precision=self.plan.precision)

    def ask(self, corpus: str, name: str, seed: int, model: Path, facts: Mapping[str, Any]) -> None:
        """Keep what a model answers to everything that is asked after training on a corpus."""
        targets = self.plan.transfer[corpus]
        if self._is_kept((corpus, name, seed), {"targets": list(targets)}):
            return
        found: dict[str, Any] = {}
        # One terminology at a time: its names are up to half a gigabyte.
        for place in dict.fromkeys(map(place_of, targets)):
            names = self.names(model, self.plan.work / place)
            own = [target for target in targets if place_of(target) == place]
            found |= {target: _concepts(answers(names, asked(target).texts)) for target in own}
            del names
        self.kept.keep(
            corpus, name, seed, facts={"answers": found, "of": {"targets": list(targets)}, **facts}
        )
        say(f"{corpus} {name} {seed}: {facts['seconds']:.0f} s of training, asked")

    def remove(self, corpus: str, number: int) -> None:
        """Take concepts out of the terminology, train without them, and keep what is nearest to the mentions."""
        parts, gone = ("nil", corpus, number), self.plan.nil
        settings = {"removed": gone.removed, "held_out": gone.held_out}
        if self._is_kept(parts, settings):
            return
        made = Removal(self.plan, corpus, number)
        place = made.left.path
        stages = [(f"nil-{corpus}-{number}-{made.key}", _RANDOM)] * 2
        begun, model, facts = self.two_stages(stages, made.own, place, number)
        names = self.names(model, place)
        found = {part: answers(names, some.texts) for part, some in made.parts.items()}
        self.kept.keep(*parts, facts={**made.rows(found), "of": settings, **facts})
        say(f"{corpus} without {len(made.removed)} concepts: asked")
        for folder in (begun, model):
            shutil.rmtree(folder)

    def _is_kept(self, parts: tuple[Any, ...], settings: Mapping[str, Any]) -> bool:
        """Whether a result is there. Ends the program if it is of other settings, which its folder is not named for."""
        if not self.kept.has(*parts):
            return False
        before = self.kept.facts(*parts).get("of", settings)
        if before != settings:
            raise SystemExit(
                f"{self.kept.file(*parts)} was made with {before}; the plan has {dict(settings)}. Change the plan back, "
                "or remove the file, and it is made again."
            )
        return True


def _together(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Steps, seconds and sessions of both stages, and what the second ran on."""
    sums = {name: first[name] + second[name] for name in ("steps", "seconds", "sessions")}
    return {**sums, **{name: second[name] for name in ("cpu", "threads", "gpu") if name in second}}


def _concepts(found: Mapping[str, Mapping[str, Any]]) -> list[Any]:
    """Of each distinct text, in order, the concepts found for the whole and for its parts: what is kept has no text of others."""
    return [[answer["whole"], answer["parts"]] for answer in found.values()]


def write_corpus(mentions: Sequence[Mention], path: Path) -> None:
    """The mentions as a corpus that a run file can name: their documents with these mentions alone."""
    documents = {id(mention.document): mention.document for mention in mentions}
    wanted: dict[int, list[Mention]] = {}
    for mention in mentions:
        wanted.setdefault(id(mention.document), []).append(mention)
    write((document.with_mentions(wanted[key]) for key, document in documents.items()), path, format="jsonl")
