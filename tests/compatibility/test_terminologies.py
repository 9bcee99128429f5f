"""Terminologies, indexes and models of an earlier linnet answer as they did, and stay as they are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.compatibility.answers import (
    LINKINGS,
    SEARCHES,
    differences,
    files_of,
    linked,
    linnet,
    read_answers,
    searched,
)
from typer.testing import CliRunner

import linnet as package
from linnet.cli import app
from linnet.encode import load_encoder
from linnet.encode.model import open_model


@pytest.fixture(scope="module")
def answers() -> dict[str, Any]:
    found: dict[str, Any] = read_answers("links")
    return found


@pytest.mark.parametrize("name", LINKINGS)
def test_links_are_the_same_and_nothing_is_rewritten(name: str, at_home: Path, answers: Any) -> None:
    before = files_of(at_home)
    assert list(differences(answers[name], linked(name))) == []
    assert files_of(at_home) == before


@pytest.mark.parametrize(
    "command",
    [
        ("link", "texts.jsonl", "-t", "diseases", "--reranker", "models/dual"),
        ("index", "diseases", "--reranker", "models/dual"),
        ("train", "dual.toml"),
    ],
)
def test_what_linnet_no_longer_has_is_refused_with_advice(command: tuple[str, ...], at_home: Path) -> None:
    """`models/dual` and `dual.toml` are of the linnet of then; `make_fixtures.py` cannot make them any more."""
    before = files_of(at_home)
    if command[0] == "train":
        pytest.importorskip("torch", reason="needs the train extra")
    done = CliRunner().invoke(app, list(command))
    assert done.exit_code == 1
    assert "'static', which linnet no longer has. Train a transformer instead" in " ".join(
        done.stderr.split()
    )
    assert files_of(at_home) == before


@pytest.mark.parametrize("words", SEARCHES)
def test_searches_find_the_same_and_nothing_is_rewritten(words: str, at_home: Path) -> None:
    before = files_of(at_home)
    assert list(differences(read_answers("searches")[words], searched(words))) == []
    assert files_of(at_home) == before


@pytest.mark.parametrize("name", ["diseases", "drugs", "flat", "hnsw", "ivf", "bert", "learned/names"])
def test_every_byte_is_as_its_manifest_says(name: str, at_home: Path) -> None:
    linnet("terminology", "info", name, "--verify")


@pytest.mark.parametrize("name", ["diseases", "flat", "hnsw", "ivf"])
def test_an_update_finds_every_index_up_to_date(name: str, home: Path, at_home: Path) -> None:
    before = files_of(at_home / name)
    linnet("index", name, "--update")
    assert files_of(at_home / name) == before


def test_python_opens_them_and_follows_retired_ids(at_home: Path) -> None:
    expected = read_answers("links")["the terminology's own pipeline"]
    texts = [json.loads(line)["text"] for line in Path("mentions.jsonl").read_text("utf-8").splitlines()]
    links = package.load("diseases", threads=1).link(texts)
    assert [list(link.concepts) for link in links] == [record["concepts"] for record in expected]
    terminology = package.Terminology.open("diseases")
    assert [terminology.resolve(id) for id in ("T:990", "T:991", "T:992")] == [("T:002",), ("T:002",), ()]


@pytest.mark.parametrize("name", ["ngram", "transformer"])
def test_an_encoder_opens(name: str, at_home: Path) -> None:
    place = at_home / "models" / name
    expected = read_answers("vectors")[name]
    found = load_encoder(place, threads=1).encode(["gouty arthritis", "日本語"])
    assert list(differences(expected, found.tolist())) == []
    assert open_model(place).training["task"] in ("synonyms", "mention-synonyms")
