"""Concepts taken out of a terminology: what is learnt and asked without them, and what is kept of the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from dilbert_data import annotated_drugs, fold_of, mentions_of, place_of, terminology, without
from dilbert_judging import refined_places
from harness import say

from linnet.evaluate.gold import Gold, golds_of
from linnet.io.artifact import digest
from linnet.link import Linker, Pipeline
from linnet.link.indexing import build_indexes
from linnet.read.abbreviations import expanded_texts
from linnet.terminology import Terminology
from linnet.types import Mention

__all__ = ["Removal"]


@dataclass(frozen=True)
class Part:
    """Mentions that a threshold is chosen on or judged by: refined ones with one concept, or none."""

    golds: list[Gold]
    texts: list[str]
    mentions: list[Mention]

    @classmethod
    def of(cls, mentions: Sequence[Mention], seen: Sequence[Gold]) -> Part:
        """Those whose surface is not among `seen`."""
        golds, texts = golds_of(mentions), expanded_texts(list(mentions))
        places = [i for i in refined_places(golds, seen) if len(golds[i].concepts) < 2]
        return cls([golds[i] for i in places], [texts[i] for i in places], [mentions[i] for i in places])


class Removal:
    """Concepts taken out of a terminology, and the mentions to learn from and to ask.

    left     what is left of the terminology
    own      mentions to learn from; `parts`: "held" out of the training documents, "dev", and with chemicals "drugs" of trials
    """

    def __init__(self, plan: Any, corpus: str, number: int) -> None:
        """plan: of either encoder; number: of the draw"""
        name, held_out = place_of(corpus), plan.nil.held_out
        whole = terminology(plan.work / name)
        mentions = mentions_of(corpus, "train")
        golds = golds_of(mentions)
        folds = fold_of([g.document for g in golds], folds=round(1 / held_out), seed=number)
        self.own = [m for m, i in zip(mentions, folds, strict=True) if i]
        held = [m for m, i in zip(mentions, folds, strict=True) if not i]
        self.parts = {
            "held": Part.of(held, golds_of(self.own)),
            "dev": Part.of(mentions_of(corpus, "dev"), golds),
        }
        if name == "chemicals":
            some = annotated_drugs()
            alone = [Mention.alone(gold.text) for gold in some.golds]
            self.parts["drugs"] = Part(some.golds, some.texts, alone)
        self.removed = _removed(self.parts["dev"].golds, whole, plan.nil.removed, number)
        # What was removed and held out is in the key: nothing of another plan is taken for this one's.
        self.key = digest(" ".join([f"{held_out}", *sorted(self.removed)]))[:8]
        place = plan.work / "nil" / f"{name}-{corpus}-{number}-{self.key}"
        self.left = without(whole, self.removed, place)

    def rows(self, found: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        """What is kept: what is nearest to each mention, and what linnet's linker finds.

        found  part → `answers` to its texts
        """
        build_indexes(self.left, ("exact", "dense"), update=True, threads=1)
        pipeline = Pipeline(("exact", "dense"), composites=False, min_score=0.0, reranker=None)
        linker = Linker.open([self.left.path], pipeline=pipeline, threads=1)
        table: dict[str, Any] = {"removed": sorted(self.removed)}
        for key, some in self.parts.items():
            table[key] = []
            links = linker.link(some.mentions, k=1)
            for gold, text, link in zip(some.golds, some.texts, links, strict=True):
                own, best = found[key][text], link.candidates[:1]
                table[key].append({
                    "document": gold.document,
                    "known": bool(gold.concepts) and any(map(self.left.resolve, gold.concepts)),
                    "nearest": [own["distance"], own["length"], self._is_right(gold, own["whole"])],
                    "linker": [best[0].score, self._is_right(gold, [best[0].concept])] if best else [0.0, False],
                })  # fmt: skip
        nil = np.mean([not row["known"] for row in table["dev"]])
        say(f"without {len(self.removed)} concepts: {nil:.1%} of {len(table['dev'])} mentions NIL")
        return table

    def _is_right(self, gold: Gold, ids: Sequence[str]) -> bool:
        return any(now in ids for id in gold.concepts for now in self.left.resolve(id))


def _removed(golds: Sequence[Gold], terminology: Terminology, share: float, seed: int) -> frozenset[str]:
    """Concepts drawn until so many of the mentions that had one have none."""
    counts: dict[str, int] = {}
    for gold in golds:
        for id in gold.concepts:
            if len(now := terminology.resolve(id)) == 1:
                counts[now[0]] = counts.get(now[0], 0) + 1
    drawn, lost = set(), 0
    for id in np.random.default_rng(seed).permutation(sorted(counts)).tolist():
        if lost >= share * sum(counts.values()):
            break
        drawn.add(id)
        lost += counts[id]
    return frozenset(drawn)
