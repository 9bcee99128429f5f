"""`linnet train` from terminology to linked text, on the packaged starter; and the input it refuses."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

pytest.importorskip("torch", reason="needs the train extra")
pytestmark = pytest.mark.torch

from tests.train.interrupting import StopAt  # noqa: E402

from linnet import samples  # noqa: E402
from linnet.cli import app  # noqa: E402
from linnet.corpora.pubtator import write_pubtator  # noqa: E402
from linnet.terminology import write_terminology  # noqa: E402
from linnet.train.run import run  # noqa: E402
from linnet.types import Concept  # noqa: E402

RUN_FILE = """
task = "synonyms"
output = "model"
[loop]
steps = 12
evaluate_every = 4
threads = 1
[encoder]
kind = "ngram"
buckets = 4096
dimensions = 32
[objective]
kind = "multi-similarity"
[data]
terminologies = ["starter"]
pairs = 32
hard = 0.5
clusters = 8
refresh = 5
[evaluation]
terminology = "starter"
corpora = ["abstracts.pubtator"]
"""


def linnet(*args: object, text: str | None = None) -> Result:
    return CliRunner().invoke(app, list(map(str, args)), input=text)


@pytest.fixture(scope="session")
def starter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the starter terminology and its abstracts."""
    folder = tmp_path_factory.mktemp("starter")
    write_terminology(samples.concepts(), folder / "starter", sources=[])
    write_pubtator(samples.documents(), folder / "abstracts.pubtator")
    return folder


@pytest.fixture
def run_file(starter: Path, tmp_path: Path) -> Path:
    for name in ("starter", "abstracts.pubtator"):
        (tmp_path / name).symlink_to(starter / name)
    file = tmp_path / "run.toml"
    file.write_text(RUN_FILE, encoding="utf-8")
    return file


def test_a_trained_encoder_links(run_file: Path, tmp_path: Path) -> None:
    done = linnet("train", run_file)
    assert done.exit_code == 0, done.stderr
    assert "acc@1" in done.stderr
    own = tmp_path / "t"
    write_terminology(samples.concepts(), own, sources=[])
    done = linnet("index", own, "--retriever", "exact,dense", "--encoder", tmp_path / "model")
    assert done.exit_code == 0, done.stderr
    done = linnet("link", "-", "--mentions", "--terminology", own, text="heart atack\n")
    assert done.exit_code == 0, done.stderr
    origins = {found["origin"] for found in json.loads(done.stdout)["mentions"][0]["candidates"]}
    assert any(origin.startswith("dense") for origin in origins)
    training = (tmp_path / "model" / "model.toml").read_text()
    assert str(tmp_path) not in training
    assert "starter" in training


def test_a_corpus_may_be_a_table_whose_columns_are_named(run_file: Path, tmp_path: Path) -> None:
    (tmp_path / "phrases.tsv").write_text("said\tcode\nheart attack\tD009203\nthe flu\tD007251\n")
    plain = run_file.read_text(encoding="utf-8").replace("abstracts.pubtator", "phrases.tsv")
    run_file.write_text(plain, encoding="utf-8")
    refused = linnet("train", run_file)
    assert refused.exit_code == 1
    assert "which column holds" in refused.stderr
    run_file.write_text(plain + 'columns = { column = "said", concept_column = "code" }\n', encoding="utf-8")
    done = linnet("train", run_file, "--overwrite")
    assert done.exit_code == 0, done.stderr
    settings = (tmp_path / "model.run" / "run.toml").read_text(encoding="utf-8")
    assert 'concept_column = "code"' in settings
    assert linnet("train", run_file, "--resume").exit_code == 0


def test_a_run_stopped_between_two_refreshes_ends_as_if_it_had_not_been(
    run_file: Path, tmp_path: Path
) -> None:
    run(run_file)
    (tmp_path / "model").rename(tmp_path / "whole")
    assert run(run_file, overwrite=True, progress=StopAt(7)).trained.ending == "interrupted"
    assert linnet("train", run_file, "--resume").exit_code == 0
    stopped, whole = (
        {
            file.name: file.read_bytes()
            for file in (tmp_path / name).iterdir()
            if file.suffix == ".safetensors"
        }
        for name in ("model", "whole")
    )
    assert stopped
    assert stopped == whole


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("pairs = 32", "pars = 32", "'data.pars' is not a key; did you mean 'data.pairs'?"),
        ("buckets = 4096", "bukets = 4096", "did you mean 'encoder.buckets'?"),
        ('"ngram"', '"n-gram"', "ngram"),
        ('"multi-similarity"', '"multi-similarty"', "Did you mean 'multi-similarity'?"),
        ('terminologies = ["starter"]', 'terminologies = ["nowhere"]', "nowhere is not a terminology"),
        ("abstracts.pubtator", "nowhere.pubtator", "nowhere.pubtator: no such file"),
        ('"synonyms"', '"synonym"', "Unknown task 'synonym'. Did you mean 'synonyms'?"),
        ("steps = 12", "steps = 0", "in [loop]: 'steps' is 0; expected 1 or more."),
    ],
)
def test_a_mistake_in_the_run_file_is_named(run_file: Path, old: str, new: str, message: str) -> None:
    assert old in RUN_FILE
    run_file.write_text(RUN_FILE.replace(old, new), encoding="utf-8")
    done = linnet("train", run_file)
    assert done.exit_code == 1
    assert message in done.stderr
    assert not run_file.with_name("model.run").exists()


def test_a_terminology_without_synonyms_is_refused(run_file: Path, tmp_path: Path) -> None:
    write_terminology([Concept("T:1", "Gout"), Concept("T:2", "Rickets")], tmp_path / "bare", sources=[])
    for data, count in (('["bare"]', 2), ("[]", 0)):
        run_file.write_text(RUN_FILE.replace('["starter"]', data), encoding="utf-8")
        done = linnet("train", run_file)
        assert done.exit_code == 1
        assert f"none of {count} concepts has two names" in done.stderr


def test_concepts_with_one_name_beside_others_do_no_harm(run_file: Path, tmp_path: Path) -> None:
    concepts = [*samples.concepts(), *(Concept(f"T:{i}", f"lonely {i}") for i in range(50))]
    write_terminology(concepts, tmp_path / "mixed", sources=[])
    run_file.write_text(RUN_FILE.replace('["starter"]', '["mixed"]'), encoding="utf-8")
    assert linnet("train", run_file).exit_code == 0


def test_a_corpus_without_a_mention_of_the_terminology_is_refused(run_file: Path, tmp_path: Path) -> None:
    (tmp_path / "abstracts.pubtator").unlink()
    (tmp_path / "abstracts.pubtator").write_text("1|t|Gout hurts.\n1|a|\n1\t0\t4\tGout\tDisease\tX:1\n\n")
    done = linnet("train", run_file)
    assert done.exit_code == 1
    assert "X:1" in done.stderr


def test_a_damaged_checkpoint_is_refused_and_can_be_replaced(run_file: Path, tmp_path: Path) -> None:
    run(run_file, progress=StopAt(7))
    checkpoint = tmp_path / "model.run" / "last.safetensors"
    content = bytearray(checkpoint.read_bytes())
    content[-1] ^= 1
    checkpoint.write_bytes(content)
    done = linnet("train", run_file, "--resume")
    assert done.exit_code == 1
    assert "last.safetensors is damaged" in done.stderr
    assert linnet("train", run_file, "--overwrite").exit_code == 0


def test_a_model_is_named_after_its_folder_and_manifests_say_so(run_file: Path, tmp_path: Path) -> None:
    assert linnet("train", run_file).exit_code == 0
    own = tmp_path / "t"
    write_terminology(samples.concepts(), own, sources=[])
    assert linnet("index", own, "--retriever", "exact,dense", "--encoder", tmp_path / "model").exit_code == 0
    linnet("link", "-", "--mentions", "-t", own, "-o", tmp_path / "out.jsonl", text="gout\n")
    manifest = json.loads((tmp_path / "out.jsonl.manifest.json").read_text(encoding="utf-8"))
    assert manifest["models"]["encoder"]["name"] == "model"


def test_the_saved_run_file_has_what_holds_and_resumes(run_file: Path, tmp_path: Path) -> None:
    """The options of a preset in its place, and no number of steps beside the number of passes."""
    plain = run_file.read_text(encoding="utf-8").replace("steps = 12", "passes = 0.5")
    run_file.write_text(
        plain.replace('kind = "multi-similarity"', 'preset = "sapbert-paper"'), encoding="utf-8"
    )
    done = linnet("train", run_file)
    assert done.exit_code == 0, done.stderr
    saved = tomllib.loads((tmp_path / "model.run" / "run.toml").read_text(encoding="utf-8"))
    assert "steps" not in saved["loop"]
    assert saved["loop"]["passes"] == 0.5
    assert saved["objective"] == {"kind": "multi-similarity", "mining": True, "mining_paper": True}
    assert saved["encoder"]["name"] == "model"
    assert "preset" not in (tmp_path / "model" / "README.md").read_text(encoding="utf-8")
    done = linnet("train", run_file, "--resume")
    assert done.exit_code == 0, done.stderr
