"""How far off a wrong concept is: where it stands in the hierarchy relative to the gold concept."""

from __future__ import annotations

from collections.abc import Callable, Iterable

__all__ = ["RELATIONS", "Hierarchy"]

# In the order they are tested: of two relations that hold (a DAG allows it), the nearer one is reported.
RELATIONS = (
    "same",
    "parent",
    "child",
    "sibling",
    "ancestor",
    "descendant",
    "unrelated",
    "not in the hierarchy",
)


class Hierarchy:
    """A directed acyclic graph of concepts, walked upwards and remembered.

    parents  the ids of the broader concepts of an id; a cycle in the source does no harm
    """

    def __init__(self, parents: Callable[[str], Iterable[str]]) -> None:
        self._parents = parents
        self._above: dict[str, dict[str, int]] = {}

    def above(self, concept: str) -> dict[str, int]:
        """The concept (0) and all its ancestors with the fewest steps up to each."""
        known = self._above.get(concept)
        if known is None:
            known = {concept: 0}
            queue = [concept]
            for here in queue:
                for parent in self._parents(here):
                    if parent not in known:
                        known[parent] = known[here] + 1
                        queue.append(parent)
            self._above[concept] = known
        return known

    def places(self, concept: str) -> bool:
        """Whether the concept has a parent: a root is taken for a concept without a place."""
        return len(self.above(concept)) > 1

    def relation(self, gold: str, predicted: str) -> str:
        """What the predicted concept is of the gold concept, one of `RELATIONS`; "parent" means it is too broad."""
        if gold == predicted:
            return "same"
        over_gold, over_predicted = self.above(gold), self.above(predicted)
        if over_gold.get(predicted) == 1:
            return "parent"
        if over_predicted.get(gold) == 1:
            return "child"
        parents = {id for id, steps in over_gold.items() if steps == 1}
        if any(over_predicted.get(id) == 1 for id in parents):
            return "sibling"
        if predicted in over_gold:
            return "ancestor"
        if gold in over_predicted:
            return "descendant"
        return "unrelated" if self.places(gold) and self.places(predicted) else "not in the hierarchy"

    def depth(self, concept: str) -> int:
        """Nodes on the shortest way from a root, the root and the concept included: 1 for a root."""
        above = self.above(concept)
        roots = [steps for id, steps in above.items() if len(self.above(id)) == 1]
        return 1 + min(roots, default=0)

    def wu_palmer(self, gold: str, predicted: str) -> float:
        """Similarity from 0 (no common ancestor) to 1 (the same concept), symmetric.

        2·d / (2·d + steps from each up to the common ancestor), d its depth, the best over all common ancestors.
        Source: Wu and Palmer 1994. Differs: the maximum is taken because a DAG has several lowest common ancestors.
        """
        a, b = self.above(gold), self.above(predicted)
        scores = (2 * (depth := self.depth(id)) / (2 * depth + a[id] + b[id]) for id in a.keys() & b.keys())
        return max(scores, default=0.0)
