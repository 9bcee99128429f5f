"""Strings without context whose words name a thing of another kind than the closest concept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from linnet.link import Linker, Pipeline
from linnet.link.indexing import build_indexes
from linnet.rerank.calibrator import Calibrator, Curve
from linnet.terminology import Terminology
from linnet.types import Concept, Document, Link, Mention

DISEASES = (
    Concept("T:1", "Measles", (), ("Disease",)),
    Concept("T:2", "Factor VII Deficiency", (), ("Disease",)),
    Concept("T:3", "Eczema", ("eczematous dermatitis",), ("Disease",)),
    Concept("T:4", "Rabbit fever", (), ("Disease",)),
    Concept("T:5", "Stroke", (), ("Disease",)),
)
Ask = Callable[..., Link]


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory: pytest.TempPathFactory) -> Pipeline:
    """A match is as probable as its score."""
    place = tmp_path_factory.mktemp("calibrator")
    Calibrator({"retrieved": Curve((0.0, 1.0), (0.0, 1.0))}).save(place / "calibrator.json")
    return Pipeline(reranker=None, calibrator=str(place))


@pytest.fixture(scope="module")
def link(compile_terminology: Callable[[Sequence[Concept]], Terminology], pipeline: Pipeline) -> Ask:
    linker = Linker.open([compile_terminology(DISEASES)], pipeline=pipeline)
    return lambda text: linker.link([text])[0]


def probability(link: Link) -> float:
    return (link.probability or 0.0) if link.concepts else 0.0


@pytest.mark.parametrize(
    ("other", "own"),
    [("measles vaccine", "measles infection"), ("coagulation factor VII", "deficiency of factor VII")],
)
def test_what_names_a_thing_of_another_kind_is_less_probable(link: Ask, other: str, own: str) -> None:
    assert link(own).concepts == link("measles" if "measles" in own else "factor VII deficiency").concepts
    assert probability(link(other)) < 0.7 * probability(link(own))


def test_a_product_is_not_the_disease_that_it_is_for(link: Ask) -> None:
    assert probability(link("eczema cream")) < 0.5 < probability(link("severe eczema"))


@pytest.mark.parametrize("text", ["Rabbit fever", "rabbit fever", "Stroke", "factor VII deficiency"])
def test_names_of_the_terminology_are_not_doubted(link: Ask, text: str) -> None:
    assert probability(link(text)) > 0.9


def test_candidates_stay_and_only_the_probability_falls(link: Ask) -> None:
    assert [candidate.concept for candidate in link("measles vaccine").candidates][:1] == ["T:1"]


def test_a_mention_in_a_text_is_not_doubted(
    compile_terminology: Callable[[Sequence[Concept]], Terminology], pipeline: Pipeline
) -> None:
    linker = Linker.open([compile_terminology(DISEASES)], pipeline=pipeline)
    document = Document("1", "They had the measles vaccine.")
    inside = linker.link([Mention(document, 13, 28, "measles vaccine")])[0]
    assert probability(inside) > probability(linker.link(["measles vaccine"])[0])


def test_without_types_the_other_names_tell_what_a_terminology_is_about(
    compile_terminology: Callable[[Sequence[Concept]], Terminology], pipeline: Pipeline
) -> None:
    untyped = [Concept(one.id, one.name, one.names) for one in DISEASES]
    linker = Linker.open([compile_terminology(untyped)], pipeline=pipeline)
    other, own = linker.link(["measles vaccine", "measles infection"])
    assert probability(other) < 0.7 * probability(own)


def test_each_part_of_several_things_is_doubted(link: Ask) -> None:
    both, one = link("stroke; measles vaccine"), link("stroke; measles")
    assert one.concepts == ("T:5", "T:1")
    assert probability(both) < probability(one)


def test_links_do_not_depend_on_what_else_is_linked(
    compile_terminology: Callable[[Sequence[Concept]], Terminology], pipeline: Pipeline, tmp_path: Path
) -> None:
    terminology = compile_terminology(DISEASES)
    build_indexes(terminology, pipeline.retrievers, update=True)
    texts = [
        "measles vaccine",
        "eczema cream",
        "Stroke",
        "coagulation factor VII",
        "",
        "stroke; measles vaccine",
    ]
    linker = Linker.open([terminology], pipeline=pipeline)
    together = [(one.concepts, one.probability) for one in linker.link(texts)]
    assert together == [(one.concepts, one.probability) for text in texts for one in linker.link([text])]
