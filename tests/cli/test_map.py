"""`linnet map` from the table to the export, as a person types it."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from linnet.cli import app
from linnet.mapping import Mapping

TABLE = """code,label,n
A1,heart attack,120
A2,type 2 diabetes,300
A3,n/a,40
"""


@pytest.fixture
def linnet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    monkeypatch.chdir(tmp_path)
    Path("codes.csv").write_text(TABLE, encoding="utf-8")
    return CliRunner()


def run(runner: CliRunner, command: str, code: int = 0) -> Result:
    result = runner.invoke(app, ["map", *command.split("  ")])
    assert result.exit_code == code, result.output
    return result


def new(runner: CliRunner) -> Result:
    return run(
        runner,
        "new  codes.csv  --column  label  --id-column  code  --frequency-column  n  -t  starter  -o  m",
    )


def test_from_the_table_to_the_export(linnet: CliRunner) -> None:
    assert "3 strings" in new(linnet).output
    assert "Myocardial Infarction" in run(linnet, "decide  m  heart attack  MESH:D009203").output
    run(linnet, "decide  m  A3  --code")
    assert "26.1 %" in run(linnet, "report  m").output  # 120 of 460 records
    told = run(linnet, "export  m  -o  out.sssom.tsv").output
    assert "1 of 3 rows are not approved" in told
    run(linnet, "export  m  -o  out.csv")
    with Path("out.csv").open(encoding="utf-8") as stream:
        found = {row["code"]: row for row in csv.DictReader(stream)}
    assert (found["A1"]["status"], found["A1"]["names"]) == ("approved", "Myocardial Infarction")
    assert found["A2"]["status"] == "unchecked"
    assert (
        "Mapped: 0.0 %"
        in run(linnet, "decide  m  heart attack  --undo").output + run(linnet, "update  m").output
    )


def test_strings_are_mapped_with_the_reranker_that_is_named(linnet: CliRunner) -> None:
    run(linnet, "new  codes.csv  --column  label  -t  starter  --reranker  none  -o  m")
    mapping = Mapping.open("m")
    assert [row.text for row in mapping if row.proposal and row.proposal.targets]
    assert {row.proposal.probability for row in mapping if row.proposal} == {
        None
    }  # which only a reranker gives
    mapping.close()


def test_decisions_come_from_a_colleague(linnet: CliRunner) -> None:
    new(linnet)
    Path("back.csv").write_text("code,status,concepts\nA1,approved,MESH:D009203\nZ,approved,MESH:D009203\n")
    told = run(linnet, "import  m  back.csv  --by  bob").output
    assert "Taken: 1 decision;" in told
    assert "no row has the code 'Z'" in told


def test_a_newer_table_and_an_upgrade(linnet: CliRunner) -> None:
    new(linnet)
    Path("newer.csv").write_text(TABLE + "A4,asthma,1\n")
    assert "1 string new, 3 kept" in run(linnet, "update  m  newer.csv").output
    run(linnet, "decide  m  asthma  MESH:D001249")
    assert "Unchanged: 1 decision." in run(linnet, "upgrade  m  -t  starter").output


def test_pairs_are_checked(linnet: CliRunner) -> None:
    Path("pairs.csv").write_text("id,name\nMESH:D009203,heart attack\nMESH:D009203,asthma\n")
    told = run(linnet, "check  pairs.csv  --id  id  --label  name  -t  starter").output
    assert "MESH:D009203,heart attack,name,Myocardial Infarction" in told
    assert "MESH:D001249,Asthma" in told


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("report  nothing", "is not a mapping"),
        ("new  codes.csv  --column  lable  -t  starter  -o  m2", "no column 'lable'"),
        (
            "new  codes.csv  --column  label  --frequency-column  code  -t  starter  -o  m2",
            "expected a whole number",
        ),
        ("new  missing.csv  --column  label  -t  starter  -o  m2", "missing.csv"),
        ("decide  m  heart attack  MESH:D1", "MESH:D1"),
        ("decide  m  gout  MESH:D006073", "no row with the text 'gout'"),
        ("decide  m  heart attack  MESH:D009203  --equivalence  same", "broader"),
        ("export  m  -o  out.omop.csv  --unchecked  0", "OMOP"),
        ("export  m  -o  out.pdf", "which format"),
        ("import  m  codes.csv", "no decisions that linnet reads"),
        ("check  codes.csv  --id  x  --label  label  -t  starter", "no column 'x'"),
    ],
)
def test_what_is_refused_says_why(linnet: CliRunner, command: str, said: str) -> None:
    new(linnet)
    told = run(linnet, command, code=1)
    assert said in told.output
    assert not Path("m2").exists()
    assert not Path("out.omop.csv").exists()
