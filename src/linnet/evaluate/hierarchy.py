"""How a predicted concept relates to the gold concept in the hierarchy."""

from __future__ import annotations

from collections.abc import Callable, Iterable

__all__ = ["RELATIONS", "Hierarchy"]

# In test order: where two relations hold (possible in a DAG), the nearer one is reported.
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
    """A directed acyclic graph of concepts; the ancestors of a concept are cached.

    parents  returns the ids of the broader concepts of an id; cycles are harmless
    """

    def __init__(self, parents: Callable[[str], Iterable[str]]) -> None:
        self._parents = parents
        self._above: dict[str, dict[str, int]] = {}

    def above(self, concept: str) -> dict[str, int]:
        """The concept (0) and all its ancestors, each with the fewest steps up to it."""
        steps = self._above.get(concept)
        if steps is None:
            steps = {concept: 0}
            queue = [concept]
            for id in queue:
                for parent in self._parents(id):
                    if parent not in steps:
                        steps[parent] = steps[id] + 1
                        queue.append(parent)
            self._above[concept] = steps
        return steps

    def places(self, concept: str) -> bool:
        """Whether the concept has a parent; a root counts as outside the hierarchy."""
        return len(self.above(concept)) > 1

    def relation(self, gold: str, predicted: str) -> str:
        """The relation of the predicted to the gold concept, one of `RELATIONS`; "parent" means too broad."""
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
        """Number of nodes on the shortest path from a root, both ends included: 1 for a root."""
        above = self.above(concept)
        roots = [steps for id, steps in above.items() if len(self.above(id)) == 1]
        return 1 + min(roots, default=0)

    def wu_palmer(self, gold: str, predicted: str) -> float:
        """Similarity from 0 (no common ancestor) to 1 (the same concept), symmetric.

        2·d / (2·d + steps from each up to the common ancestor), d its depth; the maximum over all common ancestors.
        Source: Wu and Palmer 1994. Differs: takes the maximum, as a DAG may have several lowest common ancestors.
        """
        a, b = self.above(gold), self.above(predicted)
        scores = (2 * (depth := self.depth(id)) / (2 * depth + a[id] + b[id]) for id in a.keys() & b.keys())
        return max(scores, default=0.0)
