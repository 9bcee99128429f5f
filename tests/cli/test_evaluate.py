"""`linnet evaluate` as a user types it, on an invented terminology and corpus."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from linnet.cli import app
from linnet.link.indexing import build_indexes
from linnet.terminology import write_terminology
from linnet.types import Concept

DEV = """1|t|Patients with marsh fever had the quags.
1|a|No bog pox was seen.
1\t14\t25\tmarsh fever\tDisease\tX:1
1\t34\t39\tquags\tDisease\tX:2
1\t44\t51\tbog pox\tDisease\tX:3

"""
TRAIN = """2|t|The quags came back.
2|a|And went.
2\t4\t9\tquags\tDisease\tX:2

"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A terminology with indexes, a corpus and training data; the working directory."""
    concepts = [
        Concept("X:1", "marsh fever", ("fever of the marsh",)),
        Concept("X:2", "fen sickness"),
        Concept("X:3", "bog pox"),
    ]
    build_indexes(write_terminology(concepts, tmp_path / "bog"), ("exact", "dense"))
    (tmp_path / "dev.pubtator").write_text(DEV)
    (tmp_path / "train.pubtator").write_text(TRAIN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*args: str) -> Result:
    return CliRunner().invoke(app, ["evaluate", *args])


def figures(shown: Result) -> dict[str, str]:
    """Protocol → per cent, from the table."""
    assert shown.exit_code == 0, shown.stderr
    rows = [line.split("|") for line in shown.stdout.splitlines() if line.startswith("| `")]
    return {row[1].strip(" `"): row[3].strip() for row in rows}


def predictions(path: Path, *concepts: str) -> Path:
    lines = [json.dumps({"concepts": [concept]}) for concept in concepts]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_linker_is_scored_under_strict_and_lenient(place: Path) -> None:
    shown = run("dev.pubtator", "-t", "bog")
    assert figures(shown) == {"strict": "66.7", "lenient": "66.7"}
    assert "recall@k" in shown.stdout


def test_training_data_adds_unseen_surfaces_and_the_augmented_dictionary(place: Path) -> None:
    shown = run("dev.pubtator", "-t", "bog", "--train-corpus", "train.pubtator")
    assert figures(shown) == {
        "strict": "66.7",
        "lenient": "66.7",
        "strict+unseen-surface": "100.0",
        "lenient+augmented": "100.0",
    }


def test_the_augmented_terminology_is_gone_afterwards(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place / "temporary"))

    def interrupted(*args: object, **settings: object) -> None:
        assert any((place / "temporary").iterdir())
        raise KeyboardInterrupt

    monkeypatch.setattr("linnet.evaluate.job.ask", interrupted)
    shown = run("dev.pubtator", "-t", "bog", "--train-corpus", "train.pubtator")
    assert shown.exit_code == 130
    assert not any((place / "temporary").iterdir())


def test_predictions_are_scored_and_compared(place: Path) -> None:
    predictions(place / "a.jsonl", "X:1", "X:2", "X:3")
    predictions(place / "b.jsonl", "X:1", "X:1", "X:3")
    shown = run("dev.pubtator", "--predictions", "a.jsonl", "--compare", "b.jsonl", "--protocol", "strict")
    assert shown.exit_code == 0, shown.stderr
    assert "| `strict` | 100.0 | 66.7 | +33.3 |" in shown.stdout


def test_a_linker_is_compared_with_another_terminology(place: Path) -> None:
    other = write_terminology([Concept("X:2", "quags")], place / "other")
    build_indexes(other, ("exact", "dense"))
    shown = run("dev.pubtator", "-t", "bog", "--compare", "other", "--protocol", "strict")
    assert "| `strict` | 66.7 | 33.3 |" in shown.stdout
    assert "Both have the same pipeline." in shown.stdout


def test_options_of_linking_apply_to_both_linkers_that_are_compared(place: Path) -> None:
    other = write_terminology([Concept("X:2", "quags")], place / "other")
    build_indexes(other, ("exact", "dense"))
    options = ["--retriever", "exact", "--reranker", "none", "--compare", "other", "-o", "report"]
    shown = run("dev.pubtator", "-t", "bog", "--protocol", "strict", *options)
    assert "Both have the same pipeline." in shown.stdout
    pipelines = json.loads((place / "report" / "report.json").read_text())["provenance"]["pipelines"]
    assert [p["retrievers"] for p in pipelines.values()] == [["exact"], ["exact"]]
    for name in ("report.md", "report.html"):
        assert "Both have the same pipeline." in (place / "report" / name).read_text()


def test_the_report_is_written_and_replaces_an_older_one(place: Path) -> None:
    for _ in range(2):
        assert run("dev.pubtator", "-t", "bog", "-o", "report").exit_code == 0
    assert sorted(path.name for path in (place / "report").iterdir()) == [
        "report.html",
        "report.json",
        "report.md",
    ]
    record = json.loads((place / "report" / "report.json").read_text(encoding="utf-8"))
    assert record["provenance"]["pipelines"]["linnet"]["retrievers"] == ["exact", "dense"]


def test_a_folder_that_holds_no_report_is_refused_before_linking(place: Path) -> None:
    shown = run("dev.pubtator", "-t", "bog", "-o", "bog")
    assert shown.exit_code == 1
    assert "is not empty and holds no report" in shown.stderr
    assert not (place / "bog" / "report.md").exists()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["dev.pubtator"], "Nothing to score"),
        (["dev.pubtator", "--predictions", "a.jsonl", "--retriever", "exact"], "--retriever is for a linker"),
        (["dev.pubtator", "-t", "bog", "--protocol", ","], "--protocol names nothing"),
        (["dev.pubtator", "-t", "bog", "--protocol", "exact"], "protocol 'exact'"),
        (["dev.pubtator", "-t", "bog", "--protocol", "augmented"], "--train-corpus"),
        (["dev.pubtator", "-t", "bog", "--types", "Drug"], "The corpus has: Disease"),
        (["absent.pubtator", "-t", "bog"], "no such file"),
        (["names.csv", "-t", "bog"], "which column holds the concepts? Columns: id, label. Name it: --concept-column NAME"),
        (["dev.pubtator", "-t", "absent"], "absent"),
        (["dev.pubtator", "-t", "bog", "--compare", "absent.jsonl"], "no such file"),
        (
            ["dev.pubtator", "--predictions", "a.jsonl", "--protocol", "augmented",
             "--train-corpus", "train.pubtator"],
            "is a file of predictions",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_refused_with_the_next_step(
    place: Path, args: list[str], message: str
) -> None:
    predictions(place / "a.jsonl", "X:1", "X:2", "X:3")
    (place / "names.csv").write_text("id,label\n1,bog pox\n")
    shown = run(*args)
    assert shown.exit_code == 1
    assert message in shown.stderr


def test_malformed_parts_are_skipped_and_counted_when_asked(place: Path) -> None:
    (place / "bad.pubtator").write_text(DEV.replace("1\t44\t51\tbog pox", "1\t44\t51\tfog pox"))
    assert run("bad.pubtator", "-t", "bog").exit_code == 1
    shown = run("bad.pubtator", "-t", "bog", "--on-error", "skip")
    assert figures(shown)["strict"] == "50.0"
    assert "1 malformed part was skipped" in shown.stdout


def test_a_table_with_gold_ids_is_scored(place: Path) -> None:
    (place / "phrases.tsv").write_text("said\tcode\nmarsh fever\tx:1\nthe quags\tX:2\nbog pox\t3\nhm\t-1\n")
    shown = run(
        "phrases.tsv", "-t", "bog", "--column", "said", "--concept-column", "code", "--concept-prefix", "X"
    )
    assert figures(shown)["strict"] == "66.7"


def test_gold_of_another_vocabulary_ends_with_status_1_unless_insisted(place: Path) -> None:
    (place / "other.pubtator").write_text(DEV.replace("X:", "Y:"))
    shown = run("other.pubtator", "-t", "bog")
    assert shown.exit_code == 1
    for part in ("3 concept ids, of which 0", "Y:1", "X:1", "--allow-missing"):
        assert part in shown.stderr
    assert figures(run("other.pubtator", "-t", "bog", "--allow-missing"))["strict"] == "0.0"


def test_a_corpus_of_spans_alone_is_refused_and_scored_for_its_spans(place: Path) -> None:
    (place / "spans.pubtator").write_text(DEV.replace("\tX:", "\t-1\tX:"))
    shown = run("spans.pubtator", "-t", "bog")
    assert shown.exit_code == 1
    assert "but no concept" in shown.stderr
    assert run("spans.pubtator", "-t", "bog", "--protocol", "nil").exit_code == 0


@pytest.mark.parametrize(
    ("input", "options", "output"),
    [
        ("dev.pubtator", ["--mentions"], "links.jsonl"),
        ("dev.pubtator", ["--mentions"], "links.csv"),
        ("dev.pubtator", ["--mentions"], "links.parquet"),
        ("dev.pubtator", ["--mentions", "--format", "mentions"], "links.jsonl"),
        ("names.csv", ["--column", "name"], "links.csv"),
    ],
)
def test_what_linnet_linked_is_not_taken_for_gold(
    place: Path, input: str, options: list[str], output: str
) -> None:
    (place / "names.csv").write_text("name\nquags\nbog pox\n")
    linked = CliRunner().invoke(app, ["link", input, *options, "-t", "bog", "-o", output])
    assert linked.exit_code == 0, linked.stderr
    shown = run(output, "-t", "bog")
    assert shown.exit_code == 1
    assert "holds links that linnet made, not gold" in shown.stderr
    if input == "dev.pubtator":
        assert run("dev.pubtator", "--predictions", output).exit_code == 0


def test_a_reranker_can_be_measured_without_its_memory(place: Path) -> None:
    shown = run("dev.pubtator", "-t", "bog", "--pipeline", "no-memory", "-o", "report")
    assert shown.exit_code == 0, shown.stderr
    report = json.loads((place / "report/report.json").read_text())
    assert report["provenance"]["pipelines"]["linnet"]["memory"] is False


def test_a_pipeline_is_refused_for_a_file_of_predictions(place: Path) -> None:
    predictions(place / "theirs.jsonl", "X:1", "X:2", "X:3")
    shown = run("dev.pubtator", "--predictions", "theirs.jsonl", "--pipeline", "no-memory")
    assert shown.exit_code == 1
    assert "--pipeline is for a linker" in shown.stderr
