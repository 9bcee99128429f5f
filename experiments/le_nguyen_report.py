"""The tables and pictures of the Le & Nguyen experiment, from the results of its runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from le_nguyen_data import Found, Plan, Run, found
from result_tables import compared, machine, markdown, percent, share, spread

from linnet.artifact import digest
from linnet.evaluate.significance import mcnemar
from linnet.terminology import Terminology
from linnet.train.clusters import Clusters, LinkedCandidates

__all__ = ["pictured", "report", "rows_of"]

KS = (1, 2, 4, 8, 16, 32, 64)
SHORT = {
    "triplet-all": "TLA",
    "triplet-down-sampled": "TLD",
    "prototype": "PTL",
    "prototype-soft-radius": "PTL + SRN",
}
# Variant → what it is, and the objective it varies.
VARIANTS = {
    "triplet-all-unsquared": ("TLA without the squares", "triplet-all"),
    "soft-radius-tight": ("PTL + SRN, ϵ = 0", "prototype-soft-radius"),
    "soft-radius-paper": ("PTL + SRN, λ₀ = 11", "prototype-soft-radius"),
}
TITLES = {
    "bc5cdr-disease": "BC5CDR disease",
    "ncbi": "NCBI disease",
    "medmentions": "MedMentions (Mondo/HPO/DO)",
}
COLOURS = ("#4477AA", "#EE6677", "#228833", "#AA7700", "#66CCEE", "#AA3377", "#777777", "#000000")
SRN = "prototype-soft-radius"
# What the tables below say, with the settings as committed.
READING = """## What it shows

- **Reranking is worth it where training has the concept.** By distance alone every objective gains 7 to 8 points over dense
  retrieval on BC5CDR (over sparse: 4 to 6), 3 to 4 on NCBI (6 to 7), 0 to 1 on MedMentions (1 to 3); with retrieval's score 4 to 6 on
  MedMentions. Concepts that training lacks lose 7 to 20 points by distance alone, and retrieval's score gives back only a part of
  that: this encoder has seen no more language than the names and a few thousand mentions, where the paper's BERT has.
- **Prototype + soft radius ≥ prototype, triplets: reproduced with dense retrieval; prototype ≥ triplet: not.** PTL + SRN is the best of
  the four on all corpora with dense candidates, by 0.7 to 0.9 points over PTL and 0.3 to 1.5 over TLA, and on BC5CDR with sparse
  ones (on BC5CDR beyond the interval with either). With sparse candidates PTL leads on NCBI and MedMentions, by 0.5 and 0.2, within
  the interval. PTL and the triplets take turns (in the paper, too, PTL is below down-sampled triplets on MedMentions). One and the
  same objective varies by up to 2 points (standard deviation over seeds, NCBI). With retrieval's score PTL + SRN leads on BC5CDR with
  dense retrieval, by a point and beyond the interval; elsewhere the order is gone.
- **Why the prototype adds little**: after abbreviations are spelt out, one cluster in six (NCBI: in four) has more than one surface.
  The other prototypes are a single mention, or its mean with itself in other sentences.
- **Why the radius adds little**: distances within a cluster are near 0 (same surface) or far above the mean radius (another
  surface), so r̄ + 1 and r̄ leave out nearly the same mentions: those with another surface. λ then falls to about 1, as what is kept
  has hardly any radius, whether it began at r̄ or at 11: the soft radius undoes the prototype and leaves down-sampling by surface.
  That keeps more losses alive at the end than PTL has, which is what the radius is meant for.
- **Raw and unit vectors**: at the paper's λ₀ = 11, ϵ = 1 the raw vectors of this encoder lose 1 to 2 % of their mentions at the start,
  unit vectors none at all: there PTL + SRN is PTL, silently. A radius has to be measured for each encoder (`radius = "auto"`).
- **Squares**: TLA and TLD compare squared distances, so that a margin of 1.2 to 1.6 is met by a difference in distance of a tenth.
  After training 36 to 48 % of their mentions are within the margin of the unsquared losses, where PTL leaves 5 to 12 %. Without the
  squares TLA is half a point to a point above PTL on both corpora, within the intervals: no sign that the prototype itself wins.
- **Negatives**: each mention has 63 wrong candidates; after training all but 0.2 to 9 % of what is compared has no loss even against
  the hardest of them. All four objectives learn their training mentions by heart in these few epochs.
- **Sparse and dense**: dense retrieval puts more in the first places, and at 64 has 3 points more on BC5CDR and 4 on MedMentions. Reranked,
  dense candidates serve better by 2 points on these two, on NCBI both alike.
- **Time**: clusters save nothing here. All objectives encode all mentions of a batch of clusters, so TLD costs what TLA costs.
"""


def pictured(dev: LinkedCandidates) -> np.ndarray[Any, Any]:
    """Mentions of the concepts in the MDS picture: the eight with the most distinct texts, at most 15 mentions of each."""
    texts: dict[int, set[str]] = {}
    for gold, context in zip(dev.gold.tolist(), dev.contexts, strict=True):
        texts.setdefault(gold, set()).add(context.text)
    chosen = sorted(texts, key=lambda concept: (-len(texts[concept]), concept))[: len(COLOURS)]
    return np.concatenate([np.flatnonzero(dev.gold == concept)[:15] for concept in chosen])


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

    def histogram(self, file: Path) -> None:
        """Figure 3."""
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(
            1, len(self.plan.corpora), figsize=(4 * len(self.plan.corpora), 3), squeeze=False
        )
        for axis, corpus in zip(axes[0], self.plan.corpora, strict=True):
            parts = self.found(corpus, "dense")
            counts = Counter(Counter(np.concatenate([parts.train.gold, parts.held.gold]).tolist()).values())
            sizes = [size for size in sorted(counts) if size <= 50]
            axis.bar(sizes, [counts[size] for size in sizes], width=0.85, color=COLOURS[0])
            axis.set(
                title=TITLES[corpus], xlabel="training mentions of a concept", yscale="log", xlim=(0, 51)
            )
            more = sum(count for size, count in counts.items() if size > 50)
            axis.text(
                0.97,
                0.95,
                f"{more} concepts have more than 50",
                transform=axis.transAxes,
                ha="right",
                va="top",
                fontsize=8,
            )
        axes[0, 0].set_ylabel("concepts")
        _finish(figure, file)

    def recall_picture(self, file: Path) -> None:
        """Table 2 as a picture."""
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(
            1, len(self.plan.corpora), figsize=(4 * len(self.plan.corpora), 3), sharey=True, squeeze=False
        )
        for axis, corpus in zip(axes[0], self.plan.corpora, strict=True):
            for retrieval, colour, mark in zip(self.plan.seeds, COLOURS, "os", strict=False):
                dev = self.found(corpus, retrieval).dev
                values = [100 * dev.recall(k) for k in KS]
                axis.plot(KS, values, color=colour, marker=mark, label=retrieval)
            axis.set(title=TITLES[corpus], xlabel="candidates", xscale="log")
            axis.set_xticks(KS, [str(k) for k in KS])
            axis.minorticks_off()
            axis.grid(alpha=0.3)
        axes[0, 0].set_ylabel("recall, %")
        axes[0, 0].legend(frameon=False)
        _finish(figure, file)

    def scaling(self, file: Path, corpus: str, kinds: Sequence[str]) -> str:
        """Figure 4; returns the mean distances it shows."""
        import matplotlib.pyplot as plt
        from sklearn.manifold import MDS

        dev = self.found(corpus, "dense").dev
        numbers = pictured(dev)
        gold = dev.gold[numbers]
        concepts = list(dict.fromkeys(gold.tolist()))
        terminology = Terminology.open(self.plan.terminology(corpus))
        figure, axes = plt.subplots(1, len(kinds), figsize=(5.2 * len(kinds), 5.4), squeeze=False)
        rows = []
        for axis, kind in zip(axes[0], kinds, strict=True):
            arrays = self.files(corpus, "dense", kind)[0]
            first = [int(np.flatnonzero(gold == concept)[0]) for concept in concepts]
            stars, dots = arrays["entities"][first], arrays["shown"]
            everything = np.concatenate([stars, dots])
            scaling = MDS(
                n_components=2,
                random_state=0,
                n_init=4,
                max_iter=500,
                normalized_stress="auto",
                init="random",
            )
            flat = scaling.fit_transform(everything)
            for i, concept in enumerate(concepts):
                own = flat[len(concepts) :][gold == concept]
                axis.scatter(own[:, 0], own[:, 1], s=22, color=COLOURS[i], alpha=0.75, linewidths=0)
                axis.scatter(
                    flat[i, 0], flat[i, 1], s=190, marker="*", color=COLOURS[i], edgecolors="white",
                    linewidths=0.8, label=terminology.name(int(concept)), zorder=3,
                )  # fmt: skip
            axis.set(title=SHORT[kind], xticks=[], yticks=[], aspect="equal")
            number = np.array([concepts.index(concept) for concept in gold.tolist()])
            own = np.linalg.norm(dots - stars[number], axis=1)
            others = np.linalg.norm(dots[:, None] - stars[None], axis=2)
            others[np.arange(len(dots)), number] = np.inf
            rows.append(
                (
                    SHORT[kind],
                    f"{own.mean():.2f}",
                    f"{others.min(1).mean():.2f}",
                    percent((own < others.min(1)).mean()),
                )
            )
        handles, labels = axes[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="lower center", ncols=4, frameon=False, fontsize=8)
        _finish(figure, file, bottom=0.13)
        head = (
            "objective",
            "mean distance to the own concept",
            "to the nearest other shown",
            "nearer to the own, %",
        )
        return markdown(head, rows)


def _finish(figure: Any, file: Path, *, bottom: float = 0.0) -> None:
    figure.tight_layout(rect=(0, bottom, 1, 1))
    figure.savefig(file, dpi=130, bbox_inches="tight")


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
    made.histogram(plan.results / "le-nguyen-mentions.png")
    made.recall_picture(plan.results / "le-nguyen-recall.png")
    distances = made.scaling(plan.results / "le-nguyen-mds.png", plan.corpora[0], ("triplet-all", SRN))
    return f"""# Retrieve and rerank: prototype triplets and soft-radius neighbours

Le & Nguyen 2023 on open data. Made by `python experiments/le_nguyen.py`; settings in `experiments/plans/le_nguyen.toml`
(digest {digest(Path(plan_file).read_text(encoding="utf-8"))[:8]}). How many seeds there are, the table of accuracies says.

The body is not BERT but the static dual encoder of `linnet.rerank.static`, started from an n-gram encoder self-aligned on the
terminology's own names, which is also the dense retriever (SapBERT's part in the paper);
[the other page](le-nguyen-transformer.md) has a transformer. Mentions count that have exactly one
concept and that the terminology has; a tenth of the training documents only chooses the weight of retrieval's score.
Intervals: 95 %, bootstrap over documents, of the mean over seeds; ± standard deviation over seeds.
BC5CDR and NCBI link to MEDIC (July 2012), dev sets. MedMentions: the train documents of ST21pv, four fifths to train on and one
to score, with the mentions whose CUI maps to Mondo, HPO or DO, linked to these three joined.

{READING}
## Corpora (table 1)

{made.statistics()}
![Training mentions of a concept](le-nguyen-mentions.png)

## Recall of the candidates, % (table 2)

{made.recall()}
![Recall at k](le-nguyen-recall.png)

## Acc@1 by the nearest candidate, % (table 3)

{made.accuracy("alone")}
Differences in points, paired bootstrap interval, McNemar's p of the first seed:

{made.differences("alone")}
## Acc@1 with retrieval's score, %

score = weight · retrieval − distance, the weight chosen on the documents held out.

{made.accuracy("combined")}
{made.differences("combined")}
## Seen and unseen, dense retrieval, % (table 5)

Train and held-out documents count as seen.

{made.seen()}
## Why the order is what it is

What prototypes are means of, in training, and what they are kept from (dense retrieval):

{made.clusters()}
How far apart the mentions of a cluster are, and the share of all mentions that a radius λ + ϵ around the anchor leaves out, %:

{made.radii()}
λ as it was learnt (λ₀ is the mean radius before training unless said otherwise, ϵ = 1):

{made.learnt_radius()}
What still has a loss, of what an objective compares:

{made.losses()}
One thing changed at a time, nearest candidate, dense retrieval, seeds: {plan.variant_seeds}; differences in points, paired
bootstrap interval, McNemar's p of the first seed:

{made.variants()}
## Time (table 6)

One thread, seconds of processor time, medians over seeds, dense retrieval, retrieval itself not counted. {machine()}.

{made.times()}
## Mentions (dots) and concepts (stars), multidimensional scaling (figure 4)

{TITLES[plan.corpora[0]]} dev, dense retrieval, first seed: the concepts with the most distinct surfaces.

![Multidimensional scaling](le-nguyen-mds.png)

{distances}"""
