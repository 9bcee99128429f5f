"""Serves the assets of a page; if they are missing, says how to build them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from fastapi import FastAPI
from fastapi.responses import FileResponse, HTMLResponse, Response
from starlette.exceptions import HTTPException

from linnet.errors import RequestError
from linnet.extras import clone

__all__ = ["ANNOTATE", "MAPPING", "WEB", "BuiltPage", "check", "install"]

WEB = Path(__file__).resolve().parents[1] / "web"
_MISSING = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>linnet</title></head><body>
<h1>The page has not been built</h1>
<p>This is a source checkout without the page's assets. Run <code>make web</code> in it, then load this page again.</p>
<p>The REST API works without it: <a href="/api/docs">/api/docs</a>.</p></body></html>"""


class BuiltPage(NamedTuple):
    """A page by the name of its file, and the command that serves it."""

    file: str
    command: str


ANNOTATE = BuiltPage("index.html", "linnet annotate")
MAPPING = BuiltPage("mapping.html", "linnet map review")


def check(page: BuiltPage = ANNOTATE) -> None:
    """Raise RequestError if the page or an asset that it loads is missing."""
    index = WEB / page.file
    missing = [index] if not index.is_file() else _missing_assets(index)
    if not missing:
        return
    folder = clone()
    if folder is None:
        advice = "In a clone of linnet, run: make wheel. Then install the wheel from its dist/ here."
    else:
        place = "" if folder == Path.cwd() else f"-C {folder} "
        advice = f"Run: make {place}web (it needs Node.js 20 or newer), then {page.command} again."
    raise RequestError(f"The page of {page.command} has not been built: {missing[0]} is missing. {advice}")


def _missing_assets(index: Path) -> list[Path]:
    names = re.findall(r'(?:src|href)="/([^"]+)"', index.read_text(encoding="utf-8"))
    return [WEB / name for name in names if not (WEB / name).is_file()]


def install(app: FastAPI, page: BuiltPage = ANNOTATE) -> None:
    """Serve the assets, and the page at every other path outside /api: it routes those itself."""

    @app.api_route("/{path:path}", methods=["GET", "HEAD"], include_in_schema=False)
    def answer(path: str) -> Response:
        if path == "api" or path.startswith("api/"):
            raise HTTPException(404, "No such address")
        index = WEB / page.file
        if not index.is_file():
            return HTMLResponse(_MISSING, status_code=503)
        file = (WEB / path).resolve() if "\x00" not in path else index
        is_other_page = file.suffix == ".html" and file != index
        if path and file.is_relative_to(WEB) and file.is_file() and not is_other_page:
            # The names of built assets contain their hash.
            caching = "public, max-age=31536000, immutable" if path.startswith("assets/") else "no-cache"
            return FileResponse(file, headers={"Cache-Control": caching})
        if "." in path.rpartition("/")[2]:
            raise HTTPException(404, "No such file")
        return FileResponse(index, headers={"Cache-Control": "no-cache"})
