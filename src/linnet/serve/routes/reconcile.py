"""The reconciliation API 0.2, for OpenRefine: manifest, queries, suggestions, preview, extension."""

from __future__ import annotations

import json
from typing import Annotated, Any
from urllib.parse import parse_qs

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, Response
from pydantic import BaseModel, ConfigDict, Field, model_validator

from linnet.http.refusals import Invalid, Malformed, NotFound, TooLarge
from linnet.io.json import loads
from linnet.serve import reconciliation
from linnet.serve.dependencies import CurrentSnapshot, Flow, Service, TheService, check_parameters
from linnet.serve.json_route import json_response
from linnet.serve.request_models import MentionIn
from linnet.serve.routes.concepts import matches
from linnet.serve.snapshot import Snapshot
from linnet.serve.tasks import LinkTask

__all__ = ["router"]

router = APIRouter(prefix="/reconcile", tags=["reconciliation"])
_USUAL = 10  # candidates of a query that names no limit
_WITH_TYPES = 50  # candidates among which those of a type are chosen
_SUGGESTED = 20
_FORM = {
    "content": {
        "application/x-www-form-urlencoded": {
            "schema": {
                "type": "object",
                "properties": {"queries": {"type": "string"}, "extend": {"type": "string"}},
            }
        }
    }
}
_Types = Annotated[list[str], Field(max_length=100)]


class _Property(BaseModel):
    """A property of a query, which linnet does not use, or one to fetch."""

    model_config = ConfigDict(extra="ignore")
    id: str = ""


class _Query(BaseModel):
    """A query of a batch. Columns given as properties are accepted and not used: alone, they have no answer."""

    model_config = ConfigDict(extra="forbid")
    query: str = Field(default="", max_length=1000)
    type: str | _Types = []
    limit: int = Field(default=_USUAL, ge=1, le=1000)
    properties: list[Any] = []
    type_strict: str = "any"

    @model_validator(mode="after")
    def _asks(self) -> _Query:
        if "query" not in self.model_fields_set and not self.properties:
            raise ValueError("needs 'query'")
        return self


class _Extension(BaseModel):
    ids: list[str] = Field(max_length=1000)
    properties: list[_Property] = Field(max_length=100)


@router.get("", summary="The manifest, or the answers to ?queries= or ?extend=")
async def ask(
    request: Request,
    service: TheService,
    snapshot: CurrentSnapshot,
    flow: Flow,
    queries: Annotated[str | None, Query(description="A batch of queries, as JSON.")] = None,
    extend: Annotated[str | None, Query(description="Concepts and properties to fetch, as JSON.")] = None,
) -> Response:
    """What the service can do; a batch of queries: key → {"query", "type", "limit"}; or properties of concepts."""
    await check_parameters(request)
    return await _answer(request, service, snapshot, flow, queries, extend)


@router.post("", summary="As GET, in a form", openapi_extra={"requestBody": _FORM})
async def post(request: Request, service: TheService, snapshot: CurrentSnapshot, flow: Flow) -> Response:
    """As GET, with `queries` or `extend` in an `application/x-www-form-urlencoded` body, as OpenRefine sends it."""
    try:
        form = parse_qs((await request.body()).decode(), max_num_fields=10)
    except ValueError:
        raise Malformed("The body is not a form.", expected="Expected queries=JSON or extend=JSON.") from None
    queries, extend = (form.get(name, [None])[0] for name in ("queries", "extend"))
    if queries is None and extend is None:
        raise Invalid(
            "The form has neither 'queries' nor 'extend'.",
            expected="Expected one of them, as JSON.",
            next_step='Send a form with queries={"q0": {"query": "gout"}}.',
            fields={"queries": "missing"},
        )
    return await _answer(request, service, snapshot, flow, queries, extend)


@router.get("/suggest/entity", dependencies=[Depends(check_parameters)])
def suggest_entity(
    snapshot: CurrentSnapshot,
    prefix: Annotated[str, Query(max_length=100)],
    cursor: Annotated[int, Query(ge=0, le=1000)] = 0,
) -> Response:
    """Concepts by words, beginnings of words, or an id."""
    found = [
        (terminology, hit.concept) for terminology, hit in matches(snapshot, prefix, cursor + _SUGGESTED)
    ]
    return _open({"result": reconciliation.suggested_entities(found[cursor:])})


@router.get("/suggest/type", dependencies=[Depends(check_parameters)])
def suggest_type(
    snapshot: CurrentSnapshot,
    prefix: Annotated[str, Query(max_length=100)],
    cursor: Annotated[int, Query(ge=0, le=1000)] = 0,
) -> Response:
    """Types of concepts by their beginning."""
    found = reconciliation.suggested_types(snapshot, prefix, cursor + _SUGGESTED)
    return _open({"result": found[cursor:]})


@router.get("/suggest/property", dependencies=[Depends(check_parameters)])
async def suggest_property(
    prefix: Annotated[str, Query(max_length=100)], cursor: Annotated[int, Query(ge=0, le=1000)] = 0
) -> Response:
    """Properties that can be fetched, by their beginning."""
    start = prefix.casefold()
    found = [
        each
        for each in _properties()
        if each["name"].casefold().startswith(start) or each["id"].startswith(start)
    ]
    return _open({"result": found[cursor:]})


@router.get("/properties", dependencies=[Depends(check_parameters)])
async def properties(
    type: Annotated[str, Query(max_length=500)] = "", limit: Annotated[int, Query(ge=1, le=1000)] = 100
) -> Response:
    """Properties that can be fetched of concepts of any type."""
    return _open({"type": type, "limit": limit, "properties": _properties()[:limit]})


@router.get("/preview", response_class=HTMLResponse, dependencies=[Depends(check_parameters)])
def preview(snapshot: CurrentSnapshot, id: Annotated[str, Query(max_length=500)]) -> Response:
    """A small page about a concept."""
    page = reconciliation.preview(snapshot, id)
    if page is None:
        raise NotFound(
            f"There is no concept '{id[:200]}'.", next_step="Search for its name: /v1/concepts?q=NAME"
        )
    return HTMLResponse(
        page, headers={"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}
    )


async def _answer(
    request: Request, service: Service, snapshot: Snapshot, flow: str, queries: str | None, extend: str | None
) -> Response:
    if extend is not None:
        wanted = _Extension.model_validate(_loaded(extend, "extend"))
        return _open(reconciliation.extension(snapshot, wanted.ids, [each.id for each in wanted.properties]))
    if queries is not None:
        return _open(await _linked(service, snapshot, flow, _loaded(queries, "queries")))
    return _open(reconciliation.manifest(snapshot, str(request.base_url).rstrip("/")))


async def _linked(service: Service, snapshot: Snapshot, flow: str, batch: dict[str, Any]) -> dict[str, Any]:
    """The candidates of each query, by its key."""
    if len(batch) > service.limits.mentions:
        raise TooLarge(
            f"The batch has {len(batch):,} queries.",
            expected=f"Expected at most {service.limits.mentions:,}.",
            next_step="Send them in parts.",
        )
    queries = {key: _Query.model_validate(value) for key, value in batch.items()}
    if not queries:
        return {}
    wanted = max(max(each.limit, _WITH_TYPES if each.type else 0) for each in queries.values())
    mentions = [MentionIn(text=each.query) for each in queries.values()]
    task = LinkTask(mentions, min(wanted, service.limits.candidates))
    answers = (await service.scheduler.run(task, snapshot, flow=flow)).answers
    results = {}
    for (key, query), answer in zip(queries.items(), answers, strict=True):
        types = [query.type] if isinstance(query.type, str) else query.type
        found = reconciliation.candidates(snapshot, answer, types=types, limit=query.limit)
        results[key] = {"result": found}
    return results


def _loaded(text: str, name: str) -> dict[str, Any]:
    try:
        value = loads(text)
    except (ValueError, RecursionError) as error:
        what = error.msg if isinstance(error, json.JSONDecodeError) else "it cannot be read"
        raise Malformed(f"'{name}' is not JSON: {what}.", next_step="Correct it and send it again.") from None
    if not isinstance(value, dict):
        raise Invalid(
            f"'{name}' is no JSON object.",
            expected='Expected {"q0": {"query": "…"}}.',
            fields={name: "no object"},
        )
    return value


def _properties() -> list[dict[str, str]]:
    return [{"id": id, "name": name} for id, name in reconciliation.PROPERTIES.items()]


def _open(value: object) -> Response:
    """The answer, which pages of other origins may read, as the specification asks."""
    response = json_response(value)
    response.headers["Access-Control-Allow-Origin"] = "*"
    return response
