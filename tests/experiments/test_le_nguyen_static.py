"""The static dual encoder of Le & Nguyen's first page: what it learns, from where it goes on, and a run of the experiment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
pytestmark = pytest.mark.torch

from le_nguyen_plan import Plan  # noqa: E402
from le_nguyen_static import StaticDual, StaticDualSettings  # noqa: E402
from tests.train.learners.described import CONCEPTS, CONTEXTS  # noqa: E402

from linnet.encode.ngram import NgramEncoder  # noqa: E402
from linnet.link import Linker, Pipeline  # noqa: E402
from linnet.link.indexing import build_indexes  # noqa: E402
from linnet.rerank.dual_inputs import MentionInContext  # noqa: E402
from linnet.terminology import write_terminology  # noqa: E402
from linnet.train.clusters import linked_candidates  # noqa: E402
from linnet.types import Concept, Document, Mention  # noqa: E402

NAMES = [name for concept in CONCEPTS for name in concept.names]
WORDS = [" ".join(context) for context in CONTEXTS]


@pytest.fixture
def start(tmp_path: Path) -> Path:
    NgramEncoder.untrained(NAMES, buckets=256, dimensions=16).save(tmp_path / "names")
    return tmp_path / "names"


def static(start: Path, **settings: Any) -> StaticDual:
    small: dict[str, Any] = {"context_buckets": 64, "context_dimensions": 8}
    return StaticDual(StaticDualSettings(start=start, **small | settings), NAMES, WORDS, seed=0)


def trained(learner: StaticDual, *, steps: int = 40) -> list[float]:
    """Losses of steps that bring the first two mentions to their own concept."""
    mentions, entities = learner.mentions(CONTEXTS), learner.entities(CONCEPTS)
    optimiser = learner.optimiser()
    losses = []
    for _ in range(steps):
        away = torch.cdist(mentions(np.array([0, 1])), entities(np.array([0, 1])))
        loss = (away[0, 0] - away[0, 1] + 1).relu() + (away[1, 1] - away[1, 0] + 1).relu()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
    return losses


def test_equal_mentions_are_told_apart_by_their_context(start: Path) -> None:
    losses = trained(static(start))
    assert losses[0] > 0.5
    assert losses[-1] < 0.1 * losses[0]


def test_vectors_without_gradients_are_those_with(start: Path) -> None:
    learner = static(start)
    trained(learner, steps=5)
    contexts = [*CONTEXTS, MentionInContext("", "cold cold cold cold", "cold"), MentionInContext("", "", "")]
    mentions, entities = learner.mentions(contexts), learner.entities(CONCEPTS)
    numbers = np.array([4, 3, 0, 0, 2])
    with torch.no_grad():
        quick = mentions(numbers), entities(np.array([2, 1, 1]))
    for vectors, other in zip(quick, (mentions(numbers), entities(np.array([2, 1, 1]))), strict=True):
        np.testing.assert_allclose(vectors.numpy(), other.detach().numpy(), atol=1e-5)


def test_it_goes_on_from_a_name_encoder(start: Path) -> None:
    learner = static(start, scale=1.0)
    with torch.no_grad():
        [vector] = learner.mentions([MentionInContext("", "gout", "")])(np.array([0])).numpy()
    [expected] = NgramEncoder.open(start).encode(["gout"])
    np.testing.assert_allclose(vector, expected / np.linalg.norm(expected), atol=1e-5)


def test_a_run_keeps_what_is_right_on_dev(
    start: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import le_nguyen

    monkeypatch.setattr(le_nguyen, "names_of", lambda plan, name: start)
    plan = Plan(
        work=tmp_path,
        results=tmp_path,
        corpora=("ncbi",),
        objectives=("prototype-soft-radius",),
        candidates=4,
        clusters=4,
        held_out=0.2,
        refresh=10,
        seeds={"sparse": 1},
        margins={"ncbi": 1.6},
        rates={"ncbi": 0.01},
        epochs={"ncbi": 12},
        names={},
        encoder={"learning_rate": 0.05},
        variants={},
        variant_corpora=(),
        variant_seeds=0,
    )
    concepts = [Concept(f"X:{i}", c.names[0], c.names[1:], (c.type,)) for i, c in enumerate(CONCEPTS)]
    place = plan.terminology("ncbi")
    build_indexes(write_terminology(concepts, place, sources=[]), ("char",))
    linker = Linker.open([place], pipeline=Pipeline(retrievers=("char",), reranker=None))
    mentions = []
    for number in range(24):
        left, word, right = CONTEXTS[number % 3]
        document = Document(str(number), f"{left} {word} {right} {left} {word} {right}")
        for start_of in (document.text.index(word), document.text.rindex(word)):
            mentions.append(
                Mention(document, start_of, start_of + len(word), word, "Disease", (f"X:{number % 3}",))
            )
    part = linked_candidates(mentions, linker, k=4)
    monkeypatch.setattr(
        le_nguyen, "found", lambda *_: type("Found", (), {"train": part, "held": part, "dev": part})
    )
    run = ("ncbi", "sparse", "prototype-soft-radius", 0)
    le_nguyen.train(plan, *run)
    assert plan.kept.arrays(*run)["alone"].all()
    facts = plan.kept.facts(*run)
    assert facts["after_loss_tla"] < facts["before_loss_tla"]
