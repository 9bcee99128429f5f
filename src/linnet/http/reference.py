"""The API reference as a plain page: no script, nothing loaded from elsewhere."""

from __future__ import annotations

import posixpath
import re
from html import escape
from typing import Any

from fastapi import FastAPI
from fastapi.responses import HTMLResponse, PlainTextResponse

__all__ = ["reference"]

_STYLE = """:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
code{font-size:.95em}section{border-top:1px solid #8888;padding:.5rem 0}table{border-collapse:collapse;display:block;overflow-x:auto}
td,th{text-align:left;vertical-align:top;padding:.1rem 1rem .1rem 0}b{font-family:monospace}"""


def reference(app: FastAPI, *, at: str) -> None:
    """Add the page, made from the OpenAPI document, at a path such as "/docs"."""

    # Relative to the page: a proxy may show it under another path.
    here = posixpath.dirname(at)
    document_url = posixpath.relpath(str(app.openapi_url), here)
    style_url = posixpath.relpath(f"{at}.css", here)

    @app.get(at, include_in_schema=False)
    def docs() -> HTMLResponse:
        return HTMLResponse(_page(app.openapi(), style=style_url, document_url=document_url))

    @app.get(f"{at}.css", include_in_schema=False)
    def style() -> PlainTextResponse:
        return PlainTextResponse(_STYLE, media_type="text/css")


def _page(document: dict[str, Any], *, style: str, document_url: str) -> str:
    info = document["info"]
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
        f'<title>{escape(info["title"])}</title><link rel="stylesheet" href="{style}"></head><body>',
        f"<h1>{escape(info['title'])} {escape(info['version'])}</h1><p>{_prose(info['description'])}</p>",
        f'<p>For programs: <a href="{document_url}">openapi.json</a>.</p>',
    ]
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            parts.append(_operation(method, path, operation))
    parts.append("<h2>Bodies and answers</h2>")
    for name, schema in sorted(document.get("components", {}).get("schemas", {}).items()):
        parts.append(_schema(name, schema))
    return "".join([*parts, "</body></html>"])


def _operation(method: str, path: str, operation: dict[str, Any]) -> str:
    rows = [
        f"<tr><td><b>{escape(parameter['name'])}</b></td><td>{parameter['in']}</td><td>{_type(parameter.get('schema', {}))}</td>"
        f"<td>{_prose(parameter.get('description', ''))}</td></tr>"
        for parameter in operation.get("parameters", ())
        if parameter["in"] != "cookie"
    ]
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        rows.append(
            f"<tr><td>body</td><td>{escape(kind)}</td><td>{_type(content.get('schema', {}))}</td><td></td></tr>"
        )
    for status, answer in operation.get("responses", {}).items():
        if status.startswith("2"):
            for content in answer.get("content", {}).values():
                rows.append(
                    f"<tr><td>{status}</td><td>answer</td><td>{_type(content.get('schema', {}))}</td><td></td></tr>"
                )
    return (
        f"<section><h2><code>{method.upper()} {escape(path)}</code></h2>"
        f"<p>{_prose(operation.get('description', operation.get('summary', '')))}</p><table>{''.join(rows)}</table></section>"
    )


def _schema(name: str, schema: dict[str, Any]) -> str:
    rows = [
        f"<tr><td><b>{escape(field)}</b></td><td>{_type(field_schema)}</td></tr>"
        for field, field_schema in schema.get("properties", {}).items()
    ]
    if "enum" in schema:
        rows.append(f"<tr><td colspan=2>{escape(' | '.join(map(str, schema['enum'])))}</td></tr>")
    description = _prose(schema.get("description", "")).replace("\n\n", "<br>").replace("\n", "<br>")
    return f'<section id="{escape(name)}"><h3>{escape(name)}</h3><p>{description}</p><table>{"".join(rows)}</table></section>'


def _prose(text: str) -> str:
    """A docstring as HTML, with code for what is between backticks."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(text))


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        name = escape(schema["$ref"].rpartition("/")[2])
        return f'<a href="#{name}">{name}</a>'
    if "anyOf" in schema:
        return " or ".join(_type(choice) for choice in schema["anyOf"])
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    kind = str(schema.get("const", schema.get("type", "anything")))
    limits = [
        f"{name} {schema[name]}"
        for name in ("minimum", "maximum", "minLength", "maxLength")
        if name in schema
    ]
    return escape(kind + (f" ({', '.join(limits)})" if limits else ""))
