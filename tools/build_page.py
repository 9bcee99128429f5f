"""Builds the pages of `linnet annotate` and `linnet map review` into every package: hatch runs this before it makes a wheel or a
source archive.

A package without them would look whole and then answer 503, so the build fails where one is missing or older than its source and
npm cannot build it. `pip install -e` needs no page: it installs a clone, where `make web` builds them.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_FAILURE = (
    "The page of `linnet annotate` {state}, and {reason}. Install Node.js 20 or newer with npm (https://nodejs.org) "
    "and build again, or install the clone without the page: pip install -e ."
)


PAGES = ("index.html", "mapping.html")


class PageHook(BuildHookInterface):
    """Makes sure that the page is there and is that of the source beside it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the page with npm unless it is up to date. version  'editable' or 'standard'"""
        source, built = Path(self.root, "web"), Path(self.root, "src/linnet/annotate/web")
        state = next(filter(None, (page_state(source, built / page) for page in PAGES)), "")
        if version == "editable" or not state:
            return
        npm = shutil.which("npm")
        if npm is None:
            raise SystemExit(_FAILURE.format(state=state, reason="npm is not installed"))
        for command in (["ci", "--no-audit", "--no-fund"], ["run", "--silent", "build"]):
            if subprocess.run([npm, *command], cwd=source, check=False).returncode:
                raise SystemExit(
                    _FAILURE.format(state=state, reason=f"`npm {command[0]}` failed in {source}")
                )


def page_state(source: Path, page: Path) -> str:
    """What is wrong with the built page, or an empty string."""
    if not page.is_file():
        return "has not been built"
    parts = [source / name for name in (*PAGES, "package-lock.json", "vite.config.ts")]
    parts += [path for folder in ("src", "public") for path in (source / folder).rglob("*") if path.is_file()]
    newest = max((path.stat().st_mtime for path in parts if path.is_file()), default=0.0)
    return "is older than its source" if newest > page.stat().st_mtime else ""
