"""Attributes go out with exports and come back with uploads."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import pytest
from tests.compatibility.earlier import as_earlier

TEXT = "No gout. Asthma in 2001 was treated. History of migraine."
DEFINED = [
    {"name": "negated", "guess": True},
    {"name": "other person"},
    {"name": "severity", "values": ["mild", "very severe"]},
]
EXPECTED = {
    "gout": {"negated": True},
    "Asthma": {"other person": True, "severity": "very severe"},
    "migraine": {},
}


@pytest.fixture(scope="module")
def project(ada: Any) -> int:
    """A project that tests only export: its document has annotations with attributes."""
    return _annotated(ada)


def _annotated(ada: Any) -> int:
    number: int = ada.project(attributes=DEFINED)
    view = ada.document(number, TEXT)
    asthma = next(each for each in view["annotations"] if each["text"] == "Asthma")
    values = {"other person": True, "severity": "very severe"}
    body = {"revision": view["revision"], "attributes": values}
    done = ada.ok("PATCH", f"documents/{view['id']}/annotations/{asthma['id']}", body)
    ada.ok("POST", f"documents/{view['id']}/state", {"revision": done["revision"], "state": "accepted"})
    return number


def _export(client: Any, project: int, format: str) -> Any:
    answer = client.get(f"/api/projects/{project}/export?format={format}")
    assert answer.is_success, answer.text
    return answer


def _attributes(client: Any, project: int) -> dict[str, Any]:
    [found] = client.ok("GET", f"projects/{project}/documents")["documents"]
    view = client.ok("GET", f"documents/{found['id']}")
    return {each["text"]: each["attributes"] for each in view["annotations"]}


@pytest.mark.parametrize(
    ("format", "ending"), [("brat", "zip"), ("bioc", "xml"), ("biocjson", "json"), ("jsonl", "jsonl")]
)
def test_attributes_come_back_from_every_format_that_carries_them(
    ada: Any, project: int, format: str, ending: str
) -> None:
    exported = _export(ada, project, format)
    again = ada.project(attributes=DEFINED)
    ada.upload(again, {f"export.{ending}": exported.content})
    assert _attributes(ada, again) == EXPECTED
    if format in ("bioc", "jsonl"):
        assert _export(ada, again, format).text == exported.text


def test_what_the_project_does_not_define_stays_aside_and_goes_out_again(ada: Any, project: int) -> None:
    exported = _export(ada, project, "bioc")
    again = ada.project(attributes=[{"name": "severity", "values": ["mild", "fatal"]}])
    ada.upload(again, {"export.xml": exported.content})
    assert set(map(str, _attributes(ada, again).values())) == {"{}"}
    assert _export(ada, again, "bioc").text == exported.text


def test_brat_has_them_in_lines_of_their_own(ada: Any, project: int) -> None:
    with zipfile.ZipFile(io.BytesIO(_export(ada, project, "brat").content)) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".ann")]
        lines = archive.read(name).decode().splitlines()
    assert [line for line in lines if line.startswith("A")] == [
        "A1\tnegated T1",
        "A2\tother_person T2",
        "A3\tseverity T2 very_severe",
    ]


def test_uploaded_brat_attributes_match_whatever_their_spelling(ada: Any) -> None:
    number = ada.project(attributes=DEFINED)
    lines = [
        "T1\tDisease 3 7\tgout",
        "T2\tDisease 9 15\tAsthma",
        "A1\tNegated T1",
        "A2\tSeverity T2 mild",
        "A3\tSeverity T1 fatal",
        "A4\tSure T2",
    ]
    files = {"a.txt": TEXT, "a.ann": "\n".join(lines) + "\n"}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    ada.upload(number, {"a.zip": packed.getvalue()})
    assert _attributes(ada, number)["gout"] == {"negated": True}
    assert _attributes(ada, number)["Asthma"] == {"severity": "mild"}
    with zipfile.ZipFile(io.BytesIO(_export(ada, number, "brat").content)) as archive:
        written = archive.read("a.ann").decode()
    assert "\tSeverity T1 fatal\n" in written
    assert "\tSure T2\n" in written
    assert "\tnegated T1\n" in written
    assert "\tseverity T2 mild\n" in written
    assert written.count("Negated") == 0


def test_a_table_has_a_column_for_each(ada: Any, project: int) -> None:
    rows = [line.split(",") for line in _export(ada, project, "table").text.splitlines()]
    assert rows[0][-3:] == ["negated", "other person", "severity"]
    assert [row[-3:] for row in rows[1:]] == [
        ["true", "", ""],
        ["", "true", "very severe"],
        ["", "", ""],
    ]


def test_the_table_for_spreadsheets_has_a_column_for_each_also_for_one_that_was_dropped(ada: Any) -> None:
    project = _annotated(ada)
    ada.ok("PATCH", f"projects/{project}", {"attributes": DEFINED[:1]})
    rows = [line.split(",") for line in _export(ada, project, "csv").text.splitlines()]
    assert rows[0][-3:] == ["negated", "other person", "severity"]
    assert [row[-3:] for row in rows[1:]] == [["yes", "", ""], ["", "yes", "very severe"], ["", "", ""]]


def test_formats_that_cannot_carry_them_say_so(ada: Any, project: int) -> None:
    exported = _export(ada, project, "pubtator")
    assert "1 not written: severity (attributes)" in exported.headers["X-Linnet-Losses"]


def test_a_backup_keeps_definitions_and_values(ada: Any, project: int) -> None:
    packed = ada.get(f"/api/projects/{project}/backup").content
    report = ada.ok("POST", "projects/restore", files={"file": ("b.zip", packed)})
    restored = report["project"]
    defined = ada.ok("GET", f"projects/{restored}")["attributes"]
    assert [each["name"] for each in defined] == ["negated", "other person", "severity"]
    assert _attributes(ada, restored) == EXPECTED


def test_a_backup_from_before_attributes_is_restored_and_undone(ada: Any, project: int) -> None:
    backup = as_earlier(ada.get(f"/api/projects/{project}/backup").content, _without)
    restored = ada.ok("POST", "projects/restore", files={"file": ("b.zip", backup)})["project"]
    assert ada.ok("GET", f"projects/{restored}")["attributes"] == []
    [found] = ada.ok("GET", f"projects/{restored}/documents")["documents"]
    for action in ("document.accept", "annotation.change"):
        done = ada.ok("POST", f"documents/{found['id']}/undo", {"revision": found["revision"]})
        found["revision"] = done["revision"]
        assert done["action"] == action
    assert {each["layer"] for each in ada.ok("GET", f"documents/{found['id']}")["annotations"]} == {"pred"}


def _without(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without(held) for name, held in value.items() if name != "attributes"}
    return [_without(each) for each in value] if isinstance(value, list) else value
