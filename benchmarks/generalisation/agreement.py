"""Agreement between two annotators who gave each string a set of concepts.

    python benchmarks/generalisation/agreement.py a.jsonl b.jsonl [--disagreements]

Each line of a file has `number` and `concepts`; an empty list is NIL. `--disagreements` lists the numbers to settle.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

__all__ = ["Agreement", "agreement", "alpha", "jaccard", "kappa"]

Concepts = frozenset[str]


class Agreement(NamedTuple):
    """Figures of two annotators on the same strings.

    equal          share of strings with equal sets
    alpha_equal    Krippendorff's alpha where two sets are equal or not
    alpha_jaccard  Krippendorff's alpha with Jaccard distance, which gives credit for sets that overlap
    overlap        mean Jaccard similarity
    nil_kappa      Cohen's kappa of NIL against any concept
    nil_f1         of the NIL of one annotator against those of the other; the same both ways
    """

    strings: int
    equal: float
    alpha_equal: float
    alpha_jaccard: float
    overlap: float
    nil_kappa: float
    nil_f1: float


def jaccard(first: Concepts, second: Concepts) -> float:
    """Shared concepts over all concepts of both; 1 for two empty sets."""
    either = first | second
    return len(first & second) / len(either) if either else 1.0


def alpha(
    pairs: Sequence[tuple[Concepts, Concepts]], distance: Callable[[Concepts, Concepts], float]
) -> float:
    """1 for perfect agreement, 0 for what chance gives; 1 where all sets are the same.

    Expected disagreement is the mean distance of all pairs of the 2 N answers. Source: Krippendorff 2004, chapter 11;
    distances of sets as in Passonneau 2006.
    """
    answers = [answer for pair in pairs for answer in pair]
    observed = sum(distance(*pair) for pair in pairs) / len(pairs)
    between = sum(distance(a, b) for i, a in enumerate(answers) for b in answers[:i])
    expected = 2 * between / (len(answers) * (len(answers) - 1))
    return 1 - observed / expected if expected else 1.0


def kappa(pairs: Sequence[tuple[bool, bool]]) -> float:
    """Cohen's kappa of two yes-or-no answers; 1 where both always say the same one thing."""
    count = len(pairs)
    observed = sum(first == second for first, second in pairs) / count
    shares = [sum(side) / count for side in zip(*pairs, strict=True)]
    expected = shares[0] * shares[1] + (1 - shares[0]) * (1 - shares[1])
    return (observed - expected) / (1 - expected) if expected < 1 else 1.0


def agreement(first: Mapping[int, Concepts], second: Mapping[int, Concepts]) -> Agreement:
    """Figures of two annotators; both must have answered the same numbers (ValueError)."""
    if not first or first.keys() != second.keys():
        apart = sorted(first.keys() ^ second.keys())
        raise ValueError(f"numbers that only one annotator answered: {apart or 'none; both files are empty'}")
    pairs = [(first[number], second[number]) for number in sorted(first)]
    nils = [(not a, not b) for a, b in pairs]
    named_nil = sum(a + b for a, b in nils)
    return Agreement(
        strings=len(pairs),
        equal=sum(a == b for a, b in pairs) / len(pairs),
        alpha_equal=alpha(pairs, lambda a, b: float(a != b)),
        alpha_jaccard=alpha(pairs, lambda a, b: 1 - jaccard(a, b)),
        overlap=sum(jaccard(a, b) for a, b in pairs) / len(pairs),
        nil_kappa=kappa(nils),
        nil_f1=2 * sum(a and b for a, b in nils) / named_nil if named_nil else 1.0,
    )


def read(path: Path) -> dict[int, Concepts]:
    """number → concepts of an annotator's file; a number that comes twice is an error (ValueError)."""
    answers: dict[int, Concepts] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["number"] in answers:
            raise ValueError(f"{path}: number {row['number']} comes twice")
        answers[row["number"]] = frozenset(row["concepts"])
    return answers


def main() -> None:
    parser = argparse.ArgumentParser(description="Agreement between two annotators of strings.")
    parser.add_argument("files", nargs=2, type=Path)
    parser.add_argument("--disagreements", action="store_true", help="list the numbers whose sets differ")
    given = parser.parse_args()
    try:
        first, second = map(read, given.files)
        figures = agreement(first, second)
    except ValueError as error:
        sys.exit(str(error))
    for name, value in figures._asdict().items():
        print(f"{name:14}{value if name == 'strings' else format(value, '.3f')}")
    if given.disagreements:
        print("differ:", *(number for number in sorted(first) if first[number] != second[number]))


if __name__ == "__main__":
    main()
