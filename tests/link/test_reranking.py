"""What a reranker that finds candidates of its own leaves of the list behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from linnet.link import Linker, Pipeline
from linnet.link.reranking import Reranking
from linnet.link.terminology_group import TerminologyGroup
from linnet.rerank.calibrator import Calibrator
from linnet.rerank.reranker import Concepts
from linnet.retrieve.hits import Hits, Origin
from linnet.terminology import Terminology
from linnet.types import Concept, Document, Mention

Compile = Callable[[Sequence[Concept]], Terminology]
DEPTH = 2


class Finder:
    """Puts the concept of a row first, and the first of what it was given second."""

    kind = name = digest = "finder"

    def __init__(self, row: int) -> None:
        self.row = row

    def rerank(
        self, mentions: Sequence[Mention], texts: Sequence[str], hits: Hits, concepts: Concepts
    ) -> Hits:
        found = hits.copy()
        for column in ("concepts", "names", "scores", "origins"):
            getattr(found, column)[:, 1:] = getattr(hits, column)[:, : hits.k - 1]
        found.concepts[:, 0] = self.row
        found.names[:, 0] = concepts.first_names(found.concepts[:, 0])  # type: ignore[attr-defined]
        found.scores[:, :2] = [0.9, 0.1]
        found.origins[:] |= np.uint16(Origin.RERANKED)
        return found


def _ids(group: TerminologyGroup, row: int) -> list[str]:
    """Ids of the candidates of "toe", of which retrieval finds three and the reranker, which is given two, the one in this row."""
    home = Document("1", "toe")
    hits = group.search(["toe"], k=3)
    reranking = Reranking(group, Pipeline(depth=DEPTH), Finder(row), Calibrator())  # type: ignore[arg-type]
    ranked = reranking.apply([Mention(home, 0, 3, "toe")], ["toe"], hits)
    return group.ids(ranked.concepts[0][ranked.concepts[0] >= 0])


TOES = [
    Concept("T:1", "toe of left foot"),
    Concept("T:2", "toe joint of foot"),
    Concept("T:3", "big toe bone of foot"),
]


@pytest.fixture
def one(compile_terminology: Compile) -> TerminologyGroup:
    return Linker.open([compile_terminology(TOES)], pipeline=Pipeline(reranker=None)).group


@pytest.fixture
def two(compile_terminology: Compile) -> TerminologyGroup:
    """The second has the same concepts by one of their names, which is no toe."""
    named = [replace(concept, names=(f"arm {number}",)) for number, concept in enumerate(TOES)]
    same = [Concept(concept.id, f"arm {number}") for number, concept in enumerate(TOES)]
    members = [compile_terminology(named), compile_terminology(same)]
    return Linker.open(members, pipeline=Pipeline(reranker=None)).group


def test_a_concept_that_it_takes_from_behind_its_list_is_not_listed_twice(one: TerminologyGroup) -> None:
    first, _, third = one.search(["toe"], k=3).concepts[0].tolist()
    assert _ids(one, third) == one.ids([third, first])


def test_nor_is_one_that_it_finds_in_another_terminology(two: TerminologyGroup) -> None:
    first, _, third = two.search(["toe"], k=3).concepts[0].tolist()
    other = third + len(TOES)
    assert two.ids([other]) == two.ids([third])
    assert _ids(two, other) == two.ids([other, first])
