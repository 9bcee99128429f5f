"""Strategies: which document comes next. One function each.

To add one, write a function of a `Pool` in its own file and add a line to `strategies`. Users see the first line of its
docstring, and for each document the sentence of its function in `reasons`, if it has one.
"""

from __future__ import annotations

from collections.abc import Callable

from linnet.active.strategies.diversity import diversity
from linnet.active.strategies.least_confident import least_confident
from linnet.active.strategies.least_confident_new import least_confident_new
from linnet.active.strategies.most_doubt import most_doubt
from linnet.active.strategies.pool import Pool, Unlabelled
from linnet.active.strategies.reasons import explain, reasons
from linnet.active.strategies.shuffled import shuffled
from linnet.errors import UnknownNameError

__all__ = ["Pool", "Strategy", "Unlabelled", "blind", "explain", "order", "reasons", "strategies"]

Strategy = Callable[[Pool], list[int]]
"""`strategy(pool)`: the indexes of `pool.documents`, each once, in the order to annotate."""

strategies: dict[str, Strategy] = {
    "least-confident": least_confident,
    "least-confident-new": least_confident_new,
    "most-doubt": most_doubt,
    "random": shuffled,
    "diversity": diversity,
}

blind = frozenset({"random", "diversity"})
"""Strategies that need no predictions."""


def order(name: str, pool: Pool) -> list[int]:
    """The indexes of the pool's documents in the order of a strategy. Raises UnknownNameError."""
    if name not in strategies:
        raise UnknownNameError("strategy", name, strategies)
    return strategies[name](pool)
