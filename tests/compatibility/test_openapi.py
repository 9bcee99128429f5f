"""What `openapi.json` promises of both services, as other programs were written against it.

    PYTHONPATH=src:. python tests/compatibility/test_openapi.py

freezes it anew after an addition; whatever else changes breaks somebody's client and belongs in CHANGELOG.md.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

pytest.importorskip("fastapi", reason="needs the annotate extra")
pytest.importorskip("prometheus_client", reason="needs the serve extra")

from fastapi import FastAPI
from tests.compatibility.answers import FIXTURES


def _annotate() -> FastAPI:
    from linnet.annotate.api.app import create_app

    return create_app(cast(Any, SimpleNamespace()))


def _serve() -> FastAPI:
    from tests.serve.conftest import build

    from linnet.link.linker_config import LinkerConfig
    from linnet.serve.app import create_app
    from linnet.serve.settings import Settings

    with tempfile.TemporaryDirectory() as folder:
        terminology = build(Path(folder) / "small")
        opening = LinkerConfig(terminologies=(str(terminology),))
        _, middleware = create_app(Settings(opening=opening, threads=1))
        return cast(FastAPI, middleware._app)


SERVICES: dict[str, Callable[[], FastAPI]] = {"annotate": _annotate, "serve": _serve}


def promised(service: str) -> list[str]:
    """A line for each operation and each schema of the document, without linnet's version. Enumerations stand where they are referred
    to: their names are those of classes."""
    document = json.loads(json.dumps(SERVICES[service]().openapi()))
    del document["info"]["version"]
    schemas = document["components"]["schemas"]
    enumerations = {
        f"#/components/schemas/{name}": {
            key: value for key, value in schemas.pop(name).items() if key != "title"
        }
        for name in [name for name, schema in schemas.items() if "enum" in schema]
    }
    document = _inlined(document, enumerations)
    parts = {
        f"{method} {path}": operation
        for path, methods in document.pop("paths").items()
        for method, operation in methods.items()
    }
    parts |= document["components"].pop("schemas")
    return [
        f"{name}\t{json.dumps(part, ensure_ascii=False, sort_keys=True)}"
        for name, part in [("document", document), *sorted(parts.items())]
    ]


def _inlined(value: Any, schemas: dict[str, Any]) -> Any:
    """The value with these schemas instead of references to them."""
    if isinstance(value, list):
        return [_inlined(item, schemas) for item in value]
    if not isinstance(value, dict):
        return value
    if (schema := schemas.get(value.get("$ref", ""))) is not None:
        return schema | {key: item for key, item in value.items() if key != "$ref"}
    return {key: _inlined(item, schemas) for key, item in value.items()}


def _frozen(service: str) -> Path:
    return FIXTURES / f"openapi-{service}.tsv"


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_promises_what_it_did(service: str) -> None:
    assert promised(service) == _frozen(service).read_text(encoding="utf-8").splitlines()


if __name__ == "__main__":
    for name in SERVICES:
        _frozen(name).write_text("\n".join(promised(name)) + "\n", encoding="utf-8")
