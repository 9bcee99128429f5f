"""The tables of `sapbert_transformers.py` as Markdown. Runs that are not done yet are left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from result_tables import Array, compared, markdown, percent, share, spread
from sapbert_transformer_plan import ADAPTERS, BASE, MASKED, MASKED_SAMPLE, MORE_PAIRS, PASS
from sapbert_transformers import WITH_TRAIN, Runs

from linnet.plural import counted

__all__ = ["TransformerTables"]

Pairs = Iterable[tuple[str, str]]


class TransformerTables:
    """A method for each table: Acc@1 and Acc@5 on the dev sets, and differences of Acc@1."""

    def __init__(self, runs: Runs) -> None:
        self.runs, self.corpora = runs, runs.corpora
        self._seeds: dict[str, list[int]] = {}  # that are done, of each name
        undone: dict[str, list[int]] = {}
        for name, seed in [(BASE, 0), *runs.plan.order()]:
            seeds = self._seeds.setdefault(name, [])
            if runs.done(runs.key(name, seed)):
                seeds.append(seed)
            else:
                undone.setdefault(name, []).append(seed)
        self.missing = [self._with_seeds(name, seeds) for name, seeds in undone.items()]
        for name in (BASE, PASS):
            unasked = [corpus for corpus in self.corpora.given if not self._scored(name, corpus)]
            self.missing += [
                f"{self.title(name)} on {self.corpora.given[corpus].title}" for corpus in unasked
            ]
        self._diseases = [key for key, corpus in self.corpora.given.items() if corpus.names == "medic"]

    def _with_seeds(self, name: str, undone: Sequence[int]) -> str:
        if not self._seeds[name]:
            return self.title(name)
        numbers = " and ".join(map(str, undone))
        return f"{self.title(name)} (seed{'s' if len(undone) > 1 else ''} {numbers})"

    def title(self, name: str) -> str:
        """In a row."""
        if name in ADAPTERS:
            return f"the sample, {name.replace('-', ', ')}"
        if name in self.runs.plan.fine_tunings:
            run = self.runs.plan.fine_tunings[name]
            return f"{self.title(run.start)} + {self.corpora.given[run.corpus].title}"
        titles = {
            BASE: "as it is",
            PASS: "the pass",
            "mining-on": "the sample",
            "mining-off": "the sample, without mining",
            "neighbours-off": "the sample, batches at random",
            MASKED: "texts",
            MASKED_SAMPLE: "texts, then the sample",
            MORE_PAIRS: f"the sample, up to {self.runs.plan.more_pairs} pairs a concept",
        }
        return titles.get(name, f"the sample, `{name}`")

    # ── what is learnt and scored ────────────────────────────────────────────────────────────────────────────

    def mentions(self) -> str:
        """Of train and dev."""
        rows = []
        for key, corpus in self.corpora.given.items():
            train, dev = (self.corpora.linked(key, part) for part in ("train", "dev"))
            dropped = "; ".join(f"{count:,} {why}" for why, count in dev.left_out.items() if count)
            unseen = int(self.corpora.unseen(key).sum())
            rows.append((corpus.title, f"{len(train):,}", f"{len(dev):,}", f"{unseen:,}", dropped))
        return _table(("corpus", "train", "dev", "of these unseen in train", "left out of dev"), rows)

    def training(self) -> str:
        """Of each run that is done, of its first seed: what it cost."""
        rows = []
        for name in self._done([name for name in self._seeds if name != BASE]):
            facts = self.runs.facts(self._key(name))
            added = facts["learnt"] if facts["learnt"] < facts["parameters"] else 0  # adapters
            part = 100 * facts["learnt"] / (facts["parameters"] - added)
            learnt = f"{facts['learnt']:,} ({part:.1f} %)"
            processor = facts.get("gpu") or f"{counted(facts['threads'], 'threads')} of {facts['cpu']}"
            effort = f"{facts['steps']:,}", f"{facts['seconds'] / 60:.0f}", facts["sessions"], processor
            rows.append((self.title(name), learnt, *effort))
        return _table(
            ("trained", "learnt (of the transformer's parameters)", "batches", "minutes", "sessions", "on"),
            rows,
        )

    def other_weights(self) -> list[str]:
        """Fine-tuned runs that started from other weights of the pass than those that its row is of."""
        if not self._seeds[PASS]:
            return []
        weights = self.runs.facts(self._key(PASS))["weights"]
        return [
            self.title(name)
            for name in self._done(self.runs.plan.fine_tunings)
            if self.runs.facts(self._key(name)).get("start_weights", weights) != weights
        ]

    # ── the paper's tables ───────────────────────────────────────────────────────────────────────────────────

    def gains(self) -> str:
        """Table 1: the transformer as it is, and after self-alignment."""
        return self._scores(
            [BASE, PASS, "mining-on", MASKED, MASKED_SAMPLE, MORE_PAIRS, *self.runs.plan.adapters]
        )

    def gain_differences(self) -> str:
        """Of table 1."""
        adapters = self.runs.plan.adapters
        pairs = [
            (PASS, BASE),
            ("mining-on", BASE),
            (PASS, "mining-on"),
            (MASKED, BASE),
            (MASKED_SAMPLE, MASKED),
        ]
        pairs += [(name, "mining-on") for name in (MASKED_SAMPLE, MORE_PAIRS)]
        return self._differences([*pairs, *((name, "mining-on") for name in adapters)])

    def mining(self) -> str:
        """Table 2: batches of hard pairs, and hard pairs of a batch."""
        return self._scores(["mining-on", "mining-off", "neighbours-off"])

    def mining_differences(self) -> str:
        """Of table 2."""
        return self._differences([("mining-on", "mining-off"), ("mining-on", "neighbours-off")])

    def objectives(self) -> str:
        """Table 6, all with mining."""
        return self._scores(["mining-on", *self.runs.plan.objectives])

    def objective_differences(self) -> str:
        """Of table 6: against multi-similarity, and against the transformer as it is."""
        return self._differences(
            [(name, other) for other in ("mining-on", BASE) for name in self.runs.plan.objectives]
        )

    def fine_tuning(self, corpus: str) -> str:
        """Of table 1, on the dev mentions of a corpus: before and after fine-tuning, also on other corpora of its terminology."""
        own = self.corpora.given[corpus].names == "own"
        tuned = [
            name
            for name, run in self.runs.plan.fine_tunings.items()
            if run.corpus == corpus or (corpus in self._diseases and run.corpus in self._diseases)
        ]
        more = ["mining-on", *self.runs.plan.adapters] if own else []
        unseen = self.corpora.unseen(corpus)
        rows = []
        for name in self._done([BASE, PASS, *more, *tuned]):
            if not self._scored(name, corpus):
                continue
            plain, extended = (self._ranks(name, corpus + names) for names in ("", WITH_TRAIN))
            cells = [self._share(plain == 1, corpus), percent((plain <= 5).mean())]
            cells += [self._share(plain == 1, corpus, unseen), self._share(extended == 1, corpus)]
            cells += [percent((extended <= 5).mean()), self._share(extended == 1, corpus, unseen)]
            rows.append((self.title(name), *cells))
        counted_unseen = f"Acc@1, n = {unseen.sum():,} unseen"
        columns = ("Acc@1", "Acc@5", counted_unseen)
        return _table(("trained", *columns, *(f"with train, {column}" for column in columns)), rows)

    def fine_tuning_differences(self, corpus: str) -> str:
        """The same rows in pairs."""
        base, whole = (f"{start}-{corpus}" for start in (BASE, PASS))
        unseen = self.corpora.unseen(corpus)
        rows: list[tuple[Any, ...]] = []
        for one, other in self._done_pairs([(PASS, BASE), (base, BASE), (whole, PASS), (whole, base)]):
            if not (self._scored(one, corpus) and self._scored(other, corpus)):
                continue
            cells = [
                self._compared(one, other, corpus, names, mask)
                for names in ("", WITH_TRAIN)
                for mask in (None, unseen)
            ]
            rows.append((f"{self.title(one)} − {self.title(other)}", *cells))
        return _table(("difference", "all", "unseen", "with train, all", "with train, unseen"), rows)

    # ── cells ────────────────────────────────────────────────────────────────────────────────────────────────

    def _key(self, name: str) -> str:
        return self.runs.key(name, self._seeds[name][0])

    def _done(self, names: Iterable[str]) -> list[str]:
        return [name for name in names if self._seeds.get(name)]

    def _scored(self, name: str, corpus: str) -> bool:
        """Whether a run, if it is done, has been scored on a corpus."""
        return not self._seeds.get(name) or corpus in self.runs.ranks(self._key(name))

    def _done_pairs(self, pairs: Pairs) -> list[tuple[str, str]]:
        return [(one, other) for one, other in pairs if self._common(one, other)]

    def _common(self, one: str, other: str) -> list[int]:
        """Seeds of which both are done; the transformer as it is has no seeds."""
        if BASE in (one, other):
            return self._seeds.get(one if other == BASE else other, []) if self._seeds[BASE] else []
        return [seed for seed in self._seeds.get(one, []) if seed in self._seeds.get(other, [])]

    def _ranks(self, name: str, question: str, seeds: Sequence[int] | None = None) -> Array:
        """(seeds, mentions)"""
        chosen = self._seeds[name] if seeds is None else seeds
        ranks: Array = np.stack([self.runs.ranks(self.runs.key(name, seed))[question] for seed in chosen])
        return ranks

    def _share(self, right: Array, corpus: str, mask: Array | None = None) -> str:
        """Acc with its interval, and its deviation over seeds."""
        own = np.ones(right.shape[1], bool) if mask is None else mask
        if not own.any():
            return ""
        right, documents = right[:, own], np.array(self.corpora.documents(corpus))[own].tolist()
        deviation = spread(right.mean(axis=1).tolist()).partition("±")[2]
        return share(right.mean(axis=0), documents) + (f" ±{deviation}" if deviation else "")

    def _scores(self, names: Iterable[str]) -> str:
        rows = []
        for name in self._done(names):
            cells = []
            for corpus in self._diseases:
                ranks = self._ranks(name, corpus)
                cells += [self._share(ranks == 1, corpus), percent((ranks <= 5).mean())]
            rows.append((self.title(name), *cells))
        columns = [f"{self.corpora.given[key].title} dev, Acc@{k}" for key in self._diseases for k in (1, 5)]
        return _table(("trained", *columns), rows)

    def _compared(self, one: str, other: str, corpus: str, names: str = "", mask: Array | None = None) -> str:
        own = np.ones(len(self.corpora.documents(corpus)), bool) if mask is None else mask
        if not own.any():
            return ""
        first, second = (
            self._ranks(name, corpus + names, self._common(one, other))[:, own] == 1 for name in (one, other)
        )
        return compared(first, second, np.array(self.corpora.documents(corpus))[own].tolist())

    def _differences(self, pairs: Pairs) -> str:
        rows: list[tuple[Any, ...]] = [
            (
                f"{self.title(one)} − {self.title(other)}",
                *(self._compared(one, other, corpus) for corpus in self._diseases),
            )
            for one, other in self._done_pairs(pairs)
        ]
        titles = [f"{self.corpora.given[key].title} dev" for key in self._diseases]
        return markdown(("difference", *titles), rows) if rows else ""


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """With a sentence in the place of a table without rows."""
    return markdown(head, rows) if rows else "Not done yet.\n"
