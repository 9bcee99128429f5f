from __future__ import annotations

import csv
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.advised import advises
from typer.testing import CliRunner, Result

from linnet.active.model import open_model
from linnet.active.simulation.curves import compare, curves_of
from linnet.active.simulation.plan import Plan
from linnet.active.simulation.runner import Simulation
from linnet.active.simulation.studies import Study, read_study
from linnet.active.simulation.teacher import LEAN, Teacher
from linnet.active.strategies import blind, strategies
from linnet.advice import Step
from linnet.cli import app
from linnet.corpora import write
from linnet.errors import DamagedError, DataError, MismatchError, RequestError, UnknownNameError
from linnet.link.default_pipeline import store_pipeline
from linnet.link.pipeline import Pipeline
from linnet.terminology import Terminology
from linnet.types import Document, Mention

# Names that the terminology does not have, of concepts it has.
ODD = {"podagra": "X:1", "wheeze": "X:2", "hemicrania": "X:3", "scorbutus": "X:6", "quonosis": "X:4"}
PLAN = Plan(shares=(0.2, 0.5, 1.0), learners=("names", "stops", "threshold"))


def _document(number: int, *names: str) -> Document:
    text = f"Case {number}: {' and '.join(names)} in one patient, a migraine study."
    home = Document(f"d{number}", text)
    mentions = []
    for name in names:
        start = text.index(name)
        concept = ODD.get(name, "X:2")
        mentions.append(Mention(home, start, start + len(name), name, "Disease", (concept,)))
    return home.with_mentions(mentions)


def _corpus(first: int, count: int) -> list[Document]:
    odd = list(ODD)
    return [
        _document(first + n, odd[n % len(odd)], *(["asthma"] if n % 2 else [odd[(n + 1) % len(odd)]]))
        for n in range(count)
    ]


@pytest.fixture
def files(tmp_path: Path, small_terminology: Path) -> dict[str, Path]:
    paths = {
        "pool": tmp_path / "train.jsonl",
        "dev": tmp_path / "dev.jsonl",
        "terminology": small_terminology,
    }
    write(_corpus(0, 20), paths["pool"], format="jsonl")
    write(_corpus(100, 6), paths["dev"], format="jsonl")
    return paths


@pytest.fixture
def study(files: dict[str, Path]) -> Study:
    return read_study("train", files["pool"], files["dev"], Terminology.open(files["terminology"]))


def _simulation(study: Study, folder: Path, **other: Any) -> Simulation:
    return Simulation(study, other.pop("plan", PLAN), list(strategies), [0, 1], folder, **other)


def test_what_is_annotated_is_learnt_and_all_strategies_begin_and_end_alike(
    study: Study, tmp_path: Path
) -> None:
    simulation = _simulation(study, tmp_path / "out")
    points = list(simulation.points())
    assert len(points) == simulation.total == len(strategies) * 2 * 4
    for point in points:
        assert len(set(point.step.labelled)) == len(point.step.labelled)
        sizes = {document.id: len(document.mentions) for document in study.pool}
        assert point.step.mentions == sum(sizes[id] for id in point.step.labelled)
        if point.place:
            assert point.step.mentions >= PLAN.shares[point.place - 1] * sum(sizes.values())
    own = {(point.strategy, point.seed, point.place): point.step for point in points}
    for seed in (0, 1):
        for place in (0, 1):
            assert len({own[name, seed, place].labelled for name in strategies}) == 1
        assert {frozenset(own[name, seed, 3].labelled) for name in strategies} == {
            frozenset(document.id for document in study.pool)
        }
    assert own["random", 0, 1].labelled != own["random", 1, 1].labelled
    nothing, everything = own["random", 0, 0].scores, own["random", 0, 3].scores
    assert nothing["linking"] < everything["linking"] == 1.0
    assert nothing["end to end"] < everything["end to end"] == 1.0  # "migraine" is no mention here
    assert everything["spans"] == 1.0


def test_an_interrupted_run_goes_on_and_ends_the_same(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = list(_simulation(study, tmp_path / "whole").points())
    steps = Teacher.step
    made = 0

    def failing(self: Teacher, *args: Any, **options: Any) -> Any:
        nonlocal made
        made += 1
        if made == 5:
            raise KeyboardInterrupt
        return steps(self, *args, **options)

    monkeypatch.setattr(Teacher, "step", failing)
    with pytest.raises(KeyboardInterrupt):
        list(_simulation(study, tmp_path / "part").points())
    done = len(list((tmp_path / "part").rglob("*.json.gz")))
    assert done == 4
    made = 10
    assert list(_simulation(study, tmp_path / "part").points()) == whole
    distinct = len(list((tmp_path / "whole").rglob("*.json.gz")))
    assert made - 10 == distinct - done
    monkeypatch.setattr("linnet.active.simulation.runner.Teacher", None)  # all is read now
    assert list(_simulation(study, tmp_path / "part").points()) == whole


def test_results_of_other_settings_are_not_mixed(study: Study, tmp_path: Path) -> None:
    _simulation(study, tmp_path)
    _simulation(study, tmp_path)
    with pytest.raises(MismatchError, match=r"shares: \[0.2, 0.5, 1.0\] → \[0.5, 1.0\]"):
        _simulation(study, tmp_path, plan=Plan(shares=(0.5, 1.0), learners=PLAN.learners))
    (tmp_path / "plan.json").write_text("{")
    with pytest.raises(DamagedError, match=r"plan\.json"):
        _simulation(study, tmp_path)


def test_a_model_links_as_a_projects_does_but_for_the_memory_of_training_mentions(study: Study) -> None:
    project = open_model(study.terminology, None).linker.pipeline
    assert project.reranker == "context"
    linker = Teacher.open(study, PLAN).linker
    assert linker.pipeline == replace(project, memory=False)
    assert linker.reranking.reranker is not None
    assert Teacher.open(study, replace(PLAN, memory=True)).linker.pipeline == project
    without = Teacher.open(study, replace(PLAN, reranker="none")).linker
    assert without.pipeline == replace(project, memory=False, reranker=None)


def test_what_has_learnt_is_reranked_too(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Any] = []

    def spying(*args: Any, **options: Any) -> Any:
        opened.append(open_model(*args, **options))
        return opened[-1]

    monkeypatch.setattr("linnet.active.simulation.teacher.open_model", spying)
    teacher = Teacher.open(study, PLAN)
    teacher.step([document.id for document in study.pool], seed=0, predict=False)
    [model] = opened
    assert model.linker.pipeline.reranker == "context"
    assert not model.linker.pipeline.memory


def test_the_terminologys_own_pipeline_is_kept(small_terminology: Path, tmp_path: Path) -> None:
    place = shutil.copytree(small_terminology, tmp_path / "own")
    store_pipeline(Terminology.open(place), Pipeline(reranker=None, composites=False))
    own = Terminology.open(place)
    expected = Pipeline(
        recogniser="dictionary",
        reranker=None,
        composites=False,
        memory=False,
        min_probability_recognised=0.06,  # a doubtful link is a suggestion
    )
    assert Plan().pipeline(own) == expected
    assert Plan(reranker="context").pipeline(own).reranker == "context"


@pytest.mark.parametrize(
    ("other", "named"),
    [({"reranker": "none"}, "reranker: context → None"), ({"memory": True}, "memory: False → True")],
)
def test_results_of_other_rerankers_are_not_mixed(
    study: Study, tmp_path: Path, *, other: dict[str, Any], named: str
) -> None:
    _simulation(study, tmp_path)
    with pytest.raises(MismatchError, match=named):
        _simulation(study, tmp_path, plan=replace(PLAN, **other))


def test_a_damaged_step_is_named(study: Study, tmp_path: Path) -> None:
    (tmp_path / "nothing.json.gz").write_bytes(b"x")
    with pytest.raises(DamagedError, match=r"nothing\.json\.gz"):
        next(_simulation(study, tmp_path).points())


def test_strategies_that_look_at_no_predictions_get_none(study: Study, tmp_path: Path) -> None:
    points = list(_simulation(study, tmp_path).points())
    made = {point.strategy: point.step.predictions is not None for point in points if point.place == 2}
    assert {name for name, there in made.items() if not there} == blind
    first = next(point.step for point in points if point.place == 1)
    assert first.predictions is not None
    assert set(first.predictions).isdisjoint(first.labelled)
    assert any(text == "asthma" and 0 < sure <= 2 for f in first.predictions.values() for text, sure in f)


def test_what_is_measured_on_is_not_annotated(files: dict[str, Path]) -> None:
    write([*_corpus(0, 20), *_corpus(100, 2), *_corpus(0, 1)], files["pool"], format="jsonl")
    read = read_study("train", files["pool"], files["dev"], Terminology.open(files["terminology"]))
    assert [document.id for document in read.pool] == [f"d{n}" for n in range(20)]


def test_mentions_of_other_types_are_left_out_and_a_corpus_without_any_is_refused(
    files: dict[str, Path],
) -> None:
    terminology = Terminology.open(files["terminology"])
    read = read_study("x", files["pool"], files["dev"], terminology, types=["disease"])
    assert sum(len(document.mentions) for document in read.pool) == 40
    with pytest.raises(DataError, match=r"dev\.jsonl: no mention of type Chemical"):
        read_study("x", files["pool"], files["dev"], terminology, types=["Chemical"])


@pytest.mark.parametrize("shares", [(), (1.0,), (0.5, 0.2), (0.0, 1.0), (0.5, 1.5), (0.5, 0.5)])
def test_shares_must_rise(shares: tuple[float, ...]) -> None:
    with pytest.raises(RequestError, check=advises(Step.CHOOSE_SHARES)):
        Plan(shares=shares)


def test_an_unknown_strategy_or_learner_lists_the_choices(study: Study, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="least-confident"):
        Simulation(study, PLAN, ["best"], [0], tmp_path)
    with pytest.raises(UnknownNameError, match="threshold"):
        Plan(learners=("magic",))


@pytest.mark.torch
@pytest.mark.parametrize(
    ("fewest", "said"), [(50, "no tagger: 20 accepted documents are too few"), (1, "a tagger from 20")]
)
def test_a_recogniser_learns_as_in_a_project(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, fewest: int, said: str
) -> None:
    monkeypatch.setattr("linnet.active.simulation.teacher.LEAN", replace(LEAN, fewest=fewest))
    plan = Plan(shares=(0.5, 1.0), learners=("recogniser",), lean=True)
    point = list(Simulation(study, plan, ["random"], [0], tmp_path).points())[-1]
    assert point.step.learned["recogniser"].startswith(said)


def linnet(*args: object) -> Result:
    return CliRunner().invoke(app, ["annotate", "simulate", *map(str, args)])


def test_the_command_writes_tables_and_pictures(files: dict[str, Path], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="needs the train extra")
    out = tmp_path / "out"
    wanted = ["--pool", files["pool"], "--dev", files["dev"], "-t", files["terminology"], "-o", out]
    wanted += ["--seeds", 0, 1, "--shares", 0.2, 0.5, 1, "--learners", "names", "stops"]
    wanted += ["--strategies", "least-confident"]
    shown = linnet(*wanted)
    assert (shown.exit_code, shown.stdout) == (0, ""), shown.stderr
    assert "report.md" in shown.stderr
    for name in ("mentions.png", "documents.png"):
        assert (out / name).read_bytes().startswith(b"\x89PNG")
    with (out / "curves.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 2 * 2 * 4
    assert {row["strategy"] for row in rows} == {"random", "least-confident"}
    summary = json.loads((out / "summary.json").read_text())["train"]
    area = summary["least-confident"]["linking"]["mentions"]["area_minus_random"]
    study = read_study("train", files["pool"], files["dev"], Terminology.open(files["terminology"]))
    plan = Plan(shares=(0.2, 0.5, 1.0), learners=("names", "stops"))
    again = Simulation(study, plan, ["random", "least-confident"], [0, 1], out / "train")
    curves = curves_of(again.points())
    found = compare(curves[1::2], curves[::2], "linking", effort="mentions")
    assert area == {"value": found.value, "low": found.low, "high": found.high}
    report = (out / "report.md").read_text()
    assert "## train" in report
    assert "| least-confident |" in report
    assert "reranker `context`, without its memory of training mentions" in report
    assert linnet(*wanted).exit_code == 0
    assert (out / "report.md").read_text() == report


def test_the_command_leaves_the_reranker_out_or_lets_it_remember(
    files: dict[str, Path], tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib", reason="needs the train extra")
    wanted = ["--pool", files["pool"], "--dev", files["dev"], "-t", files["terminology"], "--seeds", 0]
    wanted += ["--shares", 0.5, 1, "--learners", "names", "--strategies", "random"]
    for options, sentence in (
        (["--reranker", "none"], "learners names; no reranker;"),
        (["--memory"], "reranker `context`, with its memory of training mentions;"),
    ):
        out = tmp_path / options[0].strip("-")
        shown = linnet(*wanted, *options, "-o", out)
        assert (shown.exit_code, shown.stdout) == (0, ""), shown.stderr
        assert sentence in (out / "report.md").read_text()
    refused = linnet(*wanted, "-o", tmp_path / "memory")
    assert refused.exit_code == 1
    assert "memory: True → False" in refused.stderr


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "Name one (ncbi, bc5cdr)"),
        (["ncby"], "Did you mean 'ncbi'?"),
        (["ncbi", "--types", "Disease"], "has its own files"),
        (["ncbi"], "$LINNET_DATA, which is not set"),
        (["--pool", "x"], "--dev and --terminology missing"),
        (["ncbi", "--seeds", "-1"], "expected 0 or more"),
        (["ncbi", "--strategies", "best"], "Unknown strategy 'best'"),
        (["ncbi", "--shares", "2"], "--shares 0.1"),
        (["ncbi", "--reranker", "contxt"], "Did you mean 'context'?"),
        (["ncbi", "--reranker", "none", "--memory"], "Memory is for a reranker"),
    ],
)
def test_wrong_requests_are_refused(
    given: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LINNET_DATA", raising=False)
    shown = linnet(*given, "-o", tmp_path)
    assert shown.exit_code == 1, shown.stderr
    assert message in shown.stderr
    assert "Traceback" not in shown.stderr


def test_named_corpora_whose_files_are_missing_name_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LINNET_DATA", str(tmp_path))
    shown = linnet("ncbi", "-o", tmp_path / "out")
    assert shown.exit_code == 1
    assert "NCBItrainset_corpus.txt" in shown.stderr
    assert "$LINNET_DATA" in shown.stderr
    assert "Did you mean 'ncbi'" in linnet("ncib", "-o", tmp_path / "out").stderr
    monkeypatch.delenv("LINNET_DATA")
    assert "$LINNET_DATA, which is not set" in linnet("ncbi", "-o", tmp_path / "out").stderr


def test_the_terminology_of_a_named_corpus_is_compiled_once(
    files: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from linnet.active.simulation import studies

    monkeypatch.setenv("LINNET_DATA", str(tmp_path))
    (tmp_path / "names.jsonl").write_text('{"id": "X:1", "name": "Gout", "types": ["Disease"]}\n')
    named = studies.Named(str(files["pool"]), str(files["dev"]), ("names.jsonl",), types=("Disease",))
    monkeypatch.setitem(studies.named_corpora, "own", named)
    said: list[str] = []
    for _ in range(2):
        read = studies.named_study("own", tmp_path / "work", report=said.append)
        assert list(read.terminology.ids) == ["X:1"]
    assert said == ["Compiling the terminology of own"]


def test_annotate_alone_is_the_tool_and_its_options_do_not_go_before_a_command() -> None:
    shown = CliRunner().invoke(app, ["annotate", "--help"])
    assert shown.exit_code == 0
    assert "--terminology DIR" in shown.stdout
    assert re.search(r"simulate +Compare annotation strategies", shown.stdout)
    refused = CliRunner().invoke(app, ["annotate", "--port", "1", "simulate", "ncbi", "-o", "x"])
    assert refused.exit_code == 2
    assert "--port is an option of the annotation server" in refused.stderr


@pytest.mark.data
def test_named_corpora_are_read_whole(
    data: Path, small_terminology: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from linnet.active.simulation import studies

    monkeypatch.setenv("LINNET_DATA", str(data))
    # In place of a terminology of 300,000 names, which takes half a minute to compile.
    shutil.copytree(small_terminology, tmp_path / "bc5cdr")
    read = studies.named_study("bc5cdr", tmp_path, report=print)
    assert (len(read.pool), len(read.measured)) == (500, 500)
    assert {mention.type for document in read.pool for mention in document.mentions} == {
        "Disease",
        "Chemical",
    }
