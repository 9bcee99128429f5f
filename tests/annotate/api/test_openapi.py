"""The API's documentation describes each field and parameter."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from linnet.annotate.api.app import create_app
from linnet.annotate.api.schemas import described

_METHODS = {"get", "post", "put", "patch", "delete"}


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    """The OpenAPI document, as clients load it."""
    made: Any = create_app(SimpleNamespace()).openapi()  # type: ignore[arg-type]
    return dict(made)


def _operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            assert method in _METHODS
            yield f"{method} {path}", operation


def test_every_field_is_described(document: dict[str, Any]) -> None:
    fields = {
        f"{name}.{field}": schema.get("description", "")
        for name, model in document["components"]["schemas"].items()
        for field, schema in model.get("properties", {}).items()
    }
    assert len(fields) > 600
    assert [name for name, text in fields.items() if len(text) < 8] == []
    assert [name for name, text in fields.items() if "None" in text or "  " in text] == []


def test_every_operation_and_parameter_is_described(document: dict[str, Any]) -> None:
    for name, operation in _operations(document):
        assert operation["description"], name
        for parameter in operation.get("parameters", ()):
            assert parameter.get("description"), f"{name}: {parameter['name']}"


def test_every_number_in_a_path_has_its_bounds(document: dict[str, Any]) -> None:
    for name, operation in _operations(document):
        for parameter in operation.get("parameters", ()):
            if parameter["in"] == "path" and parameter["schema"].get("type") == "integer":
                assert parameter["schema"] | {"minimum": 1, "maximum": 2**31 - 1} == parameter["schema"], name


def test_no_bound_is_written_in_another_way(document: dict[str, Any]) -> None:
    def walk(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            yield from value
            for key, item in value.items():
                yield from () if key == "properties" else walk(item)
            for item in value.get("properties", {}).values():
                yield from walk(item)
        elif isinstance(value, list):
            for item in value:
                yield from walk(item)

    assert not {"ge", "gt", "le", "lt"} & set(walk(document))


@pytest.mark.parametrize(
    ("path", "kinds"),
    [
        ("/api/projects/{project}/export", {"application/octet-stream", "application/zip"}),
        ("/api/projects/{project}/backup", {"application/zip"}),
        ("/api/projects/{project}/models/{number}/files", {"application/zip"}),
        ("/api/projects/{project}/progress.csv", {"text/csv"}),
    ],
)
def test_downloads_have_content_types(document: dict[str, Any], path: str, kinds: set[str]) -> None:
    content = document["paths"][path]["get"]["responses"]["200"]["content"]
    assert content.keys() == kinds
    assert all(kind["schema"] == {"type": "string", "format": "binary"} for kind in content.values())


def test_every_answer_has_a_content_type(document: dict[str, Any]) -> None:
    for name, operation in _operations(document):
        for status, answer in operation["responses"].items():
            if status != "204":
                assert answer.get("content"), f"{name}: {status}"
                assert all(kind.get("schema") for kind in answer["content"].values()), f"{name}: {status}"


def test_every_line_of_the_file_is_used(document: dict[str, Any]) -> None:
    lines = Path(described.__file__).with_name("fields.tsv").read_text(encoding="utf-8").splitlines()
    names = [line.split("\t")[0] for line in lines]
    assert len(names) == len(set(names))
    parameters = {
        parameter["name"]
        for _, operation in _operations(document)
        for parameter in operation.get("parameters", ())
    }
    texts = {
        schema["description"]
        for model in document["components"]["schemas"].values()
        for schema in model.get("properties", {}).values()
    }
    for line in lines:
        name, text = line.split("\t")
        assert name[1:] in parameters if name.startswith("?") else text in texts, line
