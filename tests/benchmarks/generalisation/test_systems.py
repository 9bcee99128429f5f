"""Answers are asked for once, and again where what they depend on has changed."""

from __future__ import annotations

import gzip
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from benchmarks.generalisation.answers import Answer
from benchmarks.generalisation.dev_set import DevSet, mention_document
from linnet.evaluate.gold import Predicted
from linnet.terminology import Terminology, write_terminology
from linnet.types import Concept

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


@pytest.fixture
def systems(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The module, with those of `benchmarks/` that it imports; `bench` sets variables of the environment."""
    before, environment = set(sys.modules), dict(os.environ)
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    from benchmarks.generalisation import systems

    yield systems
    os.environ.clear()
    os.environ.update(environment)
    for name in set(sys.modules) - before:
        if str(BENCHMARKS) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@pytest.fixture
def terminology(tmp_path: Path) -> Terminology:
    return write_terminology([Concept("X:1", "Dorn fever"), Concept("X:2", "Vell rash")], tmp_path / "t")


def _set(terminology: Terminology, text: str) -> DevSet:
    document = mention_document(text, ["X:1"], id="1")
    return DevSet("invented", "Invented", terminology, (document,), "Invented.")


def test_what_has_been_answered_is_not_asked_again_until_something_changes(
    systems: ModuleType, terminology: Terminology, tmp_path: Path
) -> None:
    asked = []

    def answer(dev_set: DevSet, out: Path) -> list[Answer]:
        asked.append(dev_set.mentions[0].text)
        return [Answer(Predicted(frozenset(["X:1"])), 1.0)]

    system = systems.System("invented", answer, lambda *_: "one")
    first = systems.answers(system, _set(terminology, "dorn"), tmp_path)
    assert systems.answers(system, _set(terminology, "dorn"), tmp_path) == first
    assert asked == ["dorn"]
    systems.answers(system, _set(terminology, "dorn's"), tmp_path)
    systems.answers(replace(system, digest=lambda *_: "two"), _set(terminology, "dorn"), tmp_path)
    other = write_terminology([Concept("X:1", "Dorn fever")], tmp_path / "other")
    systems.answers(system, _set(other, "dorn"), tmp_path)
    assert asked == ["dorn", "dorn's", "dorn", "dorn"]


def test_no_text_is_kept_with_the_answers(
    systems: ModuleType, terminology: Terminology, tmp_path: Path
) -> None:
    system = systems.System(
        "invented", lambda dev_set, _: [Answer(Predicted(), 0.0)] * len(dev_set.mentions), lambda *_: ""
    )
    systems.answers(system, _set(terminology, "a secret phrase"), tmp_path)
    (file,) = (tmp_path / "answers").iterdir()
    assert "secret" not in gzip.decompress(file.read_bytes()).decode()
