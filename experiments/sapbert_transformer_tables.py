"""The tables of `sapbert_transformers.py` as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from result_tables import Array, compared, markdown, percent, share, spread
from sapbert_transformers import ADAPTERS, BASE, PASS, Runs

__all__ = ["TransformerTables"]


class TransformerTables:
    """Acc@1 and Acc@5 on the dev sets, and differences of Acc@1."""

    def __init__(
        self, runs: Runs, corpora: Mapping[str, str], documents: Mapping[str, Sequence[str]]
    ) -> None:
        """
        corpora    key → title
        documents  of each dev mention, by corpus
        """
        self._runs, self._corpora, self._documents = runs, corpora, documents

    def gains(self) -> str:
        """Table 1: the transformer as it is, and after self-alignment."""
        names = [BASE, PASS, "mining-on", *self._runs.plan.adapters]
        rows = [(self._title(name), *self._cost(name), *self._scores(name)) for name in names]
        head = ("learnt", "parameters", "batches", "minutes", *self._columns())
        return markdown(head, rows)

    def gain_differences(self) -> str:
        """Of table 1."""
        pairs = [
            (PASS, BASE),
            ("mining-on", BASE),
            (PASS, "mining-on"),
            *((name, "mining-on") for name in self._runs.plan.adapters),
        ]
        return self._differences(pairs)

    def mining(self) -> str:
        """Table 2: batches of hard pairs, and hard pairs of a batch."""
        names = ("mining-on", "mining-off", "neighbours-off")
        return markdown(
            ("trained", *self._columns()), [(self._title(name), *self._scores(name)) for name in names]
        )

    def mining_differences(self) -> str:
        """Of table 2."""
        return self._differences([("mining-on", "mining-off"), ("mining-on", "neighbours-off")])

    def objectives(self) -> str:
        """Table 6, all with mining."""
        names = ["mining-on", *self._runs.plan.objectives]
        return markdown(
            ("objective", *self._columns()), [(self._title(name), *self._scores(name)) for name in names]
        )

    def objective_differences(self) -> str:
        """Of table 6."""
        return self._differences([(name, "mining-on") for name in self._runs.plan.objectives])

    def sessions(self) -> str:
        """How long the pass took, on what."""
        facts = self._runs.result(PASS)["facts"]
        return (
            f"{facts['steps']:,} batches in {facts['seconds'] / 3600:.1f} hours of {facts['sessions']} session(s), "
            f"{facts['threads']} threads of {facts['cpu']}"
        )

    def _title(self, name: str) -> str:
        if name in ADAPTERS:
            return name.replace("-", ", ")
        titles = {
            BASE: "as it is",
            PASS: "full, the pass",
            "mining-on": "full, the sample",
            "mining-off": "without mining",
            "neighbours-off": "batches at random",
        }
        return titles.get(name, f"`{name}`")

    def _cost(self, name: str) -> tuple[str, str, str]:
        facts = self._runs.result(name)["facts"]
        if name == BASE:
            return "0", "", ""
        learnt = f"{facts['learnt']:,} ({100 * facts['learnt'] / facts['parameters']:.1f} %)"
        return learnt, f"{facts['steps']:,}", f"{facts['seconds'] / 60:.0f}"

    def _ranks(self, name: str, corpus: str) -> Array:
        """(seeds, mentions)"""
        seeds = self._runs.compared().get(name, 1)
        ranks: Array = np.stack([self._runs.result(name, seed)[corpus] for seed in range(seeds)])
        return ranks

    def _scores(self, name: str) -> list[str]:
        cells = []
        for corpus in self._corpora:
            ranks = self._ranks(name, corpus)
            deviation = spread((ranks == 1).mean(axis=1).tolist()).partition("±")[2]
            between = share((ranks == 1).mean(axis=0), self._documents[corpus])
            cells += [between + (f" ±{deviation}" if deviation else ""), percent((ranks <= 5).mean())]
        return cells

    def _differences(self, pairs: Sequence[tuple[str, str]]) -> str:
        rows: list[tuple[Any, ...]] = []
        for one, other in pairs:
            cells = [
                compared(
                    self._ranks(one, corpus) == 1, self._ranks(other, corpus) == 1, self._documents[corpus]
                )
                for corpus in self._corpora
            ]
            rows.append((f"{self._title(one)} − {self._title(other)}", *cells))
        return markdown(("difference", *self._corpora.values()), rows)

    def _columns(self) -> list[str]:
        return [f"{title}, Acc@{k}" for title in self._corpora.values() for k in (1, 5)]
