"""Linking a corpus in chunks with the local engine: the output, resuming, refusals."""

from __future__ import annotations

import gzip
import json
import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.advised import advises

from linnet.advice import Step
from linnet.errors import DataError, LinnetError, MismatchError, RequestError
from linnet.jobs import job as link_job
from linnet.jobs.job import Summary
from linnet.jobs.request import Request as WholeRequest
from linnet.link.linker_config import LinkerConfig
from linnet.scale import Request, is_chunked
from linnet.scale.job import run
from linnet.scale.journal import ChunkRecord, open_journal
from linnet.scale.settings import for_workers


class Folder:
    """A corpus and its output in a folder of its own."""

    def __init__(self, place: Path, opening: LinkerConfig, tools: Any) -> None:
        self.input, self.output, self.opening, self.tools = place / "in", place / "out", opening, tools

    def run(self, **options: Any) -> Summary:
        asked: dict[str, Any] = {"input": str(self.input), "output": str(self.output), "chunk_bytes": 400}
        return run(Request(**{**asked, **options}), self.opening)

    def lines(self, name: str, records: list[Any]) -> Path:
        path: Path = self.tools.write_lines(self.input / name, records)
        return path

    def parquet(self, name: str, columns: dict[str, list[Any]], **options: Any) -> Path:
        self.input.mkdir(exist_ok=True)
        pq.write_table(pa.table(columns), self.input / name, **options)
        return self.input / name

    @property
    def parts(self) -> dict[str, bytes]:
        found: dict[str, bytes] = self.tools.contents(self.output)
        return found

    @property
    def records(self) -> list[Any]:
        found: list[Any] = self.tools.read_parts(self.output)
        return found

    def make_old(self) -> None:
        """Set the parts' times back: `written` is then what is written after this."""
        self.tools.make_old(self.output)

    @property
    def written(self) -> set[str]:
        """The parts written since `make_old`."""
        return set(self.parts) - self.tools.old(self.output)


@pytest.fixture
def folder(tmp_path: Path, opening: LinkerConfig, tools: Any) -> Folder:
    return Folder(tmp_path, opening, tools)


# ── what comes out ───────────────────────────────────────────────────────────────────────────────────────────


def test_the_parts_together_are_what_linking_the_file_writes(folder: Folder, tmp_path: Path) -> None:
    file = folder.lines("a.jsonl", folder.tools.documents(40))
    done = folder.run()
    link_job.run(WholeRequest(input=str(file), output=str(tmp_path / "whole.jsonl")), folder.opening.open())
    assert len(folder.parts) > 5
    assert b"".join(folder.parts.values()) == (tmp_path / "whole.jsonl").read_bytes()
    manifest = json.loads((tmp_path / "out.manifest.json").read_text())
    assert manifest["counts"] == done.counts()
    assert manifest["parts"] == {
        "all": len(folder.parts),
        "linked by this run": len(folder.parts),
        "workers": 1,
    }


def test_several_processes_write_the_same(folder: Folder, tmp_path: Path) -> None:
    for name in "ab":
        folder.lines(f"{name}.jsonl", folder.tools.documents(20, first=ord(name) * 100))
    folder.run()
    one = folder.parts
    done = folder.run(output=str(tmp_path / "two"), workers=2)
    assert folder.tools.contents(tmp_path / "two") == one
    assert done.documents == 40


def test_parquet_becomes_parquet_with_the_links_of_json_lines(folder: Folder, tmp_path: Path) -> None:
    records = folder.tools.documents(30)
    folder.lines("a.jsonl", records)
    folder.run(format="parquet")
    from_lines = [pq.read_table(folder.output / name).to_pylist() for name in folder.parts]
    shutil.rmtree(folder.input)
    columns = {"title": ["x"] * 30, "key": [r["id"] for r in records], "body": [r["text"] for r in records]}
    folder.parquet("a.parquet", columns, row_group_size=7)
    folder.run(output=str(tmp_path / "two"), column="body", id_column="key")
    parts = folder.tools.contents(tmp_path / "two")
    assert len(parts) > 5
    from_parquet = [pq.read_table(tmp_path / "two" / name).to_pylist() for name in parts]
    assert [row for part in from_parquet for row in part] == [row for part in from_lines for row in part]


def test_a_column_of_names_is_linked_as_it_is(folder: Folder) -> None:
    folder.parquet("a.parquet", {"disease": ["podagra", " Breast and ovarian cancer", ""]})
    folder.run(given_mentions=True, column="disease", format="jsonl")
    assert [[m["concepts"] for m in r["mentions"]] for r in folder.records] == [
        [["T:1"]],
        [["T:3", "T:4"]],
        [],
    ]
    assert [r["id"] for r in folder.records] == ["a:1", "a:2", "a:3"]


def test_given_mentions_are_linked_from_either_kind_of_file(folder: Folder, tmp_path: Path) -> None:
    mentions = [{"start": 0, "end": 4, "text": "Gout", "type": "Disease"}]
    folder.lines("a.jsonl", [{"id": "1", "text": "Gout and aspirin", "mentions": mentions}])
    folder.run(given_mentions=True)
    expected = folder.records
    assert [m["concepts"] for m in expected[0]["mentions"]] == [["T:1"]]
    shutil.rmtree(folder.input)
    folder.parquet("a.parquet", {"id": ["1"], "text": ["Gout and aspirin"], "mentions": [mentions]})
    folder.run(given_mentions=True, format="jsonl", output=str(tmp_path / "two"))
    assert folder.tools.read_parts(tmp_path / "two") == expected


def test_mentions_of_one_document_are_never_parted(folder: Folder) -> None:
    spelt = {"id": "m0", "text": "ataxia telangiectasia", "right": " (QX)", "document": "d"}
    short = [{"id": f"m{n}", "text": "QX", "document": "d"} for n in range(1, 40)]
    folder.lines("a.jsonl", [spelt, *short, {"id": "m", "text": "QX", "document": "other"}])
    folder.run()
    assert [r["concepts"] for r in folder.records] == [["T:2"]] * 40 + [[]]
    assert len(folder.parts) == 2


def test_folders_are_read_through_and_hidden_names_passed_over(folder: Folder) -> None:
    for name in ("b.jsonl", "sub/a.ndjson", "_SUCCESS.json", ".x.jsonl", "_tmp/c.jsonl", "notes.csv"):
        folder.lines(name, folder.tools.documents(1, first=hash(name) % 1000))
    folder.run()
    assert list(folder.parts) == ["b-00000.jsonl", "sub/a-00000.jsonl"]


def test_a_gzip_file_is_cut_too(folder: Folder, tmp_path: Path) -> None:
    records = folder.tools.documents(200)
    file = folder.lines("a.jsonl", records)
    folder.run(chunk_bytes=20)
    plain = b"".join(folder.parts.values())
    assert len(folder.parts) > 100
    (folder.input / "a.jsonl.gz").write_bytes(gzip.compress(file.read_bytes()))
    file.unlink()
    folder.run(chunk_bytes=20, output=str(tmp_path / "two"))
    parts = folder.tools.contents(tmp_path / "two")
    assert 32 <= len(parts) <= 64
    assert b"".join(parts.values()) == plain


def test_ids_that_are_not_given_tell_the_files_apart(folder: Folder, tmp_path: Path) -> None:
    for name in ("a", "b"):
        folder.lines(f"{name}.jsonl", [{"text": "gout"}, {"text": "podagra"}])
    folder.run()
    assert [r["id"] for r in folder.records] == ["a:1", "a:2", "b:1", "b:2"]
    folder.run(input=str(folder.input / "a.jsonl"), output=str(tmp_path / "one"), chunk_bytes=1)
    assert [r["id"] for r in folder.tools.read_parts(tmp_path / "one")] == ["1", "2"]


def test_what_is_linked_in_parts_is_told_from_input_and_options(folder: Folder) -> None:
    alone = {"engine": "local", "workers": None, "resume": False, "address": None}
    file = str(folder.lines("a.jsonl", folder.tools.documents(1)))
    assert not is_chunked(file, **alone)
    assert is_chunked(str(folder.input), **alone)
    assert is_chunked(file, **{**alone, "workers": 1})
    assert is_chunked(file, **{**alone, "engine": "ray"})
    (folder.input / "x.txt").write_text("gout")
    assert not is_chunked(str(folder.input), **alone)


# ── what a later run does again ──────────────────────────────────────────────────────────────────────────────


def test_a_finished_run_is_not_done_again(folder: Folder) -> None:
    folder.lines("a.jsonl", folder.tools.documents(20))
    first = folder.run()
    folder.make_old()
    assert folder.run(resume=True).counts() == first.counts()
    assert not folder.written


def test_what_is_missing_damaged_new_or_changed_is_linked_and_nothing_else(folder: Folder) -> None:
    folder.lines("a.jsonl", folder.tools.documents(20))
    folder.lines("b.jsonl", folder.tools.documents(4, first=100))
    folder.lines("c.jsonl", folder.tools.documents(4, first=200))
    folder.run()
    before = folder.parts
    folder.make_old()
    (folder.output / "a-00001.jsonl").unlink()
    (folder.output / "a-00003.jsonl").write_bytes(b"")
    folder.lines("b.jsonl", folder.tools.documents(5, first=100))
    (folder.input / "c.jsonl").unlink()
    folder.lines("d.jsonl", folder.tools.documents(4, first=300))
    done = folder.run(resume=True)
    assert done.documents == 20 + 5 + 4
    assert {name[0] for name in folder.parts} == {"a", "b", "d"}
    assert {"a-00001.jsonl", "a-00003.jsonl"} == {name for name in folder.written if name.startswith("a")}
    assert {name: part for name, part in folder.parts.items() if name[0] == "a"} == {
        name: part for name, part in before.items() if name[0] == "a"
    }
    assert [r["id"] for r in folder.records if int(r["id"][1:]) >= 100] == [
        f"d{n}" for n in (*range(100, 105), *range(300, 304))
    ]


def test_what_a_killed_run_had_not_noted_does_not_stay_in_the_result(folder: Folder) -> None:
    folder.lines("a.jsonl", folder.tools.documents(20))
    folder.run()
    notes = folder.output / "_linnet" / "journal.jsonl"
    # Renamed into place, and killed before it was noted; then the input became shorter.
    lines = notes.read_bytes().splitlines(keepends=True)
    notes.write_bytes(b"".join(lines[:-1]))
    (folder.output / "README.txt").write_text("ours")
    folder.lines("a.jsonl", folder.tools.documents(3))
    folder.run(resume=True)
    assert [r["id"] for r in folder.records] == ["d0", "d1", "d2"]
    assert (folder.output / "README.txt").read_text() == "ours"


def test_what_has_changed_is_gone_from_the_result_before_it_is_linked_anew(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.lines("a.jsonl", folder.tools.documents(20))
    folder.lines("b.jsonl", folder.tools.documents(4, first=100))
    folder.run()
    folder.lines("b.jsonl", folder.tools.documents(4, first=200))

    def ended(*_: Any, **__: Any) -> Any:
        raise DataError("no space left")

    with monkeypatch.context() as patched:
        patched.setattr("linnet.scale.worker.write_links", ended)
        with pytest.raises(DataError, match="no space left"):
            folder.run(resume=True)
    assert [r["id"] for r in folder.records] == [f"d{n}" for n in range(20)]
    folder.run(resume=True)
    assert [r["id"] for r in folder.records] == [f"d{n}" for n in (*range(20), *range(200, 204))]


def test_a_file_that_was_only_touched_is_read_again_but_not_linked_again(folder: Folder) -> None:
    file = folder.lines("a.jsonl", folder.tools.documents(20))
    folder.run()
    folder.make_old()
    os.utime(file, (1, 1))
    folder.run(resume=True)
    assert not folder.written


def test_the_last_note_may_be_cut_off(folder: Folder) -> None:
    folder.lines("a.jsonl", folder.tools.documents(20))
    folder.run()
    before = folder.parts
    folder.make_old()
    journal = folder.output / "_linnet" / "journal.jsonl"
    journal.write_bytes(journal.read_bytes()[:-20])
    folder.run(resume=True)
    assert folder.parts == before
    assert len(folder.written) == 1
    assert len(journal.read_text().splitlines()) == len(before)


@pytest.mark.parametrize(
    ("changed", "said"), [({"k": 3}, "options.k: 5 then, 3 now"), ({"types": ("Disease",)}, "options.types")]
)
def test_a_run_of_other_options_may_not_go_on(folder: Folder, changed: dict[str, Any], said: str) -> None:
    folder.lines("a.jsonl", folder.tools.documents(2))
    folder.run()
    with pytest.raises(MismatchError, match=said):
        folder.run(resume=True, **changed)


def test_a_run_with_another_pipeline_may_not_go_on(folder: Folder) -> None:
    folder.lines("a.jsonl", folder.tools.documents(2))
    folder.run()
    folder.opening = replace(folder.opening, changes={"reranker": None})
    with pytest.raises(MismatchError, match=r"models\.reranker"):
        folder.run(resume=True)


def test_what_is_there_is_not_written_over(folder: Folder) -> None:
    folder.lines("a.jsonl", folder.tools.documents(2))
    folder.output.mkdir()
    (folder.output / "mine.txt").write_text("x")
    with pytest.raises(RequestError, match="Name a new folder"):
        folder.run(resume=True)
    (folder.output / "mine.txt").unlink()
    folder.run(resume=True)
    with pytest.raises(RequestError, check=advises(Step.RESUME_FIRST_RUN)):
        folder.run()
    file = folder.input / "a.jsonl"
    with pytest.raises(RequestError, match="is a file; the output in chunks is a folder"):
        folder.run(input=str(file), output=f"{folder.output}.manifest.json")
    with pytest.raises(RequestError, match=r"cannot be written: .*\. Name another folder"):
        folder.run(output=f"{folder.output}.manifest.json/out")


def test_a_chunk_that_somebody_removes_meanwhile_is_missed(folder: Folder) -> None:
    folder.lines("a.jsonl", folder.tools.documents(20))

    def removing(records: Iterable[ChunkRecord], total: int) -> Iterator[ChunkRecord]:
        for record in records:
            (folder.output / record["part"]).unlink()
            yield record

    request = Request(input=str(folder.input), output=str(folder.output), chunk_bytes=400)
    with pytest.raises(DataError, match="now missing or altered", check=advises(Step.RESUME)):
        run(request, folder.opening, progress=removing)
    assert folder.run(resume=True).documents == 20


def test_two_runs_may_not_write_to_one_folder(folder: Folder) -> None:
    folder.lines("a.jsonl", folder.tools.documents(2))
    with open_journal(folder.output, {}, resume=False), pytest.raises(RequestError, match="Another run"):
        folder.run(resume=True)


# ── what is refused ──────────────────────────────────────────────────────────────────────────────────────────


def _refusals(folder: Folder, **options: Any) -> tuple[str, Summary]:
    """What stopping says, and what skipping does; nothing is written by the first."""
    with pytest.raises(DataError) as caught:
        folder.run(**options)
    assert folder.parts == {}
    shutil.rmtree(folder.output, ignore_errors=True)
    return str(caught.value), folder.run(on_error="skip", format="jsonl", **options)


def test_a_malformed_line_is_said_before_anything_is_linked(folder: Folder) -> None:
    file = folder.lines("a.jsonl", folder.tools.documents(20))
    with file.open("ab") as stream:
        stream.write(b'{"id": "x", "text": \n{"id": "y", "text": "caf\xe9"}\n["no object"]\n{"id": "z"}\n')
    said, done = _refusals(folder)
    assert said.startswith(f"{file}:21: not valid JSON")
    assert [error.line for error in done.skipped if isinstance(error, DataError)] == [21, 22, 23, 24]
    assert len(folder.records) == done.documents == 20


def test_a_file_in_utf_16_is_told_as_such(folder: Folder) -> None:
    file = folder.lines("a.jsonl", folder.tools.documents(2))
    file.write_bytes(file.read_text().encode("utf-16"))
    with pytest.raises(DataError, match=r"a\.jsonl:1: is UTF-16; .* iconv -f utf-16"):
        folder.run()


def test_a_row_without_text_is_named(folder: Folder) -> None:
    file = folder.parquet("a.parquet", {"id": [1, 2, 3], "text": ["gout", None, "podagra"]})
    said, done = _refusals(folder)
    assert said.startswith(f"{file}:2: row 2 has no text in 'text'")
    assert [r["id"] for r in folder.records] == ["1", "3"]
    assert done.counts()["skipped"] == 1


def test_a_missing_column_is_answered_with_those_there_are(folder: Folder) -> None:
    folder.parquet("a.parquet", {"key": ["1"], "abstract": ["gout"]})
    with pytest.raises(
        DataError, match=r"no column 'text', only: key, abstract", check=advises(Step.NAME_COLUMN)
    ):
        folder.run()
    with pytest.raises(DataError, match="no column 'id'", check=advises(Step.NAME_ID_COLUMN)):
        folder.run(column="abstract", id_column="id", resume=True, output=f"{folder.output}2")
    folder.lines("sub/x.jsonl", [])
    shutil.rmtree(folder.input)
    folder.lines("a.jsonl", [{"id": "1", "abstract": "gout"}])
    with pytest.raises(
        DataError, match=r"a.jsonl: .* no 'text', but the keys id, abstract", check=advises(Step.NAME_FIELDS)
    ):
        folder.run(output=f"{folder.output}3")
    with pytest.raises(DataError, match=r"a\.jsonl:1: there is no field 'body', only: id, abstract"):
        folder.run(column="body", output=f"{folder.output}4")


def test_rows_that_no_json_could_hold_are_refused_by_their_number(folder: Folder) -> None:
    days = pa.array([0, 1], pa.timestamp("s"))
    folder.parquet("a.parquet", {"id": days, "text": ["gout", "cold"]})
    with pytest.raises(DataError, match=r"a.parquet:1: expected a string in 'id', got .*1970"):
        folder.run()
    # Which pyarrow writes and reads as if they were text.
    bad = pa.Array.from_buffers(
        pa.string(), 2, [None, pa.py_buffer(b"\0\0\0\0\4\0\0\0\7\0\0\0"), pa.py_buffer(b"gout\xff\xfe\xfd")]
    )
    file = folder.parquet("a.parquet", {"id": ["1", "2"], "text": bad})
    said, done = _refusals(folder)
    assert said.startswith(f"{file}:2: row 2 is not valid UTF-8 (0xff)")
    assert [r["id"] for r in folder.records] == ["1"]
    assert done.counts()["skipped"] == 1


def test_a_damaged_parquet_file_is_left_out_and_said(folder: Folder) -> None:
    folder.parquet("a.parquet", {"id": ["1"], "text": ["gout"]})
    bad = folder.parquet("b.parquet", {"id": ["2"], "text": ["gout"]})
    bad.write_bytes(bad.read_bytes()[:-9])
    said, done = _refusals(folder)
    assert said.startswith(f"{bad}: not a readable Parquet file")
    assert (done.documents, done.counts()["skipped"]) == (1, 1)


def test_a_parquet_file_that_is_damaged_inside_is_linked_up_to_there(folder: Folder) -> None:
    file = folder.parquet("a.parquet", {"id": [*"123456"], "text": ["gout"] * 6}, row_group_size=2)
    column = pq.read_metadata(file).row_group(1).column(1)
    start = min(filter(None, (column.dictionary_page_offset, column.data_page_offset)))
    raw = bytearray(file.read_bytes())
    raw[start : start + column.total_compressed_size] = b"\xff" * column.total_compressed_size
    file.write_bytes(raw)
    said, done = _refusals(folder)
    assert said.startswith(f"{file}: damaged after row 2")
    assert [r["id"] for r in folder.records] == ["1", "2"]
    assert (done.documents, done.counts()["skipped"]) == (2, 1)


def test_a_truncated_gzip_file_is_linked_up_to_there(folder: Folder) -> None:
    file = folder.lines("a.jsonl.gz", folder.tools.documents(400))
    raw = gzip.compress(file.read_bytes())
    file.write_bytes(raw[: len(raw) // 2])
    said, done = _refusals(folder)
    assert "truncated or damaged" in said
    assert 10 < done.documents < 390
    assert [r["id"] for r in folder.records] == [f"d{n}" for n in range(done.documents)]


def test_a_file_that_cannot_be_read_is_named(folder: Folder) -> None:
    folder.lines("a.jsonl", folder.tools.documents(2))
    (folder.input / "b.jsonl").symlink_to("gone.jsonl")
    with pytest.raises(DataError, match=r"b\.jsonl: is a link to gone"):
        folder.run()


def test_a_document_that_is_too_long_is_refused_unread(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("linnet.scale.settings.MAX_ROW_BYTES", 1000)
    records = [{"id": "1", "text": "gout"}, {"id": "2", "text": "gout " * 2_000}, {"id": "3", "text": "gout"}]
    folder.lines("a.jsonl", records)
    said, done = _refusals(folder)
    assert ":2: the line has 10,0" in said
    assert "the limit is 1,000" in said
    assert [r["id"] for r in folder.records] == ["1", "3"]
    shutil.rmtree(folder.input)
    shutil.rmtree(folder.output)
    folder.parquet("a.parquet", {name: [r[name] for r in records] for name in ("id", "text")})
    said, done = _refusals(folder)
    assert ":2: the text has 10,100 bytes" in said
    assert done.documents == 2


def test_ids_that_occur_again_are_found_across_files(folder: Folder) -> None:
    first = folder.lines("a.jsonl", folder.tools.documents(20))
    again = folder.lines(
        "b.jsonl",
        [*folder.tools.documents(5, first=50), {"id": "d3", "text": "gout"}, {"id": "e", "text": "gout"}],
    )
    said, done = _refusals(folder)
    assert said.startswith(f"{again}:6: document id 'd3' occurs again; the first is at {first}:4.")
    assert done.counts()["skipped"] == 1
    assert [r["id"] for r in folder.records] == [f"d{n}" for n in (*range(20), *range(50, 55))] + ["e"]


def test_a_document_that_occurs_again_as_it_was_may_stay(folder: Folder) -> None:
    for name in "ab":
        folder.lines(f"{name}.jsonl", folder.tools.documents(3))
    assert folder.run().documents == 6


def test_mention_ids_must_differ_in_a_file_only(folder: Folder) -> None:
    for name in "ab":
        folder.lines(f"{name}.jsonl", [{"id": "m", "text": "gout", "left": ""}])
    folder.run()
    folder.lines("b.jsonl", [{"id": "m", "text": "gout", "left": ""}] * 2)
    with pytest.raises(DataError, match=r"b\.jsonl:2: mention id 'm' occurs again"):
        folder.run(resume=True)


def test_folders_that_make_no_corpus_are_refused(folder: Folder) -> None:
    folder.input.mkdir()
    with pytest.raises(DataError, match="holds no Parquet or JSON Lines files"):
        folder.run()
    folder.lines("a.jsonl", [])
    with pytest.raises(DataError, match="holds no readable document"):
        folder.run(input_format="jsonl")
    folder.lines("b.jsonl", folder.tools.documents(1))
    assert folder.run(input_format="jsonl", resume=True).documents == 1
    folder.lines("b.jsonl.gz", [])
    with pytest.raises(RequestError, match="the same names"):
        folder.run(resume=True)
    (folder.input / "b.jsonl.gz").unlink()
    folder.parquet("c.parquet", {"text": ["x"]})
    with pytest.raises(RequestError, match="Parquet and JSON Lines"):
        folder.run(resume=True)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"output": "-"}, "Name one"),
        ({"types": ("Disease", "Chemicla")}, "Unknown type of mentions 'Chemicla'. Did you mean 'Chemical'"),
        ({"engine": "spark"}, "Choose from: local, ray"),
        ({"address": "auto"}, "is for a Ray cluster"),
        ({"format": "bioc"}, "Linking in chunks writes"),
        ({"input_format": "pubtator"}, "Linking in chunks reads"),
        ({"on_error": "ignore"}, "stop or skip"),
        ({"output": "in/out"}, "lies in the input"),
        ({"input": "-"}, "Standard input"),
        ({"input": "names.csv"}, "cannot be read in chunks"),
        ({"input": "no"}, "no such file"),
    ],
)
def test_a_wrong_request_is_refused(
    folder: Folder, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], said: str
) -> None:
    folder.lines("a.jsonl", folder.tools.documents(1))
    monkeypatch.chdir(folder.input.parent)
    Path("names.csv").write_text("name\ngout\n")
    with pytest.raises(LinnetError, match=said):
        folder.run(**{"input": "in", "output": "out", **options})
    assert not Path("out").exists()


def test_ray_is_asked_for_by_the_name_of_its_extra(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    folder.lines("a.jsonl", folder.tools.documents(1))
    with pytest.raises(LinnetError, match=r"pip install -e '.*\[ray\]'"):
        folder.run(engine="ray")
    assert not folder.output.exists()


def test_a_run_that_finished_nothing_does_not_stand_in_the_way(folder: Folder) -> None:
    file = folder.lines("a.jsonl", folder.tools.documents(2))
    with file.open("a") as stream:
        stream.write("{\n")
    with pytest.raises(DataError):
        folder.run()
    assert folder.run(on_error="skip", k=2).documents == 2


def test_files_of_other_kinds_and_fields_that_look_like_annotations_are_counted(folder: Folder) -> None:
    folder.lines("a.jsonl", [{"id": "1", "text": "gout", "cuis": ["C0018099"]}])
    (folder.input / "notes.docx").write_text("x")
    (folder.input / "more").mkdir()
    (folder.input / "more" / "readme").write_text("x")
    (folder.input.parent / "elsewhere").mkdir()
    (folder.input.parent / "elsewhere" / "b.pdf").write_text("x")
    (folder.input / "linked").symlink_to(folder.input.parent / "elsewhere")
    expected = {
        "documents with a field 'cuis', which looks like annotations and was not read": 1,
        "files '.docx', not read": 1,
        "files without an ending, not read": 1,
        "files '.pdf', not read": 1,
    }
    assert folder.run().notes.counts == expected
    assert folder.run(resume=True).notes.counts == expected


def test_mentions_asked_for_where_there_are_none_are_an_error_before_anything_is_linked(
    folder: Folder,
) -> None:
    folder.lines("a.jsonl", [{"id": "1", "text": "gout"}])
    with pytest.raises(
        DataError, match="no mentions in 1 document", check=advises(Step.READ_AS, format="mentions")
    ):
        folder.run(given_mentions=True)
    assert folder.parts == {}


def test_what_is_no_json_lines_is_named(folder: Folder) -> None:
    folder.input.mkdir()
    (folder.input / "a.json").write_text('{"resourceType": "Patient"}')
    with pytest.raises(DataError, match="is FHIR JSON", check=advises(Step.NAME_FIELDS)):
        folder.run()


@pytest.mark.skipif(os.name != "posix", reason="names are bytes on Unix alone")
def test_files_whose_names_are_not_utf_8_are_linked_and_resumed(folder: Folder):
    name = os.fsdecode(b"caf\xe9.jsonl")
    try:
        folder.lines(name, [{"text": "Gout and aspirin"}])
    except OSError:
        pytest.skip("this file system takes names in UTF-8 alone")
    folder.lines("other.jsonl", [{"text": "Gout"}])
    folder.run()
    assert sorted(record["id"] for record in folder.records) == ["caf%E9:1", "other:1"]
    assert folder.run(resume=True).documents == 2


def test_the_packaged_terminology_is_no_path(folder: Folder) -> None:
    config = LinkerConfig.of(["starter"], {})
    assert for_workers(config).terminologies == ("starter",)
    assert for_workers(LinkerConfig.of([Path("starter")], {})).terminologies == (
        str(Path("starter").absolute()),
    )
