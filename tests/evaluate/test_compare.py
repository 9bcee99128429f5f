"""Two systems side by side."""

from __future__ import annotations

from linnet.evaluate.compare import compare
from linnet.evaluate.gold import Gold, Predicted
from linnet.evaluate.protocols import Context, parse_protocol, score

GOLDS = [Gold(f"d{i % 3}", i, i + 1, "flu" if i < 3 else "pox", "", frozenset("A")) for i in range(6)]
GOOD, BAD = Predicted(frozenset("A")), Predicted(frozenset("B"))
FIRST, SECOND = [GOOD] * 5 + [BAD], [GOOD, BAD, BAD, BAD, GOOD, GOOD]


def test_only_mentions_that_count_for_both_are_compared_and_examples_are_counted() -> None:
    results = [
        (
            score(parse_protocol(name), GOLDS, FIRST, Context()),
            score(parse_protocol(name), GOLDS, SECOND, Context()),
        )
        for name in ("strict", "document")
    ]
    result = compare(("one", "two"), GOLDS, (FIRST, SECOND), results, name=str.lower)
    (strict,) = result.protocols
    assert (strict.mentions, strict.first.numerator, strict.second.numerator) == (6, 5, 3)
    assert (strict.mcnemar.only_first, strict.mcnemar.only_second) == (3, 1)
    assert [(e.text, e.count, e.wrong_names) for e in result.wins] == [("flu", 2, ("b",)), ("pox", 1, ("b",))]
    assert [(e.text, e.count) for e in result.losses] == [("pox", 1)]
