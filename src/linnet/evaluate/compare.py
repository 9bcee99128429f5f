"""Comparison of two systems on the same mentions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from linnet.evaluate.gold import Gold, Predicted
from linnet.evaluate.protocols import AUGMENTED, Result
from linnet.evaluate.score import Score, share
from linnet.evaluate.significance import Difference, McNemar, mcnemar, paired_bootstrap

__all__ = ["Compared", "Comparison", "Disagreement", "compare"]


@dataclass(frozen=True, slots=True)
class Compared:
    """Both systems under one protocol, on the mentions that count for both."""

    protocol: str
    mentions: int
    first: Score
    second: Score
    difference: Difference
    mcnemar: McNemar


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A mention that only one system gets right; `count` says how often."""

    text: str
    gold: tuple[str, ...]
    gold_names: tuple[str, ...]
    wrong: tuple[str, ...]
    wrong_names: tuple[str, ...]
    count: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """The first system against the second.

    wins, losses  mentions that only the first, only the second gets right, under the first protocol with the plain
                  dictionary
    """

    first: str
    second: str
    protocols: tuple[Compared, ...]
    wins: tuple[Disagreement, ...]
    losses: tuple[Disagreement, ...]

    @property
    def disagreements(self) -> list[tuple[str, str, tuple[Disagreement, ...]]]:
        """(winner, loser, mentions that only the winner gets right), for each system that wins any."""
        both = (self.first, self.second, self.wins), (self.second, self.first, self.losses)
        return [side for side in both if side[2]]


def compare(
    names: tuple[str, str],
    golds: Sequence[Gold],
    answers: tuple[Sequence[Predicted], Sequence[Predicted]],
    results: Sequence[tuple[Result, Result]],
    *,
    name: Callable[[str], str] = lambda id: "",
) -> Comparison:
    """Compare two systems under every protocol that judges mentions.

    names    of the two systems
    answers  of each system to `golds`, for the examples
    results  of both systems, per protocol
    """
    compared: list[Compared] = []
    examples: tuple[tuple[Disagreement, ...], tuple[Disagreement, ...]] | None = None
    for first, second in results:
        verdicts = [dict(zip(result.places, result.right, strict=False)) for result in (first, second)]
        places = sorted(verdicts[0].keys() & verdicts[1].keys())
        if not places:
            continue
        a, b = ([right[i] for i in places] for right in verdicts)
        documents = [golds[i].document for i in places]
        if examples is None and AUGMENTED not in first.protocol.split("+"):
            wins = [i for i, x, y in zip(places, a, b, strict=True) if x and not y]
            losses = [i for i, x, y in zip(places, a, b, strict=True) if y and not x]
            examples = _examples(golds, answers[1], wins, name), _examples(golds, answers[0], losses, name)
        compared.append(
            Compared(
                first.protocol,
                len(places),
                share(names[0], a, documents),
                share(names[1], b, documents),
                paired_bootstrap(a, b, documents),
                mcnemar(a, b),
            )
        )
    return Comparison(*names, tuple(compared), *(examples or ((), ())))


def _examples(
    golds: Sequence[Gold], answers: Sequence[Predicted], places: Sequence[int], name: Callable[[str], str]
) -> tuple[Disagreement, ...]:
    counts = Counter(
        (golds[i].surface, tuple(sorted(golds[i].concepts)), tuple(sorted(answers[i].concepts)))
        for i in places
    )
    return tuple(
        Disagreement(text, gold, tuple(map(name, gold)), wrong, tuple(map(name, wrong)), count)
        for (text, gold, wrong), count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    )
