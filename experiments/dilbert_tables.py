"""The tables of both DILBERT experiments, from the answers that their encoders gave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np
from dilbert_data import TITLES, TRIALS, Asked, asked, mentions_of, place_of, terminology
from dilbert_judging import Array, all_hit, document_f1, judged, refined_places
from result_tables import Right, markdown, percent, spread

from linnet.evaluate.gold import golds_of
from linnet.evaluate.hierarchy import Hierarchy
from linnet.evaluate.resolution import current_ids
from linnet.evaluate.vocabulary import Vocabulary
from linnet.terminology import Terminology

__all__ = ["UNTRAINED", "Tables"]

UNTRAINED = "untrained"
_BASE = "random"  # that the other strategies are compared with


class Tables:
    """Results read back, a table at a time."""

    def __init__(self, plan: Any) -> None:
        """plan: of either encoder"""
        self.plan = plan
        self.strategies = [UNTRAINED, *plan.strategies]
        self.answers = cache(self._answers)

    def _answers(self, corpus: str, strategy: str, seed: int) -> Any:
        """target → text → what `dilbert_names.answers` has of it"""
        return self.plan.kept.facts(corpus, strategy, seed)["answers"]

    def seeds(self, corpus: str, strategy: str) -> range:
        """Of the encoders trained on a corpus with a strategy."""
        return range(self.plan.seeds[corpus])

    def here(self, target: str) -> Terminology:
        """What a target is linked to."""
        return terminology(self.plan.work / place_of(target))

    def found(self, corpus: str, strategy: str, target: str) -> list[Any]:
        """Answers by text of each seed."""
        return [self.answers(corpus, strategy, seed)[target] for seed in self.seeds(corpus, strategy)]

    def judged(self, corpus: str, target: str, strategy: str) -> Array:
        """(3, seeds, mentions): the whole text, whether it has one concept, the full set; see `judged`."""
        some, here = asked(target), self.here(target)
        made = [judged(some.golds, some.texts, one, here) for one in self.found(corpus, strategy, target)]
        return np.array(made).swapaxes(0, 1)

    def subset(self, corpus: str, target: str) -> list[int]:
        """The refined places of what is linked."""
        return refined_places(asked(target).golds, golds_of(mentions_of(corpus, "train")))

    def sections(self, targets: Iterable[tuple[str, str]]) -> str:
        """A heading and a table for each (corpus, target)."""
        return "\n".join(
            f"### Trained on {TITLES[corpus]}, linked {TITLES[target]}\n\n"
            + (self.trials(corpus, target) if target in TRIALS else self.accuracy(corpus, target))
            for corpus, target in targets
        )

    def accuracy(self, corpus: str, target: str) -> str:
        """All dev mentions, refined single-concept ones, the refined full set, and the differences from random."""
        documents, places = asked(target).documents, self.subset(corpus, target)
        views: dict[str, list[Right]] = {}
        for strategy in self.strategies:
            right, single, full = self.judged(corpus, target, strategy)
            one = single[0].astype(bool)
            whole = Right(right, documents)
            chosen = [i for i in places if one[i]]
            views[strategy] = [whole.of(one), whole.of(chosen), Right(full, documents).of(places)]
        rows = [
            (strategy, *some, *self._against(strategy, some[1:], views[_BASE][1:]))
            for strategy, some in views.items()
        ]
        names = ("all, single-concept", "refined, single-concept", "refined, full set")
        sizes = [
            f"{name}, n = {len(view.documents):,}" for name, view in zip(names, views[_BASE], strict=True)
        ]
        return markdown(("names chosen", *sizes, "refined single − random", "refined full − random"), rows)

    def _against(self, strategy: str, some: Sequence[Right], base: Sequence[Right]) -> list[str]:
        """Differences from random, of the strategies that it is the base of."""
        if strategy in (UNTRAINED, _BASE):
            return ["" for _ in some]
        return [one - other for one, other in zip(some, base, strict=True)]

    def trials(self, corpus: str, target: str) -> str:
        """Entries of clinical trials, against the terms the registry gave their trials."""
        some, here = asked(target), self.here(target)
        terms = [
            frozenset(i for i in current_ids(gold.concepts, here.resolve) if here.row(i) >= 0)
            for gold in some.golds
        ]
        kept = [i for i in self.subset(corpus, target) if terms[i]]
        entries = Counter(gold.document for gold in some.golds)
        single = [i for i in kept if entries[some.golds[i].document] == 1 and len(terms[i]) == 1]
        cells = {name: self._trials(corpus, name, target, terms) for name in self.strategies}
        rows = []
        for name, (whole, full, scores) in cells.items():
            full = full.of(kept)
            difference = self._against(name, [full], [cells[_BASE][1].of(kept)])
            rows.append((name, whole.of(single).share, full.share, *difference, spread(scores)))
        sizes = (f"single, n = {len(single)}", f"all entries, n = {len(kept)}")
        last = ("all entries − random", "F1 of the terms of a trial")
        return markdown(("names chosen", *sizes, *last), rows)

    def _trials(
        self, corpus: str, strategy: str, target: str, terms: Sequence[frozenset[str]]
    ) -> tuple[Right, Right, list[float]]:
        """Entries whose whole text, and all of whose parts, are linked to a term; F1 of the terms of each trial, by seed."""
        some: Asked = asked(target)
        found = self.found(corpus, strategy, target)
        pairs = list(zip(some.texts, terms, strict=True))
        whole = np.array([[bool(own & set(one[text]["whole"])) for text, own in pairs] for one in found])
        full = np.array([[all_hit(one[text], own) for text, own in pairs] for one in found])
        scores = [document_f1(one, some, terms) for one in found]
        return Right(whole, some.documents), Right(full, some.documents), scores

    def mistakes(self, corpus: str) -> str:
        """What the wrong concept is of the right one, of the mistakes on refined single-concept mentions of the corpus itself."""
        some, here = asked(corpus), self.here(corpus)
        tree, places = Hierarchy(Vocabulary([here]).parents), self.subset(corpus, corpus)
        kinds = ("parent", "child", "sibling", "ancestor", "descendant", "unrelated", "not in the hierarchy")
        rows = []
        for strategy in self.strategies:
            right, single, _ = self.judged(corpus, corpus, strategy)
            counts: Counter[str] = Counter()
            for seed, found in enumerate(self.found(corpus, strategy, corpus)):
                for i in places:
                    if single[seed, i] and not right[seed, i]:
                        [gold] = current_ids(some.golds[i].concepts, here.resolve)
                        counts[tree.relation(gold, found[some.texts[i]]["whole"][0])] += 1
            total = sum(counts.values())
            rows.append((strategy, f"{total / len(right):.0f}", *(percent(counts[k] / total) for k in kinds)))
        return markdown(("names chosen", "mistakes", *(f"{kind}, %" for kind in kinds)), rows)
