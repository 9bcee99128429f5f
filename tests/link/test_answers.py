"""How probable a composite is: no more than its parts; and one whose parts are all NIL is NIL."""

from __future__ import annotations

from pathlib import Path

import pytest

from linnet.link import Linker, Pipeline
from linnet.rerank.calibrator import Calibrator, Curve
from linnet.terminology import Terminology


@pytest.fixture
def calibrator(tmp_path: Path) -> str:
    """To it an exact match is 40 % probable."""
    curves = {"retrieved": Curve((0.0, 1.0), (0.1, 0.4))}
    Calibrator(curves).save(tmp_path / "calibrator.json")
    return str(tmp_path)


def test_a_composite_is_no_more_probable_than_its_parts(terminology: Terminology, calibrator: str) -> None:
    pipeline = Pipeline(reranker=None, calibrator=calibrator)
    [link] = Linker.open([terminology], pipeline=pipeline).link(["breast and ovarian cancer"])
    assert link.concepts == ("T:2", "T:3")
    assert [part.probability for part in link.parts] == [0.4, 0.4]
    assert link.probability is not None
    assert 0.12 < link.probability <= 0.16  # both parts right, and the division


def test_a_composite_of_nothing_but_nil_is_nil(terminology: Terminology, calibrator: str) -> None:
    pipeline = Pipeline(reranker=None, calibrator=calibrator, min_probability=0.5)
    [link] = Linker.open([terminology], pipeline=pipeline).link(["breast and ovarian cancer"])
    assert [part.concepts for part in link.parts] == [(), ()]
    assert (link.concepts, link.name, link.probability) == ((), "", None)
