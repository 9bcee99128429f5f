from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.advised import advises
from tests.annotate.conftest import Client

from linnet.advice import Step
from linnet.annotate import limits
from linnet.annotate.api import pages
from linnet.annotate.api.app import create_app
from linnet.annotate.public_url import public_origin
from linnet.errors import RequestError


def test_every_answer_carries_the_security_headers(quiet: Any) -> None:
    visitor = quiet.client()
    for path in ("/", "/api/status", "/api/projects", "/api/nothing", "/api/docs", "/api/openapi.json"):
        headers = visitor.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
    assert visitor.get("/api/status").headers["cache-control"] == "no-store"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:8765", "", "[::2]"])
def test_another_name_for_this_machine_is_refused(quiet: Any, host: str) -> None:
    assert quiet.client().get("/api/status", headers={"Host": host}).status_code == 400


@pytest.mark.parametrize("host", ["localhost:8765", "127.0.0.1", "[::1]:8765"])
def test_loopbacks_own_names_are_answered(quiet: Any, host: str) -> None:
    assert quiet.client().get("/api/status", headers={"Host": host}).status_code == 200


def test_a_request_that_is_too_large_is_refused_whether_it_says_so_or_not(
    ada: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = ada.refused(413, "POST", "projects", {"name": "x" * 2_000_000, "terminology": "small"})
    assert "MB" in problem["message"]
    answer = ada.post("/api/projects", content=(b" " * 100_000 for _ in range(30)))
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
    monkeypatch.setattr("linnet.annotate.api.middleware.REQUEST", 1000)
    answer = ada.post(f"/api/projects/{ada.project()}/documents", files={"files": ("a.txt", b"gout " * 1000)})
    assert answer.status_code == 413
    assert limits.REQUEST > 1000


def test_no_traceback_reaches_a_user(quiet: Any, monkeypatch: pytest.MonkeyPatch, caplog: Any) -> None:
    monkeypatch.setattr("linnet.annotate.api.routes.session.any_user", lambda _: 1 / 0)
    answer = TestClient(quiet.app, base_url="http://127.0.0.1", raise_server_exceptions=False).get(
        "/api/status"
    )
    assert (answer.status_code, answer.json()["code"]) == (500, "internal")
    assert "ZeroDivisionError" not in answer.text
    assert "ZeroDivisionError" in caplog.text


def test_html_in_a_text_comes_back_as_data(ada: Any) -> None:
    attack = "gout <script>alert('gout')</script>"
    view = ada.document(ada.project(name="<img src=x onerror=alert(1)>"), attack)
    assert view["text"] == attack
    assert ada.get(f"/api/documents/{view['id']}").headers["content-type"] == "application/json"


@pytest.mark.parametrize("attack", ["' OR 1=1 --", '"; DROP TABLE users; --', "%", "_", "\\", "X:1' --"])
def test_quotes_and_wildcards_are_only_characters(ada: Any, attack: str) -> None:
    project = ada.project()
    ada.upload(project, {"a.txt": "gout"})
    assert ada.ok("GET", f"projects/{project}/documents", params={"search": attack})["total"] == 0
    assert ada.ok("GET", f"projects/{project}/concepts", params={"q": attack})[
        "concepts"
    ] == [] or attack.startswith("X")
    ada.refused(404, "GET", f"projects/{project}/concept", params={"id": attack})
    assert ada.ok("GET", "status")["set_up"]


def test_a_checkout_without_the_page_says_how_to_build_it(
    quiet: Any, monkeypatch: Any, tmp_path: Any
) -> None:
    monkeypatch.setattr(pages, "WEB", tmp_path)
    answer = quiet.client().get("/")
    assert answer.status_code == 503
    assert "make web" in answer.text


def test_the_page_is_served_and_nothing_beside_it(quiet: Any, monkeypatch: Any, tmp_path: Any) -> None:
    web = tmp_path / "web"
    (web / "assets").mkdir(parents=True)
    (web / "index.html").write_text("<!doctype html>page")
    (web / "assets" / "a-1.js").write_text("1")
    (web / "mapping.html").write_text("secret of another server")
    (tmp_path / "secret.txt").write_text("secret")
    monkeypatch.setattr(pages, "WEB", web)
    visitor = quiet.client()
    assert visitor.get("/projects/3").text == "<!doctype html>page"
    assert visitor.get("/").headers["cache-control"] == "no-cache"
    assert "immutable" in visitor.get("/assets/a-1.js").headers["cache-control"]
    for path in (
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/assets/../../secret.txt",
        "/..%2fsecret.txt",
        "/no.js",
        "/mapping.html",
    ):
        assert "secret" not in visitor.get(path).text
    assert visitor.get("/api/nothing").json()["code"] == "not_found"


PUBLIC = "https://annotate.example.org"


def _behind(quiet: Any, **headers: str) -> Client:
    """A browser that reaches the tool through a proxy which sends these headers."""
    client = Client(create_app(quiet.state, public=PUBLIC))
    client.headers.update({"Origin": PUBLIC, **headers})
    return client


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "annotate.example.org", "X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.7"},
        {"Host": "127.0.0.1:8765"},  # what nginx sends where nobody tells it
        {"Host": "Annotate.Example.org"},
    ],
)
def test_behind_a_proxy_with_tls_people_sign_in_and_work(quiet: Any, headers: dict[str, str]) -> None:
    ada = _behind(quiet, **headers)
    answer = ada.post("/api/setup", json={"name": "ada", "password": "correct horse battery staple"})
    assert answer.status_code == 201, answer.text
    cookies = answer.headers.get_list("set-cookie")
    assert len(cookies) == 2
    assert all("secure" in cookie.lower() for cookie in cookies)
    ada.cookies = {cookie.split("=")[0]: cookie.split("=")[1].split(";")[0] for cookie in cookies}
    ada.headers["X-CSRF-Token"] = answer.json()["csrf"]
    assert ada.ok("POST", "projects", {"name": "a", "terminology": "small"})["name"] == "a"
    evil = {"Origin": "https://evil.example"}
    assert "evil.example" in ada.refused(403, "POST", "projects", {"name": "b"}, headers=evil)["message"]


def test_without_the_public_url_the_refusal_names_the_option(quiet: Any) -> None:
    client = quiet.client()
    body = {"name": "ada", "password": "correct horse battery staple"}
    for headers in ({"Host": "annotate.example.org"}, {"Origin": PUBLIC}):
        message = client.refused(400 if "Host" in headers else 403, "POST", "setup", body, headers=headers)[
            "message"
        ]
        assert f"--public-url {PUBLIC}" in message


def test_on_this_machine_the_tool_works_beside_its_proxy(quiet: Any) -> None:
    client = Client(create_app(quiet.state, public=PUBLIC))
    answer = client.post("/api/setup", json={"name": "ada", "password": "correct horse battery staple"})
    assert "secure" not in answer.headers["set-cookie"].lower()


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://Annotate.example.org/", "https://annotate.example.org"),
        ("https://a.example:443", "https://a.example"),
        ("https://a.example:8443", "https://a.example:8443"),
        ("http://[2001:db8::1]:80", "http://[2001:db8::1]"),
        ("https://müller.example", "https://xn--mller-kva.example"),
        ("", ""),
    ],
)
def test_a_public_url_is_compared_as_browsers_send_it(url: str, origin: str) -> None:
    assert public_origin(url) == origin


@pytest.mark.parametrize(
    "url",
    [
        "annotate.example.org",
        "ftp://a.example",
        "https://",
        "https://a.example/tool",
        "https://a@b",
        "https://a:x",
    ],
)
def test_a_public_url_that_is_none_is_refused_with_an_example(url: str) -> None:
    with pytest.raises(RequestError, check=advises(Step.GIVE_PUBLIC_URL)):
        public_origin(url)


def test_the_page_and_large_answers_are_sent_compressed(
    ada: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<html>")
    script = tmp_path / "assets" / "a.js"
    script.write_text("let gout = 1;\n" * 5000)
    monkeypatch.setattr(pages, "WEB", tmp_path)
    packed = ada.get("/assets/a.js", headers={"Accept-Encoding": "gzip, br"})
    plain = ada.get("/assets/a.js", headers={"Accept-Encoding": "identity"})
    assert packed.text == plain.text == script.read_text()
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.num_bytes_downloaded < len(script.read_bytes()) / 20
    assert "content-encoding" not in plain.headers
    for answer in (packed, plain):
        assert answer.headers["vary"] == "Accept-Encoding"
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    # The same tag would say that a part of the one can be joined to a part of the other.
    assert packed.headers["etag"] == "W/" + plain.headers["etag"]
    rest = {"Accept-Encoding": "gzip", "Range": "bytes=10-19", "If-Range": packed.headers["etag"]}
    assert ada.get("/assets/a.js", headers=rest).status_code == 200
    part = ada.get("/assets/a.js", headers=rest | {"If-Range": plain.headers["etag"]})
    assert (part.status_code, part.text) == (206, script.read_text()[10:20])
    assert "content-encoding" not in part.headers
    head = ada.head("/assets/a.js", headers={"Accept-Encoding": "gzip"})
    assert (head.status_code, head.content) == (200, b"")

    view = ada.document(ada.project(), "Gout and asthma. " * 200)
    answer = ada.get(f"/api/documents/{view['id']}")
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.num_bytes_downloaded < len(answer.content) / 10


def test_archives_and_short_answers_with_secrets_are_not_compressed(ada: Any) -> None:
    project = ada.project()
    ada.document(project, "Gout and asthma. " * 200)
    for path in (f"projects/{project}/backup", f"projects/{project}/export?format=brat"):
        answer = ada.get(f"/api/{path}")
        assert "content-encoding" not in answer.headers
        assert answer.headers["content-type"] == "application/zip"
        assert int(answer.headers["content-length"]) == len(answer.content)
    assert "content-encoding" not in ada.get("/api/session").headers
