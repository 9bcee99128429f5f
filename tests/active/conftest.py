"""Fixtures of active learning's tests."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from linnet.active.model import ensure_indexes
from linnet.encode.model import Model, open_model, write_model
from linnet.encode.named_models import SHIPPED
from linnet.encode.safetensors import write_safetensors
from linnet.link.pipeline_files import pipelines
from linnet.rerank.second_stage import ENCODER, WEIGHTS
from linnet.rerank.second_stage_features import SECOND_FEATURES
from linnet.terminology import write_terminology
from linnet.types import Concept

CONCEPTS = [
    Concept("X:0", "Disease", types=("Disease",)),
    Concept("X:1", "Gout", ("gouty arthritis",), ("Disease",), "Crystals of urate in joints.", ("X:0",)),
    Concept("X:2", "Asthma", ("bronchial asthma",), ("Disease",), "Narrow airways.", ("X:0",)),
    Concept("X:3", "Migraine", ("migraine disorder",), ("Disease",), "", ("X:0",)),
    Concept("X:4", "Breast Neoplasms", ("breast cancer",), ("Disease",), "", ("X:0",)),
    Concept("X:5", "Ovarian Neoplasms", ("ovarian cancer",), ("Disease",), "", ("X:0",)),
    Concept("X:6", "Scurvy", ("vitamin C deficiency",), ("Disease",), "", ("X:0",)),
    Concept("X:7", "Allopurinol", (), ("Chemical",), "For gout."),
    Concept("X:9", "", replaced_by=("X:1",)),
]


@pytest.fixture(scope="session")
def small_terminology(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A terminology of eight concepts, with its indexes but without its search index."""
    place = tmp_path_factory.mktemp("terminologies") / "small"
    ensure_indexes(write_terminology(CONCEPTS, place, pipeline={"retrievers": ["exact", "sparse"]}))
    return place


@pytest.fixture(scope="session")
def accurate_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A reranker with a second encoder, linnet's own, of which the best candidate is the nearest."""
    first = open_model(SHIPPED / "context", checked=False)
    names = [*first.options["features"], *SECOND_FEATURES]
    nothing = np.zeros(len(names), np.float32)
    by_cosine = nothing.copy()
    by_cosine[names.index("second cosine")] = 5
    weights = {
        "centre": nothing, "scale": np.ones_like(nothing), "linear": by_cosine,
        "hidden": np.zeros((len(names), 0), np.float32), "bias": nothing[:0], "out": nothing[:0],
        "none": nothing, "none_bias": nothing[:1],
    }  # fmt: skip

    def fill(draft: Path) -> None:
        write_safetensors(draft / WEIGHTS, weights)
        shutil.copytree(SHIPPED / "ngram", draft / ENCODER)

    place = tmp_path_factory.mktemp("models") / "accurate"
    options = {
        "features": list(SECOND_FEATURES),
        "found": 3,
        "index": "accurate",
        "first": first.name,
        "first_digest": first.digest,
        "ask_below": 1.0,
    }
    write_model(place, Model("second-encoder", "accurate", len(names), "tokenizer", options, {}), fill=fill)
    return place


@pytest.fixture
def accurate(accurate_model: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The model of the pipeline "accurate" from now on."""
    monkeypatch.setitem(pipelines, "accurate", {"reranker": str(accurate_model)})
    return accurate_model
