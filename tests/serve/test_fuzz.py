"""The service against its own OpenAPI document: whatever is sent, the answer is one that it speaks of."""

from __future__ import annotations

from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


@schemathesis.serializer("application/x-ndjson")
def _lines(context: Any, value: Any) -> bytes:
    """Lines as they are made up: a batch is a string."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


def test_whatever_is_sent_the_answer_is_as_described(make_site: Any) -> None:
    site = make_site(mentions=50)

    async def begun(scope: Any, receive: Any, send: Any) -> None:
        """The application without its lifespan, which it has already."""
        if scope["type"] == "lifespan":
            while (await receive())["type"] != "lifespan.shutdown":
                await send({"type": "lifespan.startup.complete"})
            await send({"type": "lifespan.shutdown.complete"})
        else:
            await site.middleware(scope, receive, send)

    schema = schemathesis.openapi.from_asgi("/openapi.json", begun, headers={"Host": "127.0.0.1"})
    asked = []
    for result in schema.get_all_operations():
        operation = result.ok()
        _fuzz(operation)
        asked.append(operation.path)
    assert site.client.get("/ready").json()["status"] == "ok"
    assert len(asked) == 16, asked


def _fuzz(operation: Any) -> None:
    @given(case=operation.as_strategy())
    @settings(
        max_examples=25,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def run(case: Any) -> None:
        response = case.call(
            headers={"Host": "127.0.0.1"}, timeout=120
        )  # seconds: a busy machine is no error
        case.validate_response(response, checks=CHECKS)

    run()
