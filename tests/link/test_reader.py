"""The reader: weights in a model folder, features switched off by name, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.advised import advises

import linnet
from linnet.advice import Step
from linnet.encode.model import Model, write_model
from linnet.errors import DamagedError, LinnetError, MismatchError, UnknownNameError
from linnet.link import Linker, Pipeline
from linnet.link.identity import identity
from linnet.link.reader import Reader
from linnet.rerank.calibrator import Calibrator, Curve
from linnet.terminology import Terminology

HEAVY = 50.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A reader that never divides a string."""
    weights = {**Reader.open("reader").weights, "divided": -HEAVY}
    Reader("undivided", weights).save(tmp_path / "undivided", card="# Undivided\n")
    return tmp_path / "undivided"


def concepts(terminology: Terminology, text: str, **fields: object) -> tuple[str, ...]:
    """What a text is linked to by a pipeline with these fields."""
    pipeline = Pipeline(reranker=None, **fields)  # type: ignore[arg-type]
    [link] = Linker.open([terminology], pipeline=pipeline).link([text])
    return link.concepts


def test_a_saved_reader_opens_as_it_was(folder: Path) -> None:
    reader = Reader.open(folder)
    assert (reader.name, reader.weights["divided"]) == ("undivided", -HEAVY)
    assert reader.digest
    assert reader.digest != Reader.open("reader").digest
    assert (folder / "README.md").read_text() == "# Undivided\n"


def test_a_pipeline_names_its_reader(terminology: Terminology, folder: Path, tmp_path: Path) -> None:
    text = "breast and ovarian cancer"
    assert concepts(terminology, text) == ("T:2", "T:3")
    assert len(concepts(terminology, text, reader=str(folder))) < 2
    file = tmp_path / "own.toml"
    file.write_text(f'reader = "{folder}"\nreranker = "none"\n')
    linker = linnet.load(terminology.path, pipeline=file)
    assert linker.reader == Reader.open(folder)
    assert len(linker.link([text])[0].concepts) < 2


def test_another_reader_is_another_identity(terminology: Terminology, folder: Path) -> None:
    ours, other = (
        identity(Linker.open([terminology], pipeline=Pipeline(reranker=None, reader=reader)))
        for reader in ("reader", str(folder))
    )
    assert ours != other


def test_a_feature_that_is_switched_off_counts_nothing(terminology: Terminology) -> None:
    divided = [name for name in Reader.open("reader").weights if name.startswith("divided")]
    linker = Linker.open([terminology], pipeline=Pipeline(reranker=None, without=tuple(divided)))
    assert not linker.reader.weights.keys() & set(divided)
    assert Reader.open("reader").without(()) == Reader.open("reader")


def test_features_are_switched_off_one_by_one(terminology: Terminology, tmp_path: Path) -> None:
    Calibrator({"retrieved": Curve((0.0, 1.0), (0.0, 1.0))}).save(tmp_path / "calibrator.json")
    sure = []
    for without in ((), ("name",)):
        pipeline = Pipeline(reranker=None, calibrator=str(tmp_path), without=without)
        [link] = Linker.open([terminology], pipeline=pipeline).link(["severe aspirin"])
        assert link.concepts == ("T:6",)
        sure.append(link.probability)
    assert sure[0] != sure[1]


def test_an_unknown_feature_is_refused_with_the_known_ones(terminology: Terminology, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"feature of the reader.*'worst part!'.*worst part"):
        Linker.open([terminology], pipeline=Pipeline(reranker=None, without=("worst part!",)))
    file = tmp_path / "own.toml"
    file.write_text('without = ["worst part!"]\n')
    with pytest.raises(LinnetError, match="worst part"):
        linnet.load(terminology.path, pipeline=file)


@pytest.mark.parametrize("weights", ["{", "[1]", '{"name": "much"}', '{"name": NaN}', '{"name": null}'])
def test_weights_that_are_no_numbers_are_refused(tmp_path: Path, weights: str) -> None:
    def fill(draft: Path) -> None:
        (draft / "weights.json").write_text(weights)

    write_model(tmp_path / "own", Model("reader", "own", 0, "simplify"), fill=fill, card="# Own\n")
    with pytest.raises(DamagedError, match=r"weights\.json is damaged", check=advises(Step.TRAIN_AGAIN)):
        Reader.open(tmp_path / "own")


def test_weights_that_were_altered_are_refused(folder: Path) -> None:
    file = folder / "weights.json"
    file.write_bytes(file.read_bytes().replace(b"divided", b"dividde"))
    with pytest.raises(DamagedError, match=r"weights\.json"):
        Reader.open(folder)


def test_a_folder_without_weights_is_refused(folder: Path) -> None:
    (folder / "weights.json").unlink()
    with pytest.raises(LinnetError, match=r"weights\.json"):
        Reader.open(folder)


def test_a_model_of_another_kind_is_refused() -> None:
    with pytest.raises(MismatchError, match=r"reranker|reader"):
        Reader.open("context")


def test_a_name_that_is_neither_model_nor_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"reader.*DIRECTORY"):
        Reader.open("raeder")
    with pytest.raises(LinnetError, match="absent"):
        Reader.open(tmp_path / "absent")


def test_the_page_on_linking_has_the_weights_of_the_shipped_reader() -> None:
    page = (Path(__file__).parents[2] / "docs/linking.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([^`]+)` \| ([+-][\d.]+) \|", page, re.MULTILINE)
    weights = Reader.open("reader").weights
    assert len(rows) > 15
    assert [(name, f"{weights[name]:+.1f}") for name, _ in rows] == rows
