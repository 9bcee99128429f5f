"""The model directory: what is written is read back, whatever the manifest holds."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.encode.model import Model, open_model, opening_weights, write_model
from linnet.errors import DamagedError, MismatchError, StoreError

TEXTS = st.text(max_size=12)
VALUES = st.recursive(
    st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


def fill(draft: Path) -> None:
    (draft / "weights").write_bytes(b"123")


@given(st.dictionaries(TEXTS, VALUES, max_size=5), TEXTS)
def test_manifests_come_back(training: dict[str, Any], name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        model = Model("ngram", name, 3, "simplify", {"sizes": [3, 4]}, training)
        written = write_model(Path(folder) / "m", model, fill=fill)
        assert open_model(Path(folder) / "m") == written


def test_the_digest_changes_with_options_and_weights_alone(tmp_path: Path) -> None:
    def digest(model: Model, weights: bytes) -> str:
        def fill(draft: Path) -> None:
            (draft / "weights").write_bytes(weights)

        return write_model(tmp_path / "m", model, fill=fill).digest

    plain = digest(Model("ngram", "a", 3, "simplify"), b"1")
    assert digest(Model("ngram", "b", 3, "simplify", {}, {"seed": 1}), b"1") == plain
    assert digest(Model("ngram", "a", 3, "simplify", {"x": 1}), b"1") != plain
    assert digest(Model("ngram", "a", 3, "simplify"), b"2") != plain


def test_the_model_card_may_be_edited(tmp_path: Path) -> None:
    write_model(tmp_path / "m", Model("ngram", "a", 3, "simplify"), fill=fill)
    (tmp_path / "m" / "README.md").write_text("Better words.", encoding="utf-8")
    assert open_model(tmp_path / "m").name == "a"


def test_a_failed_write_leaves_what_was_there(tmp_path: Path) -> None:
    def fail(draft: Path) -> None:
        raise OSError(28, "No space left on device")

    write_model(tmp_path / "m", Model("ngram", "a", 3, "simplify"), fill=fill)
    with pytest.raises(StoreError, match="No space left"):
        write_model(tmp_path / "m", Model("ngram", "b", 3, "simplify"), fill=fail)
    assert open_model(tmp_path / "m").name == "a"
    assert [file.name for file in tmp_path.iterdir()] == ["m"]


def test_another_kind_is_refused(tmp_path: Path) -> None:
    write_model(tmp_path / "m", Model("ngram", "a", 3, "simplify"), fill=fill)
    with pytest.raises(MismatchError, match="kind 'ngram'; expected 'transformer'"):
        open_model(tmp_path / "m", kind="transformer")


def test_errors_of_libraries_become_damage_and_those_of_linnet_pass(tmp_path: Path) -> None:
    with (
        pytest.raises(DamagedError, match=r"cannot be used: no such node.*Fetch, export or train"),
        opening_weights(tmp_path),
    ):
        raise Exception("no such node.")
    with pytest.raises(MismatchError, match="another encoder"), opening_weights(tmp_path):
        raise MismatchError("another encoder")
