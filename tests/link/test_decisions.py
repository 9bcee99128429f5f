"""The probability of what is linked: of a set of concepts, of a reading that is not sure, and below the least."""

from __future__ import annotations

from pathlib import Path

import pytest

from linnet.link import Linker, Pipeline
from linnet.rerank.calibrator import Calibrator, Curve
from linnet.terminology import Terminology

AS_SCORED = Curve((0.0, 1.0), (0.0, 1.0))
SET = "breast cancer; aspirin"


def linker(terminology: Terminology, place: Path, least: float = 0.03, **curves: Curve) -> Linker:
    """A match is as probable as its score."""
    place.mkdir(exist_ok=True)
    Calibrator({"retrieved": AS_SCORED, **curves}).save(place / "calibrator.json")
    pipeline = Pipeline(reranker=None, calibrator=str(place), min_probability=least)
    return Linker.open([terminology], pipeline=pipeline)


def test_parts_are_independent_and_the_division_may_be_wrong(
    terminology: Terminology, tmp_path: Path
) -> None:
    own = linker(terminology, tmp_path)
    [link] = own.link(["brest cancer; aspirin"])
    assert link.concepts == ("T:2", "T:6")
    of_parts = [part.probability for part in link.parts]
    assert link.probability is not None
    assert None not in of_parts
    product = (of_parts[0] or 0) * (of_parts[1] or 0)
    assert 0.5 * product < link.probability <= product


def test_a_curve_maps_sets_but_not_single_concepts(terminology: Terminology, tmp_path: Path) -> None:
    own = linker(terminology, tmp_path, set=Curve((0.0, 1.0), (0.2, 0.2)))
    assert [link.probability for link in own.link([SET, "aspirin; see notes", "aspirin"])] != [0.2] * 3
    assert own.link([SET])[0].probability == 0.2
    assert own.link(["aspirin"])[0].probability == 1
    assert own.link(["aspirin; see notes"])[0].probability != 0.2


def test_without_probabilities_a_set_has_none(terminology: Terminology) -> None:
    [link] = Linker.open([terminology], pipeline=Pipeline(reranker=None)).link([SET])
    assert (link.concepts, link.probability) == (("T:2", "T:6"), None)


@pytest.mark.parametrize("text", [SET, "brest cancer", "sever coldness"])
def test_less_probable_than_the_least_is_nil_and_keeps_its_candidates(
    terminology: Terminology, tmp_path: Path, text: str
) -> None:
    [link] = linker(terminology, tmp_path / "a", least=0.0).link([text])
    [none] = linker(terminology, tmp_path / "b", least=min(1.0, (link.probability or 0) + 0.0002)).link(
        [text]
    )
    assert link.concepts
    assert (none.concepts, none.name, none.probability) == ((), "", None)
    assert none.candidates == link.candidates


def test_a_text_that_is_read_as_nothing_keeps_its_candidates(
    terminology: Terminology, tmp_path: Path
) -> None:
    [link] = linker(terminology, tmp_path).link(["aspirin: no"])
    assert link.is_nil
    assert link.candidates[0].concept == "T:6"
