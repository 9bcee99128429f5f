from __future__ import annotations

import json
from typing import Any

import pytest

PUBTATOR = "7|t|Gout\n7|a|Gout and asthma.\n7\t0\t4\tGout\tDisease\tX:1\n7\t14\t20\tasthma\tDisease\t-1\n\n"


def test_documents_with_annotations_are_to_check_unless_somebody_vouches_for_them(ada: Any) -> None:
    project = ada.project()
    report = ada.upload(project, {"a.txt": PUBTATOR})
    assert (report["mentions"], report["accepted"]) == (2, 0)
    [found] = ada.ok("GET", f"projects/{project}/documents")["documents"]
    assert (found["state"], found["gold"]) == ("open", 2)

    vouched = ada.project()
    report = ada.upload(vouched, {"a.txt": PUBTATOR, "b.txt": "Scurvy."}, complete="true")
    assert report["accepted"] == 1
    found = ada.ok("GET", f"projects/{vouched}/documents?order=id")["documents"]
    assert {one["name"]: one["state"] for one in found} == {"b": "open", "7": "accepted"}
    entries = ada.ok("GET", f"projects/{vouched}/log")["entries"]
    accepted = next(one for one in entries if one["action"] == "document.accept")
    assert (accepted["by"], accepted["changes"]["documents"]) == ("ada", ["7"])


@pytest.mark.parametrize("place", ["before", "after"])
def test_no_document_of_a_file_with_a_line_that_cannot_be_read_is_accepted(ada: Any, place: str) -> None:
    project = ada.project()
    wrong = (
        "8|t|Scurvy\n8|a|Scurvy and gout.\n8\t0\t6\tScurvx\tDisease\tX:6\n8\t11\t15\tgout\tDisease\tX:1\n\n"
    )
    content = wrong + PUBTATOR if place == "before" else PUBTATOR + wrong
    report = ada.upload(project, {"a.txt": content}, complete="true")
    assert report["files"][0]["refused"]
    assert report["accepted"] == report["files"][0]["accepted"] == 0
    assert {one["state"] for one in ada.ok("GET", f"projects/{project}/documents")["documents"]} == {"open"}


@pytest.mark.parametrize("unread", [True, False])
def test_no_document_of_a_file_is_accepted_whose_notes_tell_of_annotations_that_were_not_read(
    ada: Any, unread: bool
) -> None:
    project = ada.project()
    task: dict[str, Any] = {"text": "Gout, not scurvy."}
    if unread:
        task["mentions"] = [{"start": 0, "end": 4, "type": "Disease"}]
        task["entities"] = [[10, 16, "Disease"]]
    else:
        task["spans"] = [{"start": 0, "end": 4, "label": "Disease"}]
        task["spans"] += [{"start": 10, "end": 16, "label": "Disease", "answer": "reject"}]
    format = "jsonl" if unread else "prodigy"
    report = ada.upload(project, {"a.jsonl": json.dumps(task) + "\n"}, complete="true", format=format)
    [file] = report["files"]
    assert file["notes"]
    assert file["mentions"] == 1
    assert (file["unread"], file["accepted"]) == (unread, int(not unread))
