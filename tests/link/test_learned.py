from __future__ import annotations

import json
import pickle
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from linnet.errors import DamagedError, LinnetError, MismatchError, RequestError, StoreError
from linnet.io import artifact
from linnet.link import Linker, Pipeline
from linnet.link.identity import identity, models_of
from linnet.link.indexing import build_indexes
from linnet.link.learned import MANIFEST, NAMES, STOPS, THRESHOLD
from linnet.link.linker_config import LinkerConfig
from linnet.terminology import Terminology, write_terminology
from linnet.types import Concept

TEXT = "Yellow pox, a cold and aspirin; then AT again."
LEARNED = [
    Concept("T:2", "Breast Neoplasms", ("yellow pox",), ("Disease",)),
    Concept("T:6", "Aspirin", ("white pill",), ("Chemical",)),
]


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory, terminology: Terminology) -> Callable[..., Path]:
    """Makes what a project has learnt: two names; that "cold" is none; when to say NIL."""

    def make(min_score: float = 0.3) -> Path:
        folder = tmp_path_factory.mktemp("version") / "v1"
        build_indexes(write_terminology(LEARNED, folder / NAMES), ("exact", "dense"))
        (folder / STOPS).write_text(json.dumps(["cold"]))
        (folder / THRESHOLD).write_text(json.dumps({"min_score": min_score}))
        artifact.write_manifest(folder, MANIFEST, {"terminology": terminology.digest})
        return folder

    return make


def _opening(terminology: Terminology, folder: Path, **options: Any) -> LinkerConfig:
    return LinkerConfig(terminologies=(str(terminology.path),), learned=str(folder), threads=1, **options)


def _found(opening: LinkerConfig, text: str = TEXT) -> list[tuple[str, Sequence[str]]]:
    return [(one.text, one.concepts) for one in opening.open().annotate(text).mentions]


def test_learned_names_are_found_and_stops_are_not(
    terminology: Terminology, learned: Callable[..., Path]
) -> None:
    folder = learned()
    found = _found(pickle.loads(pickle.dumps(_opening(terminology, folder))))
    assert found == [("Yellow pox", ("T:2",)), ("aspirin", ("T:6",)), ("AT", ("T:1",))]
    names_alone = Linker.open([terminology], pipeline=Pipeline(recogniser="dictionary"), threads=1)
    assert [mention.text for mention in names_alone.annotate(TEXT).mentions] == ["cold", "aspirin", "AT"]


def test_answers_name_what_was_learnt(terminology: Terminology, learned: Callable[..., Path]) -> None:
    folder, other = learned(), learned(0.4)
    linker = _opening(terminology, folder).open()
    assert models_of(linker)["learned"]["digest"] == artifact.digest(folder / MANIFEST)
    assert identity(linker) == identity(_opening(terminology, folder).open())
    assert identity(linker)["models"] != identity(_opening(terminology, other).open())["models"]
    assert _opening(terminology, other).open().pipeline.min_score == 0.4


def test_what_people_taught_is_no_less_certain_in_running_text(
    terminology: Terminology, learned: Callable[..., Path]
) -> None:
    pipeline = _opening(terminology, learned()).open().pipeline
    assert pipeline.min_probability_recognised == pipeline.min_probability == 0.06


@pytest.mark.parametrize(
    ("restrictions", "found"),
    [
        ({"deny": ("T:2",)}, ["aspirin", "AT"]),
        ({"concept_types": ("Chemical",)}, ["aspirin"]),
        ({"allow": ("T:2",)}, ["Yellow pox"]),
    ],
)
def test_learned_names_obey_restrictions(
    terminology: Terminology, learned: Callable[..., Path], restrictions: dict[str, Any], found: list[str]
) -> None:
    linked = _found(_opening(terminology, learned(), **restrictions))
    assert [text for text, concepts in linked if concepts] == found


def test_what_cannot_be_used_is_refused_with_the_next_step(
    terminology: Terminology, learned: Callable[..., Path], tmp_path: Path
) -> None:
    def refused(kind: type[LinnetError], said: str, opening: LinkerConfig) -> None:
        with pytest.raises(kind, match=said):
            opening.open()

    folder = learned()
    refused(StoreError, "no such directory", _opening(terminology, tmp_path / "gone"))
    refused(StoreError, r"has no version\.json.*that was downloaded", _opening(terminology, folder / NAMES))
    refused(StoreError, f"Name {folder}", _opening(terminology, folder.parent))
    other = write_terminology([Concept("T:1", "Gout")], tmp_path / "other")
    build_indexes(other, ("exact", "dense"))
    refused(MismatchError, "another terminology, .*Name the project's", _opening(other, folder))
    two = LinkerConfig(terminologies=(str(terminology.path), str(other.path)), learned=str(folder))
    refused(RequestError, "belongs to the terminology of its project; got 2", two)
    altered = tmp_path / "altered"
    shutil.copytree(folder, altered)
    (altered / STOPS).write_text('["gout"]')
    refused(DamagedError, r"stops\.json", _opening(terminology, altered))
