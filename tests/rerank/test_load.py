"""Rerankers by name: what is found, and what is said when nothing is."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from linnet.encode.model import Model, write_model
from linnet.errors import MismatchError, StoreError, UnknownNameError
from linnet.rerank import open_reranker, rerankers


def test_an_unknown_name_lists_the_choices() -> None:
    with pytest.raises(UnknownNameError, match=r"Unknown reranker 'listwize'.*none"):
        open_reranker("listwize")


def test_a_path_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no such directory"):
        open_reranker(tmp_path / "missing")
    with pytest.raises(StoreError, match="not a model"):
        open_reranker(tmp_path)


def test_a_model_that_does_not_rerank_is_refused(tmp_path: Path) -> None:
    def fill(draft: Path) -> None:
        (draft / "weights").write_bytes(b"1")

    write_model(tmp_path / "m", Model("ngram", "m", 3, "simplify"), fill=fill)
    with pytest.raises(MismatchError, match="kind 'ngram'"):
        open_reranker(tmp_path / "m")


def test_a_reranker_of_a_kind_that_linnet_had_once_is_refused_with_advice(tmp_path: Path) -> None:
    def fill(draft: Path) -> None:
        (draft / "weights").write_bytes(b"1")

    write_model(tmp_path / "m", Model("cross-encoder", "m", 3, "tokenizer"), fill=fill)
    with pytest.raises(MismatchError, match=r"'cross-encoder', which linnet no longer has\..*'accurate'"):
        open_reranker(tmp_path / "m")


def test_every_kind_names_a_class_that_reranks() -> None:
    for kind, place in rerankers.items():
        module, name = place.split(":")
        found = getattr(import_module(module), name)
        assert found.kind == kind
        assert callable(found.rerank)
