"""Document clusters: the mentions of one concept in one document, with the candidates a linker finds for each.

What Le & Nguyen learn from (§3.2.2): a cluster's mean is drawn to its concept and away from the hardest of its anchor's
candidates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from linnet.arrays import Floats, Ints
from linnet.link import Linker
from linnet.link.query_cache import QueryCache
from linnet.rerank.dual_inputs import MentionInContext, mentions_in_context
from linnet.train.corpus import LinkedMentions, linked_mentions
from linnet.types import Mention

__all__ = ["Batch", "Clusters", "LinkedCandidates", "joined", "linked_candidates", "without_overlaps"]


@dataclass(frozen=True, slots=True)
class LinkedCandidates:
    """Mentions, their concepts, and what a linker's retrieval finds for them.

    linked      the mentions; M of them           contexts  (M,) each within its sentence
    documents   (M,) id of the document           candidates  (M, k) concept rows, best first, −1 for none
    scores      (M, k) of retrieval, −inf for none
    overlapping how many mentions were left out because they overlap another one
    """

    linked: LinkedMentions
    contexts: tuple[MentionInContext, ...]
    documents: tuple[str, ...]
    candidates: Ints
    scores: Floats
    overlapping: int

    def __len__(self) -> int:
        return len(self.linked)

    @property
    def gold(self) -> Ints:
        """(M,) row of each mention's concept."""
        return self.linked.concepts

    def recall(self, k: int) -> float:
        """Share of the mentions whose concept is among the first k candidates."""
        return float((self.candidates[:, :k] == self.gold[:, None]).any(1).mean())


@dataclass(frozen=True, slots=True)
class Batch:
    """Some clusters, what `linnet.train.objectives.clusters` calls them.

    mentions  (B,) numbers of mentions, cluster by cluster, the anchor first        clusters  (B,) number of the cluster
    """

    mentions: Ints
    clusters: Ints


class Clusters:
    """The clusters of linked mentions.

    members  mention numbers of each cluster, in the order of the corpus
    """

    def __init__(
        self,
        found: LinkedCandidates,
        *,
        largest: int | None = None,
        documents: int | None = None,
        seed: int = 0,
    ) -> None:
        """
        largest    mentions of a cluster that a batch holds, a random choice where there are more; None for all
        documents  clusters of a concept, a random choice by `seed`; None for all

        The paper takes all; its release at most 20 mentions and 200 documents.
        """
        self.largest = largest
        together: dict[tuple[str, int], list[int]] = {}
        for number, (document, concept) in enumerate(zip(found.documents, found.gold.tolist(), strict=True)):
            together.setdefault((document, concept), []).append(number)
        rng = np.random.default_rng(seed)
        of_concept: dict[int, list[Ints]] = {}
        for (_, concept), numbers in together.items():
            of_concept.setdefault(concept, []).append(np.array(numbers, np.int64))
        self.members: list[Ints] = []
        for clusters in of_concept.values():
            if documents is not None and len(clusters) > documents:
                kept = np.sort(rng.choice(len(clusters), size=documents, replace=False))
                clusters = [clusters[i] for i in kept]
            self.members += clusters

    def __len__(self) -> int:
        return len(self.members)

    def steps(self, *, clusters: int, epochs: int) -> int:
        """Batches of so many clusters in so many epochs; an epoch's last batch may be smaller."""
        return epochs * -(-len(self) // clusters)

    def batch(self, step: int, *, clusters: int, seed: int) -> Batch:
        """Batch `step`, counted from 0 over all epochs: a function of step and seed alone.

        Every epoch has each cluster once, in an order of its own, with an anchor of its own.
        """
        epoch, place = divmod(step, -(-len(self) // clusters))
        order = np.random.default_rng([seed, epoch]).permutation(len(self))
        # Counted from 1: a last 0 would draw the same numbers again.
        rng = np.random.default_rng([seed, epoch, 1 + place])
        first = place * clusters
        drawn = [rng.permutation(self.members[i])[: self.largest] for i in order[first : first + clusters]]
        return Batch(np.concatenate(drawn), np.repeat(np.arange(len(drawn)), [len(part) for part in drawn]))

    def sizes(self) -> Ints:
        """(C,) mentions of each cluster."""
        return np.array([len(numbers) for numbers in self.members], np.int64)


def linked_candidates(mentions: Sequence[Mention], linker: Linker, *, k: int = 64) -> LinkedCandidates:
    """The mentions with exactly one concept that the linker's terminology has, and k candidates for each.

    Mentions that overlap another one are left out, but for the longest of them (the paper, §4.2.1: "removed").
    Raises DataError as `linked_mentions` does where none is left.
    """
    kept = without_overlaps(mentions)
    [terminology] = linker.terminologies
    linked = linked_mentions(kept, terminology)
    hits = QueryCache(linker.group).search(linked.texts, k=k)
    return LinkedCandidates(
        linked,
        tuple(mentions_in_context(linked.mentions, linked.texts)),
        tuple(_documents(linked.mentions)),
        hits.concepts.astype(np.int64),
        hits.scores,
        len(mentions) - len(kept),
    )


def joined(parts: Sequence[LinkedCandidates], first: Sequence[int]) -> LinkedCandidates:
    """Several as one, in their order; the concept rows of each part counted from `first` on."""
    if len(parts) == 1 and first[0] == 0:
        return parts[0]
    left_out = Counter[str]()
    for part in parts:
        left_out.update(part.linked.left_out)
    rows = [np.where(p.candidates >= 0, p.candidates + f, -1) for p, f in zip(parts, first, strict=True)]
    return LinkedCandidates(
        LinkedMentions(
            tuple(chain.from_iterable(part.linked.mentions for part in parts)),
            tuple(chain.from_iterable(part.linked.texts for part in parts)),
            np.concatenate([part.gold + f for part, f in zip(parts, first, strict=True)]),
            left_out,
        ),
        tuple(chain.from_iterable(part.contexts for part in parts)),
        # The same id may be another document in another corpus.
        tuple(f"{number}/{id}" for number, part in enumerate(parts) for id in part.documents),
        np.concatenate(rows),
        np.concatenate([part.scores for part in parts]),
        sum(part.overlapping for part in parts),
    )


def _documents(mentions: Sequence[Mention]) -> list[str]:
    """Id of each mention's document; documents without one get their number."""
    numbers: dict[int, int] = {}
    return [
        mention.document.id or f"#{numbers.setdefault(id(mention.document), len(numbers))}"
        for mention in mentions
    ]


def without_overlaps(mentions: Sequence[Mention]) -> list[Mention]:
    """The mentions in their order, of those that overlap in one text only the longest (the first of equally long)."""
    longest = sorted(range(len(mentions)), key=lambda i: (mentions[i].start - mentions[i].end, i))
    taken: dict[int, list[tuple[int, int]]] = {}
    kept = []
    for i in longest:
        spans = taken.setdefault(id(mentions[i].document), [])
        if all(mentions[i].end <= start or end <= mentions[i].start for start, end in spans):
            spans.append((mentions[i].start, mentions[i].end))
            kept.append(i)
    return [mentions[i] for i in sorted(kept)]
