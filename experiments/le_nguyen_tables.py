"""The tables of the static encoders of Le & Nguyen's experiment, from the results of their runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from le_nguyen_data import Found, found
from le_nguyen_frame import RETRIEVAL, SRN, Frame, seen_in, short
from le_nguyen_plan import Part, Plan
from paper_corpora import TITLES
from result_tables import Array, Right, left_out, markdown, percent

from linnet.terminology import Terminology
from linnet.train.clusters import Clusters, LinkedCandidates

__all__ = ["Tables"]

# Variant → what it is, and the objective it varies.
VARIANTS = {
    "triplet-all-unsquared": ("TLA without the squares", "triplet-all"),
    "soft-radius-tight": ("PTL + SRN, ϵ = 0", SRN),
    "soft-radius-paper": ("PTL + SRN, λ₀ = 11", SRN),
}
_LOSSES = {"triplet-all": "tla", "triplet-down-sampled": "tld", "prototype": "ptl", SRN: "srn"}


class Tables(Frame):
    """A method for each table; those without a word on retrieval are of dense retrieval."""

    def __init__(self, plan: Plan, retrievals: Sequence[str] | None = None) -> None:
        """retrievals: in the tables that have several, all if None"""
        self.plan, self.objectives = plan, plan.objectives
        chosen = tuple(plan.seeds) if retrievals is None else retrievals
        self.parts = [(corpus, retrieval) for corpus in plan.corpora for retrieval in chosen]

    def found(self, part: Part) -> Found:
        """See `found`."""
        return found(self.plan, part)

    def dev(self, part: Part) -> LinkedCandidates:
        """See `Frame.dev`."""
        return self.found(part).dev

    def learnt(self, part: Part) -> Sequence[LinkedCandidates]:
        """See `Frame.learnt`."""
        return self.found(part).train, self.found(part).held

    def runs(self, part: Part, kind: str) -> list[tuple[Any, ...]]:
        """Those that are kept, by seed."""
        return [run for run in ((*part, kind, seed) for seed in range(99)) if self.plan.kept.has(*run)]

    def flags(self, part: Part, column: str, what: str) -> Array:
        """See `Frame.flags`."""
        return np.stack([self.plan.kept.arrays(*run)[what] for run in self.runs(part, column)])

    def terminology(self, part: Part) -> Terminology:
        """See `Frame.terminology`."""
        return Terminology.open(self.plan.terminology(part[0]))

    def answers(self, part: Part) -> dict[str, Array]:
        """(seeds, mentions) rows of the concepts answered: by retrieval alone, and by each objective with retrieval's score."""
        made = {RETRIEVAL: self.dev(part).candidates[None, :, 0]}
        for kind in self.objectives:
            runs = (self.plan.kept.arrays(*run) for run in self.runs(part, kind))
            made[kind] = np.stack([arrays["answers"][1] for arrays in runs])
        return made

    def label(self, part: Part) -> tuple[str, str]:
        """See `Frame.label`."""
        return TITLES[part[0]], f"{part[1]}, seeds: {len(self.runs(part, self.objectives[-1]))}"

    def facts(self, corpus: str, kind: str) -> list[dict[str, Any]]:
        """Of each seed."""
        return [self.plan.kept.facts(*run) for run in self.runs((corpus, "dense"), kind)]

    def fact(self, corpus: str, kind: str, name: str) -> Any:
        """Mean over seeds."""
        return np.mean([facts[name] for facts in self.facts(corpus, kind)], axis=0)

    @cached_property
    def _corpora(self) -> dict[str, Found]:
        return {corpus: self.found((corpus, "dense")) for corpus in self.plan.corpora}

    def _trained(self) -> Iterator[tuple[str, str]]:
        return ((corpus, kind) for corpus in self.plan.corpora for kind in self.objectives)

    def all(self) -> dict[str, str]:
        """Table → Markdown, without that of the picture of vectors."""
        dense = [(corpus, "dense") for corpus in self.plan.corpora]
        return {
            "statistics": self.statistics(),
            "recall": self.recall(tested=True),
            "alone": self.accuracy("alone"),
            "alone_differences": self.differences("alone"),
            "combined": self.accuracy("combined"),
            "combined_differences": self.differences("combined"),
            "seen": self.seen(dense, retrieval=False),
            "times": self.times(),
            "clusters": self.clusters(),
            "radii": self.radii(),
            "learnt_radius": self.learnt_radius(),
            "losses": self.losses(),
            "variants": self.variants(),
        }

    def statistics(self) -> str:
        """Table 1."""
        rows = []
        for corpus, parts in self._corpora.items():
            clusters = Clusters(parts.train)
            rows.append(
                (
                    TITLES[corpus],
                    *(f"{len(part):,}" for part in (parts.train, parts.held, parts.dev, clusters)),
                    f"{clusters.sizes().mean():.2f}",
                    *(percent(seen.mean()) for seen in seen_in([parts.train], parts.dev)),
                    left_out(parts.dev.linked.left_out),
                    f"{parts.dev.overlapping:,}",
                )
            )
        seen = ("dev concepts seen, %", "dev surfaces seen, %", "of dev left out", "overlapping")
        return markdown(("corpus", "train", "held out", "dev", "clusters", "mentions a cluster", *seen), rows)

    def times(self) -> str:
        """Table 6."""
        rows = []
        for corpus, kind in self._trained():
            facts, count = self.facts(corpus, kind), len(self._corpora[corpus].dev)
            seconds, entities, inference, concepts = np.median([one["seconds"] for one in facts], axis=0)
            once, each = f"{concepts:,.0f} in {entities:.1f} s", f"{1000 * inference / count:.2f}"
            rows.append((TITLES[corpus], short(kind), f"{facts[0]['steps']:,}", f"{seconds:.0f}", once, each))
        took = ("training, s", "encoding concepts once", "reranking, ms a mention")
        return markdown(("corpus", "objective", "steps", *took), rows)

    def clusters(self) -> str:
        """What prototypes are means of."""
        rows = []
        for corpus, parts in self._corpora.items():
            part = parts.train
            members = Clusters(part).members
            texts = [{part.contexts[i].text for i in numbers} for numbers in members]
            allowed = (part.candidates >= 0) & (part.candidates != part.gold[:, None])
            several = (percent(np.mean([len(one) > 1 for one in some])) for some in (members, texts))
            among = percent(part.recall(self.plan.candidates))
            rows.append(
                (TITLES[corpus], f"{len(members):,}", *several, f"{allowed.sum(1).mean():.1f}", among)
            )
        several_head = ("several mentions, %", "several surfaces, %")
        among_head = ("wrong candidates a mention", "concept among the candidates, %")
        return markdown(("corpus", "clusters", *several_head, *among_head), rows)

    def radii(self) -> str:
        """How far apart the mentions of a cluster are, and what λ + ϵ leaves out of it."""
        names = ("length", "radius", "unit_radius")
        shares = ("beyond_own", "beyond_tight", "beyond_paper", "beyond_unit", "beyond_unit_own")
        rows = [
            (
                TITLES[corpus],
                "before" if when == "before" else short(kind),
                *(f"{self.fact(corpus, kind, f'{when}_{name}'):.2f}" for name in names),
                *(percent(self.fact(corpus, kind, f"{when}_{name}")) for name in shares),
            )
            for corpus in self.plan.corpora
            for when, kind in (("before", SRN), *(("after", kind) for kind in self.objectives))
        ]
        raw = [f"raw: {radius}" for radius in ("λ = r̄, ϵ = 1", "λ = r̄, ϵ = 0", "λ = 11, ϵ = 1")]
        unit = [f"unit: {radius}" for radius in ("λ = 11, ϵ = 1", "λ = r̄, ϵ = 1")]
        return markdown(
            ("corpus", "after", "length of vectors", "mean radius r̄", "r̄, unit vectors", *raw, *unit), rows
        )

    def learnt_radius(self) -> str:
        """λ over training."""
        rows = []
        for corpus in self.plan.corpora:
            for kind in (SRN, *self.plan.variants):
                facts = self.facts(corpus, kind)
                if facts and not np.isnan(facts[0]["radius"][0]):
                    first, last = self.fact(corpus, kind, "radius")
                    name = VARIANTS[kind][0] if kind in VARIANTS else short(kind)
                    excluded = percent(float(self.fact(corpus, kind, "excluded")))
                    rows.append((TITLES[corpus], name, f"{first:.2f}", f"{last:.2f}", excluded))
        return markdown(
            ("corpus", "objective", "λ₀", "λ at the end", "mentions excluded in batches, %"), rows
        )

    def losses(self) -> str:
        """How much of what is compared has a loss, before and after."""
        rows = []
        for corpus in self.plan.corpora:
            for kind, name in _LOSSES.items():
                facts = (f"before_loss_{name}", f"after_loss_{name}", "after_loss_plain")
                shares = (percent(float(self.fact(corpus, kind, fact))) for fact in facts)
                rows.append((TITLES[corpus], short(kind), *shares))
        unsquared = "mentions within the margin unsquared, after, %"
        return markdown(("corpus", "trained with", "with a loss before, %", "after, %", unsquared), rows)

    def variants(self) -> str:
        """The variants against what they vary, nearest candidate."""
        rows = []
        for corpus in self.plan.variant_corpora:
            for variant in self.plan.variants:
                name, of = VARIANTS[variant]
                right: Right = self.right((corpus, "dense"), variant)
                against = (
                    f"{right - self.right((corpus, 'dense'), other)} ({short(other)})"
                    for other in (of, "prototype")
                )
                rows.append((TITLES[corpus], name, right.share, *against))
        return markdown(("corpus", "variant", "Acc@1, %", "− what it varies", "− PTL"), rows)

    def rows_of_both(self) -> str:
        """The rows of these retrievals in the tables that have several, as Markdown; recall has those of all."""
        tables = {"Recall of the candidates": Tables(self.plan).recall(tested=True)}
        for what, title in (
            ("alone", "Acc@1 by the nearest candidate"),
            ("combined", "with retrieval's score"),
        ):
            tables |= {title: self.accuracy(what), f"differences, {title}": self.differences(what)}
        return "\n".join(f"## {title}\n\n{table}" for title, table in tables.items())
