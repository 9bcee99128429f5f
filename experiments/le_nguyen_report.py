"""The tables and pictures of the Le & Nguyen experiment, from the results of its runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from le_nguyen_data import Found, Plan, Run, found
from le_nguyen_pictures import histogram, recall_picture, scaling
from le_nguyen_titles import KS, SHORT, SRN, TITLES, VARIANTS
from result_tables import compared, machine, markdown, percent, share, spread

from linnet.artifact import digest
from linnet.evaluate.significance import mcnemar
from linnet.train.clusters import Clusters

__all__ = ["Report", "report", "rows_of"]


class Report:
    """Results read back, a table at a time."""

    def __init__(self, plan: Plan, plan_file: Path) -> None:
        self.plan, self.plan_file = plan, plan_file

    def found(self, corpus: str, retrieval: str) -> Found:
        """See `found`."""
        return found(self.plan_file, corpus, retrieval)

    def files(self, corpus: str, retrieval: str, kind: str) -> list[Any]:
        """The results of each seed."""
        paths = (self.plan.file(Run(corpus, retrieval, kind, seed)) for seed in range(99))
        return [np.load(path) for path in paths if path.exists()]

    def right(self, corpus: str, retrieval: str, kind: str, what: str = "alone") -> np.ndarray[Any, Any]:
        """(seeds, mentions of dev)"""
        return np.stack([file[what] for file in self.files(corpus, retrieval, kind)])

    def fact(self, corpus: str, kind: str, name: str) -> Any:
        """Mean over seeds, dense retrieval."""
        return np.mean([file[name] for file in self.files(corpus, "dense", kind)], axis=0)

    def statistics(self) -> str:
        """Table 1."""
        rows = []
        for corpus in self.plan.corpora:
            parts = self.found(corpus, "dense")
            seen = np.isin(parts.dev.gold, parts.train.gold)
            surfaces = {context.text for context in parts.train.contexts}
            known = np.array([context.text in surfaces for context in parts.dev.contexts])
            clusters = Clusters(parts.train)
            dropped = parts.dev.linked.left_out
            rows.append(
                (
                    TITLES[corpus], f"{len(parts.train):,}", f"{len(parts.held):,}", f"{len(parts.dev):,}",
                    f"{len(clusters):,}", f"{clusters.sizes().mean():.2f}", percent(seen.mean()), percent(known.mean()),
                    "; ".join(f"{count:,} {why}" for why, count in dropped.items() if count),
                    f"{parts.dev.overlapping:,}",
                )
            )  # fmt: skip
        head = ("corpus", "train", "held out", "dev", "clusters", "mentions a cluster", "dev concepts seen, %",
                "dev surfaces seen, %", "of dev left out", "overlapping")  # fmt: skip
        return markdown(head, rows)

    def recall(self) -> str:
        """Table 2."""
        rows = []
        for corpus in self.plan.corpora:
            hit = {}
            for retrieval in self.plan.seeds:
                dev = self.found(corpus, retrieval).dev
                among = dev.candidates == dev.gold[:, None]
                hit[retrieval] = among.any(1)
                cells = [percent(among[:, :k].any(1).mean()) for k in KS[:-1]]
                rows.append((TITLES[corpus], retrieval, *cells, share(among.any(1), dev.documents)))
            if len(hit) == 2:
                test = mcnemar(*(some.tolist() for some in hit.values()))
                rows[-1] = (*rows[-1][:-1], f"{rows[-1][-1]}, McNemar p = {test.p:.3g}")
        return markdown(("corpus", "retrieval", *(f"@{k}" for k in KS)), rows)

    def accuracy(self, what: str) -> str:
        """Table 3."""
        rows = []
        for corpus in self.plan.corpora:
            for retrieval in self.plan.seeds:
                dev = self.found(corpus, retrieval).dev
                own = share(dev.candidates[:, 0] == dev.gold, dev.documents)
                cells = []
                for kind in self.plan.objectives:
                    right = self.right(corpus, retrieval, kind, what)
                    both = share(right.mean(axis=0), dev.documents)
                    sd = spread(right.mean(axis=1).tolist()).partition("±")[2]
                    cells.append(both + (f" ±{sd}" if sd else ""))
                rows.append((TITLES[corpus], f"{retrieval}, seeds: {len(right)}", own, *cells))
        kinds = (SHORT[kind] for kind in self.plan.objectives)
        return markdown(("corpus", "retrieval", "retrieval alone", *kinds), rows)

    def differences(self, what: str) -> str:
        """Each objective against the one before, and the last against the first."""
        kinds = self.plan.objectives
        pairs = [*zip(kinds[1:], kinds[:-1], strict=True), (kinds[-1], kinds[0])]
        rows = []
        for corpus in self.plan.corpora:
            for retrieval in self.plan.seeds:
                documents = self.found(corpus, retrieval).dev.documents
                cells = [
                    compared(
                        self.right(corpus, retrieval, one, what),
                        self.right(corpus, retrieval, other, what),
                        documents,
                    )
                    for one, other in pairs
                ]
                rows.append((TITLES[corpus], retrieval, *cells))
        return markdown(("corpus", "retrieval", *(f"{SHORT[a]} − {SHORT[b]}" for a, b in pairs)), rows)

    def seen(self) -> str:
        """Table 5."""
        rows = []
        for corpus in self.plan.corpora:
            parts = self.found(corpus, "dense")
            concepts = np.isin(parts.dev.gold, np.concatenate([parts.train.gold, parts.held.gold]))
            texts = {context.text for part in (parts.train, parts.held) for context in part.contexts}
            surfaces = np.array([context.text in texts for context in parts.dev.contexts])
            groups = {
                "concept seen": concepts,
                "concept unseen": ~concepts,
                "surface seen": surfaces,
                "surface unseen": ~surfaces,
            }
            for name, group in groups.items():
                own = [id for id, inside in zip(parts.dev.documents, group, strict=True) if inside]
                cells = [share((parts.dev.candidates[:, 0] == parts.dev.gold)[group], own)]
                for kind in self.plan.objectives:
                    cells.append(share(self.right(corpus, "dense", kind).mean(axis=0)[group], own))
                last = self.right(corpus, "dense", self.plan.objectives[-1], "combined").mean(axis=0)
                rows.append((TITLES[corpus], f"{name}, n = {group.sum():,}", *cells, share(last[group], own)))
        kinds = (SHORT[kind] for kind in self.plan.objectives)
        last = f"{SHORT[self.plan.objectives[-1]]} with retrieval's score"
        return markdown(("corpus", "mentions", "retrieval alone", *kinds, last), rows)

    def times(self) -> str:
        """Table 6."""
        rows = []
        for corpus in self.plan.corpora:
            count = len(self.found(corpus, "dense").dev)
            for kind in self.plan.objectives:
                files = self.files(corpus, "dense", kind)
                seconds, entities, inference, concepts = np.median([f["seconds"] for f in files], axis=0)
                rows.append(
                    (
                        TITLES[corpus], SHORT[kind], f"{int(files[0]['steps']):,}", f"{seconds:.0f}",
                        f"{concepts:,.0f} in {entities:.1f} s", f"{1000 * inference / count:.2f}",
                    )
                )  # fmt: skip
        head = (
            "corpus",
            "objective",
            "steps",
            "training, s",
            "encoding concepts once",
            "reranking, ms a mention",
        )
        return markdown(head, rows)

    def clusters(self) -> str:
        """What prototypes are means of."""
        rows = []
        for corpus in self.plan.corpora:
            part = self.found(corpus, "dense").train
            members = Clusters(part).members
            texts = [{part.contexts[i].text for i in numbers} for numbers in members]
            allowed = (part.candidates >= 0) & (part.candidates != part.gold[:, None])
            rows.append(
                (
                    TITLES[corpus], f"{len(members):,}", percent(np.mean([len(m) > 1 for m in members])),
                    percent(np.mean([len(t) > 1 for t in texts])), f"{allowed.sum(1).mean():.1f}",
                    percent(part.recall(self.plan.candidates)),
                )
            )  # fmt: skip
        head = ("corpus", "clusters", "several mentions, %", "several surfaces, %", "wrong candidates a mention",
                "concept among the candidates, %")  # fmt: skip
        return markdown(head, rows)

    def radii(self) -> str:
        """How far apart the mentions of a cluster are, and what λ + ϵ leaves out of it."""
        rows = []
        for corpus in self.plan.corpora:
            for when, kind in (("before", SRN), *(("after", kind) for kind in self.plan.objectives)):
                names = ("length", "radius", "unit_radius")
                shares = ("beyond_own", "beyond_tight", "beyond_paper", "beyond_unit", "beyond_unit_own")
                rows.append(
                    (
                        TITLES[corpus], "before" if when == "before" else SHORT[kind],
                        *(f"{self.fact(corpus, kind, f'{when}_{name}'):.2f}" for name in names),
                        *(percent(self.fact(corpus, kind, f"{when}_{name}")) for name in shares),
                    )
                )  # fmt: skip
        head = ("corpus", "after", "length of vectors", "mean radius r̄", "r̄, unit vectors", "raw: λ = r̄, ϵ = 1", "raw: λ = r̄, ϵ = 0",
                "raw: λ = 11, ϵ = 1", "unit: λ = 11, ϵ = 1", "unit: λ = r̄, ϵ = 1")  # fmt: skip
        return markdown(head, rows)

    def learnt_radius(self) -> str:
        """λ over training."""
        rows = []
        for corpus in self.plan.corpora:
            for kind in (SRN, *self.plan.variants):
                files = self.files(corpus, "dense", kind)
                if not files or np.isnan(files[0]["radius"][0]):
                    continue
                first, last = self.fact(corpus, kind, "radius")
                name = SHORT.get(kind) or VARIANTS[kind][0]
                rows.append(
                    (
                        TITLES[corpus], name, f"{first:.2f}", f"{last:.2f}",
                        percent(float(self.fact(corpus, kind, "excluded"))),
                    )
                )  # fmt: skip
        return markdown(
            ("corpus", "objective", "λ₀", "λ at the end", "mentions excluded in batches, %"), rows
        )

    def losses(self) -> str:
        """How much of what is compared has a loss, before and after."""
        rows = []
        names = {"triplet-all": "tla", "triplet-down-sampled": "tld", "prototype": "ptl", SRN: "srn"}
        for corpus in self.plan.corpora:
            for kind, name in names.items():
                rows.append(
                    (
                        TITLES[corpus], SHORT[kind],
                        percent(float(self.fact(corpus, kind, f"before_loss_{name}"))),
                        percent(float(self.fact(corpus, kind, f"after_loss_{name}"))),
                        percent(float(self.fact(corpus, kind, "after_loss_plain"))),
                    )
                )  # fmt: skip
        head = (
            "corpus",
            "trained with",
            "with a loss before, %",
            "after, %",
            "mentions within the margin unsquared, after, %",
        )
        return markdown(head, rows)

    def variants(self) -> str:
        """The variants against what they vary, nearest candidate."""
        rows = []
        for corpus in self.plan.variant_corpora:
            documents = self.found(corpus, "dense").dev.documents
            for variant in self.plan.variants:
                name, of = VARIANTS[variant]
                right = self.right(corpus, "dense", variant)
                cells = [share(right.mean(axis=0), documents)]
                for other in (of, "prototype"):
                    against = self.right(corpus, "dense", other)[: len(right)]
                    cells.append(f"{compared(right, against, documents)} ({SHORT[other]})")
                rows.append((TITLES[corpus], name, *cells))
        return markdown(("corpus", "variant", "Acc@1, %", "− what it varies", "− PTL"), rows)


def rows_of(plan: Plan, plan_file: Path, retrieval: str) -> str:
    """The rows of one retrieval in the tables that have both, as Markdown; recall has those of both."""
    one = Report(replace(plan, seeds={retrieval: plan.seeds[retrieval]}), plan_file)
    tables = {"Recall of the candidates": Report(plan, plan_file).recall()}
    for what, title in (("alone", "Acc@1 by the nearest candidate"), ("combined", "with retrieval's score")):
        tables |= {title: one.accuracy(what), f"differences, {title}": one.differences(what)}
    return "\n".join(f"## {title}\n\n{table}" for title, table in tables.items())


def report(plan: Plan, plan_file: Path) -> str:
    """The tables as Markdown, pictures written beside."""
    import matplotlib

    matplotlib.use("Agg")
    made = Report(plan, plan_file)
    histogram(made, plan.results / "le-nguyen-mentions.png")
    recall_picture(made, plan.results / "le-nguyen-recall.png")
    distances = scaling(made, plan.results / "le-nguyen-mds.png", plan.corpora[0], ("triplet-all", SRN))
    return (Path(__file__).parent / "le-nguyen.md").read_text(encoding="utf-8").format(
        run_file=digest(Path(plan_file).read_text(encoding="utf-8"))[:8], machine=machine(),
        statistics=made.statistics(), recall=made.recall(), seen=made.seen(), times=made.times(),
        alone=made.accuracy("alone"), alone_differences=made.differences("alone"),
        combined=made.accuracy("combined"), combined_differences=made.differences("combined"),
        clusters=made.clusters(), radii=made.radii(), learnt_radius=made.learnt_radius(), losses=made.losses(),
        variants=made.variants(), variant_seeds=plan.variant_seeds, corpus=TITLES[plan.corpora[0]], distances=distances,
    )  # fmt: skip
