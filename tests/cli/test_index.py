"""`linnet index`: which indexes are built, and what linking then searches."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from linnet.cli import app
from linnet.encode.named_models import SHIPPED
from linnet.terminology import write_terminology
from linnet.types import Concept


@pytest.fixture
def terminology(tmp_path: Path) -> Path:
    place = tmp_path / "t"
    write_terminology([Concept("T:1", "Gout", ("podagra",)), Concept("T:2", "Rickets")], place, sources=[])
    return place


def index(*args: object) -> Result:
    return CliRunner().invoke(app, ["index", *map(str, args)])


def built(terminology: Path) -> set[str]:
    folder = terminology / "index"
    return {path.name for path in folder.iterdir()} if folder.exists() else set()


def link(terminology: Path) -> list[str]:
    done = CliRunner().invoke(
        app, ["link", "-", "--mentions", "--terminology", str(terminology)], input="podagra\n"
    )
    assert done.exit_code == 0, done.stderr
    concepts: list[str] = json.loads(done.stdout)["mentions"][0]["concepts"]
    return concepts


def test_linking_needs_nothing_but_this(terminology: Path) -> None:
    done = index(terminology)
    assert done.exit_code == 0, done.stderr
    assert built(terminology) == {"exact", "dense", "parts", "spelling"}
    assert "linnet link" in done.stderr
    assert done.stdout == ""
    assert link(terminology) == ["T:1"]


def test_what_is_named_is_built_and_searched_by_default(terminology: Path) -> None:
    assert index(terminology, "--retriever", "exact, char").exit_code == 0
    assert built(terminology) == {"exact", "char", "parts", "spelling"}
    manifest = json.loads((terminology / "terminology.json").read_text())
    assert manifest["pipeline"]["retrievers"] == ["exact", "char"]
    assert link(terminology) == ["T:1"]


def test_indexing_again_keeps_the_pipeline_and_the_overrides(terminology: Path) -> None:
    index(terminology, "--retriever", "exact")
    (terminology / "overrides.tsv").write_text("podagra\tT:2\tforce\n")
    assert index(terminology).exit_code == 0
    assert built(terminology) == {"exact", "parts", "spelling"}
    assert link(terminology) == ["T:2"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--retriever", "exact,sprase"], "Did you mean 'sparse'?"),
        (["--retriever", ","], "--retriever exact,dense"),
        (["--retriever", "exact", "--encoder", "ngram"], "--retriever exact,dense"),
    ],
)
def test_what_cannot_be_built_is_refused_before_anything_is(
    terminology: Path, args: list[str], said: str
) -> None:
    before = (terminology / "terminology.json").read_bytes()
    done = index(terminology, *args)
    assert done.exit_code == 1
    assert said in done.stderr
    assert built(terminology) == set()
    assert (terminology / "terminology.json").read_bytes() == before


def test_a_folder_that_is_no_terminology_is_refused(tmp_path: Path) -> None:
    done = index(tmp_path)
    assert done.exit_code == 1
    assert "linnet terminology build" in done.stderr


def test_update_builds_only_what_is_missing_or_out_of_date(terminology: Path) -> None:
    index(terminology, "--retriever", "exact,char")
    before = (terminology / "index/exact/index.json").stat().st_mtime_ns
    (terminology / "index/char/index.json").write_text("{}", encoding="utf-8")
    done = index(terminology, "--update")
    assert done.exit_code == 0
    assert "Building char" in done.stderr
    assert "Building exact" not in done.stderr
    assert (terminology / "index/exact/index.json").stat().st_mtime_ns == before
    assert link(terminology)


def options(terminology: Path) -> dict[str, str]:
    fields: dict[str, dict[str, str]] = json.loads((terminology / "index/dense/index.json").read_text())
    return fields["options"]


def test_another_form_is_built_when_it_is_asked_for(terminology: Path) -> None:
    assert index(terminology).exit_code == 0
    assert options(terminology)["form"] == "flat"
    assert "Building" not in index(terminology, "--update").stderr
    done = index(terminology, "--update", "--dense", "ivf")
    assert done.exit_code == 0, done.stderr
    assert "Building dense" in done.stderr
    assert options(terminology)["form"] == "ivf"
    assert link(terminology) == ["T:1"]


def test_an_unknown_form_lists_the_choices(terminology: Path) -> None:
    done = index(terminology, "--dense", "lsh")
    assert done.exit_code == 1
    assert "flat, hnsw, ivf" in done.stderr


def test_a_new_release_is_indexed_with_what_the_older_one_has(terminology: Path, tmp_path: Path) -> None:
    index(terminology)
    newer = tmp_path / "newer"
    write_terminology([Concept("T:1", "Gout", ("podagra",)), Concept("T:3", "Scurvy")], newer, sources=[])
    done = index(newer, "--since", terminology)
    assert done.exit_code == 0, done.stderr
    assert link(newer) == ["T:1"]
    before = (newer / "index/dense/vectors.npy").read_bytes()
    assert index(newer).exit_code == 0
    assert (newer / "index/dense/vectors.npy").read_bytes() == before


def test_an_older_release_that_is_none_is_refused(terminology: Path, tmp_path: Path) -> None:
    done = index(terminology, "--since", tmp_path / "nowhere")
    assert done.exit_code == 1
    assert "nowhere is not a terminology: no such directory" in done.stderr
    older = tmp_path / "older"
    write_terminology([Concept("T:1", "Gout")], older, sources=[])
    done = index(terminology, "--since", older)
    assert done.exit_code == 1
    assert f"{older} has no dense index" in done.stderr
    assert f"Run: linnet index {older}" in done.stderr
    assert not (terminology / "index").exists()


def test_a_terminology_built_anew_keeps_what_is_searched_by_default(
    terminology: Path, tmp_path: Path
) -> None:
    index(terminology, "--retriever", "exact,char", "--reranker", "none")
    (tmp_path / "names.csv").write_text("id,name\nT:1,Gout\nT:2,Rickets\n")
    command = ["terminology", "build", str(tmp_path / "names.csv"), "-o", str(terminology)]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.stderr
    assert "keeps its default pipeline: retrievers = ['exact', 'char'], reranker = None" in done.stderr
    manifest = json.loads((terminology / "terminology.json").read_text())
    assert manifest["pipeline"] == {"retrievers": ["exact", "char"], "reranker": None}
    assert index(terminology, "--update").exit_code == 0
    assert built(terminology) == {"exact", "char", "spelling"}


def test_a_default_pipeline_that_this_linnet_does_not_know_is_not_kept(
    terminology: Path, tmp_path: Path
) -> None:
    file = terminology / "terminology.json"
    file.write_text(file.read_text().replace('"pipeline": {}', '"pipeline": {"magic": 1}'))
    (tmp_path / "names.csv").write_text("id,name\nT:1,Gout\n")
    command = ["terminology", "build", str(tmp_path / "names.csv"), "-o", str(terminology)]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.stderr
    assert "default pipeline" not in done.stderr
    assert json.loads(file.read_text())["pipeline"] == {}


@pytest.mark.parametrize("option", ["--reranker", "--pipeline"])
def test_a_model_that_is_no_reranker_is_refused_before_anything_is_built(
    terminology: Path, tmp_path: Path, option: str
) -> None:
    (tmp_path / "mine.toml").write_text('reranker = "ngram"')
    done = index(terminology, option, "ngram" if option == "--reranker" else tmp_path / "mine.toml")
    assert done.exit_code == 1
    assert "ngram" in done.stderr
    assert not built(terminology)


def test_the_indexes_of_another_pipeline_are_built_beside_the_default(
    terminology: Path, tmp_path: Path
) -> None:
    (tmp_path / "mine.toml").write_text('retrievers = ["exact", "sparse"]')
    done = index(terminology, "--pipeline", tmp_path / "mine.toml")
    assert done.exit_code == 0, done.stderr
    assert built(terminology) == {"exact", "dense", "sparse", "parts", "spelling"}
    assert json.loads((terminology / "terminology.json").read_text())["pipeline"] == {}
    linked = ["link", "-", "--mentions", "-t", str(terminology), "--pipeline", str(tmp_path / "mine.toml")]
    assert CliRunner().invoke(app, linked, input="podagra\n").exit_code == 0


def test_another_pipeline_cannot_have_vectors_of_its_own_encoder(terminology: Path, tmp_path: Path) -> None:
    shutil.copytree(SHIPPED / "ngram", tmp_path / "mine")
    (tmp_path / "mine.toml").write_text('encoder = "mine"')
    done = index(terminology, "--pipeline", tmp_path / "mine.toml")
    assert done.exit_code == 1
    assert "searches 'dense' with encoder" in done.stderr
    assert f"linnet index {terminology} --encoder" in done.stderr
    assert not built(terminology)


def test_a_terminology_compiled_anew_is_brought_up_to_date(terminology: Path) -> None:
    index(terminology)
    write_terminology([Concept("T:1", "Gout", ("podagra", "gouty arthritis"))], terminology, sources=[])
    refused = CliRunner().invoke(
        app, ["link", "-", "--mentions", "--terminology", str(terminology)], input="x\n"
    )
    assert refused.exit_code == 1
    assert "linnet index" in refused.stderr
    done = index(terminology, "--update")
    assert done.exit_code == 0, done.stderr
    assert link(terminology) == ["T:1"]


def test_the_packaged_terminology_is_said_to_be_indexed_already(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = index("starter", "--update")
    assert done.exit_code == 1
    assert "'starter' that linnet brings along is indexed already" in done.stderr
