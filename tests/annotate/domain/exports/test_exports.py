from __future__ import annotations

import csv
import errno
import io
import json
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.compatibility.earlier import as_earlier

from linnet import corpora
from linnet.types import Document

GOLD = (
    "7|t|Gout 😀\n7|a|Breast and ovarian cancer, not asthma.\n7\t0\t4\tGout\tDisease\tX:1\n"
    "7\t7\t32\tBreast and ovarian cancer\tDisease\tX:4|X:5\n7\t38\t44\tasthma\tDisease\t-1\n\n"
)


@pytest.fixture(scope="module")
def project(ada: Any) -> int:
    """A project that tests only export: with a gold document, and one that ada has corrected."""
    return _corrected(ada)


def _corrected(ada: Any) -> int:
    number: int = ada.project()
    ada.upload(number, {"gold.txt": GOLD, "mine.txt": "Scurvy, asthma and gout."}, complete="true")
    [found] = ada.ok("GET", f"projects/{number}/queue")["documents"]
    view = ada.ok("GET", f"documents/{found['id']}")
    scurvy, asthma, _ = view["annotations"]
    path = f"documents/{view['id']}/annotations"
    done = ada.ok("PATCH", f"{path}/{scurvy['id']}", {"revision": view["revision"], "nil": True})
    ada.ok("DELETE", f"{path}/{asthma['id']}?revision={done['revision']}")
    return number


def _exported(ada: Any, project: int, folder: Path, format: str, **options: Any) -> list[Document]:
    answer = ada.get(f"/api/projects/{project}/export", params={"format": format, **options})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-disposition"].startswith("attachment")
    name = answer.headers["content-disposition"].split('"')[1]
    path = folder / name
    path.write_bytes(answer.content)
    if name.endswith(".zip"):
        path = folder / "unpacked"
        zipfile.ZipFile(io.BytesIO(answer.content)).extractall(path)
    return list(corpora.read(path, format=format))


@pytest.mark.parametrize("format", ["pubtator", "bioc", "biocjson", "brat", "texoo", "jsonl"])
def test_what_is_annotated_comes_out_in_every_corpus_format(
    ada: Any, project: int, tmp_path: Path, format: str
) -> None:
    documents = {one.id: one for one in _exported(ada, project, tmp_path, format)}
    found = {
        id: [(m.start, m.end, m.text, m.type, m.concepts) for m in one.mentions]
        for id, one in documents.items()
    }
    assert found["7"] == [
        (0, 4, "Gout", "Disease", ("X:1",)),
        (7, 32, "Breast and ovarian cancer", "Disease", ("X:4", "X:5")),
        (38, 44, "asthma", "Disease", ()),
    ]
    assert found["mine"] == [(0, 6, "Scurvy", "Disease", ()), (19, 23, "gout", "Disease", ("X:1",))]


def test_an_exported_prediction_is_as_sure_as_the_page_says_or_says_nothing(ada: Any, tmp_path: Path) -> None:
    project = ada.project()
    view = ada.document(project, "Scurvy, asthma and gout.")
    [document] = _exported(ada, project, tmp_path, "jsonl")
    assert len(document.mentions) == len(view["annotations"]) == 3
    shown = [one["probability"] for one in view["annotations"]]
    assert [mention.confidence for mention in document.mentions] == shown
    assert [one["confidence"] for one in view["annotations"]] != shown


@pytest.mark.parametrize("format", sorted(corpora.writers))
def test_every_format_exports_and_says_what_it_cannot_hold(ada: Any, project: int, format: str) -> None:
    answer = ada.get(f"/api/projects/{project}/export?format={format}")
    assert answer.status_code == 200
    assert answer.content
    if format in ("text", "conll"):
        assert "not written" in answer.headers["x-linnet-losses"]


def test_the_table_of_annotations_has_names_annotators_and_times(ada: Any, bob: Any) -> None:
    project = ada.project()
    view = ada.document(project, 'Breast and ovarian cancer; "gout", asthma.')
    marks = {one["text"]: one for one in view["annotations"]}
    body = {"revision": view["revision"], "concepts": ["X:4", "X:5"], "composite": True}
    path = f"documents/{view['id']}/annotations"
    bob.ok("PATCH", f"{path}/{marks['asthma']['id']}", body)
    content = ada.get(f"/api/projects/{project}/export?format=csv").content
    assert content.startswith(b"\xef\xbb\xbf")
    rows = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))
    by_text = {row["text"]: row for row in rows}
    changed = by_text["asthma"]
    assert (changed["concepts"], changed["names"]) == ("X:4|X:5", "Breast Neoplasms|Ovarian Neoplasms")
    assert (changed["annotator"], changed["layer"], changed["composite"]) == ("bob", "user", "yes")
    assert abs(datetime.fromisoformat(changed["time"]) - datetime.now(UTC)) < timedelta(minutes=10)
    gout = by_text["gout"]
    assert (gout["annotator"], gout["layer"], gout["names"]) == ("", "pred", "Gout")
    assert (gout["document"], gout["start"], gout["end"]) == (view["name"], "28", "32")


def test_layers_and_states_can_be_chosen(ada: Any, project: int, tmp_path: Path) -> None:
    [user] = _exported(ada, project, tmp_path, "jsonl", layers=["user"], states=["open"])
    assert [(m.text, m.source) for m in user.mentions] == [("Scurvy", "user")]
    [gold] = _exported(ada, project, tmp_path, "jsonl", states="accepted")
    assert {m.source for m in gold.mentions} == {"gold"}
    ada.refused(422, "GET", f"projects/{project}/export?format=word")
    ada.refused(422, "GET", f"projects/{ada.project()}/export?format=jsonl")


def test_an_export_uploaded_again_is_the_same(ada: Any, project: int, tmp_path: Path) -> None:
    first = ada.get(f"/api/projects/{project}/export?format=jsonl").content
    second = ada.project()
    ada.upload(second, {"again.jsonl": first}, complete="false")
    assert _exported(ada, second, tmp_path, "jsonl", layers=["gold", "user"], states=["open"])
    before = [json.loads(line) for line in first.decode().splitlines()]
    after = ada.get(f"/api/projects/{second}/export?format=jsonl").content.decode().splitlines()
    for old, new in zip(before, map(json.loads, after), strict=True):
        kept = [m for m in old["mentions"] if m.get("source") != "pred"]
        assert [m for m in new["mentions"] if m.get("source") != "pred"] == kept
        assert old["text"] == new["text"]


@pytest.mark.parametrize("earlier", [False, True])
def test_a_backup_brings_everything_back(ada: Any, bob: Any, earlier: bool) -> None:
    project = _corrected(ada)
    ada.ok("POST", f"projects/{project}/jobs", {"kind": "train"})
    backup = ada.get(f"/api/projects/{project}/backup")
    assert backup.status_code == 200
    content = as_earlier(backup.content) if earlier else backup.content
    report = ada.ok("POST", "projects/restore", files={"file": ("b.zip", content)})
    assert (report["documents"], report["models"]) == (2, 1)
    again = report["project"]
    old, new = (ada.ok("GET", f"projects/{id}") for id in (project, again))
    assert new["name"] == f"{old['name']} (2)"
    assert (new["model"], new["progress"], new["ready"]) == (old["model"], old["progress"], True)
    views = []
    for id in (project, again):
        found = ada.ok("GET", f"projects/{id}/documents?order=name")["documents"]
        views.append([ada.ok("GET", f"documents/{one['id']}") for one in found])
    ids = ("id", "project", "previous", "next", "annotations")
    for before, after in zip(*views, strict=True):
        assert {k: v for k, v in before.items() if k not in ids} == {
            k: v for k, v in after.items() if k not in ids
        }
        for one, other in zip(before["annotations"], after["annotations"], strict=True):
            assert one | {"id": 0} == other | {"id": 0}
    logs = [
        [
            (e["at"], e["by"], e["action"], e["model_digest"])
            for e in ada.ok("GET", f"projects/{id}/log?limit=500")["entries"]
        ]
        for id in (project, again)
    ]
    assert logs[1][-len(logs[0]) :][: len(logs[0])] == logs[0] or logs[0][0] in logs[1]
    # What was undone there can be undone here, too: the removed asthma comes back.
    mine = views[1][1]
    undone = ada.ok("POST", f"documents/{mine['id']}/undo", {"revision": mine["revision"]})
    assert [one["text"] for one in undone["changed"]] == ["asthma"]
    assert ada.ok("GET", f"projects/{again}/models")[0]["learned"]


def _archive(**files: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "/").replace("_dot_", "."), content)
    return stream.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        b"no zip",
        _archive(a_dot_txt="x"),
        _archive(backup_dot_json='{"format": 99}'),
        _archive(backup_dot_json='{"format": 1, "project": {}}'),
        _archive(backup_dot_json="[" * 1000),
        _archive(backup_dot_json="[" * 200_000),
        _archive(backup_dot_json='{"format": 1}', **{"models/../../evil": "x"}),
    ],
    # Archives hold the time: as ids they would differ between the workers of a run.
    ids=[
        "no archive",
        "no head",
        "format",
        "project",
        "nested",
        "deeply nested",
        "outside",
    ],
)
def test_what_is_no_backup_is_refused_and_leaves_nothing(ada: Any, content: bytes) -> None:
    _refused_backup(ada, content)


def test_a_damaged_backup_is_refused_and_leaves_nothing(ada: Any, damaged_zip: Any) -> None:
    _refused_backup(ada, damaged_zip({"backup.json": '{"format": 1}' * 500}))


def _refused_backup(ada: Any, content: bytes) -> None:
    before = len(ada.ok("GET", "projects"))
    assert (
        ada.refused(422, "POST", "projects/restore", files={"file": ("b.zip", content)})["code"] == "invalid"
    )
    assert len(ada.ok("GET", "projects")) == before


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "it is empty"),
        (b"%PDF-1.7 ...", "it is a PDF"),
        (b"no zip", "it is not a zip archive"),
        (_archive(word__document_dot_xml="x", a_dot_txt="x"), "an archive of other files (word/document.xml, a.txt)"),
        (_archive(v1__version_dot_json="{}"), "the files of a model version"),
        (_archive(backup_dot_json='{"format": 99, "linnet": "9.1"}'), "made by linnet 9.1, has format 99; this linnet reads"),
        (_archive(backup_dot_json='{"format": 0}'), "Restore it with the linnet that made it"),
        (_archive(backup_dot_json='{"format": 1}')[:-30], "the end of the zip archive is missing"),
        (_archive(backup_dot_json='{"format": 1}'), "The backup was modified"),
        (_archive(backup_dot_json='{"format": 1}', **{"models/../../evil": "x"}), "paths that lead outside its folder"),
    ],
    ids=["empty", "pdf", "text", "other archive", "version", "later", "earlier", "cut off", "changed", "outside"],
)  # fmt: skip
def test_a_wrong_backup_file_is_told_plainly(ada: Any, content: bytes, expected: str) -> None:
    message = ada.refused(422, "POST", "projects/restore", files={"file": ("b.zip", content)})["message"]
    assert expected in message


def test_a_backup_that_cannot_be_written_or_restored_for_want_of_room_leaves_nothing(
    quiet: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = quiet.client().sign_in("ada", path="setup")
    project = ada.project()
    ada.upload(project, {"a.txt": "Gout."})
    good = ada.get(f"/api/projects/{project}/backup").content

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("linnet.annotate.archive.writing._copy", full)
        problem = ada.refused(507, "GET", f"projects/{project}/backup")
        assert (problem["code"], "disk is full" in problem["message"]) == ("disk_full", True)
        patched.setattr("linnet.annotate.archive.project_restore.mark_unchanged", full)
        ada.refused(507, "POST", "projects/restore", files={"file": ("b.zip", good)})
    assert [one["id"] for one in ada.ok("GET", "projects")] == [project]
    assert not (quiet.settings.data / "projects" / str(project + 1)).exists()


LINKED = (
    "id,dx,concepts,name,probability,score,matched,origin\n"
    "A1,gouty arthritis,X:1,Gout,0.97,1.0,gouty arthritis,exact\nA2,scurvy at sea,X:6,Scurvy,0.61,0.8,Scurvy,dense\n"
)


def _table(ada: Any, project: int) -> list[dict[str, str]]:
    answer = ada.get(f"/api/projects/{project}/export?format=table")
    assert answer.status_code == 200, answer.text
    return list(csv.DictReader(io.StringIO(answer.content.decode())))


def test_a_corrected_row_of_a_linked_table_keeps_nothing_of_the_earlier_answer(ada: Any) -> None:
    project = ada.project()
    ada.upload(project, {"linked.csv": LINKED}, column="dx", id_column="id", complete="true")
    [found] = [d for d in ada.ok("GET", f"projects/{project}/documents")["documents"] if d["name"] == "A2"]
    view = ada.ok("GET", f"documents/{found['id']}")
    [mark] = view["annotations"]
    assert (
        mark["layer"],
        mark["concepts"][0]["id"] if isinstance(mark["concepts"][0], dict) else mark["concepts"][0],
    ) == ("pred", "X:6")
    ada.ok(
        "PATCH",
        f"documents/{view['id']}/annotations/{mark['id']}",
        {"revision": view["revision"], "concepts": ["X:2"]},
    )
    rows = {row["id"]: row for row in _table(ada, project)}
    assert rows["A2"] == {"id": "A2", "dx": "scurvy at sea", "concepts": "X:2"}
    assert rows["A1"] == {"id": "A1", "dx": "gouty arthritis", "concepts": "X:1"}


def test_tables_with_different_columns_are_one_table(ada: Any) -> None:
    project = ada.project()
    ada.upload(
        project,
        {
            "one.csv": "nr,text\n1,gout\n",
            "two.csv": "text,age,concepts\nasthma,7,X:2\n",
            "three.txt": "Scurvy.",
        },
    )
    rows = _table(ada, project)
    assert list(rows[0]) == ["nr", "text", "age", "document", "start", "end", "type", "concepts"]
    assert [(row["nr"], row["text"], row["age"]) for row in rows] == [
        ("1", "gout", ""),
        ("", "asthma", "7"),
        ("", "Scurvy", ""),
    ]


def test_no_message_shows_a_folder_of_the_server(ada: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from linnet.annotate.api.routes import exports
    from linnet.errors import DamagedError, DataError

    project = ada.project()
    for error in (
        DataError("cannot be written.", path="/srv/linnet/tmp/export.csv"),
        DamagedError("/srv/linnet/t/index is damaged."),
    ):

        def refused(*args: Any, error: Exception = error, **options: Any) -> None:
            raise error

        monkeypatch.setattr(exports, "export", refused)
        answer = ada.get(f"/api/projects/{project}/export?format=jsonl")
        assert answer.status_code in (422, 503)
        assert "/srv" not in answer.text
        assert "export.csv: cannot" in answer.text or "index is damaged" in answer.text


def test_predictions_in_a_table_of_annotations_stay_predictions_when_it_is_uploaded(ada: Any) -> None:
    project = ada.project()
    ada.document(project, "Gout, scurvy.")
    table = ada.get(f"/api/projects/{project}/export?format=csv").content
    second = ada.project()
    ada.upload(second, {"again.csv": table}, complete="true")
    documents = ada.ok("GET", f"projects/{second}/documents")["documents"]
    assert documents
    for document in documents:
        assert document["state"] != "accepted"
        assert {mark["layer"] for mark in ada.ok("GET", f"documents/{document['id']}")["annotations"]} <= {
            "pred"
        }


def test_a_project_whose_annotated_documents_are_gone_is_restored_with_its_log(ada: Any) -> None:
    project = ada.project()
    view = ada.document(project, "Gout and asthma.")
    path, mark = f"documents/{view['id']}", view["annotations"][0]
    ada.ok("PATCH", f"{path}/annotations/{mark['id']}", {"revision": view["revision"], "concepts": ["X:6"]})
    ada.ok("DELETE", path)
    content = ada.get(f"/api/projects/{project}/backup").content
    again = ada.ok("POST", "projects/restore", files={"file": ("b.zip", content)})["project"]
    actions = [
        [entry["action"] for entry in ada.ok("GET", f"projects/{number}/log")["entries"]]
        for number in (project, again)
    ]
    assert actions[1][-len(actions[0]) :] == actions[0]
    assert "annotation.change" in actions[0]
