"""What is accepted with its whole document is told from what a person checked."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from sqlalchemy import create_engine, select, text
from tests.compatibility.earlier import as_earlier

from linnet.annotate.store import open_database
from linnet.annotate.store.database import _address
from linnet.annotate.store.migrate import create_tables
from linnet.annotate.store.tables import Annotation

ODD = "podagra"  # a name of X:1 that the terminology does not have
TEXT = "Gout, asthma and migraine."


def _marks(view: Any) -> dict[str, tuple[str, bool]]:
    return {one["text"]: (one["layer"], one["unchanged"]) for one in view["annotations"]}


def _change(client: Any, view: Any, text: str, **fields: Any) -> Any:
    found = next(one["id"] for one in view["annotations"] if one["text"] == text)
    client.ok(
        "PATCH", f"documents/{view['id']}/annotations/{found}", {"revision": view["revision"], **fields}
    )
    return client.ok("GET", f"documents/{view['id']}")


def _state(client: Any, view: Any, state: str = "accepted") -> Any:
    client.ok("POST", f"documents/{view['id']}/state", {"revision": view["revision"], "state": state})
    return client.ok("GET", f"documents/{view['id']}")


def _step(client: Any, view: Any, direction: str) -> Any:
    client.ok("POST", f"documents/{view['id']}/{direction}", {"revision": view["revision"]})
    return client.ok("GET", f"documents/{view['id']}")


def test_accepting_marks_what_nobody_changed_and_keeps_its_probability(ada: Any) -> None:
    view = ada.document(ada.project(), TEXT)
    predicted = {one["text"]: one for one in view["annotations"]}
    view = _state(ada, _change(ada, view, "asthma", concepts=["X:3"]))
    assert _marks(view) == {"Gout": ("user", True), "asthma": ("user", False), "migraine": ("user", True)}
    [gout, asthma, _] = view["annotations"]
    for name in ("probability", "confidence", "model"):
        assert gout[name] == predicted["Gout"][name]
        assert asthma[name] is None
    assert gout["confidence"] is not None
    assert gout["author"] == "ada"


def test_undo_and_redo_of_accepting_bring_the_mark_back(ada: Any) -> None:
    view = _state(ada, ada.document(ada.project(), TEXT))
    view = _step(ada, view, "undo")
    assert set(_marks(view).values()) == {("pred", False)}
    view = _step(ada, view, "redo")
    assert set(_marks(view).values()) == {("user", True)}
    view = _step(ada, _change(ada, view, "asthma", concepts=["X:3"]), "undo")
    assert _marks(view)["asthma"] == ("user", True)


def test_what_was_accepted_unchanged_is_confirmed_one_by_one_or_with_its_like(ada: Any) -> None:
    project = ada.project()
    view = _state(ada, ada.document(project, "Gout and gout; asthma, migraine."))
    view = _state(ada, view, "open")
    view = _change(ada, view, "asthma")
    assert _marks(view)["asthma"] == ("user", False)
    gout = view["annotations"][0]["id"]
    path = f"documents/{view['id']}/annotations/{gout}"
    assert ada.ok("POST", f"{path}/same/confirm", {"revision": view["revision"]})["done"] == 2
    found = ada.ok("GET", f"projects/{project}/mentions?unchanged=true")
    [migraine] = found["mentions"]
    assert migraine["annotation"]["text"] == "migraine"
    mentions = [
        {
            "document": view["id"],
            "revision": migraine["revision"],
            "annotations": [migraine["annotation"]["id"]],
        }
    ]
    body = {"token": "t" * 8, "action": "confirm", "documents": mentions}
    assert ada.ok("POST", f"projects/{project}/mentions/changes", body)["mentions"] == 1
    assert ada.ok("GET", f"projects/{project}/mentions?unchanged=true")["total"] == 0
    assert ada.ok("GET", f"projects/{project}/mentions")["total"] == 4


def _trained(client: Any, project: int) -> Any:
    job = client.ok("POST", f"projects/{project}/jobs", {"kind": "train"})
    job = client.ok("GET", f"jobs/{job['id']}")
    assert job["state"] == "done", job["reason"]
    return client.ok("GET", f"projects/{project}/models")[0]


def _held_out(client: Any, project: int, number: int) -> Any:
    view = client.document(project, f"{TEXT} Patient {number}.")
    client.ok("PATCH", f"documents/{view['id']}", {"held_out": True})
    return view


def test_a_model_is_not_measured_on_its_own_guesses(ada: Any) -> None:
    project = ada.project()
    taught = ada.document(project, "Gout of a patient.")
    _state(ada, _change(ada, taught, "Gout"))
    views = [_state(ada, _held_out(ada, project, number)) for number in range(3)]
    version = _trained(ada, project)
    assert (version["before"], version["after"]) == (None, None)

    _change(ada, views[0], "Gout")
    _change(ada, views[0] | {"revision": views[0]["revision"] + 1}, "asthma", concepts=["X:3"])
    after = _trained(ada, project)["after"]
    assert (after["documents"], after["mentions"], after["unchanged"]) == (1, 2, 7)
    # The prediction where migraine was accepted unchanged is neither right nor wrong.
    assert after["spans"] | {"interval": None} == {"precision": 1, "recall": 1, "f1": 1, "interval": None}
    assert (after["strong"]["f1"], after["linking"]) == (0.5, 0.5)
    low, high = after["linking_interval"]
    assert 0 < low < 0.2 < 0.8 < high < 1
    low, high = after["spans"]["interval"]
    assert low < 0.6  # two right of two say little
    assert high == 1


def test_names_are_not_learnt_from_what_was_accepted_unchanged(ada: Any) -> None:
    project = ada.project()
    record = {"id": "a", "text": f"{ODD} and vapours", "mentions": []}
    for word, concept, source in ((ODD, "X:1", "unchanged"), ("vapours", "X:3", "user")):
        start = record["text"].index(word)
        mention = {"start": start, "end": start + len(word), "text": word, "concepts": [concept]}
        record["mentions"].append(mention | {"source": source})
    ada.upload(project, {"a.jsonl": json.dumps(record)}, complete="true")
    assert _trained(ada, project)["learned"]["names"] == "1 names of 1 concepts"
    assert ada.ok("GET", f"projects/{project}/concept?id=X:1")["learned"] == []
    assert ada.ok("GET", f"projects/{project}/concept?id=X:3")["learned"] == ["vapours"]


def test_exports_tell_what_was_accepted_unchanged_and_uploads_read_it(ada: Any) -> None:
    project = ada.project()
    _state(ada, _change(ada, ada.document(project, TEXT), "asthma"))
    table = ada.get(f"/api/projects/{project}/export?format=csv").content.decode("utf-8-sig")
    rows = {row["text"]: row for row in csv.DictReader(io.StringIO(table))}
    assert {text: row["accepted_unchanged"] for text, row in rows.items()} == {
        "Gout": "yes",
        "asthma": "",
        "migraine": "yes",
    }
    assert {row["layer"] for row in rows.values()} == {"user"}
    lines = ada.get(f"/api/projects/{project}/export?format=jsonl").text
    sources = {mention["text"]: mention["source"] for mention in json.loads(lines)["mentions"]}
    assert sources == {"Gout": "unchanged", "asthma": "user", "migraine": "unchanged"}

    other = ada.project()
    ada.upload(other, {"a.jsonl": lines})
    [found] = ada.ok("GET", f"projects/{other}/documents")["documents"]
    assert _marks(ada.ok("GET", f"documents/{found['id']}")) == {
        "Gout": ("user", True),
        "asthma": ("user", False),
        "migraine": ("user", True),
    }


def test_agreement_and_progress_say_what_was_accepted_unchanged(ada: Any, bob: Any) -> None:
    project = ada.project(mode="independent")
    view = ada.document(project, TEXT)
    _state(ada, view)
    own = bob.ok("GET", f"documents/{view['id']}")
    _state(bob, _change(bob, own, "asthma", concepts=["X:3"]))
    agreement = ada.ok("GET", f"projects/{project}/agreement")
    [pair] = agreement["pairs"]
    assert (pair["first_mentions"], pair["first_unchanged"]) == (3, 3)
    assert (pair["second_mentions"], pair["second_unchanged"]) == (3, 2)
    assert (agreement["documents"], agreement["predicted"]) == (1, 1)
    people = {one["name"]: one for one in ada.ok("GET", f"projects/{project}/progress")["people"]}
    assert (people["ada"]["mentions"], people["ada"]["unchanged"]) == (3, 3)
    assert (people["bob"]["mentions"], people["bob"]["unchanged"]) == (3, 2)

    curated = ada.ok("GET", f"documents/{view['id']}?sheet=@curated")
    assert _marks(curated) == {"Gout": ("user", True), "migraine": ("user", True)}
    start = TEXT.index("asthma")
    body = {"start": start, "end": start + 6, "how": "take", "annotator": "ada", "revision": 0}
    ada.ok("POST", f"documents/{view['id']}/decisions", body)
    curated = ada.ok("GET", f"documents/{view['id']}?sheet=@curated")
    assert _marks(curated)["asthma"] == ("user", False)


def _older(content: bytes) -> bytes:
    """The backup as linnet wrote it before it noted what was accepted unchanged."""

    def strip(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: strip(item) for name, item in value.items() if name != "unchanged"}
        return [strip(item) for item in value] if isinstance(value, list) else value

    return as_earlier(content, strip)


def _restored(client: Any, content: bytes) -> Any:
    project = client.ok("POST", "projects/restore", files={"file": ("b.zip", content)})["project"]
    [found] = client.ok("GET", f"projects/{project}/documents")["documents"]
    return client.ok("GET", f"documents/{found['id']}")


@pytest.mark.parametrize("older", [False, True])
def test_backups_keep_the_mark_and_older_ones_get_it_from_their_log(ada: Any, older: bool) -> None:
    project = ada.project()
    view = _state(ada, _change(ada, ada.document(project, TEXT), "asthma"))
    _change(ada, view, "migraine", concepts=["X:1"])
    content = ada.get(f"/api/projects/{project}/backup").content
    view = _restored(ada, _older(content) if older else content)
    assert _marks(view) == {"Gout": ("user", True), "asthma": ("user", False), "migraine": ("user", False)}
    view = _step(ada, _step(ada, view, "undo"), "undo")
    assert _marks(view) == {"Gout": ("pred", False), "asthma": ("user", False), "migraine": ("pred", False)}
    assert _marks(_step(ada, view, "redo"))["Gout"] == ("user", True)


def test_documents_accepted_before_the_migration_count_as_accepted_unchanged(database_url: str) -> None:
    engine = create_engine(_address(database_url))
    moment = "'2026-01-02 03:04:05+00:00'"
    sheets = [(1, "", 3, "accepted"), (2, "ada", 2, "accepted"), (3, "bob", 2, "accepted")]
    sheets += [(4, "@curated", 0, "open")]
    # id, sheet, start, author, revision of its last change
    marks = [(1, 1, 0, "ada", 2), (2, 1, 9, "ada", 3), (3, 2, 0, "ada", 2), (4, 2, 9, "ada", 2)]
    marks += [(5, 3, 0, "bob", 2), (6, 3, 9, "bob", 1), (7, 4, 0, "", 0), (8, 4, 9, "", 0)]
    with engine.begin() as connection:
        create_tables(connection, "0010")
        add = connection.exec_driver_sql
        add(
            "INSERT INTO projects (id, name, description, terminology, terminology_digest, mode, types, labels, strategy, learners, "
            "recogniser, pipeline, min_probability, per_document, held_out, attributes, model, ready, created, created_by) VALUES (1, 'p', "
            f"'', 'm', 'x', 'shared', '[]', '[]', 'random', '[]', '', '', 0, 0, 0.2, '[]', 0, true, {moment}, 'a')"
        )
        add(
            "INSERT INTO documents (id, project_id, name, title, text, digest, characters, held_out, rank, reason, predicted, "
            f"extra, created) VALUES (1, 1, 'd', '', 'some text of some length', 'x', 24, false, 1, '', '[]', '{{}}', {moment})"
        )
        for id, owner, revision, state in sheets:
            add(
                "INSERT INTO sheets (id, document_id, owner, revision, state) "
                f"VALUES ({id}, 1, '{owner}', {revision}, '{state}')"
            )
            add(
                'INSERT INTO log (at, "by", token, action, project_id, document_id, sheet_id, revision, model_digest, terminology_digest, '
                f"changes) VALUES ({moment}, 'ada', '', 'document.accept', 1, 1, {id}, 2, '', '', '{{}}')"
            )
        for id, sheet, start, author, revision in marks:
            add(
                'INSERT INTO annotations (id, sheet_id, start, "end", layer, type, concepts, nil, composite, author, revision, changed, '
                f"attributes, extra) VALUES ({id}, {sheet}, {start}, {start + 4}, 'user', '', '[]', false, false, '{author}', {revision}, "
                f"{moment}, '{{}}', '{{}}')"
            )
    engine.dispose()
    opened = open_database(database_url)
    with opened.read() as session:
        found = session.scalars(select(Annotation.id).where(Annotation.unchanged).order_by(Annotation.id))
        assert found.all() == [1, 3, 4, 5, 7]
        assert session.scalar(text("SELECT count(*) FROM annotations")) == 8
    opened.close()


def test_a_model_is_measured_on_the_version_that_was_checked(ada: Any, bob: Any) -> None:
    project = ada.project(mode="independent")
    _state(ada, _change(ada, ada.document(project, "Gout of a patient."), "Gout"))
    view = _held_out(ada, project, 1)
    _state(ada, _change(ada, view, "asthma"))
    _state(bob, bob.ok("GET", f"documents/{view['id']}"))  # later, and unchanged
    after = _trained(ada, project)["after"]
    assert (after["documents"], after["mentions"], after["unchanged"]) == (1, 1, 2)
