"""Which pipelines a project can choose, and what they change."""

from __future__ import annotations

from pathlib import Path

import pytest

from linnet.active.model import ensure_indexes, open_model, pipeline_of, searches_own_index
from linnet.active.pipeline_choice import pipelines_for
from linnet.errors import StoreError, UnknownNameError
from linnet.link.default_pipeline import store_pipeline
from linnet.link.pipeline import Pipeline
from linnet.link.pipeline_files import pipelines
from linnet.retrieve.index import index_path
from linnet.terminology import Terminology, write_terminology
from linnet.types import Concept


@pytest.fixture
def terminology(tmp_path: Path) -> Terminology:
    return write_terminology([Concept("X:1", "Gout")], tmp_path / "t", pipeline={"retrievers": ["exact"]})


@pytest.mark.usefixtures("accurate")
def test_the_terminologys_own_comes_first_and_pipelines_for_measuring_are_left_out(
    terminology: Terminology,
) -> None:
    offered = pipelines_for(terminology)
    assert list(offered) == ["default", "accurate", "clinical"]
    assert offered["default"].startswith("fast")
    assert offered["accurate"].startswith("accurate")


def test_what_lacks_its_model_is_not_offered(
    terminology: Terminology, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(pipelines, "accurate", {"reranker": str(tmp_path / "absent")})
    assert list(pipelines_for(terminology)) == ["default", "clinical"]
    monkeypatch.delitem(pipelines, "accurate")
    assert list(pipelines_for(terminology)) == ["default", "clinical"]


def test_a_terminology_that_has_the_reranker_itself_offers_no_other(
    terminology: Terminology, accurate: Path
) -> None:
    store_pipeline(terminology, Pipeline(retrievers=("exact",), reranker=str(accurate)))
    offered = pipelines_for(Terminology.open(terminology.path))
    assert list(offered) == ["default", "clinical"]
    assert "fast" not in offered["default"]


def test_a_pipeline_changes_its_fields_of_the_terminologys_own(
    terminology: Terminology, accurate: Path
) -> None:
    own, other = pipeline_of(terminology), pipeline_of(terminology, "combined", "accurate")
    assert (own.reranker, own.recogniser) == ("context", "dictionary")
    assert (other.reranker, other.recogniser) == (str(accurate), "combined")
    assert other.retrievers == own.retrievers == ("exact",)
    assert other.min_probability_recognised == own.min_probability_recognised
    with pytest.raises(UnknownNameError, match=r"Unknown pipeline 'acurate'.*'accurate'"):
        pipeline_of(terminology, pipeline="acurate")


@pytest.mark.usefixtures("accurate")
def test_the_index_of_its_reranker_is_built_where_it_is_chosen(terminology: Terminology) -> None:
    assert not searches_own_index(terminology, "")
    assert searches_own_index(terminology, "accurate")
    ensure_indexes(terminology)
    with pytest.raises(StoreError, match="no index 'accurate'"):
        open_model(terminology, None, pipeline="accurate")
    steps: list[str] = []
    ensure_indexes(terminology, "accurate", progress=lambda step, done, total: steps.append(step))
    assert "encoding" in steps
    assert index_path(terminology, "accurate").is_dir()
    reranking = open_model(terminology, None, pipeline="accurate").linker.reranking
    assert reranking is not None
    assert reranking.reranker.name == "accurate"


def test_no_text_is_read_as_a_note_where_the_terminology_has_another_recogniser(
    terminology: Terminology,
) -> None:
    store_pipeline(terminology, Pipeline(retrievers=("exact",), recogniser="dictionary"))
    assert "clinical" not in pipelines_for(Terminology.open(terminology.path))
