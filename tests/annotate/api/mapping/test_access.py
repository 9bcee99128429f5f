"""Only the page on this machine changes a mapping."""

from __future__ import annotations

from typing import Any

import pytest
from tests.mapping.conftest import GOUT

from linnet.mapping import Mapping

CHANGES = {
    "/rows/1/decision": {"concepts": [GOUT]},
    "/rows/1/undo": {"entry": 1},
    "/approve": {"above": 0},
    "/approve/undo": {"after": 0, "until": 9},
}


@pytest.mark.parametrize("path", CHANGES)
@pytest.mark.parametrize("header", [None, "", "annotate"])
def test_a_change_without_the_header_is_refused(
    page: Any, mapping: Mapping, path: str, header: str | None
) -> None:
    del page.headers["X-Linnet"]
    given = {} if header is None else {"X-Linnet": header}
    answer = page.post(f"/api/mapping{path}", json=CHANGES[path], headers=given)
    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
    assert mapping.store.log() == []


def test_every_change_is_tried_above(page: Any) -> None:
    paths = page.get("/api/openapi.json").json()["paths"]
    changes = {path for path, methods in paths.items() if methods.keys() - {"get"}}
    assert changes == {f"/api/mapping{path.replace('/1/', '/{number}/')}" for path in CHANGES}


def test_another_site_may_not_ask_for_the_header(page: Any) -> None:
    asked = {
        "Origin": "http://example.org",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "x-linnet",
    }
    answer = page.options("/api/mapping/rows/1/decision", headers=asked)
    assert answer.status_code == 405
    assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize("host", ["example.org", "linnet.example.org:8768", "192.168.0.7:8768"])
def test_another_host_name_is_refused(page: Any, host: str) -> None:
    answer = page.get("/api/mapping", headers={"Host": host})
    assert answer.status_code == 400
    assert "on the machine that it is on" in answer.json()["message"]


def test_answers_have_the_headers_that_protect_them(page: Any) -> None:
    headers = page.get("/api/mapping/rows").headers
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["cache-control"] == "no-store"
    assert "default-src 'none'" in headers["content-security-policy"]
