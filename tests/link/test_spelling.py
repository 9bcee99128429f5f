"""What linking makes of misspelt words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from linnet.link import Linker, Pipeline
from linnet.terminology import Terminology
from linnet.types import Concept

Compile = Callable[[Sequence[Concept]], Terminology]
CONCEPTS = (
    Concept("T:1", "Asthma", (), ("Disease",)),
    Concept("T:2", "Diabetes Mellitus", (), ("Disease",)),
    Concept("T:3", "Naloxone", (), ("Chemical",)),
    Concept("T:4", "Renal Failure", (), ("Disease",)),
)


@pytest.fixture(scope="module")
def terminology(compile_terminology: Compile) -> Terminology:
    return compile_terminology(CONCEPTS)


@pytest.mark.parametrize(
    ("text", "concept"),
    [("astma", "T:1"), ("diabtes mellitus", "T:2"), ("nalozone", "T:3"), ("failuer, renal", "T:4")],
)
@pytest.mark.parametrize("reranker", [None, "context"])
def test_a_misspelt_name_is_linked(
    terminology: Terminology, text: str, concept: str, reranker: str | None
) -> None:
    linker = Linker.open([terminology], pipeline=Pipeline(reranker=reranker))
    (link,) = linker.link([text])
    assert link.concepts == (concept,)
    assert link.mention.text == text
    assert "spelling" in link.candidates[0].origin
    assert "abbreviation" not in link.candidates[0].origin


def test_it_can_be_switched_off(terminology: Terminology) -> None:
    pipeline = Pipeline(reranker=None, spelling=False)
    with_it, without = (Linker.open([terminology], pipeline=p) for p in (Pipeline(reranker=None), pipeline))
    assert with_it.link(["astma"])[0].candidates[0].score > without.link(["astma"])[0].candidates[0].score


def test_a_word_is_not_respelt_where_that_finds_nothing_better(terminology: Terminology) -> None:
    linker = Linker.open([terminology], pipeline=Pipeline(reranker=None))
    (link,) = linker.link(["asthmas"])  # no word of the terminology, but the same stem
    assert link.concepts == ("T:1",)
    assert link.candidates[0].origin == "exact"
