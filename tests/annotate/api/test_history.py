from __future__ import annotations

from typing import Any

TEXT = "😀 Gout and asthma. Gout again."


def test_the_log_says_texts_of_mentions_and_names_of_concepts(ada: Any) -> None:
    project = ada.project()
    view = ada.document(project, TEXT)
    path, revision = f"documents/{view['id']}", view["revision"]
    asthma = next(one for one in view["annotations"] if one["text"] == "asthma")
    ada.ok("PATCH", f"{path}/annotations/{asthma['id']}", {"revision": revision, "concepts": ["X:3"]})
    [entry, *_] = ada.ok("GET", f"{path}/log")["entries"]
    assert entry["texts"] == {f"{asthma['start']}-{asthma['end']}": "asthma"}
    assert entry["names"] == {"X:2": "Asthma", "X:3": "Migraine"}
    assert entry["annotations"] == 1
    assert ada.ok("GET", f"projects/{project}/log")["entries"][0] == entry

    ada.ok("POST", f"{path}/state", {"revision": revision + 1, "state": "accepted"})
    [whole, *_] = ada.ok("GET", f"{path}/log")["entries"]
    [short, *_] = ada.ok("GET", f"{path}/log?annotations=1")["entries"]
    assert (whole["annotations"], len(whole["changes"]["annotations"])) == (2, 2)
    assert (short["annotations"], len(short["changes"]["annotations"])) == (2, 1)
    assert short["changes"]["state"] == ["open", "accepted"]
    assert list(short["texts"].values()) == ["Gout"]

    ada.ok("DELETE", path)
    entries = ada.ok("GET", f"projects/{project}/log")["entries"]
    gone = next(
        one for one in entries if one["action"] == "annotation.change" and one["document"] == view["id"]
    )
    assert (gone["texts"], gone["document_name"], gone["names"]) == ({}, "", entry["names"])
