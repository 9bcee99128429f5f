"""Exact search and HNSW at a size: invented names, the second step larger than the first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")
pytestmark = pytest.mark.torch

import trainx_size  # noqa: E402

from linnet.terminology import write_terminology  # noqa: E402
from linnet.train.corpus import linked_mentions  # noqa: E402
from linnet.types import Concept, Document, Mention  # noqa: E402

ORGANS = [
    f"{side} {organ}" for organ in ("heart", "liver", "lung", "kidney", "skin") for side in ("left", "right")
]
CONCEPTS = [Concept(f"X:{i}", f"{organ} failure", (f"failing {organ}",)) for i, organ in enumerate(ORGANS)]


class Invented:
    """What `Source` has: a terminology, and mentions of it."""

    def __init__(self, plan: Any, name: str) -> None:
        self.terminology = write_terminology(CONCEPTS, plan.work / name, sources=[])
        texts = {"failing right lung": "X:5", "liver failure, left": "X:2"}
        mentions = [Mention(Document(t, t), 0, len(t), t, "Disease", (id,)) for t, id in texts.items()]
        self.dev = dict.fromkeys(trainx_size._CORPORA, linked_mentions(mentions, self.terminology))


@pytest.fixture
def sizes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> trainx_size.Sizes:
    monkeypatch.setattr(trainx_size, "Source", Invented)
    monkeypatch.setattr(trainx_size, "_SIZE", 40)
    monkeypatch.setattr(trainx_size, "_CHUNK", 7)

    own = (name for concept in CONCEPTS for name in concept.all_names)
    more = (f"{organ} disease {n}" for n in range(9) for organ in ORGANS)
    steps = {"own": lambda: own, "more": lambda: more}
    monkeypatch.setattr(trainx_size.Sizes, "steps", lambda self: steps)
    return trainx_size.Sizes(type("Plan", (), {"work": tmp_path}))


def test_each_size_is_measured_once_and_small_graphs_miss_nothing(sizes: trainx_size.Sizes) -> None:
    assert list(sizes.grow()) == ["own", "more"]
    vectors = np.load(sizes.folder / "vectors.npy")
    assert (np.abs(vectors).max(1) > 0).all()
    graph = (sizes.folder / "graph.faiss").read_bytes()
    for step, size in {"own": 20, "more": 40}.items():
        facts, right = sizes.kept.facts(step), sizes.kept.arrays(step)
        assert facts["names"] == size
        assert facts["recall"] == facts["first"] == 1
        np.testing.assert_array_equal(right["exact-bc5cdr-disease"], [[True, True]] * 2)
        np.testing.assert_array_equal(right["hnsw-bc5cdr-disease"], right["exact-bc5cdr-disease"])
    assert list(sizes.grow()) == ["own", "more"]
    assert (sizes.folder / "graph.faiss").read_bytes() == graph
    rows = sizes.table().splitlines()
    assert [row.split(" | ")[:2] for row in rows[2:]] == [
        ["| own, 20", "exact"], ["| own, 20", "HNSW"], ["| more, 40", "exact"], ["| more, 40", "HNSW"],
    ]  # fmt: skip
