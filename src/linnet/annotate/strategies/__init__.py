"""Which document next: one function per strategy.

To add one, write a function of a `Pool` in a file of its own and add one line to `strategies`. The first line of its
docstring is what people choose by.
"""

from __future__ import annotations

from collections.abc import Callable

from linnet.annotate.strategies.diversity import diversity
from linnet.annotate.strategies.least_confident import least_confident
from linnet.annotate.strategies.least_confident_new import least_confident_new
from linnet.annotate.strategies.most_doubt import most_doubt
from linnet.annotate.strategies.pool import Pool, Unlabelled
from linnet.annotate.strategies.shuffled import shuffled
from linnet.errors import UnknownNameError

__all__ = ["Pool", "Strategy", "Unlabelled", "blind", "order", "strategies"]

Strategy = Callable[[Pool], list[int]]
"""`strategy(pool)`: the indexes of `pool.documents`, each once, the document to annotate next first."""

strategies: dict[str, Strategy] = {
    "least-confident": least_confident,
    "least-confident-new": least_confident_new,
    "most-doubt": most_doubt,
    "random": shuffled,
    "diversity": diversity,
}

blind = frozenset({"random", "diversity"})
"""Strategies that look at no predictions, so that none need be made for them."""


def order(name: str, pool: Pool) -> list[int]:
    """The indexes of the pool's documents in the order of a strategy. Raises UnknownNameError."""
    if name not in strategies:
        raise UnknownNameError("strategy", name, strategies)
    return strategies[name](pool)
