"""Tries an installed wheel as a user would: `VENV/bin/python -I tools/check_wheel.py`, VENV holding nothing but the wheel.

Runs `linnet demo`, asks `linnet annotate` and `linnet map review` for their pages and all that these load, and `linnet serve` for a
link. Exits with 1 and the reason where one of them fails. `make test-wheel` makes the wheel and the environment.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer

_LINNET = Path(sys.executable).parent / "linnet"
_CONCEPT = "MESH:D001260"  # ataxia telangiectasia, in the packaged abstract and terminology
_START = 60  # seconds a busy machine may take


def main() -> None:
    """Exit with 0 where all of it works."""
    import linnet

    if "site-packages" not in str(linnet.__file__):
        sys.exit(f"This checks an installed wheel, and linnet is {linnet.__file__}.")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        check_demo(folder)
        check_annotate(folder)
        check_review(folder)
        check_serve(folder)
    sys.stdout.write("linnet demo, annotate, map review and serve work from the wheel.\n")


def check_demo(folder: Path) -> None:
    """`linnet demo` links the packaged abstract with the packaged weights."""
    done = subprocess.run(
        [_LINNET, "demo"], env=environment(folder), capture_output=True, text=True, check=False
    )
    if done.returncode or _CONCEPT not in done.stdout:
        sys.exit(f"linnet demo failed with {done.returncode}:\n{done.stdout}{done.stderr}")


def check_annotate(folder: Path) -> None:
    """`linnet annotate` serves the page, and each file that the page names."""
    with server(folder, "annotate", "--data", str(folder / "data"), "--no-browser") as address:
        check_page(address)


def check_review(folder: Path) -> None:
    """`linnet map review` serves the page of a mapping, and each file that the page names."""
    table, mapping = folder / "codes.csv", folder / "codes.map"
    table.write_text("label\ngout\n", encoding="utf-8")
    command = [_LINNET, "map", "new", table, "--column", "label", "-t", "starter", "-o", mapping]
    done = subprocess.run(command, env=environment(folder), capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"linnet map new failed with {done.returncode}:\n{done.stdout}{done.stderr}")
    with server(folder, "map", "review", str(mapping), "--no-browser") as address:
        check_page(address)
        rows = json.loads(fetch(f"{address}/api/mapping/rows"))["rows"]
        if [row["text"] for row in rows] != ["gout"]:
            sys.exit(f"linnet map review answers {rows}")


def check_page(address: str) -> None:
    """The page at an address has a script, and what it loads is there."""
    page = fetch(address).decode()
    loads = re.findall(r'(?:src|href)="(/[^"]+)"', page)
    if not any(path.endswith(".js") for path in loads):
        sys.exit(f"{address} serves a page without a script:\n{page}")
    for path in loads:
        fetch(address + path)


def check_serve(folder: Path) -> None:
    """`linnet serve` links against the terminology that `linnet demo` compiled."""
    with server(folder, "serve", "--terminology", str(folder / "linnet" / "starter")) as address:
        body = json.dumps({"mentions": [{"id": "m", "text": "ataxia-telangiectasia"}]}).encode()
        answer = json.loads(fetch(f"{address}/v1/link", body))
        if answer["links"][0]["concepts"] != [_CONCEPT]:
            sys.exit(f"linnet serve answers {answer}")


def environment(folder: Path) -> dict[str, str]:
    """Nothing of this machine's checkouts and caches."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LINNET"))}
    return {**kept, "XDG_CACHE_HOME": str(folder)}


@contextmanager
def server(folder: Path, *command: str) -> Iterator[str]:
    """The address that a server announces; it is stopped in the end."""
    process = subprocess.Popen(
        [_LINNET, *command, "--port", "0"], env=environment(folder), stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    late = Timer(_START, process.kill)
    late.start()
    try:
        heard = ""
        while (place := re.search(r"http://127\.0\.0\.1:\d+", heard)) is None:
            line = process.stderr.readline()
            if not line:
                sys.exit(f"linnet {command[0]} did not start:\n{heard}")
            heard += line
        late.cancel()
        yield place[0]
    finally:
        late.cancel()
        process.terminate()
        process.wait(_START)


def fetch(address: str, body: bytes | None = None) -> bytes:
    """The body of the answer. Raises HTTPError where it is not a success."""
    request = urllib.request.Request(address, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=_START) as answer:
        content: bytes = answer.read()
    return content


if __name__ == "__main__":
    main()
