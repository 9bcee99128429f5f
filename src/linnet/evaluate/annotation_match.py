"""One-to-one matching of annotations of running text: weak (overlapping spans), strong (equal spans), or spans only.

An annotation is one span with one concept; a composite counts as one annotation per concept.
Source: Cornolti, Ferragina and Ciaramita 2013, section 3 (A2W); weak annotation match is their M_w.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal

from linnet.evaluate.gold import Gold

__all__ = ["Match", "match_counts", "matches"]

Match = Literal["weak", "strong"]
Span = tuple[int, int]


def match_counts(
    golds: Iterable[Gold], predicted: Iterable[Gold], *, match: Match, concepts: bool = True
) -> tuple[list[str], list[int], list[int], list[int]]:
    """Sorted document ids, and for each the number of matched, predicted and gold annotations.

    match     "weak": the spans overlap; "strong": they are equal
    concepts  compare concepts too, and ignore annotations without one; else compare spans only

    The matching is one to one and of maximum size.
    """
    gold_groups, predicted_groups = _spans(golds, concepts=concepts), _spans(predicted, concepts=concepts)
    counts: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for group in gold_groups.keys() | predicted_groups.keys():
        document, _ = group
        gold_spans, predicted_spans = gold_groups.get(group, []), predicted_groups.get(group, [])
        row = counts[document]
        row[0] += matches(gold_spans, predicted_spans, match=match)
        row[1] += len(predicted_spans)
        row[2] += len(gold_spans)
    documents = sorted(counts)
    columns = [[counts[document][i] for document in documents] for i in range(3)]
    return documents, columns[0], columns[1], columns[2]


def _spans(annotations: Iterable[Gold], *, concepts: bool) -> dict[tuple[str, str], list[Span]]:
    """Spans grouped by (document, concept), or by document alone. Exact repeats count once."""
    groups: defaultdict[tuple[str, str], set[Span]] = defaultdict(set)
    for annotation in annotations:
        for concept in annotation.concepts if concepts else ("",):
            groups[annotation.document, concept].add((annotation.start, annotation.end))
    return {group: sorted(spans) for group, spans in groups.items()}


def matches(left: Sequence[Span], right: Sequence[Span], *, match: Match) -> int:
    """Size of the largest one-to-one matching between two lists of spans.

    Source: augmenting paths (Kuhn 1955); fast enough because each group is small.
    """
    if match == "strong":
        return len(set(left) & set(right))
    # sorted by start: a span that starts at or after another's end cannot overlap it
    right = sorted(right)
    starts = [start for start, _ in right]
    edges = [[i for i in range(bisect_left(starts, end)) if right[i][1] > start] for start, end in left]
    owner: dict[int, int] = {}
    chosen: dict[int, int] = {}
    return sum(_augment(start, edges, owner, chosen) for start in range(len(left)))


def _augment(
    start: int, edges: Sequence[Sequence[int]], owner: dict[int, int], chosen: dict[int, int]
) -> bool:
    """Give `start` a partner by moving others along an alternating path; False if that is impossible."""
    came_from: dict[int, int] = {}
    queue = [start]
    for node in queue:
        for target in edges[node]:
            if target in came_from:
                continue
            came_from[target] = node
            if target in owner:
                queue.append(owner[target])
                continue
            freed: int | None = target
            while freed is not None:
                taker, taken = came_from[freed], freed
                freed = chosen.get(taker)
                owner[taken], chosen[taker] = taker, taken
            return True
    return False
