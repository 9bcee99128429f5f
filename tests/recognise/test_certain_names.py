from __future__ import annotations

import pytest

from linnet.recognise.certain_names import CertainNames
from linnet.types import Document, Mention

TEXT = "abcdefghijklmnopqrstuvwxyz"
Spans = list[tuple[int, int]]


class Finds:
    """Mentions of one type at the same places in every document."""

    def __init__(self, places: Spans, type: str) -> None:
        self.places, self.types = places, frozenset([type])

    def recognise(self, documents: list[Document]) -> list[Document]:
        [type] = self.types
        return [
            one.with_mentions([Mention(one, a, b, one.text[a:b], type) for a, b in self.places])
            for one in documents
        ]


@pytest.mark.parametrize(
    ("found", "named", "expected"),
    [
        ([], [(3, 6)], [(3, 6, "name")]),
        ([(0, 2), (8, 9)], [(3, 6)], [(0, 2, "found"), (3, 6, "name"), (8, 9, "found")]),
        ([(3, 6)], [(3, 6)], [(3, 6, "found")]),
        ([(4, 5), (5, 6)], [(3, 6)], [(3, 6, "name")]),
        ([(2, 7)], [(3, 6)], [(2, 7, "found")]),
        ([(5, 8)], [(3, 6)], [(5, 8, "found")]),
        ([(3, 4), (5, 8)], [(3, 6)], [(3, 4, "found"), (5, 8, "found")]),
        ([(0, 3), (6, 9)], [(3, 6)], [(0, 3, "found"), (3, 6, "name"), (6, 9, "found")]),
    ],
)
def test_a_name_counts_unless_a_mention_reaches_beyond_it(
    found: Spans, named: Spans, expected: list[tuple[int, int, str]]
) -> None:
    recogniser = CertainNames(Finds(found, "found"), Finds(named, "name"))
    documents = [Document("1", TEXT), Document("2", "")]
    answers = recogniser.recognise(documents[:1])
    assert [(m.start, m.end, m.type) for m in answers[0].mentions] == expected
    assert recogniser.types == {"found", "name"}
