"""`--pipeline NAME|FILE.toml` as a user types it, and options that have become keys of a pipeline."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from linnet.cli import COMMANDS, app
from linnet.cli.lazy import load, options_of
from linnet.cli.raw_arguments import MOVED
from linnet.link.indexing import index_terminology
from linnet.link.pipeline import Pipeline
from linnet.terminology import write_terminology
from linnet.types import Concept


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with an indexed terminology `t` and a file of names."""
    concepts = [Concept("T:1", "Gout", ("podagra",)), Concept("T:2", "Marsh fever")]
    index_terminology(write_terminology(concepts, tmp_path / "t"))
    (tmp_path / "names.txt").write_text("podagra\nmarsh fevers\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*args: str) -> Result:
    return CliRunner().invoke(app, list(args))


def manifest(*options: str) -> dict[str, Any]:
    done = run("link", "names.txt", "--mentions", "-t", "t", "-o", "out.jsonl", *options)
    assert done.exit_code == 0, done.stderr
    record: dict[str, Any] = json.loads(Path("out.jsonl.manifest.json").read_text())
    return {key: record[key] for key in ("terminologies", "models", "pipeline", "flags", "counts")}


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ('retrievers = ["exact"]\nreranker = "none"', ["--retriever", "exact", "--reranker", "none"]),
        ("min_probability = 0.9", ["--min-probability", "0.9"]),
        ('recogniser = "recogniser"', ["--recogniser", "recogniser"]),
    ],
)
def test_a_file_and_the_same_options_leave_equal_manifests(
    place: Path, text: str, options: list[str]
) -> None:
    Path("my.toml").write_text(text)
    by_file = manifest("--pipeline", "my.toml")
    links = Path("out.jsonl").read_text()
    assert by_file == manifest(*options)
    assert links == Path("out.jsonl").read_text()
    assert by_file != manifest("--pipeline", "default") == manifest()


def test_options_take_precedence_over_the_file(place: Path) -> None:
    Path("my.toml").write_text('retrievers = ["exact"]\nreranker = "none"')
    pipeline = manifest("--pipeline", "my.toml", "--retriever", "exact,dense")["pipeline"]
    assert (pipeline["retrievers"], pipeline["reranker"]) == (["exact", "dense"], None)


def test_parts_are_linked_by_the_same_pipeline(place: Path) -> None:
    Path("my.toml").write_text('reranker = "none"')
    Path("in").mkdir()
    Path("in/a.jsonl").write_text('{"id": "1", "text": "podagra"}\n')
    done = run("link", "in", "-t", "t", "-o", "out", "--pipeline", "my.toml")
    assert done.exit_code == 0, done.stderr
    assert json.loads(Path("out.manifest.json").read_text())["pipeline"]["reranker"] is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('rerankr = "none"', "my.toml: this pipeline cannot be used:\n  'rerankr' is not a key; did you mean 'reranker'?"),
        ("depth = 0", "'depth' is 0; expected 1 or more"),
        ('reranker = "contxt"', "'reranker': Unknown reranker 'contxt'. Did you mean 'context'?"),
    ],
    ids=["key", "value", "name"],
)  # fmt: skip
@pytest.mark.parametrize("command", ["link", "evaluate", "serve", "mcp"])
def test_a_wrong_file_is_refused_by_every_command(place: Path, command: str, text: str, message: str) -> None:
    Path("my.toml").write_text(text)
    Path("dev.pubtator").write_text("1|t|Gout.\n1|a|\n1\t0\t4\tGout\tDisease\tT:1\n\n")
    own = {
        "link": ["names.txt", "--mentions"],
        "evaluate": ["dev.pubtator"],
        "serve": ["--port", "0"],
        "mcp": [],
    }
    done = run(command, *own[command], "-t", "t", "--pipeline", "my.toml")
    assert done.exit_code == 1
    assert message in done.stderr


@pytest.mark.parametrize("command", ["link", "evaluate", "mcp"])
def test_a_least_probability_without_probabilities_is_refused(place: Path, command: str) -> None:
    Path("my.toml").write_text('reranker = "none"\nmin_probability = 0.5')
    Path("names.pubtator").write_text("1|t|Gout.\n1|a|\n1\t0\t4\tGout\tDisease\tT:1\n\n")
    done = run(command, *(["names.pubtator"] if command != "mcp" else []), "-t", "t", "--pipeline", "my.toml")
    assert done.exit_code == 1
    assert "min_probability needs a calibrator" in done.stderr


def test_an_unknown_name_lists_the_names(place: Path) -> None:
    done = run("link", "names.txt", "-t", "t", "--pipeline", "acurate")
    assert done.exit_code == 1
    assert (
        "Did you mean 'accurate'? Choose from: FILE.toml, accurate, clinical, default, literature, no-memory."
        in done.stderr
    )


@pytest.mark.parametrize(
    ("args", "key", "advice"),
    [
        (["link", "names.txt", "-t", "t", "--encoder", "ngram"], "encoder", "--pipeline FILE.toml"),
        (["serve", "-t", "t", "--reranker", "none"], "reranker", "--pipeline FILE.toml"),
        (["serve", "-t", "t", "--retriever=exact"], "retrievers", "--pipeline FILE.toml"),
        (["mcp", "-t", "t", "--recogniser", "recogniser"], "recogniser", "--pipeline FILE.toml"),
        (["evaluate", "dev.txt", "-t", "t", "--no-memory"], "memory", "Write: --pipeline no-memory"),
        (["evaluate", "dev.txt", "-t", "t", "--min-probability", "0.5"], "min_probability", "--pipeline FILE.toml"),
    ],
)  # fmt: skip
def test_an_option_that_is_a_key_is_refused_with_the_key(
    place: Path, args: list[str], key: str, advice: str
) -> None:
    done = run(*args)
    assert done.exit_code == 2
    assert f"It is the key '{key}' of the pipeline." in " ".join(done.stderr.split())
    assert advice in done.stderr


def test_moved_options_stand_for_keys_that_exist() -> None:
    names = {field.name for field in fields(Pipeline)}
    assert {line.partition(" ")[0] for line in MOVED.values()} <= names


def test_options_of_the_contract_stay() -> None:
    contract = {
        "--terminology", "--mentions", "--types", "--sources", "--allow", "--deny", "--retriever", "--reranker",
        "--recogniser", "--k", "--min-probability", "--on-error", "-o", "--input-format", "--format", "--engine",
        "--pipeline", "--learned",
    }  # fmt: skip
    assert contract <= options_of(load("link", COMMANDS["link"][0]))
    for command in ("evaluate", "serve", "mcp"):
        assert {"--terminology", "--pipeline", "--learned"} <= options_of(load(command, COMMANDS[command][0]))


def test_a_folder_called_starter_is_not_taken_for_the_packaged_terminology(place: Path) -> None:
    Path("t").rename("starter")
    for folder in ("./starter", "starter/"):
        done = run("link", "names.txt", "--mentions", "-t", folder)
        assert done.exit_code == 0, done.stderr
        assert json.loads(done.stdout.splitlines()[0])["mentions"][0]["concepts"] == ["T:1"]
    done = run("link", "names.txt", "--mentions", "-t", "starter")
    assert done.exit_code == 1
    assert "Write ./starter for the folder." in done.stderr
    Path("starter").rename("t")
    done = run("link", "names.txt", "--mentions", "-t", "starter")
    assert json.loads(done.stdout.splitlines()[0])["mentions"][0]["concepts"] == ["MESH:D006073"]


def test_a_folder_called_starter_can_be_compared(place: Path) -> None:
    Path("t").rename("starter")
    Path("dev.pubtator").write_text("1|t|Podagra.\n1|a|\n1\t0\t7\tPodagra\tDisease\tT:1\n\n")
    done = run("evaluate", "dev.pubtator", "-t", "./starter", "--compare", "starter", "-o", "report")
    assert done.exit_code == 0, done.stderr
    report = json.loads(Path("report/report.json").read_text())
    assert "MESH" not in json.dumps(report)
