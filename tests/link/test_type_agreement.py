"""Whether candidates suit the types of their mentions, over several terminologies."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from linnet.link import Linker, Pipeline
from linnet.link.indexing import build_indexes
from linnet.link.terminology_group import TerminologyGroup
from linnet.terminology import Terminology
from linnet.types import Concept
from linnet.words.semantic_groups import agreement, group_of_mention


def agree(group: TerminologyGroup, rows: np.ndarray, types: Sequence[str]) -> np.ndarray:  # type: ignore[type-arg]
    wanted = np.array([group_of_mention(type) for type in types], np.int64)
    return agreement(wanted, group.groups(rows))


Compile = Callable[[Sequence[Concept]], Terminology]


def test_types_of_mentions_and_concepts_agree_differ_or_are_unknown(compile_terminology: Compile) -> None:
    typed = compile_terminology(
        [
            Concept("T:1", "Insulin deficiency", (), ("Disease",)),
            Concept("T:2", "Insulin", (), ("Chemical", "Protein")),
            Concept("T:3", "Insulin receptor", (), ("Protein",)),
            Concept("T:4", "Insulinoma"),
        ]
    )
    untyped = compile_terminology([Concept("HP:1", "Low insulin"), Concept("U:1", "Insulin pen")])
    for terminology in (typed, untyped):
        build_indexes(terminology, ("exact",), update=True)
    pipeline = Pipeline(retrievers=("exact",), reranker=None)
    group = Linker.open([typed, untyped], pipeline=pipeline).group
    rows = np.arange(6)
    assert agree(group, rows, ["Disease"] * 6).tolist() == [1, -1, -1, 0, 1, 0]
    assert agree(group, rows, ["Chemical"] * 6).tolist() == [-1, 1, -1, 0, -1, 0]
    assert agree(group, rows, ["gene", "Gene", "Gene", "Gene", "", "?"]).tolist() == [
        -1,
        1,
        1,
        0,
        0,
        0,
    ]
    assert agree(group, rows[:0], []).tolist() == []
    # an unknown type tells nothing, so the vocabulary does
    other = compile_terminology([Concept("HP:2", "Raised insulin", (), ("no such type",))])
    build_indexes(other, ("exact",), update=True)
    unlisted = Linker.open([other], pipeline=pipeline).group
    assert agree(unlisted, np.array([0, 0]), ["Disease", "Gene"]).tolist() == [1, -1]
    alone = Linker.open([untyped], pipeline=pipeline).group
    assert agree(alone, np.array([1, 0]), ["Phenotype", "Phenotype"]).tolist() == [0, 1]
