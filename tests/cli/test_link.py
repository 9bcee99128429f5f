"""`linnet link` as a user types it: inputs, outputs, what is refused and what is left behind."""

from __future__ import annotations

import csv
import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner, Result

from linnet import corpora
from linnet.cli import app
from linnet.encode.model import open_model
from linnet.encode.named_models import SHIPPED
from linnet.jobs.outputs import formats
from linnet.link.indexing import build_indexes
from linnet.terminology import Terminology, write_terminology
from linnet.types import Concept

Link = Callable[..., Result]

PUBTATOR = (
    "1|t|Aspirin and gout\n1|a|Breast and ovarian cancer, and gout again.\n"
    "1\t0\t7\tAspirin\tChemical\tX:1\n1\t12\t16\tgout\tDisease\tX:2\n"
    "1\t17\t42\tBreast and ovarian cancer\tDisease\tX:3\n\n"
)
TABLE = 'nr,disease,name\n1,podagra,a\n2,,b\n3,breast and ovarian cancer,"c, d"\n'


@pytest.fixture(scope="module")
def terminology(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("terminology") / "t"
    concepts = [
        Concept("T:1", "Aspirin", types=("Chemical",)),
        Concept("T:2", "Gout", ("podagra",), ("Disease",)),
        Concept("T:3", "Breast Neoplasms", ("breast cancer",), ("Disease",)),
        Concept("T:4", "Ovarian Neoplasms", ("ovarian cancer",), ("Disease",)),
    ]
    build_indexes(write_terminology(concepts, place, sources=[]), ("exact", "dense"))
    return place


@pytest.fixture
def link(terminology: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Link:
    """Run `linnet link … --terminology T` in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def link(*args: str, stdin: str | bytes | None = None, against: Path = terminology) -> Result:
        return CliRunner().invoke(app, ["link", *args, "--terminology", str(against)], input=stdin)

    return link


@pytest.fixture
def corpus(tmp_path: Path) -> str:
    (tmp_path / "corpus.pubtator").write_text(PUBTATOR)
    return "corpus.pubtator"


def records(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def remains(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


# ── records ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_mention_comes_out_as_the_contract_says(link: Link) -> None:
    lines = [
        {
            "id": "m2",
            "text": "PG",
            "left": "podagra (",
            "right": ") hurts",
            "document": "d",
            "type": "Disease",
        },
        {"id": "m1", "text": "breast and ovarian cancer"},
        {"id": "m3", "text": "日本語"},
    ]
    done = link("-", "--mentions", stdin="".join(json.dumps(line) + "\n" for line in lines))
    assert done.exit_code == 0, done.stderr
    whole, composite, nil = records(done.stdout)
    assert list(whole) == ["id", "text", "concepts", "name", "probability", "candidates"]
    assert (composite["id"], composite["concepts"]) == ("m1", ["T:3", "T:4"])
    assert list(composite)[-1] == "parts"
    assert [part["concepts"] for part in composite["parts"]] == [["T:3"], ["T:4"]]
    assert list(composite["parts"][0]) == ["text", "concepts", "name", "probability", "candidates"]
    assert list(composite["candidates"][0]) == ["concept", "name", "score", "origin"]
    assert all(0 < part["probability"] <= 1 for part in composite["parts"])
    assert {key: value for key, value in nil.items() if key != "candidates"} == {
        "id": "m3",
        "text": "日本語",
        "concepts": [],
        "name": "",
        "probability": None,
    }


def test_documents_come_out_as_the_contract_says(link: Link) -> None:
    done = link("-", stdin='{"id": "d1", "text": "Aspirin against gout"}\n')
    [record] = records(done.stdout)
    assert list(record) == ["id", "text", "mentions"]
    assert [(m["start"], m["end"], m["text"], m["concepts"]) for m in record["mentions"]] == [
        (0, 7, "Aspirin", ["T:1"]),
        (16, 20, "gout", ["T:2"]),
    ]
    expected = {"start", "end", "text", "type", "concepts", "name", "probability", "candidates"}
    assert set(record["mentions"][0]) == expected


def test_lines_are_mentions_or_documents(link: Link) -> None:
    text = "podagra\n\n  aspirin \n"
    as_mentions = records(link("-", "--mentions", stdin=text).stdout)
    assert [m["concepts"] for r in as_mentions for m in r["mentions"]] == [["T:2"], ["T:1"]]
    as_documents = records(link("-", "--lines", stdin=text).stdout)
    assert [r["id"] for r in as_documents] == ["1", "3"]


def test_what_is_said_goes_to_standard_error(link: Link, corpus: str) -> None:
    done = link(corpus, "--mentions")
    assert "1 document, 3 mentions, 3 linked, 0 NIL." in done.stderr
    assert len(records(done.stdout)) == 1


# ── formats ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("format", sorted(set(formats()) - {"omop"}))
def test_every_format_can_be_written(link: Link, corpus: str, tmp_path: Path, format: str) -> None:
    done = link(corpus, "--mentions", "--format", format, "-o", f"out.{format}")
    assert done.exit_code == 0, done.stderr
    out = tmp_path / f"out.{format}"
    files = [file for file in (out.rglob("*") if out.is_dir() else [out]) if file.is_file()]
    assert any(b"Aspirin" in file.read_bytes() for file in files)
    assert f"out.{format}.manifest.json" in remains(tmp_path)


@pytest.mark.parametrize("format", ["bioc", "biocjson", "jsonl", "pubtator", "texoo"])
def test_corpus_formats_hold_the_concepts(link: Link, corpus: str, tmp_path: Path, format: str) -> None:
    assert link(corpus, "--mentions", "--format", format, "-o", "out").exit_code == 0
    [document] = corpora.read(tmp_path / "out", format=format)
    assert [m.concepts for m in document.mentions] == [("T:1",), ("T:2",), ("T:3", "T:4")]


@pytest.mark.parametrize(("ending", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_mentions_as_rows(link: Link, corpus: str, tmp_path: Path, ending: str, delimiter: str) -> None:
    assert link(corpus, "--mentions", "-o", f"out.{ending}").exit_code == 0
    with (tmp_path / f"out.{ending}").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream, delimiter=delimiter))
    assert [row["concepts"] for row in rows] == ["T:1", "T:2", "T:3|T:4"]
    assert rows[0] | {"score": "1.0", "origin": "exact"} == rows[0]
    assert 0 < float(rows[0]["probability"]) <= 1
    assert rows[2]["matched"] == "breast cancer|ovarian cancer"


def test_mentions_as_parquet(link: Link, corpus: str, tmp_path: Path) -> None:
    assert link(corpus, "--mentions", "-o", "out.parquet").exit_code == 0
    rows = pq.read_table(tmp_path / "out.parquet").to_pylist()
    assert [(row["start"], row["concepts"]) for row in rows] == [
        (0, ["T:1"]),
        (12, ["T:2"]),
        (17, ["T:3", "T:4"]),
    ]


def test_sssom_maps_each_text_once_and_parts_narrowly(link: Link) -> None:
    done = link(
        "-", "--mentions", "--format", "sssom", stdin="gout\nGout\ngout\nbreast and ovarian cancer\n日本\n"
    )
    rows = [line.split("\t") for line in done.stdout.splitlines() if not line.startswith("#")][1:]
    assert [(row[1], row[3], row[4]) for row in rows] == [
        ("gout", "skos:exactMatch", "T:2"),
        ("Gout", "skos:exactMatch", "T:2"),
        ("breast and ovarian cancer", "skos:narrowMatch", "T:3"),
        ("breast and ovarian cancer", "skos:narrowMatch", "T:4"),
        ("日本", "skos:exactMatch", "sssom:NoTermFound"),
    ]


def test_omop_maps_to_concept_ids_and_nothing_to_0(link: Link, tmp_path: Path) -> None:
    place = tmp_path / "omop"
    build_indexes(write_terminology([Concept("OMOP:440674", "Gout")], place, sources=[]), ("exact", "dense"))
    done = link("-", "--mentions", "--format", "omop", stdin="gout\n日本\n", against=place)
    rows = list(csv.DictReader(done.stdout.splitlines()))
    assert [(row["source_code"], row["target_concept_id"]) for row in rows] == [
        ("gout", "440674"),
        ("日本", "0"),
    ]


def test_omop_refuses_other_ids_and_leaves_nothing(link: Link, corpus: str, tmp_path: Path) -> None:
    done = link(corpus, "--mentions", "--format", "omop", "-o", "out.csv")
    assert done.exit_code == 1
    assert "--format omop" in done.stderr
    assert remains(tmp_path) == {corpus}


# ── tables ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_a_table_keeps_its_columns_and_rows(link: Link, tmp_path: Path, ending: str) -> None:
    (tmp_path / "names.csv").write_text(TABLE)
    assert link("names.csv", "--column", "disease", "-o", f"out.{ending}").exit_code == 0
    if ending == "parquet":
        rows = pq.read_table(tmp_path / "out.parquet").to_pylist()
        assert rows[2]["concepts"] == ["T:3", "T:4"]
    else:
        with (tmp_path / f"out.{ending}").open() as stream:
            rows = list(csv.DictReader(stream, delimiter="\t" if ending == "tsv" else ","))
        assert rows[2]["concepts"] == "T:3|T:4"
    columns = [
        "nr",
        "disease",
        "name",
        "concepts",
        "linked_name",
        "probability",
        "score",
        "matched",
        "origin",
        "relation",
    ]
    assert list(rows[0]) == columns
    assert [row["relation"] or "" for row in rows] == ["exact", "", "narrow"]
    assert [(row["nr"], row["disease"], row["name"]) for row in rows] == [
        ("1", "podagra", "a"),
        ("2", "", "b"),
        ("3", "breast and ovarian cancer", "c, d"),
    ]
    assert [row["linked_name"] or "" for row in rows] == ["Gout", "", "Breast Neoplasms"]


def test_a_linked_table_can_be_linked_again(link: Link, tmp_path: Path) -> None:
    (tmp_path / "names.csv").write_text(TABLE)
    link("names.csv", "--column", "disease", "-o", "one.parquet")
    assert link("one.parquet", "--column", "disease", "-o", "two.parquet").exit_code == 0
    [row, *_] = pq.read_table(tmp_path / "two.parquet").to_pylist()
    assert row["concepts"] == row["linked_concepts"] == ["T:2"]
    assert row["linked_linked_name"] == "Gout"
    assert row["nr"] == "1"


def test_a_column_of_frequencies_tells_the_share_of_records_linked(link: Link, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("disease,n\npodagra,30\n,5\nbreast and ovarian cancer,15\nxyzzyx,0\n")
    counted = link("t.csv", "--column", "disease", "--frequency-column", "n", "-o", "out.csv")
    assert "90.0 % of 50 records have a concept." in counted.stderr
    counts = json.loads((tmp_path / "out.csv.manifest.json").read_text())["counts"]
    assert (counts["records"], counts["records_linked"]) == (50, 45)

    (tmp_path / "t.csv").write_text("disease,n\npodagra,<5\ngout,2\n")
    refused = link("t.csv", "--column", "disease", "--frequency-column", "n", "-o", "bad.csv")
    assert refused.exit_code == 1
    assert "row 1: the column 'n' holds '<5'" in refused.stderr
    assert not (tmp_path / "bad.csv").exists()
    skipped = link("t.csv", "--column", "disease", "--frequency-column", "n", "--on-error", "skip")
    assert "100.0 % of 2 records" in skipped.stderr


@pytest.mark.parametrize(
    "option", [("--frequency-column", "n"), ("--lines",), ("--sheet", "One"), ("--metadata", "comment=x")]
)
def test_what_chunks_cannot_honour_is_refused(link: Link, tmp_path: Path, option: tuple[str, ...]) -> None:
    (tmp_path / "t.csv").write_text("disease,n\ngout,2\n")
    done = link("t.csv", "--column", "disease", *option, "--jobs", "2", "-o", "o")
    assert done.exit_code == 1
    assert option[0] in done.stderr
    assert "chunks" in done.stderr
    assert remains(tmp_path) == {"t.csv"}


def test_a_list_of_ids_without_any_is_refused(link: Link, tmp_path: Path) -> None:
    (tmp_path / "ids.txt").write_text("# to be filled\n\n")
    done = link("-", "--mentions", "--allow", "ids.txt", stdin="gout\n")
    assert done.exit_code == 1
    assert "ids.txt" in done.stderr
    assert "no concept id" in done.stderr


def test_a_column_that_is_not_there_lists_those_that_are(link: Link, tmp_path: Path) -> None:
    (tmp_path / "names.csv").write_text(TABLE)
    done = link("names.csv", "--column", "diagnosis", "-o", "out.csv")
    assert done.exit_code == 1
    assert "disease" in done.stderr
    assert remains(tmp_path) == {"names.csv"}


# ── manifest ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_manifest_says_what_was_linked_with_what(
    link: Link, corpus: str, tmp_path: Path, terminology: Path
) -> None:
    link(corpus, "--mentions", "--types", "Disease", "-o", "out.jsonl")
    record = json.loads((tmp_path / "out.jsonl.manifest.json").read_text())
    shipped = {
        role: open_model(SHIPPED / name).digest
        for role, name in (("encoder", "ngram"), ("reranker", "context"))
    }
    assert {role: record["models"][role]["digest"] for role in shipped} == shipped
    assert record["counts"] == {"documents": 1, "mentions": 2, "linked": 2, "nil": 0, "skipped": 0}
    assert len(record["input"]["digest"]) == 32
    assert record["terminologies"][0]["digest"] == Terminology.open(terminology).digest
    assert record["flags"]["types"] == ["Disease"]
    assert record["flags"]["given_mentions"] is True
    assert record["pipeline"]["retrievers"] == ["exact", "dense"]
    assert {"linnet", "started", "seconds", "python", "platform", "packages"} <= set(record)


def test_the_manifest_can_go_to_standard_error(link: Link) -> None:
    done = link("-", "--mentions", "--manifest", "-", stdin="gout\n")
    assert '"input": {' in done.stderr
    assert len(records(done.stdout)) == 1


def test_nothing_lies_beside_a_device(link: Link) -> None:
    assert link("-", "--mentions", "-o", os.devnull, stdin="gout\n").exit_code == 0
    assert not Path(f"{os.devnull}.manifest.json").exists()


# ── errors ───────────────────────────────────────────────────────────────────────────────────────────────────

GOOD, BAD = '{"id": "1", "text": "gout"}\n', '{"id": "2", "text": \n'


def test_an_error_midway_leaves_nothing_and_what_was_there_stays(link: Link, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(GOOD + BAD)
    (tmp_path / "old.jsonl").write_text("old")
    for name in ("new.jsonl", "old.jsonl"):
        done = link("in.jsonl", "-o", name)
        assert done.exit_code == 1
        assert "in.jsonl:2" in done.stderr
    assert remains(tmp_path) == {"in.jsonl", "old.jsonl"}
    assert (tmp_path / "old.jsonl").read_text() == "old"


def test_what_is_skipped_is_counted_and_listed(link: Link, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(BAD * 12 + GOOD)
    done = link("in.jsonl", "--on-error", "skip", "-o", "out.jsonl")
    assert done.exit_code == 0
    assert done.stderr.count("Skipped: in.jsonl:") == 10
    assert "2 more" in done.stderr
    manifest = json.loads((tmp_path / "out.jsonl.manifest.json").read_text())
    assert manifest["counts"]["skipped"] == len(manifest["skipped"]) == 12
    assert len(records((tmp_path / "out.jsonl").read_text())) == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"id": "1", "title": "gout hurts"}\n', ".text = .title"),
        (b'{"id": "1", "text": "gout", "mentions": [{"start": 2, "end": 9}]}\n', "2–9"),
        (b'{"id": "1", "text": "gout"}\n{"id": "1", "text": "other"}\n', "'1' occurs again"),
        (b'{"id": "1", "text": "g\xf6ut"}\n', "iconv"),
        (gzip.compress(GOOD.encode() * 99, mtime=0)[:-20], "truncated"),
        (b"", "no document"),
    ],
)
def test_bad_input_is_refused_with_what_to_do(link: Link, tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "in.jsonl").write_bytes(content)
    done = link("in.jsonl", "--input-format", "jsonl", "-o", "out.jsonl")
    assert (done.exit_code, remains(tmp_path)) == (1, {"in.jsonl"})
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["in.jsonl", "--format", "jsnol"], "Did you mean 'jsonl'?"),
        (["in.jsonl", "--input-format", "nope"], "pubtator"),
        (["in.jsonl", "-o", "in.jsonl"], "same file"),
        (["in.jsonl", "--on-error", "ignore"], "expected 'stop' or 'skip'"),
        (["in.jsonl", "--recogniser", "magic"], "dictionary"),
        (["in.jsonl", "--retriever", "exactt"], "exact"),
        (["in.jsonl", "--retriever", "exact,sparse"], "linnet index"),
        (["in.jsonl", "--concept-types", "Nonsense"], "Disease"),
        (["in.jsonl", "--allow", "empty.txt"], "one id a line"),
        (["in.jsonl", "-o", "out", "--engine", "spark"], "Choose from: local, ray"),
        (["in.jsonl", "--reranker", "magic"], "Choose from"),
        (["in.jsonl", "--reranker", "none", "--min-probability", "0.9"], "needs a calibrator"),
        (["in.jsonl", "--format", "parquet"], "-o links.parquet"),
        (["missing.jsonl"], "no such file"),
        (["in.jsonl", "-o", "no/such/folder.jsonl"], "cannot be written"),
    ],
)
def test_a_wrong_request_is_refused_with_the_choices(
    link: Link, tmp_path: Path, args: list[str], said: str
) -> None:
    (tmp_path / "in.jsonl").write_text(GOOD)
    (tmp_path / "empty.txt").write_text("# nothing\n")
    done = link(*args)
    assert done.exit_code == 1
    assert said in done.stderr
    assert done.stdout == ""


def test_no_terminology_is_wrong_usage(tmp_path: Path) -> None:
    assert CliRunner().invoke(app, ["link", "in.txt"]).exit_code == 2


def test_what_is_no_terminology_says_how_to_build_one(link: Link, tmp_path: Path) -> None:
    done = link("-", stdin="gout", against=tmp_path / "nowhere")
    assert done.exit_code == 1
    assert "linnet terminology build" in done.stderr


def test_mentions_asked_for_where_there_are_none_are_an_error_that_says_what_to_do(
    link: Link, tmp_path: Path
) -> None:
    (tmp_path / "names.jsonl").write_text('{"text": "gout"}\n{"text": "podagra"}\n')
    done = link("names.jsonl", "--mentions", "-o", "out.jsonl")
    assert done.exit_code == 1
    assert "no mentions in 2 documents (format 'jsonl')" in done.stderr
    assert "--input-format mentions" in done.stderr
    assert remains(tmp_path) == {"names.jsonl"}
    read = link("names.jsonl", "--mentions", "--input-format", "mentions")
    assert [record["concepts"] for record in records(read.stdout)] == [["T:2"], ["T:2"]]
    assert "no mention" not in read.stderr


def test_a_type_that_no_mention_has_is_pointed_out(link: Link, corpus: str) -> None:
    done = link(corpus, "--mentions", "--types", "Disese", "Chemical")
    assert done.exit_code == 0
    assert "No mention is of type Disese. Types here: Disease (2), Chemical (1)." in done.stderr
    [record] = records(done.stdout)
    assert [mention["text"] for mention in record["mentions"]] == ["Aspirin"]


@pytest.mark.parametrize("more", [[], ["--recogniser", "recogniser"]])
def test_a_type_that_is_never_found_in_text_is_refused(link: Link, corpus: str, more: list[str]) -> None:
    done = link(corpus, "--types", "disese", "-o", "out.jsonl", *more)
    assert done.exit_code == 1
    assert "Unknown type of mentions 'disese'. Did you mean 'Disease'?" in done.stderr
    assert "Choose from: Chemical, Disease." in done.stderr
    assert remains(Path()) == {corpus}
    found = records(link(corpus, "--types", "chemical", *more).stdout)
    assert [mention["text"] for one in found for mention in one["mentions"]] == ["Aspirin"]


# ── processes ────────────────────────────────────────────────────────────────────────────────────────────────


def start(terminology: Path, *args: str, **settings: Any) -> subprocess.Popen[bytes]:
    code = "from linnet.cli import main; main()"
    command = [sys.executable, "-c", code, "link", *args, "--terminology", str(terminology)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **settings)


def test_a_reader_that_goes_away_ends_it_quietly(terminology: Path, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("gout\n" * 20_000)
    with start(terminology, "in.txt", "--mentions", cwd=tmp_path) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith(b"{")
        process.stdout.close()
        assert process.wait() == 141
        assert process.stderr.read() == b""


def test_an_interrupt_leaves_no_part(terminology: Path, tmp_path: Path) -> None:
    args = ("-", "--mentions", "--input-format", "mentions", "-o", "out.jsonl")
    with start(terminology, *args, cwd=tmp_path, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(b'{"text": "gout"}\n' * 3000)
        process.stdin.flush()
        deadline = time.monotonic() + 30
        while not any(name.endswith(".part") for name in remains(tmp_path)) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert any(name.endswith(".part") for name in remains(tmp_path))
        process.send_signal(signal.SIGINT)
        assert b"Interrupted" in process.stderr.read()
        assert process.wait() == 130
    assert remains(tmp_path) == set()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.parametrize("output", ["-", "/dev/full"])
def test_a_full_disk_is_said_in_one_line(terminology: Path, tmp_path: Path, output: str) -> None:
    (tmp_path / "in.txt").write_text("gout\n" * 100)
    with Path("/dev/full").open("wb") as full:
        code = "from linnet.cli import main; main()"
        command = [
            sys.executable,
            "-c",
            code,
            "link",
            "in.txt",
            "--mentions",
            "-o",
            output,
            "-t",
            str(terminology),
        ]
        done = subprocess.run(
            command, stdout=full if output == "-" else None, stderr=subprocess.PIPE, cwd=tmp_path, check=False
        )
    assert done.returncode == 1
    assert b"disk is full" in done.stderr
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr


# ── inputs that are not what they seem ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "content", "options", "message"),
    [
        ("names.txt", "gout\npodagra\n", [], "To link each line as a name: --mentions"),
        ("names.dat", "id\tname\n1\tgout\n2\tpodagra\n", [], "tabs, the first line with 'id', 'name'"),
        ("a.json", '{"resourceType": "Patient"}', [], "is FHIR JSON"),
        ("a.txt", "%PDF-1.7\n", ["--input-format", "text"], "is a PDF"),
        ("a.jsonl", '{"id": "1", "text": "gout"}\n', ["--column", "text"], "has no columns"),
    ],
)
def test_what_may_be_something_else_is_refused_with_what_to_type(
    link: Link, tmp_path: Path, name: str, content: str, options: list[str], message: str
) -> None:
    (tmp_path / name).write_text(content)
    done = link(name, *options, "-o", "out.jsonl")
    assert done.exit_code == 1
    assert message in done.stderr
    assert remains(tmp_path) == {name}


def test_the_advice_for_names_and_tables_works(link: Link, tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("gout\npodagra\n")
    for options in (["--mentions"], ["--lines"]):
        done = link("names.txt", *options)
        assert [m["concepts"] for r in records(done.stdout) for m in r["mentions"]] == [["T:2"], ["T:2"]]
    (tmp_path / "names.dat").write_text("id\tname\n1\tgout\n2\t\n")
    done = link("names.dat", "--column", "name")
    assert [record["concepts"] for record in records(done.stdout)] == [["T:2"]]
    assert "1 row with an empty column 'name'" in done.stderr
    assert len(records(link("names.txt", "--input-format", "text").stdout)) == 1


def test_annotations_that_are_not_read_are_named_beside_the_result(link: Link, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "1", "text": "gout", "spans": [[0, 4]], "mentions": []}\n')
    done = link("a.jsonl", "-o", "out.jsonl")
    assert done.exit_code == 0
    assert "1 document with a field 'spans', which looks like annotations and was not read" in done.stderr
    assert any(
        "'spans'" in line for line in json.loads((tmp_path / "out.jsonl.manifest.json").read_text())["notes"]
    )


def test_mentions_of_documents_are_written_so_that_they_can_be_linked_again(
    link: Link, corpus: str, tmp_path: Path
) -> None:
    first = link(corpus, "--mentions", "--format", "mentions", "-o", "first.jsonl")
    assert first.exit_code == 0, first.stderr
    written = records((tmp_path / "first.jsonl").read_text())
    assert [r["id"] for r in written] == ["1:0-7", "1:12-16", "1:17-42"]
    assert [(r["document"], r["start"], r["end"], r["type"]) for r in written][1] == ("1", 12, 16, "Disease")
    assert written[1]["left"] == "Aspirin and "
    again = link("first.jsonl", "--mentions", "-o", "again.jsonl")
    assert again.exit_code == 0, again.stderr
    relinked = records((tmp_path / "again.jsonl").read_text())
    assert [(r["id"], r["concepts"]) for r in relinked] == [(r["id"], r["concepts"]) for r in written]


@pytest.mark.parametrize(
    ("output", "more", "says"),
    [
        ("out.csv.gz", (), "linnet writes no compressed files. Name -o out.csv and compress it"),
        ("out.XLSX", (), "linnet writes no workbooks. Name -o out.csv"),
        ("out.parquet", ("--format", "csv"), "is the name of a Parquet file, but the format is csv"),
    ],
)
def test_an_output_that_would_not_be_what_its_name_says_is_refused(
    link: Link, tmp_path: Path, output: str, more: tuple[str, ...], says: str
) -> None:
    result = link("-", "--mentions", "-o", output, *more, stdin="gout\n")
    assert result.exit_code == 1
    assert says in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_recogniser_beside_given_mentions_is_said_to_be_unused(link: Link, tmp_path: Path) -> None:
    (tmp_path / "names.csv").write_text("disease\ngout\n")
    given = (("-", "--mentions"), ("names.csv", "--column", "disease"))
    for more in given:
        result = link(*more, "--recogniser", "dictionary", stdin="gout\n")
        assert result.exit_code == 0
        assert "--recogniser was not used: the mentions are given" in result.stderr
    assert "not used" not in link("-", "--recogniser", "dictionary", stdin="She has gout.\n").stderr


def test_a_line_of_invalid_bytes_is_named_and_can_be_left_out(link: Link, tmp_path: Path) -> None:
    names = tmp_path / "names.csv"
    names.write_bytes("name\nSjögren syndrome\nasthma\ngout\n".encode().replace(b"asthma", b"asth\xffma"))
    arguments = (str(names), "--column", "name", "-o", str(tmp_path / "out.jsonl"))
    refused = link(*arguments)
    assert refused.exit_code == 1
    advice = "not valid UTF-8 at byte 4 of the line (0xff); the rest is UTF-8. Correct it, or leave it out with --on-error skip"
    assert f"names.csv:3: {advice}" in " ".join(refused.stderr.split())
    assert link(*arguments, "--on-error", "skip").exit_code == 0
    assert [row["text"] for row in records((tmp_path / "out.jsonl").read_text())] == [
        "Sjögren syndrome",
        "gout",
    ]
