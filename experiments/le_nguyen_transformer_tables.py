"""The tables of `le_nguyen_transformers.py` as Markdown. Parts that are not done yet are left out."""

from __future__ import annotations

from typing import Any

import numpy as np
from le_nguyen_titles import KS, SHORT, SRN, TITLES
from le_nguyen_transformer_plan import Part
from le_nguyen_transformers import BASE, NAMES, Runs
from result_tables import Array, compared, markdown, percent, share, spread

from linnet.plural import counted
from linnet.train.clusters import Clusters

__all__ = ["TransformerTables", "short"]

# Epochs of the paper (§4.4).
EPOCHS = {"bc5cdr-disease": 6, "ncbi": 6, "medmentions": 3}


class TransformerTables:
    """A method for each table. Parts whose runs are not all done are in `missing`."""

    def __init__(self, runs: Runs) -> None:
        self.runs = runs
        self.objectives = runs.experiment.objectives
        # (part, objective) → keys of the seeds that are done
        self._keys = {
            (part, objective): [
                key
                for key in (runs.planned(part, objective, seed).key for seed in range(runs.plan.seeds))
                if runs.done(key)
            ]
            for part in runs.plan.parts
            for objective in self.objectives
            if all(runs.done(one.key) for one in runs.choices())
        }
        self.parts = [
            part
            for part in runs.plan.parts
            if all(self._keys.get((part, objective)) for objective in self.objectives)
            and all(runs.done("-".join((name, *part))) for name in (NAMES, BASE))
        ]
        self.missing = [part for part in runs.plan.parts if part not in self.parts]

    def _right(self, part: Part, column: str, what: str = "alone") -> Array:
        """(seeds, mentions) of an objective, NAMES, BASE or "retrieval"."""
        dev = self.runs.dev(part)
        if column == "retrieval":
            return np.asarray((dev.candidates[:, 0] == dev.gold)[None])
        if column in (NAMES, BASE):
            return np.asarray(self.runs.right("-".join((column, *part)), what)[None])
        return np.stack([self.runs.right(key, what) for key in self._keys[part, column]])

    def _title(self, part: Part) -> tuple[str, str]:
        return TITLES[part[0]], part[1]

    def training(self) -> str:
        """How long each run was, on what, and what share of the paper's epochs."""
        rows = []
        for part in self.parts:
            passes = self.runs.plan.passes[part[0]]
            facts = [self.runs.facts(key) for kind in self.objectives for key in self._keys[part, kind]]
            minutes = [one["seconds"] / 60 for one in facts]
            rows.append(
                (
                    *self._title(part), f"{facts[0]['steps']:,}", f"{passes:g}", f"{100 * passes / EPOCHS[part[0]]:.0f}",
                    f"{min(minutes):.1f} to {max(minutes):.1f}", max(one["sessions"] for one in facts),
                    "; ".join(sorted({f"{counted(one['threads'], 'threads')} of {one['cpu']}" for one in facts})),
                )
            )  # fmt: skip
        head = ("corpus", "retrieval", "batches", "passes over the clusters", "of the paper's epochs, %",
                "minutes a run", "sessions at most", "on")  # fmt: skip
        return markdown(head, rows)

    def corpora(self) -> str:
        """What is learnt from and scored."""
        rows = []
        for corpus in dict.fromkeys(corpus for corpus, _ in self.parts):
            part = next(one for one in self.parts if one[0] == corpus)
            train, dev = self.runs.train(part), self.runs.dev(part)
            known = {context.text for context in train.contexts}
            rows.append(
                (
                    TITLES[corpus], f"{len(train):,}", f"{len(Clusters(train)):,}", f"{len(dev):,}",
                    percent(np.isin(dev.gold, train.gold).mean()),
                    percent(np.mean([context.text in known for context in dev.contexts])),
                    "; ".join(f"{count:,} {why}" for why, count in dev.linked.left_out.items() if count),
                )
            )  # fmt: skip
        head = ("corpus", "train", "clusters", "dev", "dev concepts seen, %", "dev surfaces seen, %",
                "of dev left out")  # fmt: skip
        return markdown(head, rows)

    def recall(self) -> str:
        """Of the candidates."""
        rows = []
        for part in self.parts:
            dev = self.runs.dev(part)
            among = dev.candidates == dev.gold[:, None]
            cells = [percent(among[:, :k].any(1).mean()) for k in KS[:-1]]
            rows.append((*self._title(part), *cells, share(among.any(1), dev.documents)))
        return markdown(("corpus", "retrieval", *(f"@{k}" for k in KS)), rows)

    def accuracy(self, what: str) -> str:
        """Acc@1: "alone", by the nearest candidate, or "combined", with retrieval's score."""
        columns = ("retrieval", *((NAMES, BASE) if what == "alone" else ()), *self.objectives)
        rows = []
        for part in self.parts:
            documents, cells = self.runs.dev(part).documents, []
            for column in columns:
                right = self._right(part, column, what)
                deviation = spread(right.mean(axis=1).tolist()).partition("±")[2]
                cells.append(share(right.mean(axis=0), documents) + (f" ±{deviation}" if deviation else ""))
            rows.append((*self._title(part), *cells))
        return markdown(("corpus", "retrieval", *map(short, columns)), rows)

    def differences(self, what: str) -> str:
        """Each objective against the one before, the last against the first, and against retrieval."""
        kinds = self.objectives
        pairs = [
            *zip(kinds[1:], kinds[:-1], strict=True),
            (kinds[-1], kinds[0]),
            (kinds[0], "retrieval"),
            (kinds[-1], "retrieval"),
        ]
        rows = []
        for part in self.parts:
            documents = self.runs.dev(part).documents
            cells = [
                compared(self._right(part, one, what), self._right(part, other, what), documents)
                for one, other in pairs
            ]
            rows.append((*self._title(part), *cells))
        return markdown(("corpus", "retrieval", *(f"{short(a)} − {short(b)}" for a, b in pairs)), rows)

    def seen(self) -> str:
        """Acc@1 by whether train has the concept, or the surface."""
        rows = []
        columns = ("retrieval", *self.objectives)
        for part in self.parts:
            train, dev = self.runs.train(part), self.runs.dev(part)
            texts = {context.text for context in train.contexts}
            concepts = np.isin(dev.gold, train.gold)
            surfaces = np.array([context.text in texts for context in dev.contexts])
            groups = {
                "concept seen": concepts,
                "concept unseen": ~concepts,
                "surface seen": surfaces,
                "surface unseen": ~surfaces,
            }
            for name, group in groups.items():
                if not group.any():
                    continue
                own = [id for id, inside in zip(dev.documents, group, strict=True) if inside]
                cells = [(self._right(part, column).mean(axis=0), own) for column in columns]
                cells.append((self._right(part, SRN, "combined").mean(axis=0), own))
                rows.append(
                    (
                        *self._title(part),
                        f"{name}, n = {group.sum():,}",
                        *(share(right[group], own) for right, own in cells),
                    )
                )
        head = (
            "corpus",
            "retrieval",
            "mentions",
            *map(short, columns),
            f"{SHORT[SRN]} with retrieval's score",
        )
        return markdown(head, rows)

    def radii(self) -> str:
        """λ as it was learnt."""
        rows = []
        for part in self.parts:
            facts = [self.runs.facts(key) for key in self._keys[part, SRN]]
            first, last, excluded = (
                np.mean([one[name][place] for one in facts])
                for name, place in (("radius", 0), ("radius", -1), ("excluded", -1))
            )
            rows.append((*self._title(part), f"{first:.2f}", f"{last:.2f}", percent(float(excluded))))
        return markdown(
            ("corpus", "retrieval", "λ₀", "λ at the end", "mentions excluded in batches, %"), rows
        )

    def choice(self) -> str:
        """The learning rates tried."""
        choice = self.runs.plan.choice
        if len(choice.rates) == 1:
            return f"All runs use the rate {self.runs.rate():g}, chosen earlier; see the run file.\n"
        rows: list[tuple[Any, ...]] = []
        chosen = self.runs.rate()
        for rate in choice.rates:
            own = [one for one in self.runs.choices() if one.rate == rate]
            scores = [percent(self.runs.facts(one.key)["scores"]["acc@1"]) for one in own]
            rows.append((f"{rate:g}" + (", chosen" if rate == chosen else ""), *scores))
        corpus, retrieval = choice.part
        return (
            f"Acc@1 in % on documents held out of {TITLES[corpus]} train, {retrieval} candidates, after {choice.passes:g} passes:\n\n"
            + markdown(("learning rate", *map(short, choice.objectives)), rows)
        )

    def repeated(self) -> str:
        """Whether a run that was done twice gave the same numbers."""
        keys = [one.key for one in self.runs.repetitions()]
        if not all(map(self.runs.done, keys)):
            return "The repeated run is not done yet."
        first, again = map(self.runs.facts, keys)
        part = self.runs.plan.repeated.part
        same = first["distances"] == again["distances"] and first["weight"] == again["weight"]
        return (
            f"A run of {first['steps']} batches ({SHORT[self.runs.plan.repeated.objective]}, {TITLES[part[0]]}, {part[1]}) was "
            f"repeated with the same seed: all dev distances are {'equal bit for bit' if same else 'NOT equal'}."
            " The runs of the tables were made before additions on several threads became deterministic "
            "(`linnet.train.repeatable`): repeated, they may differ by the order of additions."
        )


def short(column: str) -> str:
    """A column's title."""
    titles = {"retrieval": "retrieval alone", NAMES: "MiniLM, names alone", BASE: "MiniLM, before training"}
    return SHORT.get(column) or titles[column]
