"""Pipelines by name and from files: equal to the same options, and refused with the file, the key and what was expected."""

from __future__ import annotations

import re
import shutil
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import pytest

from linnet import load
from linnet.encode.named_models import SHIPPED
from linnet.errors import DataError, MismatchError, RequestError, UnknownNameError
from linnet.io.settings_files import as_table
from linnet.io.toml import to_toml
from linnet.link.default_pipeline import store_pipeline
from linnet.link.identity import identity
from linnet.link.linker_config import LinkerConfig
from linnet.link.pipeline import Pipeline
from linnet.link.pipeline_files import pipelines, read_pipeline
from linnet.terminology import Terminology

ROOT = Path(__file__).parents[2]

OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ('retrievers = ["exact"]\nreranker = "none"\nmin_score = 0.5', {"retrievers": ["exact"], "reranker": None, "min_score": 0.5}),
    ("memory = false\ndepth = 4\nmargin = 1", {"memory": False, "depth": 4, "margin": 1.0}),
    ('reranker = "context"\nmin_probability = 0.2', {"reranker": "context", "min_probability": 0.2}),
    ("", {}),
]  # fmt: skip


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "my.toml"


@pytest.mark.parametrize(("text", "options"), OPTIONS)
def test_a_file_and_the_same_options_make_one_linker(file: Path, text: str, options: dict[str, Any]) -> None:
    file.write_text(text)
    from_file = identity(load("starter", threads=1, pipeline=file))
    assert from_file == identity(load("starter", threads=1, **options))
    assert from_file == identity(load("starter", threads=1, pipeline=str(file)))


def test_another_pipeline_is_another_identity(file: Path) -> None:
    file.write_text("composites = false")
    assert identity(load("starter", threads=1, pipeline=file)) != identity(load("starter", threads=1))


def test_default_is_the_terminologys_own_pipeline(terminology: Terminology) -> None:
    stored = Pipeline(retrievers=("exact",), margin=0.1)
    before = Pipeline.from_manifest(terminology.pipeline)
    store_pipeline(terminology, stored)
    try:
        assert load(terminology.path, pipeline="default").pipeline == stored
        without = load(terminology.path, pipeline="no-memory").pipeline
        assert (without.memory, without.margin) == (False, 0.1)
    finally:
        store_pipeline(terminology, before)


def test_options_take_precedence_over_the_file(file: Path) -> None:
    file.write_text('retrievers = ["exact"]\ndepth = 4')
    pipeline = load("starter", threads=1, pipeline=file, depth=6).pipeline
    assert (pipeline.retrievers, pipeline.depth) == (("exact",), 6)


def test_a_pipeline_written_out_is_read_as_it_was(file: Path) -> None:
    pipeline = Pipeline(retrievers=("exact", "char"), min_score=0.1, memory=False)
    file.write_text(to_toml(as_table(pipeline)))
    assert Pipeline(**read_pipeline(file)) == pipeline


def test_the_documented_file_has_every_key_with_its_default(file: Path) -> None:
    [block] = re.findall(r"```toml\n(.*?)```", (ROOT / "docs/linking.md").read_text(encoding="utf-8"), re.S)
    file.write_text(block)
    written = read_pipeline(file)
    defaults = asdict(Pipeline())
    assert {key: defaults[key] for key in written} == written
    commented = set(re.findall(r"^# (\w+) = ", block, re.M))
    assert set(written) | commented == {field.name for field in fields(Pipeline)}


@pytest.mark.parametrize("place", ["models/mine", "./models/mine"])
def test_a_path_is_relative_to_the_file(file: Path, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (file.parent / "models/mine").mkdir(parents=True)
    elsewhere = file.parent / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    file.write_text(f'reranker = "{place}"')
    assert read_pipeline(file) == {"reranker": str(file.parent / "models/mine")}


@pytest.mark.parametrize("folder", ["", "settings"])
def test_a_model_below_the_working_directory_is_named_as_an_option_names_it(
    file: Path, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(SHIPPED / "context", file.parent / "mine")
    (file.parent / folder).mkdir(exist_ok=True)
    monkeypatch.chdir(file.parent)
    Path(folder, "my.toml").write_text(f'reranker = "{"../" if folder else ""}mine"')
    from_file = load("starter", threads=1, pipeline=Path(folder, "my.toml"))
    assert identity(from_file) == identity(load("starter", threads=1, reranker="mine"))


def test_a_folder_with_the_name_of_a_shipped_model_is_that_folder_where_its_path_is_written(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (file.parent / "context").mkdir()
    monkeypatch.chdir(file.parent)
    file.write_text('reranker = "./context"')
    assert read_pipeline(file) == {"reranker": str(file.parent / "context")}


def test_a_folder_of_the_working_directory_is_not_taken_for_one_beside_the_file(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (file.parent / "work/mine").mkdir(parents=True)
    monkeypatch.chdir(file.parent / "work")
    file.write_text('encoder = "mine"')
    with pytest.raises(
        DataError, match="'encoder' is 'mine'; expected a name, or a path relative to this file"
    ):
        read_pipeline(file)


def test_the_names_of_shipped_models_stay_names(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (file.parent / "context").mkdir()
    monkeypatch.chdir(file.parent)
    file.write_text('reranker = "context"\nrecogniser = "dictionary"\nencoder = "ngram"')
    assert read_pipeline(file) == {"reranker": "context", "recogniser": "dictionary", "encoder": "ngram"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('rerankr = "none"', "'rerankr' is not a key; did you mean 'reranker'"),
        ('depth = "8"', "'depth' is '8'; expected a whole number"),
        ("depth = 0", "'depth' is 0; expected 1 or more"),
        ("min_probability = 1.5", "'min_probability' is 1.5; expected a number from 0 to 1"),
        ("margin = -1", "'margin' is -1.0; expected a number from 0 to 1"),
        ("min_score = nan", "'min_score' is nan"),
        ("memory = 1", "'memory' is 1; expected true or false"),
        ("retrievers = []", "'retrievers' is empty"),
        ('retrievers = "exact"', "'retrievers' is 'exact'; expected a list"),
        ('retrievers = ["exat"]', "'retrievers': Unknown retriever 'exat'. Did you mean 'exact'"),
        ('reranker = "contxt"', "'reranker': Unknown reranker 'contxt'. Did you mean 'context'"),
        ('recogniser = "none"', "'recogniser': Unknown recogniser 'none'"),
        ('encoder = "ngrm"', "'encoder': Unknown encoder 'ngrm'. Did you mean 'ngram'"),
        ('reranker = "models/absent"', "'reranker' is 'models/absent'; expected"),
        ('calibrator = "absent.json"', "'calibrator' is 'absent.json'; expected"),
        ("depth = ", "not valid TOML"),
    ],
)  # fmt: skip
def test_a_wrong_file_is_refused_with_its_name_and_the_key(file: Path, text: str, message: str) -> None:
    file.write_text(text)
    with pytest.raises(DataError, match=re.escape(message)) as refused:
        read_pipeline(file)
    assert str(refused.value).startswith(str(file))


def test_all_mistakes_are_listed_at_once(file: Path) -> None:
    file.write_text('depth = "8"\nmemory = 2\nreranker = "./absent"')
    with pytest.raises(DataError, match=r"(?s)'memory'.*'depth'.*'reranker'"):
        read_pipeline(file)


def test_an_unknown_name_lists_the_names() -> None:
    with pytest.raises(UnknownNameError, match=r"Did you mean 'default'\? .*no-memory"):
        read_pipeline("defualt")
    with pytest.raises(DataError, match=r"absent\.toml: no such file"):
        read_pipeline("absent.toml")
    with pytest.raises(RequestError, match="is a name or a file"):
        read_pipeline(Pipeline())  # type: ignore[arg-type]


@pytest.mark.parametrize("name", pipelines)
def test_every_named_pipeline_links(name: str) -> None:
    assert load("starter", threads=1, pipeline=name).link(["heart attack"])[0].concept == "MESH:D009203"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"depth": "8"}, "'depth' is '8'; expected a whole number"),
        ({"min_probability": 3.0}, "'min_probability' is 3.0; expected"),
        ({"recogniser": None}, "'recogniser' is None; expected a string"),
        ({"retrievers": []}, "'retrievers' is empty"),
    ],
)
def test_wrong_options_are_refused_in_python(options: dict[str, Any], message: str) -> None:
    with pytest.raises(RequestError, match=re.escape(message)):
        LinkerConfig.of(["starter"], options)


def test_a_stored_pipeline_with_an_impossible_value_is_refused() -> None:
    with pytest.raises(MismatchError, match=r"'depth' is 0.*Rebuild"):
        Pipeline.from_manifest({"depth": 0})


def test_a_name_stays_a_name_beside_a_file_called_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert read_pipeline("accurate") == read_pipeline(Path("accurate")) == {"reranker": "accurate"}
    Path("accurate").write_text("depth = 4")
    assert read_pipeline("accurate") == {"reranker": "accurate"}
    assert read_pipeline(Path("accurate")) == {"depth": 4}
