"""What is refused, and how that is said."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from linnet.errors import DataError
from linnet.serve.keys import Keys

LINK = {"mentions": [{"text": "gout"}]}
KEY = "0123456789abcdef-first"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "mentions"),
        ({"mentions": []}, "mentions"),
        ({"mentions": [{"txt": "gout"}]}, "mentions.0.text"),
        ({"mentions": [{"text": "g" * 1001}]}, "mentions.0.text"),
        ({"mentions": [{"text": "gout", "left": None}]}, "mentions.0.left"),
        ({"mentions": [{"text": "gout"}], "k": 0}, "k"),
        ({"mentions": [{"text": "gout"}], "k": 101}, "k"),
        ({"mentions": [{"text": "gout"}], "kk": 3}, "kk"),
    ],
)
def test_a_field_that_is_wrong_is_named(site: Any, body: Any, field: str) -> None:
    problem = site.refused(422, "POST", "/v1/link", json=body)
    assert list(problem["fields"]) == [field]
    assert problem["code"] == "invalid"


@pytest.mark.parametrize(
    ("k", "kind"),
    [
        (True, "a boolean"),
        ("5", "a string"),
        (2.5, "a fraction"),
        (None, "null"),
        ([5], "a list"),
        ({}, "an object"),
    ],
)
def test_a_number_of_candidates_is_a_whole_number(site: Any, k: Any, kind: str) -> None:
    for address, body in (("/v1/link", LINK), ("/v1/annotate", {"text": "gout"})):
        problem = site.refused(422, "POST", address, json=body | {"k": k})
        assert problem["fields"] == {"k": f"got {kind}; expected a whole number"}
    assert site.client.post("/v1/link", json=LINK | {"k": 5.0}).status_code == 200


@pytest.mark.parametrize(
    "body", [b"", b"{", b"\xff", b'{"mentions": [{"text": "\\ud800"}]}', b"[" * 5000, b"null"]
)
def test_bodies_that_are_none_are_refused(site: Any, body: bytes) -> None:
    answer = site.client.post("/v1/link", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422)
    assert answer.json()["detail"]
    assert answer.headers["content-type"] == "application/problem+json"


def test_limits_say_how_much_is_taken(make_site: Any) -> None:
    site = make_site(mentions=2, text=50, body=2000, candidates=3)
    several = {"mentions": [{"text": "gout"}] * 3}
    assert "at most 2" in site.refused(413, "POST", "/v1/link", json=several)["expected"]
    assert "51" in site.refused(413, "POST", "/v1/annotate", json={"text": "x" * 51})["detail"]
    assert "2,000 bytes" in site.refused(413, "POST", "/v1/annotate", json={"text": "x" * 2001})["detail"]
    around = {"mentions": [{"text": "gout", "left": "x" * 30, "right": "x" * 21}]}
    assert "51" in site.refused(413, "POST", "/v1/link", json=around)["detail"]
    unsaid = (b" " * 500 for _ in range(10))
    assert site.refused(413, "POST", "/v1/annotate", content=unsaid)["code"] == "too_large"
    assert "at most 3" in site.refused(422, "POST", "/v1/link", json=LINK | {"k": 4})["expected"]


@pytest.mark.parametrize(
    ("body", "says"),
    [(b"[" * 5000, "lists nested"), (b"\xff", "UTF-8"), (b"9" * 5000, "numbers"), (b'{"a"', "not JSON")],
)
def test_what_is_wrong_with_a_body_is_said(site: Any, body: bytes, says: str) -> None:
    headers = {"Content-Type": "application/json"}
    problem = site.refused(400, "POST", "/v1/link", content=body, headers=headers)
    assert says in problem["detail"] + problem["expected"]


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "text/plain", ""])
def test_a_body_that_does_not_say_it_is_json_is_told_how_to(site: Any, kind: str) -> None:
    # As curl sends it where nobody says otherwise, and a page of another site without asking.
    for path in ("link", "annotate"):
        body = json.dumps(LINK if path == "link" else {"text": "gout"})
        headers = {"Content-Type": kind} if kind else {}
        problem = site.refused(415, "POST", f"/v1/{path}", content=body, headers=headers)
        assert "-H 'Content-Type: application/json'" in problem["next"]
    headers = {"Content-Type": "application/vnd.ours+json; charset=utf-8"}
    assert site.client.post("/v1/link", content=json.dumps(LINK), headers=headers).status_code == 200


def test_load_balancers_may_ask_for_the_head_alone(site: Any) -> None:
    for path in ("/health", "/ready"):
        answer = site.client.head(path)
        assert (answer.status_code, answer.content) == (200, b"")


def test_wrong_addresses_methods_and_types_are_refused(site: Any) -> None:
    site.refused(404, "GET", "/v1/link/")
    assert "MESH:" in site.refused(404, "GET", "/v1/concepts/X:99")["expected"]
    assert site.client.get("/v1/link").headers["allow"] == "POST"
    site.refused(405, "GET", "/v1/link")
    site.refused(415, "POST", "/v1/batch/link", content=b"{}", headers={"Content-Type": "text/plain"})
    packed = {"Content-Encoding": "gzip", "Content-Type": "application/json"}
    site.refused(415, "POST", "/v1/link", content=b"{}", headers=packed)
    site.refused(422, "GET", "/v1/concepts")
    problem = site.refused(422, "GET", "/v1/concepts", params={"q": "gout", "types": "Diseases"})
    assert "Chemical, Disease" in problem["expected"]
    assert "Did you mean 'Disease'?" in problem["detail"]


def test_a_type_that_is_never_found_is_refused_before_anything_is_done(site: Any) -> None:
    body = {"text": "A rare cause of gout.", "types": ["Disease", "Chemicla"]}
    batch = {"Content-Type": "application/x-ndjson"}
    for problem in (
        site.refused(422, "POST", "/v1/annotate", json=body),
        site.refused(422, "POST", "/v1/batch/annotate?types=Chemicla", content=b"", headers=batch),
    ):
        assert problem["detail"] == "Unknown type of mentions 'Chemicla'. Did you mean 'Chemical'?"
        assert problem["expected"] == "Choose from: Chemical, Disease."
        assert problem["fields"] == {"types": "unknown"}


def test_misspelt_fields_and_parameters_are_refused_with_the_nearest(site: Any) -> None:
    problem = site.refused(422, "POST", "/v1/annotate", json={"text": "gout", "typs": ["Disease"]})
    assert problem["detail"].startswith(
        "typs: There is no such field. Did you mean 'types'? There are: text,"
    )
    problem = site.refused(422, "POST", "/v1/link", json={"mentions": ["gout"]})
    assert problem["fields"] == {"mentions.0": "Input should be an object"}
    batch = {"Content-Type": "application/x-ndjson"}
    problem = site.refused(422, "POST", "/v1/batch/annotate?type=Disease", content=b"", headers=batch)
    assert problem["detail"] == "There is no parameter 'type'. Did you mean 'types'?"
    assert problem["expected"] == "There are: k, types."
    problem = site.refused(422, "POST", "/v1/link?k=3", json=LINK)
    assert problem["expected"] == "There are none here."
    problem = site.refused(422, "GET", "/v1/concepts?q=gout&types=Disease,Chemical")
    assert problem["next"] == "Give several one by one: types=A&types=B"


def test_types_are_those_of_the_recogniser_that_is_asked_for(make_site: Any) -> None:
    site = make_site(changes={"recogniser": "recogniser"})
    found = site.client.post("/v1/annotate", json={"text": "Allopurinol for gout.", "types": ["chemical"]})
    assert found.status_code == 200
    site.refused(422, "POST", "/v1/annotate", json={"text": "gout", "types": ["Phenomenon"]})


def test_a_page_of_another_site_cannot_reach_loopback_by_a_name_of_its_own(make_site: Any) -> None:
    site = make_site(hosts=frozenset({"127.0.0.1"}))
    problem = site.refused(400, "POST", "/v1/link", json=LINK, headers={"Host": "evil.example"})
    assert "127.0.0.1" in problem["expected"]
    assert site.client.post("/v1/link", json=LINK).status_code == 200
    assert (
        "access-control-allow-origin"
        not in site.client.get("/health", headers={"Origin": "http://a"}).headers
    )


def test_no_traceback_reaches_a_client(make_site: Any, monkeypatch: Any, caplog: Any) -> None:
    site = make_site()
    monkeypatch.setattr("linnet.serve.tasks.mention_record", lambda _: 1 / 0)
    problem = site.refused(500, "POST", "/v1/link", json=LINK)
    assert "log" in problem["detail"]
    assert "ZeroDivisionError" not in json.dumps(problem)
    assert "ZeroDivisionError" in caplog.text
    monkeypatch.setattr("linnet.serve.routes.concepts.ConceptReply.model_validate", lambda _: 1 / 0)
    problem = site.refused(500, "GET", "/v1/concepts/X:1")
    assert "ZeroDivisionError" not in json.dumps(problem)


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("std::bad_alloc")])
def test_where_memory_does_not_suffice_less_is_asked_for(
    make_site: Any, monkeypatch: Any, error: Exception
) -> None:
    def greedy(_: Any) -> Any:
        raise error

    site = make_site()
    monkeypatch.setattr("linnet.serve.tasks.mention_record", greedy)
    problem = site.refused(503, "POST", "/v1/link", json=LINK)
    assert (problem["code"], problem["next"]) == ("unavailable", "Send less at once.")


def test_what_takes_too_long_is_given_up(make_site: Any, monkeypatch: Any) -> None:
    going = threading.Event()
    site = make_site(timeout=0.2)
    monkeypatch.setattr("linnet.serve.tasks.mention_record", lambda _: going.wait(20))
    answer = site.client.post("/v1/link", json=LINK)
    going.set()
    assert (answer.status_code, answer.json()["code"]) == (504, "took_too_long")
    assert int(answer.headers["retry-after"]) > 0
    assert "0.2 seconds" in answer.json()["detail"]


def test_whoever_waits_for_a_disk_that_hangs_is_answered_in_time(make_site: Any, monkeypatch: Any) -> None:
    going, ended = threading.Event(), threading.Event()

    def hanging(*_: Any) -> Any:
        going.wait(20)
        ended.set()
        raise OSError

    site = make_site(timeout=0.2)
    monkeypatch.setattr("linnet.serve.routes.concepts.browsing.children", hanging)
    assert site.refused(504, "GET", "/v1/concepts/X:1")["code"] == "took_too_long"
    assert not ended.is_set()
    assert len(site.middleware._requests) == 0
    going.set()
    assert ended.wait(20)
    monkeypatch.undo()
    assert site.client.get("/v1/concepts/X:1").status_code == 200


@pytest.mark.parametrize(
    "body",
    [
        '{"mentions": [{"text": "gout", "text": "asthma"}]}',
        '{"mentions": [{"text": "gout"}], "k": 1, "k": 2}',
    ],
)
def test_a_key_that_occurs_twice_is_refused(site: Any, body: str) -> None:
    headers = {"Content-Type": "application/json"}
    problem = site.refused(400, "POST", "/v1/link", content=body, headers=headers)
    assert "occurs twice" in problem["detail"]
    batch = {"Content-Type": "application/x-ndjson"}
    lines = '{"text": "gout"}\n{"text": "gout", "text": "asthma"}\n'
    first, second = site.client.post("/v1/batch/link", content=lines, headers=batch).text.splitlines()
    assert json.loads(first)["concepts"] == ["X:1"]
    assert (
        json.loads(second)["problem"]["detail"]
        == "The line is not JSON: the key 'text' occurs twice in an object."
    )


@pytest.mark.parametrize("blank", ["", "  ", "\u00a0"])
def test_a_blank_mention_has_no_concept_and_does_not_keep_others_from_theirs(site: Any, blank: str) -> None:
    body = {"mentions": [{"text": "gout"}, {"text": blank}]}
    links = site.client.post("/v1/link", json=body).json()["links"]
    assert [link["concepts"] for link in links] == [["X:1"], []]
    batch = {"Content-Type": "application/x-ndjson"}
    [line] = site.client.post(
        "/v1/batch/link", content=json.dumps({"text": blank}), headers=batch
    ).text.splitlines()
    assert json.loads(line)["concepts"] == []


def test_one_key_does_not_take_all_there_is(make_site: Any, keys: Path) -> None:
    site = make_site(keys=keys, requests=4, requests_per_key=2)
    ada, bob = {"X-API-Key": KEY}, {"X-API-Key": "0123456789abcdef-second"}
    with site.running("ada"):
        assert site.client.post("/v1/link", json=LINK, headers=ada).status_code == 200
        with site.running("ada"):
            answer = site.client.post("/v1/link", json=LINK, headers=ada)
            assert (answer.status_code, answer.headers["retry-after"]) == (429, "1")
            assert "2 requests" in answer.json()["detail"]
            assert site.client.post("/v1/link", json=LINK, headers=bob).status_code == 200
    assert site.client.post("/v1/link", json=LINK, headers=ada).status_code == 200
    assert len(site.middleware._requests) == 0


@pytest.fixture
def keys(tmp_path: Path, monkeypatch: Any) -> Path:
    monkeypatch.setenv("LINNET_API_KEYS", "key-of-the-environment")
    file = tmp_path / "keys.txt"
    file.write_text(f"# ours\nada {KEY}\n\n0123456789abcdef-second # of bob\n")
    return file


def test_with_keys_only_who_has_one_is_answered(make_site: Any, keys: Path, caplog: Any, capfd: Any) -> None:
    site = make_site(keys=keys)
    for headers in ({}, {"X-API-Key": KEY + "x"}, {"Authorization": f"Basic {KEY}"}, {"X-API-Key": ""}):
        problem = site.refused(401, "POST", "/v1/link", json=LINK, headers=headers)
        assert "Authorization: Bearer" in problem["expected"]
        assert KEY not in json.dumps(problem)
    assert site.client.get("/v1/concepts/X:1").headers["www-authenticate"].startswith("Bearer")
    site.refused(401, "GET", "/metrics")
    for headers in (
        {"X-API-Key": KEY},
        {"Authorization": f"Bearer {KEY}"},
        {"authorization": "bearer 0123456789abcdef-second"},
        {"X-API-Key": "key-of-the-environment"},
    ):
        assert site.client.post("/v1/link", json=LINK, headers=headers).status_code == 200
    for path in ("/health", "/ready", "/docs", "/openapi.json"):
        assert site.client.get(path).status_code == 200
    said = capfd.readouterr()
    assert (
        KEY
        not in caplog.text
        + said.out
        + said.err
        + site.client.get("/metrics", headers={"X-API-Key": KEY}).text
    )


def test_what_is_wrong_with_the_store_is_told_to_who_has_a_key(make_site: Any, keys: Path) -> None:
    site = make_site(keys=keys)
    site.service.faults.note("store_missing", "/a/path is not there")
    faults = site.client.get("/ready").json()["faults"]
    assert [(one["code"], one["message"]) for one in faults] == [("store_missing", "")]
    faults = site.client.get("/ready", headers={"X-API-Key": KEY}).json()["faults"]
    assert faults[0]["message"] == "/a/path is not there"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no API key"),
        ("short", "at least 16"),
        (f"a b {KEY}", "3 words"),
        (f"{KEY}\n{KEY}", "duplicate"),
    ],
)
def test_a_file_of_keys_that_makes_no_sense_is_refused(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "keys.txt"
    file.write_text(text)
    with pytest.raises(DataError, match=said) as refused:
        Keys.read(file)
    assert KEY not in str(refused.value)
