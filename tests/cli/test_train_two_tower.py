"""From `linnet train` with task "two-tower" to linked text, on the packaged starter."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")
pytest.importorskip("onnxscript", reason="needs the train extra")
pytestmark = pytest.mark.torch

from linnet import samples  # noqa: E402
from linnet.cli import app  # noqa: E402
from linnet.corpora.pubtator import write_pubtator  # noqa: E402
from linnet.terminology import write_terminology  # noqa: E402

RUN_FILE = """
task = "two-tower"
output = "model"
[loop]
steps = 4
evaluate_every = 4
threads = 1
[encoder]
name = "towers"
layers = 1
width = 16
heads = 2
vocabulary = 400
max_length = 20
[data]
terminology = "starter"
corpora = ["abstracts.pubtator"]
mentions = 8
"""


def linnet(*args: object, text: str | None = None) -> Result:
    done = CliRunner().invoke(app, list(map(str, args)), input=text)
    assert done.exit_code == 0, done.stderr
    return done


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the starter terminology, its abstracts and a two-tower model trained on them; not to be written to."""
    folder = tmp_path_factory.mktemp("towers")
    write_terminology(samples.concepts(), folder / "starter", sources=[])
    write_pubtator(samples.documents(), folder / "abstracts.pubtator")
    (folder / "run.toml").write_text(RUN_FILE)
    linnet("train", folder / "run.toml")
    return folder


@pytest.fixture
def place(trained: Path, tmp_path: Path) -> Path:
    """The same, to be written to."""
    return Path(shutil.copytree(trained, tmp_path / "towers"))


def candidates(place: Path, line: str, *options: str) -> list[tuple[str, float]]:
    """The candidates of a mention given in the mention format."""
    done = linnet(
        "link", "-", "--mentions", "--reranker", "none", "-t", place / "starter", *options, text=line
    )
    return [(one["concept"], one["score"]) for one in json.loads(done.stdout)["candidates"]]


def mention(left: str) -> str:
    return json.dumps({"id": "m", "text": "swollen kidneys", "left": left, "right": " was seen."})


def test_the_model_indexes_and_reads_the_context_of_mentions(place: Path) -> None:
    linnet("index", place / "starter", "--encoder", place / "model")
    assert {path.name for path in (place / "starter/index").iterdir()} >= {"exact", "entities"}
    one, again, other = (
        candidates(place, mention(left)) for left in ("An old ", "An old ", "Diabetic with ")
    )
    assert len(one) == 5
    assert one == again
    assert one != other


def test_every_command_that_links_uses_it(place: Path) -> None:
    linnet("index", place / "starter", "--encoder", place / "model")
    done = linnet(
        "link", place / "abstracts.pubtator", "--mentions", "-t", place / "starter", "-o", place / "o.jsonl"
    )
    assert "linked" in done.stderr
    models = json.loads((place / "o.jsonl.manifest.json").read_text())["models"]
    assert models["encoder"]["name"] == "towers"
    corpus = place / "abstracts.pubtator"
    report = linnet("evaluate", corpus, "-t", place / "starter", "--train-corpus", corpus)
    assert "The encoder 'towers' was trained on abstracts.pubtator" in report.stdout + report.stderr
    assert "lenient+augmented" in report.stdout


def test_a_smaller_copy_and_names_beside_it(place: Path) -> None:
    options = ["--retriever", "exact,dense,entities", "--dense", "hnsw"]
    linnet("index", place / "starter", "--encoder", place / "model/int8", *options)
    both = candidates(place, mention("An old "))
    names = candidates(place, mention("An old "), "--retriever", "exact,dense")
    assert both != names
    assert "Building" not in linnet("index", place / "starter", "--update").stderr


def test_a_model_of_another_kind_is_refused(place: Path) -> None:
    done = CliRunner().invoke(
        app,
        ["index", str(place / "starter"), "--retriever", "exact,entities", "--encoder", "ngram"],
    )
    assert done.exit_code == 1
    assert "--retriever exact,dense" in done.stderr
