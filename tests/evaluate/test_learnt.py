"""A model that is judged on what it has learnt from is said to be."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from linnet.artifact import digest
from linnet.encode.model import open_model, write_model
from linnet.encode.named_models import model_place
from linnet.evaluate.learnt import learnt_from
from linnet.link import Linker, Pipeline
from linnet.link.indexing import build_indexes
from linnet.terminology import write_terminology
from linnet.types import Concept


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    file = tmp_path / "train.pubtator"
    file.write_text("1|t|Gout.\n1|a|\n1\t0\t4\tGout\tDisease\tX:1\n\n")
    return file


@pytest.fixture
def reranker(tmp_path: Path, corpus: Path) -> Path:
    """The shipped one, said to have learnt from the corpus."""
    shipped, place = model_place("context"), tmp_path / "mine"
    model = open_model(shipped)

    def fill(draft: Path) -> None:
        for file in shipped.iterdir():
            if file.name not in ("model.toml", "README.md"):
                shutil.copy(file, draft)

    write_model(place, replace(model, training={"data": {"train": digest(corpus)}}), fill=fill)
    return place


def linker(tmp_path: Path, **pipeline: str) -> Linker:
    terminology = write_terminology([Concept("X:1", "gout")], tmp_path / "t")
    build_indexes(terminology, ("exact", "dense"))
    return Linker.open([terminology], pipeline=Pipeline(**pipeline))


def test_a_model_that_read_the_file_is_named(tmp_path: Path, corpus: Path, reranker: Path) -> None:
    (said,) = learnt_from(linker(tmp_path, reranker=str(reranker)), corpus)
    assert said.startswith("The reranker 'context' has learnt from train.pubtator")


def test_a_copy_of_the_file_under_another_name_is_known(tmp_path: Path, corpus: Path, reranker: Path) -> None:
    copy = shutil.copy(corpus, tmp_path / "dev.pubtator")
    assert len(learnt_from(linker(tmp_path, reranker=str(reranker)), Path(copy))) == 1


def test_other_corpora_and_folders_are_not_remarked_on(tmp_path: Path, corpus: Path, reranker: Path) -> None:
    other = tmp_path / "dev.pubtator"
    other.write_text(corpus.read_text().replace("Gout", "gout"))
    mine = linker(tmp_path, reranker=str(reranker))
    assert learnt_from(mine, other) == ()
    assert learnt_from(mine, tmp_path) == ()
    assert learnt_from(linker(tmp_path), corpus) == ()


@pytest.mark.data
def test_the_shipped_models_admit_what_they_have_learnt_from(tmp_path: Path, data: Path) -> None:
    train, dev = (data / f"corpora/ncbi-disease/NCBI{part}set_corpus.txt" for part in ("train", "develop"))
    mine = linker(tmp_path, recogniser="recogniser")
    assert [said.split(" has ")[0] for said in learnt_from(mine, train, recognises=True)] == [
        "The reranker 'context'",
        "The recogniser 'recogniser'",
    ]
    assert learnt_from(mine, dev, recognises=True) == ()
