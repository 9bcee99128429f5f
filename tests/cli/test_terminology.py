"""`linnet terminology …` as a user types it, on invented files."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from linnet.cli import app
from linnet.cli.terminology import COMMANDS
from linnet.terminology import Terminology, store_writer

FIRST = """\
id\tname\tsynonyms\tparents
A:1\tdisease\t\t
A:2\tcommon cold\tcold|acute coryza\tA:1
A:3\theart attack\tmyocardial infarction|AMI\tA:1
"""
SECOND = """\
id\tname\tsynonyms\tdefinition\tparents
B:1\tillness\tdisease\ta state of being unwell\t
B:2\trhinitis\t\tan inflamed nose\tB:1
B:3\tcold\t\ta viral infection of the nose\tB:2
"""
MAPPINGS = """\
# license: CC0
subject_id\tpredicate_id\tobject_id
A:1\tskos:exactMatch\tB:1
A:2\tskos:exactMatch\tB:3
A:3\tskos:exactMatch\tB:3
A:3\tskos:exactMatch\tQ:3
"""
CORPUS = """\
7|t|The sniffles and acute cardiac infarct (ACI).
7|a|ACI is not a cold.
7\t4\t12\tsniffles\tDisease\tA:2
7\t40\t43\tACI\tDisease\tA:3
7\t46\t49\tACI\tDisease\tA:77

"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two tables, mappings between them, and a corpus; the working directory."""
    for name, text in {
        "a.tsv": FIRST,
        "b.tsv": SECOND,
        "ab.sssom.tsv": MAPPINGS,
        "train.pubtator": CORPUS,
    }.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def linnet(*args: str) -> Result:
    return CliRunner().invoke(app, ["terminology", *args])


def built(*names: str) -> None:
    for name in names:
        assert linnet("build", f"{name}.tsv", "-o", name).exit_code == 0


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself_with_examples(name: str) -> None:
    shown = linnet(name, "--help")
    assert shown.exit_code == 0
    assert f"  linnet terminology {name}" in shown.stdout
    assert COMMANDS[name][1] in linnet("--help").stdout


def test_build_summarises_on_standard_error_and_records_its_sources(home: Path) -> None:
    shown = linnet("build", "a.tsv", "b.tsv", "-o", "both")
    assert (shown.exit_code, shown.stdout) == (0, "")
    assert "concepts      6" in shown.stderr
    assert "homonyms      2 names" in shown.stderr
    assert "linnet index both" in shown.stderr
    sources = Terminology.open("both").manifest["sources"]
    assert [(source["path"], source["format"]) for source in sources] == [
        ("a.tsv", "table"),
        ("b.tsv", "table"),
    ]
    assert all(len(source["digest"]) == 32 for source in sources)


def test_build_counts_concepts_that_an_ontology_imports(home: Path) -> None:
    terms = [f"[Term]\nid: {id}\nname: n{id}\n" for id in (*(f"DOID:{n}" for n in range(20)), "UBERON:1")]
    (home / "do.obo").write_text("format-version: 1.2\n\n" + "\n".join(terms))
    advice = "1 of 21 concepts are not DOID's own (UBERON); linnet links to them as well."
    assert advice in linnet("build", "do.obo", "-o", "all").stderr
    shown = linnet("build", "do.obo", "-o", "own", "--prefixes", "DOID").stderr
    assert "concepts      20" in shown
    assert "own (" not in shown


def test_build_asks_for_a_type_where_nothing_tells_what_the_concepts_are(home: Path) -> None:
    assert "build it with --type Disease or --type Chemical" in linnet("build", "a.tsv", "-o", "plain").stderr
    assert "--type Disease or" not in linnet("build", "a.tsv", "-o", "typed", "--type", "Finding").stderr


def test_build_reads_columns_by_name_and_number(home: Path) -> None:
    (home / "c.csv").write_text("1;flu;grippe\n2;gout;\n")
    columns = ("--columns", "id=1", "name=2", "synonyms=3", "--prefix", "C", "--type", "Disease")
    assert (
        linnet("build", "c.csv", "-o", "c", "--format", "table", "--delimiter", ";", *columns).exit_code == 0
    )
    concept = Terminology.open("c").concept(0)
    assert (concept.id, concept.name, concept.names, concept.types) == (
        "C:1",
        "flu",
        ("grippe",),
        ("Disease",),
    )


def test_build_stops_at_a_malformed_row_or_skips_it_and_counts(home: Path) -> None:
    (home / "a.tsv").write_text(FIRST + "\tgout\t\t\n")
    stopped = linnet("build", "a.tsv", "-o", "a")
    assert stopped.exit_code == 1
    assert stopped.stderr.startswith("Error: a.tsv:5: ")
    assert not (home / "a").exists()
    skipped = linnet("build", "a.tsv", "-o", "a", "--on-error", "skip")
    assert skipped.exit_code == 0
    assert "Skipped: a.tsv:5: " in skipped.stderr
    assert "Skipped 1 malformed row in all" in skipped.stderr


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (("build", "gone.obo", "-o", "x"), 1, "gone.obo: no such file"),
        (("build", "empty", "-o", "x"), 1, "empty: the file is empty"),
        (("build", "letter.txt", "-o", "x"), 1, "--format"),
        (("build", "a.tsv", "-o", "x", "--format", "obo"), 1, "a.tsv"),
        (("build", "a.tsv", "-o", "x", "--format", "xls"), 1, "Unknown terminology format 'xls'"),
        (("build", "a.tsv", "-o", "x", "--trees", "C"), 1, "'trees'"),
        (("build", "a.tsv", "-o", "x", "--columns", "id"), 2, "not ROLE=COLUMN"),
        (("build", "a.tsv", "-o", "x", "--on-error", "maybe"), 2, "'maybe'"),
        (("build", "a.tsv"), 2, "--output"),
        (("build", "-o", "x"), 2, "SRC"),
        (("build", "a.tsv", "-o", "letter.txt"), 1, "letter.txt exists and is not a terminology"),
        (("merge", "a", "-o", "x"), 1, "--enrich"),
        (("merge", "a", "gone", "-o", "x"), 1, "gone is not a terminology"),
        (("merge", "a", "a", "-o", "x", "--map", "a.tsv"), 1, "a.tsv:1: has no column 'subject_id'"),
        (("augment", "a", "--corpus", "gone.txt", "-o", "x"), 1, "gone.txt"),
        (("augment", "a", "--corpus", "letter.txt", "-o", "x"), 1, "letter.txt: read as 'text'"),
        (("augment", "a", "-o", "x"), 2, "--corpus"),
        (("info", "gone"), 1, "linnet terminology build"),
        (("info", "."), 1, "has no terminology.json"),
        (("search", "a"), 1, "Nothing to search for"),
        (("search", "a", "cold", "--types", "Drug"), 1, "has no type 'Drug'"),
        (("diff", "a", "gone"), 1, "gone is not a terminology"),
        (("fetch", "mesh-descriptor"), 1, "Did you mean 'mesh-descriptors'"),
        (("fetch", "doid", "--url", "http://127.0.0.1:9/doid.obo"), 1, "cannot be reached"),
    ],
)  # fmt: skip
def test_a_wrong_request_is_refused_with_a_message_and_leaves_nothing(
    home: Path, args: tuple[str, ...], code: int, said: str
) -> None:
    built("a")
    (home / "empty").touch()
    (home / "letter.txt").write_text("Dear reader\nthis is a letter\n")
    shown = linnet(*args)
    assert shown.exit_code == code
    assert said in shown.stderr
    assert shown.stdout == ""
    assert not (home / "x").exists()
    assert not [file for file in os.listdir(home) if file.startswith(".")]  # noqa: PTH208


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda file: file.write_bytes(file.read_bytes()[:-8]), "bytes; expected"),
        (lambda file: file.write_bytes(file.read_bytes().replace(b"coryza", b"coryzb")), "was altered"),
        (lambda file: file.unlink(), "is missing"),
    ],
)
def test_a_damaged_store_is_refused_and_says_what_to_run(
    home: Path, damage: Callable[[Path], Any], said: str
) -> None:
    built("a")
    damage(home / "a/names.arrow")
    shown = linnet("search", "a", "cold")
    assert shown.exit_code == 1
    assert "a/names.arrow" in shown.stderr
    assert said in shown.stderr
    assert "linnet terminology build SOURCE -o a" in shown.stderr


def test_merge_joins_through_mappings_and_tells_what_it_left_out(home: Path) -> None:
    built("a", "b")
    shown = linnet("merge", "a", "b", "-o", "both", "--map", "ab.sssom.tsv")
    assert shown.exit_code == 0
    assert "Joined 2 concepts" in shown.stderr
    assert "Not joined: A:3 = B:3 would join A:2 and A:3" in shown.stderr
    both = Terminology.open("both")
    assert both.resolve("B:3") == ("A:2",)
    assert both.concept(both.row("A:2")).parents == ("A:1", "B:2")
    assert [(s["path"], s.get("licence")) for s in both.manifest["sources"]] == [
        ("a.tsv", None),
        ("b.tsv", None),
        ("ab.sssom.tsv", "CC0"),
    ]


def test_enrich_gives_parents_and_definitions_but_no_names(home: Path) -> None:
    built("a", "b")
    shown = linnet("merge", "a", "-o", "rich", "--enrich", "b", "--map", "ab.sssom.tsv")
    assert shown.exit_code == 0
    assert "From b: 2 concepts in common; 0 gained parents, 0 types, 2 a definition." in shown.stderr
    rich, plain = Terminology.open("rich"), Terminology.open("a")
    assert rich.definition(rich.row("A:2")) == "a viral infection of the nose"
    assert list(rich.names.array) == list(plain.names.array)


def test_join_names_joins_what_shares_a_name_and_writes_both_tables(home: Path) -> None:
    built("a", "b")
    shown = linnet("merge", "a", "b", "-o", "both", "--join-names")
    assert shown.exit_code == 0
    assert "1 pairs of concepts joined by a name" in shown.stderr
    assert "1 pairs that share a name not joined: they share only acronyms or short names." in shown.stderr
    assert Terminology.open("both").resolve("B:1") == ("A:1",)
    rows = (home / "both/joined-by-name.sssom.tsv").read_text(encoding="utf-8").splitlines()
    assert rows[-1].split("\t")[:5] == ["A:1", "disease", "skos:exactMatch", "B:1", "illness"]
    others = (home / "both/not-joined-by-name.tsv").read_text(encoding="utf-8").splitlines()
    assert others[1].startswith("A:2\tcommon cold\tB:3\tcold\tcold\t1\t")
    again = linnet("merge", "a", "b", "-o", "again", "--map", "both/joined-by-name.sssom.tsv")
    assert "Joined 1 concept with others." in again.stderr
    assert Terminology.open("again").digest == Terminology.open("both").digest


def test_enrich_with_join_names_adds_names_and_no_concepts(home: Path) -> None:
    built("a", "b")
    shown = linnet("merge", "a", "-o", "rich", "--enrich", "b", "--join-names")
    assert shown.exit_code == 0
    assert "1 concepts in common" in shown.stderr
    assert "1 names." in shown.stderr
    rich = Terminology.open("rich")
    assert rich.concept(rich.row("A:1")).all_names == ("disease", "illness")
    assert len(rich) == len(Terminology.open("a"))


def test_augment_adds_mentions_and_their_expanded_abbreviations(home: Path) -> None:
    built("a")
    shown = linnet("augment", "a", "--corpus", "train.pubtator", "-o", "more")
    assert shown.exit_code == 0
    assert "Added 3 names; 0 were there already." in shown.stderr
    assert "A:77" in shown.stderr
    more = Terminology.open("more")
    assert more.concept(more.row("A:2")).names == ("cold", "acute coryza", "sniffles")
    assert more.concept(more.row("A:3")).names[-2:] == ("ACI", "acute cardiac infarct")


def test_a_terminology_can_be_augmented_in_place(home: Path) -> None:
    built("a")
    assert (
        linnet("augment", "a", "--corpus", "train.pubtator", "-o", "a", "--no-abbreviations").exit_code == 0
    )
    assert Terminology.open("a").concept(2).names == ("myocardial infarction", "AMI", "ACI")


def test_info_shows_what_is_there_for_people_and_for_programs(home: Path) -> None:
    built("a")
    (home / "a/overrides.tsv").write_text("cold\tA:3\tforbid\n")
    linnet("search", "a", "cold")
    shown = linnet("info", "a", "--verify")
    assert shown.exit_code == 0
    assert "concepts      3" in shown.stdout
    assert "overrides     1" in shown.stdout
    assert "search (" in shown.stdout
    assert "All checksums are right." in shown.stderr
    read = json.loads(linnet("info", "a", "--json").stdout)
    assert read["counts"]["names"] == 7
    assert read["indexes"][0]["current"]
    assert read["digest"] == Terminology.open("a").digest


def test_info_verifies_indexes_too(home: Path) -> None:
    built("a")
    linnet("search", "a", "cold")
    file = home / "a/index/search/order.npy"
    file.write_bytes(file.read_bytes()[:-4] + b"\0\0\0\1")
    assert linnet("info", "a").exit_code == 0
    assert "order.npy was altered" in linnet("info", "a", "--verify").stderr


def test_a_wrong_override_is_named_with_its_line(home: Path) -> None:
    built("a")
    (home / "a/overrides.tsv").write_text("# mine\ncold\tA:99\tforce\n")
    assert "a/overrides.tsv:2: a has no concept 'A:99'" in linnet("info", "a").stderr


def test_search_prints_rows_and_says_when_there_are_none(home: Path) -> None:
    built("a")
    shown = linnet("search", "a", "myocard", "inf")
    assert shown.stdout == "A:3\theart attack\tmyocardial infarction\n"
    assert "Building the search index" in shown.stderr
    again = linnet("search", "a", "common", "-k", "1", "--json")
    assert again.stderr == ""
    assert json.loads(again.stdout)["match"] == "prefix"
    nothing = linnet("search", "a", "zzz")
    assert (nothing.exit_code, nothing.stdout) == (0, "")
    assert "Nothing found for 'zzz'" in nothing.stderr


def test_diff_writes_changes_as_json_lines_and_a_summary_beside(home: Path) -> None:
    built("a")
    (home / "b.tsv").write_text(FIRST.replace("common cold", "the cold") + "A:9\tgout\t\t\n")
    built("b")
    shown = linnet("diff", "a", "b")
    assert [json.loads(line)["change"] for line in shown.stdout.splitlines()] == ["added", "renamed", "names"]
    assert "renamed          1" in shown.stderr
    assert linnet("diff", "a", "b", "--summary").stdout == ""
    assert linnet("diff", "a", "b", "-o", "changes.jsonl").stdout == ""
    assert (home / "changes.jsonl").read_text() == shown.stdout


def test_fetch_without_a_name_lists_the_sources() -> None:
    lines = linnet("fetch").stdout.splitlines()
    assert any(line.startswith("mesh-descriptors\t") for line in lines)
    assert all(len(line.split("\t")) == 4 for line in lines)


def test_a_full_disk_leaves_the_old_terminology_as_it_was(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built("a")
    before = Terminology.open("a").digest

    def full(draft: Path, gathered: object) -> None:
        (draft / "names.arrow").write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store_writer, "write_arrays", full)
    shown = linnet("build", "b.tsv", "-o", "a")
    assert shown.exit_code == 1
    assert "No space left on device" in shown.stderr
    assert "Nothing was changed" in shown.stderr
    assert Terminology.open("a", verify=True).digest == before
    assert not [file for file in os.listdir(home) if file.startswith(".")]  # noqa: PTH208


def test_ctrl_c_midway_leaves_nothing(home: Path) -> None:
    rows = "".join(f"A:{number}\tname {number}\t\t\n" for number in range(100, 200_000))
    (home / "a.tsv").write_text(FIRST + rows)
    code = (
        "import linnet.terminology.store_writer as writer\n"
        "real = writer.write_arrays\n"
        "def slow(*args): real(*args); print('writing', flush=True); import time; time.sleep(30)\n"
        "writer.write_arrays = slow\n"
        "from linnet.cli import main; main()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, "terminology", "build", "a.tsv", "-o", "a"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=home,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"writing\n"
    assert any(file.startswith(".a.") for file in os.listdir(home))  # noqa: PTH208
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 130
    assert stderr.endswith(
        b"Interrupted. No half-written file was left.\n"
    )  # a slow machine tells how far it is
    assert sorted(os.listdir(home)) == ["a.tsv", "ab.sssom.tsv", "b.tsv", "train.pubtator"]  # noqa: PTH208


def test_mappings_and_enrichment_that_match_nothing_are_refused(home: Path) -> None:
    built("a", "b")
    (home / "else.sssom.tsv").write_text("subject_id\tpredicate_id\tobject_id\nQ:1\tskos:exactMatch\tR:1\n")
    shown = linnet("merge", "a", "b", "-o", "c", "--map", "else.sssom.tsv")
    assert shown.exit_code == 1
    assert "None of the 1 mappings of else.sssom.tsv" in shown.stderr
    assert "Q:1 = R:1" in shown.stderr
    shown = linnet("merge", "a", "-o", "c", "--enrich", "b")
    assert shown.exit_code == 1
    assert "b has no concept in common with a: B:1, B:2, B:3 and A:1, A:2, A:3" in shown.stderr
    assert not (home / "c").exists()


def test_augmenting_with_ids_of_another_vocabulary_is_refused_unless_insisted(home: Path) -> None:
    built("a")
    (home / "else.pubtator").write_text(CORPUS.replace("A:", "Q:"))
    shown = linnet("augment", "a", "--corpus", "else.pubtator", "-o", "more")
    assert shown.exit_code == 1
    for part in ("3 concept ids, of which 0", "Q:2", "A:1", "--allow-missing"):
        assert part in shown.stderr
    assert linnet("augment", "a", "--corpus", "else.pubtator", "-o", "more", "--allow-missing").exit_code == 0


def test_augmenting_with_a_corpus_without_concepts_is_refused(home: Path) -> None:
    built("a")
    (home / "spans.pubtator").write_text("1|t|Gout\n1|a|\n1\t0\t4\tGout\tDisease\t-1\n")
    shown = linnet("augment", "a", "--corpus", "spans.pubtator", "-o", "more")
    assert shown.exit_code == 1
    assert "no mention with a concept" in shown.stderr


def test_a_table_of_mentions_augments(home: Path) -> None:
    built("a")
    (home / "phrases.csv").write_text("said,code\nthe sniffles,a:2\nchest pang,3\nnothing,-1\n")
    shown = linnet(
        "augment", "a", "--corpus", "phrases.csv", "-o", "more", "--column", "said", "--concept-column", "code",
        "--concept-prefix", "A",
    )  # fmt: skip
    assert shown.exit_code == 0, shown.stderr
    more = Terminology.open("more")
    assert [more.concept(more.row(f"A:{n}")).names[-1] for n in (2, 3)] == ["the sniffles", "chest pang"]


@pytest.mark.parametrize(
    "command", [["search", "starter", "heart", "attack"], ["info", "starter"], ["diff", "starter", "starter"]]
)
def test_the_packaged_terminology_is_read_by_its_name(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["terminology", *command])
    assert done.exit_code == 0, done.stderr
