"""The mapping of a project: what each member may see and do, several at once, newer tables and releases, and backups."""

from __future__ import annotations

import gzip
import io
import threading
import zipfile
from typing import Any

import pytest
from tests.annotate.conftest import PASSWORD, Client, Site

from linnet.mapping.decisions import Event

TABLE = "code,label,n\nA1,gout,90\nA2,asthma,40\nA3,wheezing,5\nA4,no such thing,1\n"
COLUMNS = {"column": "label", "id_column": "code", "frequency_column": "n"}


def made(manager: Client, project: int, table: str = TABLE, **fields: Any) -> Any:
    """What making a mapping is answered with."""
    return manager.ok(
        "POST",
        f"projects/{project}/mapping",
        files={"file": ("codes.csv", table.encode())},
        data=COLUMNS | fields,
    )


def decide(client: Client, project: int, row: int, *concepts: str, **said: Any) -> Any:
    body = {"concepts": list(concepts), **said}
    return client.ok("POST", f"projects/{project}/mapping/rows/{row}/decision", body)["row"]


def rows(client: Client, project: int, **query: Any) -> list[Any]:
    answer = client.get(f"/api/projects/{project}/mapping/rows", params={"order": "frequency", **query})
    assert answer.status_code == 200, answer.text
    return list(answer.json()["rows"])


@pytest.fixture(scope="session")
def cyd(site: Site, ada: Client) -> Client:
    """Somebody else's browser, signed in."""
    ada.ok("POST", "users", {"name": "cyd", "password": PASSWORD})
    return site.client().sign_in("cyd")


@pytest.fixture
def project(ada: Client, bob: Client, cyd: Client) -> int:
    """A shared project with a mapping: ada manages it, bob and cyd are annotators."""
    number = ada.project()
    made(ada, number)
    return number


def test_a_table_becomes_rows_with_proposals_and_a_job_tells_of_it(ada: Client, bob: Client) -> None:
    number = ada.project()
    ada.refused(404, "GET", f"projects/{number}/mapping")
    taken = made(ada, number)
    assert (taken["added"], taken["blank"]) == (4, 0)
    job = ada.ok("GET", f"jobs/{taken['job']}")
    assert (job["kind"], job["state"], job["message"]) == ("map", "done", "4 strings have proposals")
    assert [(row["text"], row["frequency"]) for row in rows(bob, number)] == [
        ("gout", 90), ("asthma", 40), ("wheezing", 5), ("no such thing", 1),
    ]  # fmt: skip
    assert rows(bob, number)[0]["targets"][0]["concept"] == "X:1"
    summary = bob.ok("GET", f"projects/{number}/mapping")
    assert (summary["user"], summary["terminologies"]) == ("bob", ["small"])
    assert "mapping.create" in [
        entry["action"] for entry in ada.ok("GET", f"projects/{number}/log")["entries"]
    ]


def test_a_table_that_cannot_be_read_leaves_no_mapping(ada: Client) -> None:
    number = ada.project()
    files = {"file": ("codes.csv", b"code,label,n\nA1,gout,<5\n")}
    refused = ada.refused(422, "POST", f"projects/{number}/mapping", files=files, data=COLUMNS)
    assert refused["message"].startswith("codes.csv: row 1: the column 'n' holds '<5'")
    ada.refused(422, "POST", f"projects/{number}/mapping", files={"file": ("a.csv", b"label\na\0b\n")})
    ada.refused(
        422,
        "POST",
        f"projects/{number}/mapping",
        files={"file": ("a.csv", b"x\ny\n")},
        data={"terminology": "none"},
    )
    ada.refused(404, "GET", f"projects/{number}/mapping/rows")
    made(ada, number)
    ada.refused(409, "POST", f"projects/{number}/mapping", files={"file": ("b.csv", b"x\ny\n")})


def test_a_file_that_unpacks_to_too_much_is_refused_before_it_is_read(ada: Client) -> None:
    number = ada.project()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b" " * (20 << 20))
    for name, content, status in (
        ("bomb.xlsx", packed.getvalue(), 413),
        ("a.csv.gz", gzip.compress(b"label\ngout\n"), 422),
    ):
        ada.refused(status, "POST", f"projects/{number}/mapping", files={"file": (name, content)})


CHANGES = [
    ("POST", "", None), ("POST", "/table", None), ("POST", "/decisions", None),
    ("POST", "/terminology", {"terminology": "small"}), ("PATCH", "", {"four_eyes": True}),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path", "body"), CHANGES)
def test_only_managers_upload_import_upgrade_and_change_settings(
    ada: Client, bob: Client, project: int, method: str, path: str, body: Any
) -> None:
    files = {} if body else {"files": {"file": ("codes.csv", TABLE.encode())}}
    bob.refused(403, method, f"projects/{project}/mapping{path}", body, **files)
    ada.ok("PUT", f"projects/{project}/members/bob", {"role": "curator"})
    bob.refused(403, method, f"projects/{project}/mapping{path}", body, **files)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/rows",
        "/rows/1",
        "/concepts?q=gout",
        "/concept?id=X:1",
        "/export",
        "/agreement",
        "/changes?since=0",
        "/sample?above=0",
    ],
)
def test_who_is_no_member_does_not_see_that_there_is_one(ada: Client, bob: Client, path: str) -> None:
    number = ada.project(alone=True)
    made(ada, number)
    bob.refused(404, "GET", f"projects/{number}/mapping{path}")
    bob.refused(404, "POST", f"projects/{number}/mapping/rows/1/decision", {"concepts": []})
    ada.ok("GET", f"projects/{number}/mapping") if path == "" else None


def test_a_stranger_and_a_page_without_the_sessions_token_decide_nothing(
    site: Site, bob: Client, project: int
) -> None:
    path = f"projects/{project}/mapping/rows/1/decision"
    site.client().refused(401, "POST", path, {"concepts": []})
    bob.refused(403, "POST", path, {"concepts": []}, headers={"X-CSRF-Token": "other"})
    bob.refused(403, "POST", path, {"concepts": [], "by": "ada"})
    assert rows(bob, project)[0]["status"] == "unchecked"


def test_each_decision_is_of_who_is_signed_in_and_all_members_see_it(
    bob: Client, cyd: Client, project: int
) -> None:
    before = bob.ok("GET", f"projects/{project}/mapping/changes?since=0")
    assert (before["rows"], before["complete"]) == ([], True)
    decide(bob, project, 1, "X:1", by="bob", comment="sure")
    found = cyd.ok("GET", f"projects/{project}/mapping/changes?since={before['entry']}")
    [row] = found["rows"]
    assert (row["number"], row["by"], row["comment"], row["done"]) == (1, "bob", "sure", True)
    assert found["progress"]["mapped_records"] == 90
    assert cyd.ok("GET", f"projects/{project}/mapping/changes?since={found['entry']}")["rows"] == []
    assert [row["number"] for row in rows(cyd, project, by="bob")] == [1]


def test_two_who_differ_make_a_dispute_which_a_curator_settles(
    ada: Client, bob: Client, cyd: Client, project: int
) -> None:
    ada.ok("PATCH", f"projects/{project}/mapping", {"four_eyes": True})
    assert not decide(bob, project, 1, "X:1")["done"]
    assert decide(cyd, project, 1, "X:2")["disagrees"]
    assert [row["number"] for row in rows(ada, project, attention=True)] == [1]
    settled = decide(ada, project, 1, "X:1")
    assert (settled["disagrees"], settled["done"], settled["history"][0]["event"]) == (False, True, "settled")
    assert rows(ada, project, attention=True) == []
    assert decide(cyd, project, 1, "X:2")["disagrees"]
    [pair] = ada.ok("GET", f"projects/{project}/mapping/agreement")
    assert (pair["first"], pair["second"], pair["rows"], pair["same"]) == ("bob", "cyd", 1, 0)
    assert decide(bob, project, 2, "X:2")["second"] == ""
    assert decide(cyd, project, 2, "X:2")["second"] == "bob"
    assert ada.ok("GET", f"projects/{project}/mapping/agreement")[0]["same"] == 1


def test_what_a_curator_decides_otherwise_is_no_dispute(ada: Client, bob: Client, project: int) -> None:
    decide(bob, project, 1, "X:2")
    assert not decide(ada, project, 1, "X:1")["disagrees"]
    decide(bob, project, 2, "X:2")
    row = decide(ada, project, 2, "X:2")
    assert (row["second"], row["history"][0]["event"]) == ("bob", "decided")
    ada.ok("PATCH", f"projects/{project}/mapping", {"four_eyes": True})
    for concept in ("X:1", "X:2"):  # nobody else has decided
        row = decide(ada, project, 3, concept)
        assert (row["done"], row["history"][0]["event"]) == (False, "decided")


def test_independent_annotators_see_only_what_they_decided_until_a_curator_settles(
    ada: Client, bob: Client, cyd: Client
) -> None:
    number = ada.project(mode="independent")
    made(ada, number)
    decide(bob, number, 1, "X:1")
    [seen] = [row for row in rows(cyd, number) if row["number"] == 1]
    assert (seen["status"], seen["by"], seen["entry"]) == ("unchecked", "", 0)
    assert cyd.ok("GET", f"projects/{number}/mapping/rows/1")["history"] == []
    assert cyd.ok("GET", f"projects/{number}/mapping")["progress"]["strings"] == {"unchecked": 4}
    assert rows(cyd, number, by="bob") == []
    assert cyd.ok("GET", f"projects/{number}/mapping/agreement") == []
    own = decide(cyd, number, 1, "X:2")
    assert (own["by"], own["disagrees"], len(own["history"])) == ("cyd", False, 1)
    assert b"X:1" not in cyd.get(f"/api/projects/{number}/mapping/export?format=csv").content.splitlines()[1]
    undone = cyd.ok("POST", f"projects/{number}/mapping/rows/1/undo", {"entry": own["entry"]})["row"]
    assert undone["status"] == "unchecked"
    assert ada.ok("GET", f"projects/{number}/mapping/rows/1")["by"] == "bob"
    decide(cyd, number, 1, "X:2")
    assert rows(ada, number, attention=True)[0]["number"] == 1
    decide(ada, number, 1, "X:1")
    assert rows(cyd, number)[0]["by"] == "ada"
    assert [entry["by"] for entry in cyd.ok("GET", f"projects/{number}/mapping/rows/1")["history"]] == [
        "ada",
        "cyd",
        "cyd",
        "cyd",
    ]


def test_only_who_decided_takes_it_back(bob: Client, cyd: Client, project: int) -> None:
    entry = decide(bob, project, 1, "X:1")["entry"]
    undo = f"projects/{project}/mapping/rows/1/undo"
    assert "bob decided" in cyd.refused(409, "POST", undo, {"entry": entry})["message"]
    later = decide(cyd, project, 1, "X:2")["entry"]
    bob.refused(409, "POST", undo, {"entry": entry})
    for _ in range(2):  # sent again, it does nothing
        row = cyd.ok("POST", undo, {"entry": later})["row"]
        assert (row["by"], row["targets"][0]["concept"]) == ("bob", "X:1")


def test_many_who_decide_the_same_rows_at_once_lose_nothing(
    site: Site, ada: Client, bob: Client, cyd: Client, project: int
) -> None:
    people = {"ada": ada, "bob": bob, "cyd": cyd}
    begin, failed = threading.Barrier(3), []

    def work(name: str) -> None:
        begin.wait()
        for turn in range(6):
            try:
                decide(people[name], project, turn % 3 + 1, f"X:{turn % 2 + 1}")
            except BaseException as error:
                failed.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    log = site.state.mappings.new(project).store.log()
    assert sorted(entry.by for entry in log) == ["ada"] * 6 + ["bob"] * 6 + ["cyd"] * 6
    for row in site.state.mappings.new(project):
        [listed] = site.state.mappings.new(project).store.states([row.number])
        assert listed[1:4] == (
            row.status,
            row.state.decision.by if row.state.decision else "",
            row.state.second,
        )


def test_another_month_keeps_decisions_and_proposes_for_what_is_new(
    ada: Client, bob: Client, project: int
) -> None:
    decide(bob, project, 1, "X:1")
    table = "code,label,n\nA1,gout,10\nA3,wheezing,7\nA9,migraine,30\n"
    files = {"file": ("may.csv", table.encode())}
    taken = ada.ok("POST", f"projects/{project}/mapping/table", files=files)
    assert (taken["added"], taken["kept"], taken["gone"]) == (1, 2, 2)
    found = rows(bob, project)
    assert [(row["text"], row["frequency"]) for row in found] == [
        ("migraine", 30),
        ("gout", 10),
        ("wheezing", 7),
    ]
    assert (found[0]["targets"][0]["concept"], found[1]["by"]) == ("X:3", "bob")


def test_decisions_of_a_file_are_taken_and_conflicts_listed(ada: Client, bob: Client, project: int) -> None:
    decide(bob, project, 1, "X:2")
    table = "code,text,status,concepts,by\nA1,gout,approved,X:1,Dr. No\nA2,asthma,approved,X:2,Dr. No\n"
    files = {"file": ("done.csv", table.encode())}
    taken = ada.ok("POST", f"projects/{project}/mapping/decisions", files=files)
    assert (taken["taken"], len(taken["conflicts"])) == (1, 1)
    assert [(row["by"], row["targets"][0]["concept"]) for row in rows(bob, project)[:2]] == [
        ("bob", "X:2"),
        ("Dr. No", "X:2"),
    ]


def test_exports_are_those_of_the_folder(bob: Client, project: int) -> None:
    decide(bob, project, 1, "X:1")
    answer = bob.get(f"/api/projects/{project}/mapping/export?format=sssom")
    assert answer.status_code == 200, answer.text
    assert "gout\t" in answer.text
    assert "bob" in answer.text


def test_many_are_approved_as_on_ones_own_machine(bob: Client, project: int) -> None:
    sample = bob.ok("GET", f"projects/{project}/mapping/sample?above=0")
    assert sample["total"] == 2
    approved = bob.ok("POST", f"projects/{project}/mapping/approve", {"above": 0})
    assert approved["rows"] == sample["total"]
    assert {row["by"] for row in rows(bob, project, status="approved")} == {"bob"}


def test_a_projects_backup_has_its_mapping(site: Site, ada: Client, bob: Client, project: int) -> None:
    decide(bob, project, 1, "X:1")
    decide(ada, project, 2, "X:2", comment="ä€😀")
    backup = ada.get(f"/api/projects/{project}/backup").content
    report = ada.ok("POST", "projects/restore", files={"file": ("a.zip", backup)})
    again = site.state.mappings.new(report["project"])
    assert list(again) == list(site.state.mappings.new(project))
    assert again.store.log() == site.state.mappings.new(project).store.log()
    assert decide(bob, report["project"], 3, "X:2")["by"] == "bob"


def test_a_removed_project_takes_its_mapping_and_nothing_else_removes_a_decision(
    site: Site, ada: Client, bob: Client, project: int
) -> None:
    from sqlalchemy import text
    from sqlalchemy.exc import DBAPIError

    decide(bob, project, 1, "X:1")
    for statement in (
        "DELETE FROM mapping_log",
        "UPDATE mapping_log SET who = 'ada'",
        "DELETE FROM mapping_rows",
    ):
        with pytest.raises(DBAPIError, match="append-only"), site.database.write() as session:
            session.execute(text(statement))
    ada.ok("DELETE", f"projects/{project}")
    with site.database.read() as session:
        left = session.scalar(text(f"SELECT count(*) FROM mapping_log WHERE project_id = {project}"))
    assert left == 0


def test_events_of_the_log_have_their_meaning_in_one_place() -> None:
    assert {str(event) for event in Event} == {
        "decided",
        "imported",
        "returned",
        "undone",
        "withdrawn",
        "settled",
    }


def test_the_projects_model_learns_approved_strings_and_proposes_them_in_the_next_table(
    ada: Client, bob: Client
) -> None:
    number = ada.project()
    table = "code,label,n\nA1,gout,9\nA2,zipperlein,5\n"
    made(ada, number, table)
    decide(bob, number, 2, "X:1")
    trained = ada.ok("POST", f"projects/{number}/jobs", {"kind": "train", "learners": ["names"]})
    job = ada.ok("GET", f"jobs/{trained['id']}")
    assert (job["state"], job["reason"]) == ("done", "")
    newer = "code,label,n\nA1,gout,9\nB1,Zipperlein,50\n"
    ada.ok("POST", f"projects/{number}/mapping/table", files={"file": ("b.csv", newer.encode())})
    found = rows(bob, number)[0]
    assert (found["text"], found["status"], found["targets"][0]["concept"]) == (
        "Zipperlein",
        "unchecked",
        "X:1",
    )
