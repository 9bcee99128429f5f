"""Kinds of mistakes of Le & Nguyen's systems, on invented names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")
pytestmark = pytest.mark.torch

from le_nguyen_errors import _WRITTEN, by_frequency, by_writing, written  # noqa: E402
from le_nguyen_frame import Frame  # noqa: E402

from linnet.terminology import Terminology, write_terminology  # noqa: E402
from linnet.train.clusters import LinkedCandidates  # noqa: E402
from linnet.train.corpus import linked_mentions  # noqa: E402
from linnet.types import Concept, Document, Mention  # noqa: E402

CONCEPTS = [
    Concept("X:1", "chronic heart failure", ("weak heart", "CHF syndrome")),
    Concept("X:2", "cardiac insufficiency", ("weak heart", "heart block")),
]
# Text of a mention of the first concept → what it is of its names.
TEXTS = {
    "Chronic heart failure": "a name of the concept alone",
    "weak heart": "a name of it and of others",
    "heart block": "a name of others alone",
    "HFx": "a short form, not spelt out",
    "very weak heart": "a name and more words",
    "heart failure": "a part of a name",
    "failure of pumping": "some words of a name",
    "dropsy": "no word of a name",
}


@pytest.fixture
def here(tmp_path: Path) -> Terminology:
    return write_terminology(CONCEPTS, tmp_path / "invented", sources=[])


@pytest.fixture
def dev(here: Terminology) -> LinkedCandidates:
    mentions = [Mention(Document(text, text), 0, len(text), text, "Disease", ("X:1",)) for text in TEXTS]
    linked, size = linked_mentions(mentions, here), len(mentions)
    candidates = np.tile(np.array([1, 0]), (size, 1))  # retrieval always has the other concept first
    documents = tuple(mention.document.id for mention in mentions)
    return LinkedCandidates(linked, (), documents, candidates, np.zeros((size, 2), np.float32), 0)


class OnePart(Frame):
    """The first objective is always right, the last where the mention is a name."""

    objectives = ("triplet-all", "prototype-soft-radius")
    parts = (("ncbi", "dense"),)

    def __init__(self, dev: LinkedCandidates, here: Terminology) -> None:
        self._dev, self._here = dev, here

    def dev(self, part: object) -> LinkedCandidates:
        return self._dev

    def learnt(self, part: object) -> list[LinkedCandidates]:
        return [self._dev, self._dev]  # 16 training mentions of the concept

    def flags(self, part: object, column: str, what: str) -> np.ndarray:
        named = written(self._dev, self._here) < 2
        return np.stack([named | (column == "triplet-all")] * 2)

    def terminology(self, part: object) -> Terminology:
        return self._here


def test_each_mention_is_of_the_first_kind_that_holds(dev: LinkedCandidates, here: Terminology) -> None:
    assert [_WRITTEN[kind] for kind in written(dev, here)] == [*TEXTS.values()]


def test_mistakes_are_counted_by_kind_and_by_training_mentions(
    dev: LinkedCandidates, here: Terminology
) -> None:
    frame = OnePart(dev, here)
    lines = by_writing(frame).splitlines()
    assert lines[-1] == "| all | 8 | 8 | 0 | 6 |"
    assert "| a name of the concept alone | 1 | 1 | 0 | 0 |" in lines
    [row] = by_frequency(frame).splitlines()[2:]
    assert row.startswith("| NCBI disease | 11 to 50 (8) | 0.0 | 100.0 | 25.0 | -75.0 (")
