"""What a model's name stands for."""

from __future__ import annotations

from pathlib import Path

import pytest

from linnet.encode import encoder_digest, load_encoder
from linnet.encode.named_models import SHIPPED, model_place
from linnet.errors import LinnetError
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


@pytest.mark.parametrize("name", ["ngram", SHIPPED / "ngram"])
def test_a_digest_is_that_of_the_opened_encoder(name: str | Path) -> None:
    assert encoder_digest(name) == load_encoder(name).digest


@pytest.mark.parametrize("name", ["no-such-model", "./no-such-model", Path("nowhere"), "context", "empty"])
def test_where_no_encoder_opens_there_is_no_digest_for_the_same_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str | Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(LinnetError) as opening:
        load_encoder(name)
    with pytest.raises(type(opening.value)) as asking:
        encoder_digest(name)
    assert str(asking.value) == str(opening.value)


def test_a_digest_needs_no_weights(tmp_path: Path) -> None:
    (tmp_path / "model.toml").write_bytes((SHIPPED / "ngram" / "model.toml").read_bytes())
    assert encoder_digest(tmp_path) == load_encoder("ngram").digest
    with pytest.raises(LinnetError):
        load_encoder(tmp_path)
