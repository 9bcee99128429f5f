"""What a model's name stands for."""

from __future__ import annotations

from pathlib import Path

import pytest

from linnet.encode import load_encoder
from linnet.encode.named_models import SHIPPED, model_place
from linnet.link import Linker
from linnet.link.indexing import build_indexes
from linnet.terminology import write_terminology
from linnet.types import Concept


@pytest.fixture
def shadowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with folders called as shipped models are."""
    for name in ("ngram", "context"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_shipped_name_means_the_shipped_model_whatever_the_working_directory_holds(shadowed: Path) -> None:
    assert model_place("ngram") == SHIPPED / "ngram"
    assert load_encoder("ngram").name == "ngram"


def test_a_folder_of_such_a_name_is_meant_by_its_path(shadowed: Path) -> None:
    assert model_place("./ngram") == Path("ngram")
    assert model_place(Path("ngram")) == Path("ngram")
    assert model_place(shadowed / "ngram") == shadowed / "ngram"


def test_any_other_name_is_a_folder(shadowed: Path) -> None:
    assert model_place("mine") == Path("mine")


def test_linking_is_not_led_astray(shadowed: Path) -> None:
    terminology = write_terminology([Concept("X:1", "gout")], shadowed / "t")
    build_indexes(terminology, ("exact", "dense"), encoder="ngram")
    (link,) = Linker.open([terminology]).link(["gout"])
    assert link.concepts == ("X:1",)
