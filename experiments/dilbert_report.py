"""The tables and pictures of the DILBERT experiment, from its answers."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from dilbert_data import TRIALS, Plan, asked, mentions_of, place_of, terminology
from dilbert_judging import Array, all_hit, document_f1, judged, refined_places
from nil_thresholds import NilCases, is_nil, nil_rules, nil_threshold
from progress import say
from result_tables import compared, machine, markdown, percent, share, spread

from linnet.artifact import digest
from linnet.evaluate.gold import golds_of
from linnet.evaluate.hierarchy import Hierarchy
from linnet.evaluate.resolution import current_ids
from linnet.evaluate.vocabulary import Vocabulary
from linnet.link import Pipeline

__all__ = ["report"]

TITLES = {
    "bc5cdr-disease": "BC5CDR disease",
    "ncbi": "NCBI disease",
    "bc5cdr-chemical": "BC5CDR chemical",
    "tmvar3": "tmVar3 disease",
    "conditions": "conditions of trials",
    "strings": "bare strings",
    "interventions": "drugs of trials",
}
RULES = {
    "none": "nothing is NIL",
    "default": "linnet's default `min_score`",
    "false-positives": "1: nearest without a concept",
    "true-positives": "2: farthest that is right",
    "weighted": "3: FP · (1) + TP · (2)",
    "weighted-crossed": "3, crossed: TP · (1) + FP · (2)",
    "most-right": "most right of the 100",
    "train": "most right on train",
    "best": "the best there is, chosen on the mentions judged",
}
SYSTEMS = {
    "distance": "DILBERT, distance",
    "relative": "DILBERT, distance over length",
    "linker": "linnet's linker (exact, dense)",
}
COLOURS = ("#4477AA", "#EE6677", "#228833", "#AA7700", "#AA3377")


class Report:
    """Results read back, a table at a time. `right` arrays are (seeds, mentions)."""

    def __init__(self, plan: Any) -> None:
        """plan: of either encoder"""
        self.plan = plan
        self.strategies = ["untrained", *plan.strategies]
        self.answers = cache(self._answers)

    def _answers(self, corpus: str, strategy: str, seed: int) -> Any:
        return json.loads(self.plan.file(corpus, strategy, seed).read_text(encoding="utf-8"))

    def seeds(self, corpus: str, strategy: str) -> range:
        """Of the encoders trained on a corpus with a strategy."""
        return range(self.plan.seeds[corpus])

    def hierarchy(self) -> str:
        """Where MEDIC's parents come from."""
        rows = json.loads((self.plan.work / "hierarchy.json").read_text())
        total = len(terminology(self.plan.work / "medic"))
        cells = [
            (name, f"{matched:,}", f"{gained:,}", f"{having:,} of {total:,} ({percent(having / total)} %)")
            for name, matched, gained, having in rows
        ]
        return markdown(("from", "concepts in common", "gained parents", "then have parents"), cells)

    def choices(self) -> str:
        """Margins and learning rates on held-out documents of train."""
        rates = self.plan.choices["learning_rate"]
        rows = []
        for margin in self.plan.choices["margin"]:
            cells = []
            for rate in rates:
                files = [self.plan.file("choice", margin, rate, fold) for fold in range(self.plan.folds)]
                values = [json.loads(file.read_text())["right"] for file in files]
                cells.append(percent(float(np.mean(values))))
            rows.append((f"{margin:g}", *cells))
        return markdown(("margin", *(f"learning rate {rate:g}" for rate in rates)), rows)

    def judged(self, corpus: str, target: str, strategy: str) -> Array:
        """(3, seeds, mentions): the whole text, whether it has one concept, the full set; see `judged`."""
        some = asked(target)
        place = terminology(self.plan.work / place_of(target))
        made = [
            judged(
                some.golds,
                some.texts,
                self.answers(corpus, strategy, seed)["answers"][target],
                place,
            )
            for seed in self.seeds(corpus, strategy)
        ]
        return np.array(made).swapaxes(0, 1)

    def subset(self, corpus: str, target: str) -> list[int]:
        """The refined places of what is linked."""
        return refined_places(asked(target).golds, golds_of(mentions_of(corpus, "train")))

    def accuracy(self, corpus: str, target: str) -> str:
        """All dev mentions, refined single-concept ones, the refined full set, and the differences from random."""
        documents = np.array(asked(target).documents)
        places = self.subset(corpus, target)
        rows: list[tuple[str, ...]] = []
        base: dict[str, Array] = {}
        n: tuple[int, ...] = ()
        for strategy in self.strategies:
            right, single, full = self.judged(corpus, target, strategy)
            one = single[0].astype(bool)
            chosen = [i for i in places if one[i]]
            n = int(one.sum()), len(chosen), len(places)
            views = {
                "all": (right[:, one], documents[one].tolist()),
                "single": (right[:, chosen], documents[chosen].tolist()),
                "full": (full[:, places], documents[places].tolist()),
            }
            cells = []
            for name, (flags, where) in views.items():
                if strategy == "random":
                    base[name] = flags
                spread_of = spread(flags.mean(axis=1).tolist()).partition("±")[2]
                cells.append(share(flags.mean(axis=0), where) + (f" ±{spread_of}" if spread_of else ""))
            against = [
                compared(views[name][0], base[name][: len(right)], views[name][1])
                if strategy not in ("untrained", "random")
                else ""
                for name in ("single", "full")
            ]
            rows.append((strategy, *cells, *against))
        head = (
            "names chosen", f"all, single-concept, n = {n[0]:,}", f"refined, single-concept, n = {n[1]:,}",
            f"refined, full set, n = {n[2]:,}", "refined single − random", "refined full − random",
        )  # fmt: skip
        return markdown(head, rows)

    def trials(self, corpus: str, target: str) -> str:
        """Entries of clinical trials, against the terms the registry gave their trials."""
        some, place = asked(target), terminology(self.plan.work / place_of(target))
        terms = [
            frozenset(i for i in current_ids(g.concepts, place.resolve) if place.row(i) >= 0)
            for g in some.golds
        ]
        keep = [i for i in self.subset(corpus, target) if terms[i]]
        entries = Counter(gold.document for gold in some.golds)
        single = [i for i in keep if entries[some.golds[i].document] == 1 and len(terms[i]) == 1]
        documents = np.array(some.documents)
        rows: list[tuple[str, ...]] = []
        base: dict[str, Array] = {}
        for strategy in self.strategies:
            seeds = self.seeds(corpus, strategy)
            found = [self.answers(corpus, strategy, seed)["answers"][target] for seed in seeds]
            whole = np.array(
                [[bool(terms[i] & set(f[some.texts[i]]["whole"])) for i in single] for f in found]
            )
            full = np.array([[all_hit(f[some.texts[i]], terms[i]) for i in keep] for f in found])
            scores = [document_f1(f, some, terms) for f in found]
            if strategy == "random":
                base = {"single": whole, "full": full}
            difference = (
                compared(full, base["full"][: len(full)], documents[keep].tolist())
                if strategy not in ("untrained", "random")
                else ""
            )
            cells = [
                share(flags.mean(axis=0), documents[places].tolist())
                for flags, places in ((whole, single), (full, keep))
            ]
            rows.append((strategy, *cells, difference, spread(scores)))
        head = ("names chosen", f"single, n = {len(single)}", f"all entries, n = {len(keep)}",
                "all entries − random", "F1 of the terms of a trial")  # fmt: skip
        return markdown(head, rows)

    def mistakes(self, corpus: str, target: str) -> str:
        """What the wrong concept is of the right one, of the mistakes on refined single-concept mentions."""
        some, place = asked(target), terminology(self.plan.work / place_of(target))
        tree = Hierarchy(Vocabulary([place]).parents)
        kinds = ("parent", "child", "sibling", "ancestor", "descendant", "unrelated", "not in the hierarchy")
        rows = []
        for strategy in self.strategies:
            right, single, _ = self.judged(corpus, target, strategy)
            counts: Counter[str] = Counter()
            for seed in range(len(right)):
                found = self.answers(corpus, strategy, seed)["answers"][target]
                for i in self.subset(corpus, target):
                    if single[seed, i] and not right[seed, i]:
                        [gold] = current_ids(some.golds[i].concepts, place.resolve)
                        counts[tree.relation(gold, found[some.texts[i]]["whole"][0])] += 1
            total = sum(counts.values())
            rows.append((strategy, f"{total / len(right):.0f}", *(percent(counts[k] / total) for k in kinds)))
        return markdown(("names chosen", "mistakes", *(f"{kind}, %" for kind in kinds)), rows)

    def seconds(self, corpus: str) -> str:
        """Seconds of training, by strategy."""
        times = {
            name: np.median(
                [self.answers(corpus, name, seed)["seconds"] for seed in self.seeds(corpus, name)]
            )
            for name in self.plan.strategies
        }
        return ", ".join(f"{name} {value:.0f}" for name, value in times.items())

    # ── NIL ──────────────────────────────────────────────────────────────────────────────────────────────────

    def cases(self, corpus: str, number: int, system: str, part: str = "dev") -> NilCases:
        """The mentions of one removal as a system sees them."""
        rows = json.loads(self.plan.file("nil", corpus, number).read_text(encoding="utf-8"))[part]
        known = np.array([row["known"] for row in rows])
        if system == "linker":
            scores, right = zip(*(row["linker"] for row in rows), strict=True)
            return NilCases(np.array(scores), known, np.array(right, bool) & known)
        away = np.array(
            [row["nearest"][0] / (row["nearest"][1] if system == "relative" else 1) for row in rows]
        )
        return NilCases(-away, known, np.array([row["nearest"][2] for row in rows], bool) & known)

    def nil_scores(self, corpus: str, system: str) -> dict[str, Array]:
        """Rule → (repetitions, 4): accuracy over all; precision, recall and F1 of NIL."""
        found: dict[str, list[tuple[float, ...]]] = {rule: [] for rule in RULES}
        for number in range(self.plan.nil.removals):
            cases, train = self.cases(corpus, number, system), self.cases(corpus, number, system, "held")
            for split in range(self.plan.nil.splits):
                order = np.random.default_rng([number, split]).permutation(len(cases))
                tuning, rest = (
                    cases.take(order[: self.plan.nil.tuning]),
                    cases.take(order[self.plan.nil.tuning :]),
                )
                for rule in RULES:
                    if rule == "none":
                        threshold = -np.inf
                    elif rule == "default":
                        threshold = Pipeline().min_score
                    elif rule == "train":
                        threshold = nil_threshold(train, "most-right")
                    elif rule == "best":
                        threshold = nil_threshold(rest, "most-right")
                    else:
                        threshold = nil_threshold(tuning, rule)
                    nil, gold = is_nil(rest.scores, threshold), ~rest.known
                    both = int((nil & gold).sum())
                    precision, recall = both / max(1, nil.sum()), both / gold.sum()
                    f1 = 2 * both / (nil.sum() + gold.sum())
                    found[rule].append((rest.judge(threshold).mean(), precision, recall, f1))
        return {rule: np.array(rows) for rule, rows in found.items()}

    def nil(self, corpus: str) -> str:
        """§5.4: accuracy over all mentions, linked right or rightly NIL."""
        scores = {system: self.nil_scores(corpus, system) for system in SYSTEMS}
        rows = []
        for rule, title in RULES.items():
            cells = []
            for system in SYSTEMS:
                accuracy, *_, f1 = scores[system][rule].T
                if rule == "default" and system != "linker":
                    cells += ["", ""]
                    continue
                cells += [spread(accuracy.tolist()), "" if rule == "none" else spread(f1.tolist())]
            rows.append((title, *cells))
        head = [name for title in SYSTEMS.values() for name in (title, "F1 of NIL")]
        return markdown(("threshold", *head), rows)

    def nil_precision(self, corpus: str) -> str:
        """Precision and recall of NIL."""
        rows = []
        for system, title in SYSTEMS.items():
            scores = self.nil_scores(corpus, system)
            rows.append(
                (title, *(f"{percent(v[:, 1].mean())} / {percent(v[:, 2].mean())}" for r, v in scores.items() if r in nil_rules))
            )  # fmt: skip
        return markdown(("NIL: precision / recall", *(RULES[rule] for rule in nil_rules)), rows)

    def nil_facts(self, corpus: str) -> str:
        """How many mentions, and how many of them NIL."""
        known = [self.cases(corpus, number, "distance").known for number in range(self.plan.nil.removals)]
        removed = [
            len(json.loads(self.plan.file("nil", corpus, number).read_text())["removed"])
            for number in range(self.plan.nil.removals)
        ]
        gone = " to ".join(map(str, dict.fromkeys((min(removed), max(removed)))))
        return (
            f"{len(known[0]):,} refined mentions, of which {percent(float(np.mean([(~k).mean() for k in known])))} % have no concept "
            f"once {gone} concepts are gone"
        )

    def nil_picture(self, corpus: str, file: Path) -> None:
        """Scores of mentions that are linked right, wrong, or mean nothing; and what is right at each threshold."""
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(2, len(SYSTEMS), figsize=(11, 5.6), sharex="col")
        rules = [rule for rule in nil_rules if rule != "most-right"]
        for column, (system, title) in enumerate(SYSTEMS.items()):
            parts = [self.cases(corpus, number, system) for number in range(self.plan.nil.removals)]
            cases = NilCases(
                np.concatenate([c.scores for c in parts]),
                np.concatenate([c.known for c in parts]),
                np.concatenate([c.right for c in parts]),
            )
            sign = 1 if system == "linker" else -1
            kinds = {
                "linked right": cases.right,
                "linked wrong": cases.known & ~cases.right,
                "without a concept": ~cases.known,
            }
            bins = np.linspace(*np.quantile(sign * cases.scores, [0.0, 1.0]), 40).tolist()
            for (name, mask), colour in zip(kinds.items(), COLOURS, strict=False):
                axes[0, column].hist(
                    sign * cases.scores[mask], bins=bins, log=True, histtype="step", linewidth=1.4,
                    label=name, color=colour,
                )  # fmt: skip
            tried = np.unique(cases.scores)
            axes[1, column].plot(
                sign * tried, [100 * cases.judge(t).mean() for t in tried], color="#333333", linewidth=1.2
            )
            tuning = [
                cases.take(
                    np.random.default_rng(seed).choice(len(cases), self.plan.nil.tuning, replace=False)
                )
                for seed in range(20)
            ]
            for rule, colour in zip((*rules, "most-right"), COLOURS, strict=True):
                points = np.array([nil_threshold(some, rule) for some in tuning])
                points = points[np.isfinite(points)]
                axes[1, column].plot(
                    sign * points, [100 * cases.judge(t).mean() for t in points], "o", markersize=4,
                    color=colour, alpha=0.6, label=RULES[rule],
                )  # fmt: skip
            axes[0, column].set_title(title, fontsize=10)
            axes[1, column].set_xlabel(
                "score" if system == "linker" else "threshold: distance to the nearest name"
            )
        axes[0, 0].set_ylabel("mentions")
        axes[1, 0].set_ylabel("right, linked or NIL, %")
        axes[0, 0].legend(frameon=False, fontsize=8)
        handles, labels = axes[1, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="lower center", ncols=3, frameon=False, fontsize=8)
        figure.tight_layout(rect=(0, 0.09, 1, 1))
        figure.savefig(file, dpi=130)
        plt.close(figure)


# ── the report ───────────────────────────────────────────────────────────────────────────────────────────────


def report(plan: Plan, file: str) -> None:
    """Write docs/results/dilbert.md and the picture beside it."""
    import matplotlib

    matplotlib.use("Agg")
    plan.results.mkdir(parents=True, exist_ok=True)
    made = Report(plan)
    main, nil = next(iter(plan.seeds)), plan.nil.corpora[0]
    bag, gone = plan.encoder, plan.nil
    size = f"{bag['buckets']:,} × {bag['dimensions']}"
    made.nil_picture(nil, plan.results / "dilbert-nil.png")
    in_domain = "\n".join(f"### {TITLES[c]}\n\n{made.accuracy(c, c)}" for c in plan.seeds)
    across = "\n".join(
        f"### Trained on {TITLES[corpus]}, linked {TITLES[target]}\n\n{made.accuracy(corpus, target)}"
        for corpus in plan.seeds
        for target in plan.transfer[corpus]
        if target != corpus and target not in TRIALS
    )
    trials = "\n".join(
        f"### Trained on {TITLES[corpus]}, linked {TITLES[target]}\n\n{made.trials(corpus, target)}"
        for corpus in plan.seeds
        for target in plan.transfer[corpus]
        if target in TRIALS
    )
    seeds = ", ".join(f"{TITLES[corpus]} {count}" for corpus, count in plan.seeds.items())
    other = "dilbert-transformer.md"
    beside = (
        f" The same with a pretrained transformer: [{other}]({other})."
        if (plan.results / other).exists()
        else ""
    )
    page = (Path(__file__).parent / "dilbert.md").read_text(encoding="utf-8").format(
        run_file=digest(Path(file).read_text(encoding="utf-8"))[:8],
        seeds=seeds, machine=machine(), beside=beside, size=size, steps=plan.steps, triplets=plan.triplets, folds=plan.folds,
        hierarchy=made.hierarchy(), choices=made.choices(), in_domain=in_domain, across=across, trials=trials,
        main=TITLES[main], mistakes=made.mistakes(main, main), seconds=made.seconds(main),
        nil_corpus=TITLES[nil], removed=percent(gone.removed), removals=gone.removals, splits=gone.splits, tuning=gone.tuning,
        repetitions=gone.removals * gone.splits, nil_facts=made.nil_facts(nil), nil=made.nil(nil),
        nil_precision=made.nil_precision(nil),
    )  # fmt: skip
    (plan.results / "dilbert.md").write_text(page, encoding="utf-8")
    say(f"written: {plan.results / 'dilbert.md'}")
