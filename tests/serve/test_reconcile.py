"""OpenRefine can reconcile against the service: every answer fits the schemas of the reconciliation API 0.2."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT7

from linnet.serve.reconciliation import PROPERTIES

needs_data = pytest.mark.skipif(not os.environ.get("LINNET_DATA"), reason="needs LINNET_DATA")


@pytest.fixture(scope="session")
def valid() -> Callable[[str, Any], None]:
    """A function of a schema's name and an answer, which checks it."""
    folder = Path(os.environ["LINNET_DATA"]) / "reconciliation-0.2/schemas"
    schemas = {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in folder.glob("*.json")}
    resources = [
        (schema["$id"], Resource.from_contents(schema, default_specification=DRAFT7))
        for schema in schemas.values()
        if "$id" in schema
    ]
    # The form of an authentication is described elsewhere, and linnet has none in its manifest.
    elsewhere = {"definitions": {"securityDefinitions": {"additionalProperties": {}}}}
    swagger = Resource.from_contents(elsewhere, default_specification=DRAFT7)
    registry = Registry().with_resources([*resources, ("http://swagger.io/v2/schema.json", swagger)])
    return lambda name, answer: Draft7Validator(schemas[name], registry=registry).validate(answer)


def ask(site: Any, batch: Any, **form: str) -> dict[str, Any]:
    answer = site.client.post("/reconcile", data={"queries": json.dumps(batch), **form})
    assert answer.status_code == 200, answer.text
    reply: dict[str, Any] = answer.json()
    return reply


@pytest.mark.data
@needs_data
def test_every_answer_fits_its_schema(site: Any, valid: Callable[[str, Any], None]) -> None:
    get = lambda path: site.client.get(f"/reconcile{path}").json()  # noqa: E731
    valid("manifest", get(""))
    batch = {"q0": {"query": "gout"}, "q1": {"query": "breast and ovarian cancer"}, "q2": {"query": "quoxly"}}
    valid("reconciliation-query-batch", batch)
    valid("reconciliation-result-batch", ask(site, batch))
    valid("suggest-entities-response", get("/suggest/entity?prefix=gou"))
    valid("suggest-types-response", get("/suggest/type?prefix=dis"))
    valid("suggest-properties-response", get("/suggest/property?prefix=syn"))
    valid("data-extension-property-proposal", get("/properties?type=Disease&limit=3"))
    wanted = {"ids": ["X:1", "X:99"], "properties": [{"id": name} for name in PROPERTIES]}
    valid("data-extension-query", wanted)
    answer = site.client.post("/reconcile", data={"extend": json.dumps(wanted)}).json()
    valid("data-extension-response", answer)
    assert answer["rows"]["X:1"]["parents"] == [{"id": "X:0", "name": "Disease"}]
    assert answer["rows"]["X:99"]["name"] == [{}]


@pytest.mark.data
@needs_data
def test_batches_that_the_specification_calls_valid_are_answered(site: Any) -> None:
    folder = Path(os.environ["LINNET_DATA"]) / "reconciliation-0.2/examples/reconciliation-query-batch"
    for file in sorted((folder / "valid").glob("*.json")):
        batch = json.loads(file.read_text(encoding="utf-8"))
        assert ask(site, batch).keys() == batch.keys(), file.name
    for file in sorted((folder / "invalid").glob("*.json")):
        site.refused(422, "POST", "/reconcile", data={"queries": file.read_text(encoding="utf-8")})


def test_candidates_are_those_of_the_linker_and_the_first_is_its_answer(site: Any) -> None:
    found = ask(site, {"a": {"query": "gouty arthritis", "limit": 2}, "b": {"query": "asthma"}})
    assert next(each["id"] for each in found["a"]["result"]) == "X:1"
    assert len(found["a"]["result"]) <= 2
    assert found["b"]["result"][0] | {"score": 0, "match": 0} == {
        "id": "X:2", "name": "Asthma", "description": "Narrow airways.", "type": [{"id": "Disease", "name": "Disease"}],
        "score": 0, "match": 0,
    }  # fmt: skip
    scores = [each["score"] for each in found["b"]["result"]]
    assert scores == sorted(scores, reverse=True)


def test_a_name_that_is_surely_right_matches_and_several_names_do_not() -> None:
    from linnet.serve.reconciliation import candidates
    from linnet.serve.snapshot import Snapshot

    class Terminology:
        def resolve(self, id: str) -> tuple[str, ...]:
            return (id,)

        def row(self, id: str) -> int:
            return 0

        def concept(self, row: int) -> Any:
            from linnet.types import Concept

            return Concept("X:1", "Gout")

    snapshot: Snapshot = type("S", (), {"terminologies": [Terminology()]})()  # type: ignore[assignment]
    answer = {"text": "podagra", "concepts": ["X:1"], "name": "Gout", "probability": 0.97, "candidates": []}
    assert candidates(snapshot, answer, types=(), limit=5)[0] | {} == {
        "id": "X:1", "name": "Gout", "type": [], "score": 97.0, "match": True,
    }  # fmt: skip
    assert not candidates(snapshot, answer | {"probability": 0.9}, types=(), limit=5)[0]["match"]
    family = answer | {"text": "family history of gout"}
    assert not candidates(snapshot, family, types=(), limit=5)[0]["match"]
    two = answer | {"concepts": ["X:1", "X:2"], "parts": [answer, answer | {"concepts": ["X:2"]}]}
    assert [each["match"] for each in candidates(snapshot, two, types=(), limit=5)] == [False, False]


def test_types_restrict_the_candidates(site: Any) -> None:
    found = ask(
        site,
        {
            "a": {"query": "allopurinol", "type": "Disease"},
            "b": {"query": "allopurinol", "type": ["chemical"]},
        },
    )
    assert "X:7" not in [each["id"] for each in found["a"]["result"]]
    assert found["b"]["result"][0]["id"] == "X:7"


def test_by_get_as_by_post(site: Any) -> None:
    batch = {"q": {"query": "gout"}}
    answer = site.client.get("/reconcile", params={"queries": json.dumps(batch)})
    assert answer.json() == ask(site, batch)
    assert answer.headers["access-control-allow-origin"] == "*"


def test_the_preview_shows_a_concept_and_runs_nothing(site: Any) -> None:
    answer = site.client.get("/reconcile/preview", params={"id": "X:1"})
    assert "Crystals of urate in joints." in answer.text
    assert "script" not in answer.text
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    site.refused(404, "GET", "/reconcile/preview?id=X:99")


@pytest.mark.parametrize(
    ("status", "form"),
    [
        (400, {"queries": "{"}),
        (422, {"queries": "[]"}),
        (422, {"queries": '{"q": {}}'}),
        (422, {"queries": '{"q": {"query": "gout", "limit": 0}}'}),
        (422, {"queries": json.dumps({"q": {"query": "x" * 1001}})}),
        (413, {"queries": json.dumps({str(n): {"query": "gout"} for n in range(2000)})}),
        (422, {"extend": '{"ids": 1, "properties": []}'}),
        (422, {"other": "1"}),
    ],
)
def test_what_cannot_be_answered_is_refused(site: Any, status: int, form: dict[str, str]) -> None:
    site.refused(status, "POST", "/reconcile", data=form)


def test_an_empty_batch_has_no_answers(site: Any) -> None:
    assert ask(site, {}) == {}
