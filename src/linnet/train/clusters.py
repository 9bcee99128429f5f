"""Document clusters: the mentions of one concept in one document, with a linker's candidates for each.

Source: Le & Nguyen §3.2.2. A cluster's mean is pulled to its concept and away from its anchor's hardest candidate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from linnet.arrays import Floats, Ints
from linnet.link import Linker
from linnet.rerank.dual_inputs import MentionInContext, mentions_in_context
from linnet.train.corpus import LinkedMentions, linked_mentions
from linnet.types import Mention

__all__ = [
    "ClusterBatch",
    "Clusters",
    "LinkedCandidates",
    "concatenated",
    "linked_candidates",
    "without_overlaps",
]


@dataclass(frozen=True, slots=True)
class LinkedCandidates:
    """Mentions, their concepts, and the candidates that a linker retrieves.

    linked       M mentions                       contexts    (M,) each within its sentence
    documents    (M,) id of the document          candidates  (M, k) concept rows, best first, −1 for none
    scores       (M, k) of retrieval, −inf for none
    overlapping  number of mentions left out because they overlap a longer one
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
class ClusterBatch:
    """Some clusters, in the terms of `linnet.train.objectives.clusters`.

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
        linked: LinkedCandidates,
        *,
        largest: int | None = None,
        documents: int | None = None,
        seed: int = 0,
    ) -> None:
        """
        largest    mentions of a cluster in a batch, drawn where there are more; None for all
        documents  clusters of a concept, drawn by `seed` where there are more; None for all

        The paper takes all; its release at most 20 mentions and 200 documents.
        """
        self.largest = largest
        numbers: dict[int, dict[str, list[int]]] = {}
        for number, (document, concept) in enumerate(
            zip(linked.documents, linked.gold.tolist(), strict=True)
        ):
            numbers.setdefault(concept, {}).setdefault(document, []).append(number)
        rng = np.random.default_rng(seed)
        self.members: list[Ints] = []
        for by_document in numbers.values():
            clusters = [np.array(cluster, np.int64) for cluster in by_document.values()]
            if documents is not None and len(clusters) > documents:
                kept = np.sort(rng.choice(len(clusters), size=documents, replace=False))
                clusters = [clusters[i] for i in kept]
            self.members += clusters

    def __len__(self) -> int:
        return len(self.members)

    def steps(self, *, clusters: int, epochs: int) -> int:
        """Batches of `clusters` in so many epochs; an epoch's last batch may be smaller."""
        return epochs * -(-len(self) // clusters)

    def batch(self, step: int, *, clusters: int, seed: int) -> ClusterBatch:
        """Batch `step`, counted from 0 over all epochs; it depends on step and seed only.

        Every epoch has each cluster once, with an order and anchors of its own.
        """
        epoch, place = divmod(step, -(-len(self) // clusters))
        order = np.random.default_rng([seed, epoch]).permutation(len(self))
        # From 1: [seed, epoch, 0] would repeat the numbers of [seed, epoch].
        rng = np.random.default_rng([seed, epoch, 1 + place])
        first = place * clusters
        drawn = [rng.permutation(self.members[i])[: self.largest] for i in order[first : first + clusters]]
        sizes = [len(members) for members in drawn]
        return ClusterBatch(np.concatenate(drawn), np.repeat(np.arange(len(drawn)), sizes))

    def sizes(self) -> Ints:
        """(C,) mentions of each cluster."""
        return np.array([len(numbers) for numbers in self.members], np.int64)


def linked_candidates(
    mentions: Sequence[Mention], linker: Linker, *, k: int = 64, expand_context: bool = False
) -> LinkedCandidates:
    """The mentions with exactly one concept, which the linker's terminology has, and k candidates for each.

    expand_context  whether abbreviations are expanded in the contexts too

    Of overlapping mentions only the longest is kept (the paper, §4.2.1: "removed"). Raises as `linked_mentions`.
    """
    kept = without_overlaps(mentions)
    [terminology] = linker.terminologies
    linked = linked_mentions(kept, terminology)
    hits = linker.group.search(linked.texts, k=k)
    return LinkedCandidates(
        linked,
        tuple(mentions_in_context(linked.mentions, linked.texts, defining=kept if expand_context else None)),
        tuple(_documents(linked.mentions)),
        hits.concepts.astype(np.int64),
        hits.scores,
        len(mentions) - len(kept),
    )


def concatenated(sources: Sequence[LinkedCandidates], first_rows: Sequence[int]) -> LinkedCandidates:
    """Several sources as one; the concept rows of each are shifted by its first row."""
    if len(sources) == 1 and first_rows[0] == 0:
        return sources[0]
    left_out = Counter[str]()
    for source in sources:
        left_out.update(source.linked.left_out)
    shifted = list(zip(sources, first_rows, strict=True))
    return LinkedCandidates(
        LinkedMentions(
            tuple(chain.from_iterable(source.linked.mentions for source in sources)),
            tuple(chain.from_iterable(source.linked.texts for source in sources)),
            np.concatenate([source.gold + first for source, first in shifted]),
            left_out,
        ),
        tuple(chain.from_iterable(source.contexts for source in sources)),
        # Corpora may use one id for different documents.
        tuple(f"{number}/{id}" for number, source in enumerate(sources) for id in source.documents),
        np.concatenate([np.where(s.candidates >= 0, s.candidates + first, -1) for s, first in shifted]),
        np.concatenate([source.scores for source in sources]),
        sum(source.overlapping for source in sources),
    )


def _documents(mentions: Sequence[Mention]) -> list[str]:
    """Id of each mention's document; documents without an id get a number."""
    numbers: dict[int, int] = {}
    return [
        mention.document.id or f"#{numbers.setdefault(id(mention.document), len(numbers))}"
        for mention in mentions
    ]


def without_overlaps(mentions: Sequence[Mention]) -> list[Mention]:
    """The mentions in their order; of mentions that overlap in a document only the longest, or the first of equals."""
    longest = sorted(range(len(mentions)), key=lambda i: (mentions[i].start - mentions[i].end, i))
    taken: dict[int, list[tuple[int, int]]] = {}
    kept = []
    for i in longest:
        spans = taken.setdefault(id(mentions[i].document), [])
        if all(mentions[i].end <= start or end <= mentions[i].start for start, end in spans):
            spans.append((mentions[i].start, mentions[i].end))
            kept.append(i)
    return [mentions[i] for i in sorted(kept)]
