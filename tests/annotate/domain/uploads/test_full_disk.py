from __future__ import annotations

import errno
import io
import json
import zipfile
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from linnet.annotate.domain.uploads import adding, receiving, upload


def test_a_full_disk_is_not_called_a_damaged_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: Any, **options: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(receiving, "_copy", full)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.txt", "Gout.")
    packed.seek(0)
    upload = receiving.Upload("z.zip", packed)
    with pytest.raises(OSError, match="No space left"):
        receiving.receive([upload], tmp_path)


@pytest.mark.parametrize("place", ["receive", "read"])
def test_a_full_disk_is_said_and_nothing_is_added(
    ada: Any, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    project = ada.project()
    name = "receiving._copy" if place == "receive" else "reading.to_utf8"
    monkeypatch.setattr(f"linnet.annotate.domain.uploads.{name}", full)
    body = {"files": [("files", ("a.txt", b"Gout."))]}
    problem = ada.refused(507, "POST", f"projects/{project}/documents", **body)
    assert problem["code"] == "disk_full"
    assert "disk is full. No document was added" in problem["message"]
    assert ada.ok("GET", f"projects/{project}/documents")["total"] == 0


def _limit(site: Any, pages: int) -> None:
    """Let the database grow to so many pages: then SQLite says what it says of a full disk."""

    @event.listens_for(site.database.engine, "connect")
    def limit(connection: Any, _: Any) -> None:
        connection.execute(f"PRAGMA max_page_count = {pages}")

    site.database.engine.dispose()


def test_what_the_disk_has_no_room_for_is_not_half_saved(quiet: Any) -> None:
    ada = quiet.client().sign_in("ada", path="setup")
    view = ada.document(ada.project(), "Gout. " * 2000)
    _limit(quiet, 1)  # SQLite takes it for the size that the file has
    spans = ({"start": 6 * n, "end": 6 * n + 4, "concepts": ["X:1"]} for n in range(2000))
    revision = view["revision"]
    for span in spans:
        answer = ada.post(f"/api/documents/{view['id']}/annotations", json={"revision": revision, **span})
        if not answer.is_success:
            break
        revision = answer.json()["revision"]
    assert (answer.status_code, answer.json()["code"]) == (507, "disk_full")
    assert answer.json()["message"].startswith("The server's disk is full. Nothing was changed.")
    now = ada.ok("GET", f"documents/{view['id']}")
    assert (now["revision"], len(now["annotations"])) == (revision, revision)


def test_of_an_upload_that_the_disk_had_no_room_for_it_is_said_what_was_added(
    quiet: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = quiet.client().sign_in("ada", path="setup")
    project = ada.project()
    monkeypatch.setattr(adding, "_BATCH", 2)

    _limit(quiet, 120)
    lines = "".join(json.dumps({"id": str(n), "text": f"Gout {n}. " * 4000}) + "\n" for n in range(30))
    body = {"files": [("files", ("a.jsonl", lines.encode()))]}
    message = ada.refused(507, "POST", f"projects/{project}/documents", **body)["message"]
    added = ada.ok("GET", f"projects/{project}/documents")["total"]
    assert 0 < added < 30
    assert f"{added} documents of the upload had been added by then" in message
    assert "upload the same files again" in message
    assert "Predict again" not in message
    [job] = [one for one in ada.ok("GET", f"projects/{project}/jobs") if one["kind"] == "predict"]
    assert job["state"] == "queued"


def test_where_there_is_no_room_for_predictions_it_is_said_how_to_get_them(
    quiet: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = quiet.client().sign_in("ada", path="setup")
    project = ada.project()
    monkeypatch.setattr(adding, "_BATCH", 1)
    monkeypatch.setattr(upload, "enqueue", _full)
    add = adding.add_documents
    uploaded = count()

    def add_one(*arguments: Any, **options: Any) -> None:
        _full() if next(uploaded) else add(*arguments, **options)

    monkeypatch.setattr(upload, "add_documents", add_one)
    body = {"files": [("files", (f"{name}.txt", f"Gout {name}.".encode())) for name in "ab"]}
    message = ada.refused(507, "POST", f"projects/{project}/documents", **body)["message"]
    assert "1 document of the upload had been added by then" in message
    assert "choose “Predict again” on the page Training" in message


def _full(*_: object, **__: object) -> Any:
    raise OSError(errno.ENOSPC, "No space left on device")
