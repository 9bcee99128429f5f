"""Who annotates which documents, whose queue they are in, and how far each person is."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from itertools import count
from typing import Any

import pytest
from sqlalchemy import select

from linnet.annotate.domain.assignments.progress import read_progress
from linnet.annotate.store.columns import now
from linnet.annotate.store.tables import Document, LogEntry, Project, Sheet

PASSWORD = "correct horse battery staple"
_NUMBERS = count(1)


@pytest.fixture
def team(site: Any, ada: Any) -> Callable[..., Any]:
    """Makes a project of ada's with new annotators: their browsers by name, and the project."""

    def make(number: int, documents: int = 0, **fields: Any) -> tuple[int, dict[str, Any]]:
        project = ada.project(alone=True, **{"mode": "independent"} | fields)
        people = {}
        for _ in range(number):
            name = f"a{next(_NUMBERS)}"
            ada.ok("POST", "users", {"name": name, "password": PASSWORD})
            ada.ok("PUT", f"projects/{project}/members/{name}", {"role": "annotator"})
            people[name] = site.client().sign_in(name)
        if documents:
            _upload(ada, project, documents)
        return project, people

    return make


def _upload(ada: Any, project: int, number: int) -> None:
    ada.upload(
        project, {f"{next(_NUMBERS)}.txt": f"Gout and asthma, {next(_NUMBERS)}." for _ in range(number)}
    )


def _held(ada: Any, project: int) -> dict[int, list[str]]:
    listed = ada.ok("GET", f"projects/{project}/documents?limit=500")["documents"]
    return {one["id"]: one["assigned"] for one in listed}


def _queue(client: Any, project: int) -> list[int]:
    return [one["id"] for one in client.ok("GET", f"projects/{project}/queue?limit=500")["documents"]]


def _accept(client: Any, document: int, state: str = "accepted") -> None:
    view = client.ok("GET", f"documents/{document}")
    client.ok("POST", f"documents/{document}/state", {"revision": view["revision"], "state": state})


def test_uploads_go_to_as_many_people_as_the_project_wants_evenly(ada: Any, team: Callable[..., Any]) -> None:
    project, people = team(3, 12, per_document=2)
    held = _held(ada, project)
    assert {len(names) for names in held.values()} == {2}
    counts = Counter(name for names in held.values() for name in names)
    assert counts == dict.fromkeys(people, 8)
    assert len({tuple(names) for names in held.values()}) == 3  # every pair, not always the same
    order = _queue(ada, project)
    for name, client in people.items():
        own = [document for document in order if name in held[document]]
        assert _queue(client, project) == own
        assert client.ok("GET", f"projects/{project}")["progress"]["documents"] == 8
        assert {tuple(names) for names in _held(client, project).values()} == {(name,), ()}


def test_who_has_less_left_gets_more(ada: Any, team: Callable[..., Any]) -> None:
    project, people = team(2, 4, per_document=1)
    first, second = people
    for document in _queue(people[first], project):
        _accept(people[first], document)
    _upload(ada, project, 2)
    held = Counter(name for names in _held(ada, project).values() for name in names)
    assert held == {first: 4, second: 2}


def test_an_annotator_reads_and_comments_on_the_documents_of_others_but_does_not_annotate_them(
    ada: Any, team: Callable[..., Any]
) -> None:
    project, people = team(2, 4, per_document=1)
    client, other = people.values()
    document = _queue(other, project)[0]
    view = client.ok("GET", f"documents/{document}")
    assert (view["yours"], view["assigned"]) == (False, [])
    assert other.ok("GET", f"documents/{document}")["yours"]
    body = {"revision": view["revision"], "start": 0, "end": 4}
    message = client.refused(403, "POST", f"documents/{document}/annotations", body)["message"]
    assert "not assigned to you" in message
    client.refused(
        403, "POST", f"documents/{document}/state", {"revision": view["revision"], "state": "accepted"}
    )
    mark = view["annotations"][0]
    wanted = {"document": document, "revision": view["revision"], "annotations": [mark["id"]]}
    many = {"token": "t" * 20, "action": "confirm", "documents": [wanted]}
    assert (
        client.ok("POST", f"projects/{project}/mentions/changes", many)["outcomes"][0]["outcome"] == "refused"
    )
    client.ok("POST", f"documents/{document}/comments", {"text": "Odd."})
    ada.ok("POST", f"documents/{document}/annotations", body)  # a manager


def test_documents_are_given_and_taken_by_hand_but_not_once_begun(ada: Any, team: Callable[..., Any]) -> None:
    project, people = team(2, 3, per_document=1)
    (first, client), (second, _) = people.items()
    path = f"projects/{project}/assignments"
    everything = list(_held(ada, project))
    own = _queue(client, project)
    _accept(client, own[0])
    moved = ada.ok("POST", path, {"how": "give", "documents": everything, "members": [first, second]})
    assert sum(moved["given"].values()) == 3
    assert {len(names) for names in _held(ada, project).values()} == {2}
    moved = ada.ok("POST", path, {"how": "take", "documents": everything, "members": [first]})
    assert (moved["taken"], moved["kept"]) == ({first: 2}, 1)
    assert [id for id, names in _held(ada, project).items() if first in names] == [own[0]]
    for body in (
        {"how": "give", "documents": everything, "members": ["ghost"]},
        {"how": "give", "documents": [10**8], "members": [first]},
        {"how": "give", "documents": [], "members": [first]},
    ):
        ada.refused(422, "POST", path, body)
    client.refused(403, "POST", path, {"how": "give", "documents": everything, "members": [first]})


def test_what_somebody_has_not_begun_goes_to_the_others_after_a_preview(
    ada: Any, team: Callable[..., Any]
) -> None:
    project, people = team(3, 9, per_document=1)
    (leaving, client), *others = people.items()
    begun = _queue(client, project)[0]
    view = client.ok("GET", f"documents/{begun}")
    client.ok("POST", f"documents/{begun}/annotations", {"revision": view["revision"], "start": 5, "end": 8})
    path = f"projects/{project}/assignments/distribute"
    before = _held(ada, project)
    preview = ada.ok("POST", path, {"instead_of": leaving, "preview": True})
    assert _held(ada, project) == before
    assert (preview["taken"], preview["kept"]) == ({leaving: 2}, 1)
    assert ada.ok("POST", path, {"instead_of": leaving}) == preview
    counts = Counter(name for names in _held(ada, project).values() for name in names)
    assert counts == {leaving: 1, **{name: 4 for name, _ in others}}
    entry = ada.ok("GET", f"projects/{project}/log")["entries"][0]
    assert entry["action"] == "documents.assign"


def test_a_member_who_leaves_keeps_what_is_begun_and_the_rest_lacks_people(
    ada: Any, team: Callable[..., Any]
) -> None:
    project, people = team(2, 4, per_document=1)
    (leaving, client), (staying, _) = people.items()
    begun = _queue(client, project)[0]
    _accept(client, begun)
    ada.ok("DELETE", f"projects/{project}/members/{leaving}")
    assert [id for id, names in _held(ada, project).items() if leaving in names] == [begun]
    assert ada.ok("GET", f"projects/{project}/progress")["lacking"] == 1
    moved = ada.ok("POST", f"projects/{project}/assignments/distribute", {})
    assert (moved["given"], moved["lacking"]) == ({staying: 1}, 0)


def test_what_a_removed_account_has_finished_needs_nobody_else(ada: Any, team: Callable[..., Any]) -> None:
    project, people = team(2, 4, per_document=1)
    (leaving, client), (staying, _) = people.items()
    done = _queue(client, project)[0]
    _accept(client, done)
    ada.ok("DELETE", f"users/{leaving}")
    moved = ada.ok("POST", f"projects/{project}/assignments/distribute", {})
    assert (moved["given"], moved["lacking"]) == ({staying: 1}, 0)
    assert _held(ada, project)[done] == []


def test_too_few_people_are_named_and_uploads_wait_for_more(ada: Any, team: Callable[..., Any]) -> None:
    project, people = team(1, 2, per_document=2)
    [name] = people
    assert set(map(tuple, _held(ada, project).values())) == {()}
    path = f"projects/{project}/assignments/distribute"
    assert f"only {name} takes part" in ada.refused(422, "POST", path, {})["message"]
    ada.ok("PUT", f"projects/{project}/members/ada", {"role": "manager", "takes_part": True})
    assert sum(ada.ok("POST", path, {})["given"].values()) == 4
    assert len(_queue(ada, project)) == 2


def test_a_setting_that_changes_keeps_who_has_begun(ada: Any, team: Callable[..., Any]) -> None:
    project, people = team(3, 3)
    (name, client), *_ = people.items()
    assert len(_queue(client, project)) == 3
    for document in _queue(client, project):
        _accept(client, document, "skipped")
    ada.ok("PATCH", f"projects/{project}", {"per_document": 2})
    held = _held(ada, project)
    assert all(len(names) == 2 and name in names for names in held.values())
    ada.ok("PATCH", f"projects/{project}", {"per_document": 0})
    assert all(names == [] for names in _held(ada, project).values())
    assert all(len(_queue(other, project)) == 3 for other in list(people.values())[1:])


def test_a_shared_project_gives_each_document_to_one_person(ada: Any, team: Callable[..., Any]) -> None:
    project, people = team(2, 4, mode="shared", per_document=1)
    first, second = people.values()
    assert sorted(_queue(first, project) + _queue(second, project)) == sorted(_queue(ada, project))
    body = {"how": "give", "documents": _queue(first, project), "members": list(people)}
    assert "at most" in ada.refused(422, "POST", f"projects/{project}/assignments", body)["message"]
    assert "at most" in ada.refused(422, "PATCH", f"projects/{project}", {"per_document": 2})["message"]
    terminology = {"name": "too many", "terminology": "small", "per_document": 2}
    ada.refused(422, "POST", "projects", terminology)


def test_progress_counts_documents_and_mentions(ada: Any, team: Callable[..., Any]) -> None:
    project, people = team(2, 6, per_document=1)
    (name, client), (other, _) = people.items()
    own = _queue(client, project)
    _accept(client, own[0])
    _accept(client, own[1], "skipped")
    seen = client.ok("GET", f"projects/{project}/progress")["people"]
    assert [one["name"] for one in seen] == [name]
    mine = seen[0]
    assert (mine["assigned"], mine["accepted"], mine["skipped"], mine["left"]) == (3, 1, 1, 1)
    assert (mine["mentions"], mine["hours_left"]) == (2, None)
    everybody = {one["name"]: one for one in ada.ok("GET", f"projects/{project}/progress")["people"]}
    assert everybody.keys() == {"ada", name, other}
    assert (everybody[other]["left"], everybody[other]["last"]) == (3, None)
    rows = list(
        csv.DictReader(io.StringIO(ada.get(f"/api/projects/{project}/progress.csv").text.lstrip("\ufeff")))
    )
    assert {row["name"]: row["accepted"] for row in rows}[name] == "1"


def test_a_gap_of_more_than_five_minutes_is_a_pause(site: Any, ada: Any, team: Callable[..., Any]) -> None:
    project, people = team(1, 1)
    [name] = people
    begin = now()
    with site.database.write() as session:
        row = session.get_one(Project, project)
        document = session.scalars(select(Document.id).where(Document.project_id == project)).one()
        sheet = session.scalars(select(Sheet.id).where(Sheet.document_id == document)).first()
        for minute in (10, 14, 30, 31):
            moment = begin + timedelta(minutes=minute)
            entry = LogEntry(
                at=moment,
                by=name,
                action="test",
                project_id=project,
                document_id=document,
                sheet_id=sheet,
                changes={},
            )
            session.add(entry)
        session.flush()
        [mine] = read_progress(session, row, [name])
    assert mine.hours == pytest.approx(5 / 60)
    assert mine.last == begin + timedelta(minutes=31)


def test_backups_bring_assignments_back(ada: Any, team: Callable[..., Any]) -> None:
    project, people = team(2, 4, per_document=1)
    ada.ok(
        "PUT", f"projects/{project}/members/{next(iter(people))}", {"role": "annotator", "takes_part": False}
    )
    backup = ada.get(f"/api/projects/{project}/backup").content
    restored = ada.ok("POST", "projects/restore", files=[("file", ("b.zip", backup))])["project"]
    assert sorted(_held(ada, restored).values()) == sorted(_held(ada, project).values())
    taking = {one["name"]: one["takes_part"] for one in ada.ok("GET", f"projects/{restored}/members")}
    assert taking == {one["name"]: one["takes_part"] for one in ada.ok("GET", f"projects/{project}/members")}
    assert ada.ok("GET", f"projects/{restored}")["per_document"] == 1


def test_a_document_is_not_ready_for_curation_while_somebody_still_annotates_it(
    ada: Any, team: Callable[..., Any]
) -> None:
    project, people = team(3, 1, per_document=3)
    *first, (late, client) = people.items()
    [document] = _queue(client, project)
    for _, other in first:
        _accept(other, document)
    listed = ada.ok("GET", f"projects/{project}/disagreements")["documents"]
    assert listed[0]["waiting"] == [late]
    assert ada.ok("POST", f"projects/{project}/disagreements/agreed")["documents"] == 0
    _accept(client, document)
    assert ada.ok("GET", f"projects/{project}/disagreements")["documents"][0]["waiting"] == []
    assert ada.ok("POST", f"projects/{project}/disagreements/agreed")["documents"] == 1
