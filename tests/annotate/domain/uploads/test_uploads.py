from __future__ import annotations

import codecs
import gzip
import io
import json
import zipfile
from typing import Any

import pytest

from linnet.annotate.domain.uploads import adding, receiving
from linnet.annotate.domain.uploads.receiving import safe_name

PUBTATOR = "7|t|Gout\n7|a|Gout and asthma.\n7\t0\t4\tGout\tDisease\tX:1\n7\t14\t20\tasthma\tDisease\t-1\n\n"


def _zip(files: dict[str, bytes | str]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


def _texts(ada: Any, project: int) -> dict[str, str]:
    found = ada.ok("GET", f"projects/{project}/documents?order=id")["documents"]
    return {one["name"]: ada.ok("GET", f"documents/{one['id']}")["text"] for one in found}


def test_many_formats_at_once_are_read_and_reported(ada: Any) -> None:
    project = ada.project()
    bioc = (
        "<collection><source/><date/><key/><document><id>b1</id><passage><offset>0</offset><text>Migraine here.</text>"
        '<annotation id="1"><infon key="type">Disease</infon><infon key="identifier">X:3</infon>'
        '<location offset="0" length="8"/><text>Migraine</text></annotation></passage></document></collection>'
    )
    texoo = {"name": "t", "documents": [{"id": "t1", "text": "Scurvy at sea.", "annotations": []}]}
    report = ada.upload(
        project,
        {
            "a.pubtator": PUBTATOR,
            "b.xml": bioc,
            "c.json": json.dumps(texoo),
            "d.jsonl": '{"id": "j1", "text": "Asthma."}\n{"id": "j2"}\n',
            "e.csv": "text,other\nGout or not,1\nbreast cancer,2\n",
            "p1.txt": "Gout in BRAT.",
            "p1.ann": "T1\tDisease 0 4\tGout\nN1\tReference T1 X:1\tGout\n",
            "f.txt": "Plain asthma.",
            "g.txt.gz": gzip.compress(b"Packed gout."),
        },
    )
    kinds = {file["name"]: (file["format"], file["documents"]) for file in report["files"]}
    assert kinds["a.pubtator"] == ("pubtator", 1)
    assert kinds["b.xml"] == ("bioc", 1)
    assert kinds["c.json"] == ("texoo", 1)
    assert kinds["d.jsonl"] == ("jsonl", 1)
    assert kinds["e.csv"] == ("table", 2)
    assert kinds["g.txt"] == ("text", 1)
    [refused] = [line for file in report["files"] for line in file["refused"]]
    assert refused.startswith("d.jsonl line 2: expected a string in 'text'")
    texts = _texts(ada, project)
    assert texts.keys() == {"7", "b1", "t1", "j1", "e:1", "e:2", "p1", "f", "g"}
    assert (report["documents"], report["mentions"]) == (9, 4)


def test_annotations_are_gold_nil_where_others_are_linked_and_unknown_ids_are_counted(ada: Any) -> None:
    project = ada.project()
    report = ada.upload(project, {"a.txt": PUBTATOR.replace("X:1", "X:99")}, complete="true")
    assert report["files"][0]["unknown"] == {"X:99": 1}
    [found] = ada.ok("GET", f"projects/{project}/documents")["documents"]
    assert (found["state"], found["gold"]) == ("accepted", 2)
    view = ada.ok("GET", f"documents/{found['id']}")
    assert [(one["layer"], one["concepts"], one["nil"]) for one in view["annotations"]] == [
        ("gold", ["X:99"], False),
        ("gold", [], True),
    ]
    dropped = ada.project()
    ada.upload(dropped, {"a.txt": PUBTATOR}, annotations="drop")
    [found] = ada.ok("GET", f"projects/{dropped}/documents")["documents"]
    assert (found["state"], found["gold"], found["predicted"]) == ("open", 0, 3)


def test_rows_without_text_are_counted(ada: Any) -> None:
    table = 'id,text\n1,Gout.\n2,\n3,"  "\n4,Asthma.\n'
    report = ada.upload(ada.project(), {"a.csv": table})
    assert (report["documents"], report["files"][0]["empty"], report["files"][0]["refused"]) == (2, 2, [])


def test_a_document_that_is_there_is_refused_by_id_and_by_text(ada: Any) -> None:
    project = ada.project()
    ada.upload(project, {"a.txt": "Gout."})
    report = ada.upload(project, {"a.txt": "Other.", "b.txt": "Gout.", "c.txt": "Gout!"})
    assert report["documents"] == 1
    assert [file["duplicates"] for file in report["files"]] == [["a"], ["b (same text as a)"], []]


def _held_out(client: Any, project: int) -> set[str]:
    found = client.ok("GET", f"projects/{project}/documents?held_out=true&limit=100")["documents"]
    return {one["name"] for one in found}


def test_which_documents_are_held_out_depends_on_their_names_alone(ada: Any) -> None:
    first, second = ada.project(held_out=0.5), ada.project(held_out=0.5)
    files = {f"{number}.txt": f"Gout {number}." for number in range(16)}
    assert ada.upload(first, files)["held_out"] == 8
    ada.upload(second, dict(reversed(files.items())))
    assert _held_out(ada, first) == _held_out(ada, second)


@pytest.mark.parametrize("first", [15, 2, 1])
def test_the_share_is_held_out_and_stays_as_documents_are_added(ada: Any, first: int) -> None:
    project = ada.project(held_out=0.2)
    files = [(f"{number}.txt", f"Gout of patient {number}.") for number in range(30)]
    assert ada.upload(project, dict(files[:first]))["held_out"] == {15: 3, 2: 1, 1: 0}[first]
    before = _held_out(ada, project)
    for begin in range(first, 15, 4):
        ada.upload(project, dict(files[begin : min(begin + 4, 15)]))
    assert len(_held_out(ada, project)) == 3
    ada.upload(project, dict(files[15:]))
    after = _held_out(ada, project)
    assert len(after) == 6
    assert before < after


def test_a_project_without_a_share_holds_nothing_out(ada: Any) -> None:
    assert ada.upload(ada.project(held_out=0), {"a.txt": "Gout.", "b.txt": "Asthma."})["held_out"] == 0


def test_the_report_counts_the_files_of_which_nothing_was_added(ada: Any) -> None:
    project = ada.project()
    report = ada.upload(project, {"a.txt": "Gout.", "b.pdf": b"%PDF-1.4", "c.json": "{"})
    assert (report["documents"], report["failed"]) == (1, 2)
    assert ada.upload(project, {"a.txt": "Gout."})["failed"] == 0  # it is there already


def test_names_cannot_lead_out_of_the_folder(ada: Any, tmp_path: Any) -> None:
    project = ada.project()
    archive = _zip(
        {
            "../../evil.txt": "Gout 1.",
            "/etc/passwd.txt": "Gout 2.",
            "a\\..\\b.txt": "Gout 3.",
            "x/.hidden": "no",
        }
    )
    report = ada.upload(project, {"../../../up.txt": "Gout 4.", "z.zip": archive, "\x1b[31m.txt": "Gout 5."})
    assert report["documents"] == 5
    assert set(_texts(ada, project)) == {"up", "evil", "passwd", "b", "31m"}
    assert safe_name("..") == safe_name("") == safe_name("///") == "file"
    assert safe_name("con<>|.txt") == "con_.txt"


def test_brat_pairs_in_an_archive_stay_together(ada: Any) -> None:
    project = ada.project()
    pair = {"train/1.txt": "Gout.", "train/1.ann": "T1\tDisease 0 4\tGout\n", "dev/1.txt": "Asthma."}
    report = ada.upload(project, {"brat.zip": _zip(pair)})
    assert {file["name"]: file["mentions"] for file in report["files"]} == {
        "brat.zip/train": 1,
        "brat.zip/dev/1.txt": 0,
    }


def test_a_zip_bomb_is_refused(ada: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    project = ada.project()
    bomb = _zip({"a.txt": b"0" * 30_000_000})
    assert (
        "200 times"
        in ada.refused(413, "POST", f"projects/{project}/documents", files={"files": ("b.zip", bomb)})[
            "message"
        ]
    )
    packed = gzip.compress(b"0" * 30_000_000)
    assert (
        "200 times"
        in ada.refused(413, "POST", f"projects/{project}/documents", files={"files": ("b.gz", packed)})[
            "message"
        ]
    )
    monkeypatch.setattr(receiving, "UNPACKED", 1000)
    big = {"files": ("b.txt", b"gout " * 1000)}
    assert "more than" in ada.refused(413, "POST", f"projects/{project}/documents", files=big)["message"]
    monkeypatch.setattr(receiving, "FILES", 2)
    many = _zip({f"{number}.txt": "x" for number in range(3)})
    assert (
        "3 files"
        in ada.refused(413, "POST", f"projects/{project}/documents", files={"files": ("m.zip", many)})[
            "message"
        ]
    )


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.zip", b"PK\x03\x04 and nothing more"),
        ("a.zip", _zip({"b.zip": _zip({"c.txt": "x"})})),
        ("a.zip", _zip({})),
        ("a.gz", b"\x1f\x8b\x08 broken"),
        ("a.gz", gzip.compress(b"gout " * 1000)[:-20]),
    ],
    # Archives hold the time: as ids they would differ between the workers of a run.
    ids=["no directory", "archive in archive", "empty", "no gzip", "truncated gzip"],
)
def test_damaged_archives_are_refused_alone(ada: Any, name: str, content: bytes) -> None:
    _refused_alone(ada, name, content)


def test_an_archive_with_a_password_is_refused_alone(ada: Any) -> None:
    locked = bytearray(_zip({"b.txt": "gout"}))
    locked[locked.index(b"PK\x01\x02") + 8] |= 1
    assert "Remove the password first" in _refused_alone(ada, "a.zip", bytes(locked))


def test_altered_archives_are_refused_alone(ada: Any, damaged_zip: Any) -> None:
    _refused_alone(ada, "a.zip", damaged_zip({"b.txt": "gout and asthma " * 500}))


def _refused_alone(ada: Any, name: str, content: bytes) -> str:
    report = ada.upload(ada.project(), {name: content, "good.txt": "Gout."})
    [bad, good] = report["files"]
    assert (bad["documents"], good["documents"]) == (0, 1)
    assert bad["refused"][0].startswith(name[:-3])
    return str(bad["refused"][0])


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.pdf", b"%PDF-1.7\n gout", "a PDF"),
        ("a.txt", b"{\\rtf1 gout}", "a rich-text document"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 gout", "an old Excel or Word"),
        ("a.docx", _zip({"[Content_Types].xml": "<x/>", "word/document.xml": "<x/>"}), "a Word"),
        ("a.odt", _zip({"mimetype": "x", "META-INF/manifest.xml": "<x/>"}), "an OpenDocument"),
        ("a.html", b"\n<!DOCTYPE HTML><p>gout", "a web page"),
    ],
    ids=["pdf", "rtf", "doc", "docx", "odt", "html"],
)
def test_what_is_no_text_is_called_by_its_name(ada: Any, name: str, content: bytes, kind: str) -> None:
    report = ada.upload(ada.project(), {name: content, "good.txt": "<b> is no web page."})
    [bad, good] = report["files"]
    assert (bad["documents"], good["documents"]) == (0, 1)
    assert bad["refused"][0].startswith(f"{name} is {kind}")
    assert "plain text" in bad["refused"][0]


def test_two_files_of_one_name_are_told_and_the_first_is_read(ada: Any) -> None:
    project = ada.project()
    files = [("files", ("a.txt", b"Gout.")), ("files", ("a.txt", b"Asthma."))]
    report = ada.ok("POST", f"projects/{project}/documents", files=files)
    assert [line for file in report["files"] for line in file["refused"]] == [
        "Two files have the name 'a.txt'. Rename this one."
    ]
    assert _texts(ada, project) == {"a": "Gout."}


@pytest.mark.parametrize(
    ("name", "content", "advice"),
    [
        ("a.txt", "gout".encode("utf-16-le"), "seems to be UTF-16, but the byte order mark is missing"),
        (
            "a.txt",
            codecs.BOM_UTF16_LE + b"gout!",
            "its byte order mark says UTF-16, but the text is not valid",
        ),
        ("a.txt", "fièvre".encode("cp1252"), "the file looks like Windows-1252"),
        ("a.txt", "fièvre".encode("latin-1"), "UTF-8 (Notepad: “Save as”"),
        ("a.csv", "id;text\n1;fièvre\n".encode("latin-1"), "UTF-8 (Notepad: “Save as”"),
        ("a.csv", b"id,report,date\n1,gout,2\n", "under “Column of the text”"),
        ("a.txt", b"1|t|Gout\n1|a|\n1\t0\t99\tGout\tDisease\tX:1\n", "upload the document again"),
    ],
)
def test_reports_advise_what_can_be_done_on_the_page(
    ada: Any, name: str, content: bytes, advice: str
) -> None:
    [file] = ada.upload(ada.project(), {name: content})["files"]
    [line] = file["refused"]
    assert advice in line
    assert "--" not in line
    assert "iconv" not in line
    assert line.count(name) == 1


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-16-be", "utf-8-sig"])
def test_a_byte_order_mark_says_how_a_text_is_encoded(ada: Any, encoding: str) -> None:
    project = ada.project()
    mark = codecs.BOM_UTF16_BE if encoding == "utf-16-be" else b""
    bioc = (
        f'<?xml version="1.0" encoding="{encoding[:6]}"?><collection><document><id>b</id><passage><offset>0</offset>'
        "<text>Fièvre 😀</text></passage></document></collection>"
    )
    texts = {
        "p.txt": "Gout – 痛風.\r\nAsthma.",
        "t.pubtator": PUBTATOR,
        "r.txt": "Fièvre à Gout.",
        "r.ann": "T1\tDisease 9 13\tGout\nN1\tReference T1 X:1\tGout\n",
    }
    files = {name: mark + text.encode(encoding) for name, text in texts.items()}
    if encoding != "utf-32":  # which XML does not have
        files["b.xml"] = mark + bioc.encode(encoding)
    packed = _zip(files)
    report = ada.upload(project, {"all.zip": packed})
    assert [line for file in report["files"] for line in file["refused"]] == []
    found = _texts(ada, project)
    assert found["r"] == "Fièvre à Gout."
    assert found["p"].startswith("Gout – 痛風.")
    assert found["7"] == "Gout Gout and asthma."
    assert found.get("b", "Fièvre 😀") == "Fièvre 😀"


def test_mentions_of_one_context_are_one_document(ada: Any) -> None:
    project = ada.project()
    lines = [
        {
            "id": "1",
            "document": "d",
            "text": "Gout",
            "left": "",
            "right": " and asthma.",
            "concepts": ["X:1"],
        },
        {
            "id": "2",
            "document": "d",
            "text": "asthma",
            "left": "Gout and ",
            "right": ".",
            "concepts": ["X:2"],
        },
        {"id": "3", "document": "d", "text": "Migraine", "left": "", "right": " later.", "concepts": ["X:3"]},
    ]
    report = ada.upload(
        project, {"m.jsonl": "".join(json.dumps(line) + "\n" for line in lines)}, format="mentions"
    )
    assert (report["documents"], report["mentions"], report["files"][0]["duplicates"]) == (2, 3, [])
    assert _texts(ada, project) == {"d": "Gout and asthma.", "d#2": "Migraine later."}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", b""),
        ("a.txt", b"   \n "),
        ("a.txt", b"\xff\xfe\x00gout"),
        ("a.txt", b"gout\x00asthma"),
        ("a.json", b"[" * 100_000),
        ("a.json", b'{"documents": 7}'),
        ("a.jsonl", b'{"text": "\\ud800 gout"}'),
        ("a.jsonl", b'{"text": {"a": 1}}'),
        ("a.xml", b"<collection><document></collection>"),
        (
            "a.xml",
            b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><collection><document><id>&b;</id></document></collection>',
        ),
        ("a.parquet", b"PAR1" + b"\x00" * 100),
        ("a.pubtator", b"1|t|Gout\n1\t0\t99\tGout\tDisease\tX:1\n1\t0\n"),
        ("a.csv", b"one,two\n1,2\n"),
        ("a.ann", b"T1\tDisease 0 4\tGout\n"),
    ],
)
def test_what_cannot_be_read_is_reported_and_never_a_traceback(ada: Any, name: str, content: bytes) -> None:
    project = ada.project()
    report = ada.upload(project, {name: content, "good.jsonl": '{"id": "good", "text": "Gout."}'})
    bad = [line for file in report["files"] if "good" not in file["name"] for line in file["refused"]]
    assert bad, report
    assert all("/tmp" not in line and "Traceback" not in line for line in bad)
    assert "good" in _texts(ada, project)


def test_a_text_that_is_too_long_is_refused_alone(ada: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("linnet.annotate.domain.uploads.reading.CHARACTERS", 20)
    report = ada.upload(
        ada.project(), {"a.jsonl": '{"id":"1","text":"Gout."}\n{"id":"2","text":"' + "x" * 21 + '"}\n'}
    )
    assert report["documents"] == 1
    assert "21 characters" in report["files"][0]["refused"][0]


def test_uploads_are_added_in_parts_so_that_others_can_write_between(
    ada: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adding, "_BATCH", 3)
    rows = "".join(json.dumps({"id": f"d{number}", "text": f"Gout {number}."}) + "\n" for number in range(10))
    project = ada.project()
    assert ada.upload(project, {"a.jsonl": rows})["documents"] == 10
    actions = [one["action"] for one in ada.ok("GET", f"projects/{project}/log?limit=500")["entries"]]
    assert actions.count("document.upload") == 4


def test_unknown_formats_and_projects_are_refused(ada: Any) -> None:
    files = {"files": ("a.txt", b"gout")}
    assert (
        "pubtator"
        in ada.refused(
            422, "POST", f"projects/{ada.project()}/documents", files=files, data={"format": "word"}
        )["message"]
    )
    ada.refused(404, "POST", "projects/99999/documents", files=files)
