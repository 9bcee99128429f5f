"""The documentation site: it builds without a broken link, loads nothing from elsewhere, and its tutorials work."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
CONFIG = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))
DOCS = ROOT / "docs"
LINKS = ROOT / "tools" / "broken_links.py"
TUTORIALS = sorted((DOCS / "tutorials").glob("*.md"))


def _run(
    command: list[str], place: Path, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=place, env=environment, capture_output=True, text=True, check=False, timeout=300
    )


# ── the site ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built strictly from a copy, so that no other build is in the way."""
    place = tmp_path_factory.mktemp("site")
    left_out = shutil.ignore_patterns("web", "models", "__pycache__")
    for name in ("docs", "tools", "src/linnet"):
        shutil.copytree(ROOT / name, place / name, ignore=left_out)
    shutil.copy(ROOT / "zensical.toml", place)
    done = _run([str(Path(sys.executable).with_name("zensical")), "build", "--strict", "--clean"], place)
    # It colours each character, also where nobody sees it.
    assert done.returncode == 0, re.sub(r"\x1b\[[0-9;]*m", "", done.stderr)
    return place / "site"


def test_no_link_is_broken_and_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    done = _run([sys.executable, str(LINKS), str(site)], ROOT)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_is_wrong_with_links_is_listed(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "c.html").write_text("<h1 id=top>C</h1><a href='../a.html#x'>", encoding="utf-8")
    (tmp_path / "a.html").write_text(
        "<i id=x></i><a href='b/c.html#top'><a href='b/c.html#end'><a href='d.html'><a href='#y'>"
        "<a href='https://example.org/'><img src='p.png'><script src='https://example.org/s.js'></script>",
        encoding="utf-8",
    )
    done = _run([sys.executable, str(LINKS), str(tmp_path)], ROOT)
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "a.html: b/c.html#end leads nowhere",
        "a.html: d.html leads nowhere",
        "a.html: #y leads nowhere",
        "a.html: p.png is not there",
        "a.html: https://example.org/s.js is loaded from another server",
    ]


def test_the_reference_has_every_public_name_of_the_package(site: Path) -> None:
    import linnet

    text = "".join(file.read_text(encoding="utf-8") for file in (site / "reference").glob("*.html"))
    public = [getattr(linnet, name) for name in linnet.__all__]
    places = [{f"linnet.{one.__name__}", f"{one.__module__}.{one.__name__}"} for one in public]
    assert [place for place in places if not any(f'id="{name}"' in text for name in place)] == []


def test_arguments_in_docstrings_become_tables(site: Path) -> None:
    text = (site / "reference" / "index.html").read_text(encoding="utf-8")
    assert re.search(
        r"<td><code>threads</code></td>\s*<td>for retrieval and reranking, by default all cores", text
    )


def test_every_page_is_in_the_navigation() -> None:
    named = set(_pages(CONFIG["project"]["nav"]))
    there = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")}
    assert named - there == set()
    # What an experiment found is linked from the pages about it.
    assert {page for page in there - named if not page.startswith("results/")} == set()


def _pages(nav: Any) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    else:
        for entry in nav.values() if isinstance(nav, dict) else nav:
            yield from _pages(entry)


# ── tutorials ────────────────────────────────────────────────────────────────────────────────────────────────


class Block(NamedTuple):
    """A fenced block of a tutorial: its line, its language, the file it is, its lines, what must be printed."""

    line: int
    language: str
    title: str
    code: str
    output: str | None


_FENCE = re.compile(
    r'^```(\w*)(?: title="([^"]+)")?\n(.*?)^```$(?:\n+```text\n(.*?)^```$)?', re.MULTILINE | re.DOTALL
)


def _blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [
        Block(text.count("\n", 0, match.start()) + 1, match[1], match[2] or "", match[3], match[4])
        for match in _FENCE.finditer(text)
    ]


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_works_from_top_to_bottom(page: Path, tmp_path: Path) -> None:
    """In one folder, from a shell without the environment: blocks with a title are files, Python and sessions run and print what
    they show, services answer."""
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(tmp_path / "home"),
        "LINNET_CACHE": str(tmp_path / "cache"),
        "COLUMNS": "100",
        "LC_ALL": "C.UTF-8",
        "OMP_NUM_THREADS": "1",
    }
    work = tmp_path / "work"
    work.mkdir()
    (work / ".venv").symlink_to(sys.prefix)
    activated = ""

    def run(command: str) -> subprocess.CompletedProcess[str]:
        return _run(["/bin/bash", "-ec", f"{activated}\n{command}"], work, environment)

    for block in _blocks(page):
        place = f"{page.name}:{block.line}"
        if block.title:
            (work / block.title).parent.mkdir(exist_ok=True)
            (work / block.title).write_text(block.code, encoding="utf-8")
        elif block.language == "python":
            done = run(f"python -W error - <<'CODE'\n{block.code}\nCODE")
            assert done.returncode == 0, f"{place}: {done.stderr}"
            assert _stripped(done.stdout) == _stripped(block.output or ""), place
        elif block.language == "console":
            for step in re.split(r"^\$ ", block.code, flags=re.MULTILINE)[1:]:
                command, _, shown = step.partition("\n")
                done = run(command)
                assert done.returncode == 0, f"{place}: {command}\n{done.stderr}"
                if shown.strip():
                    assert _stripped(done.stdout) == _stripped(shown), f"{place}: {command}"
        elif block.language == "bash" and "linnet serve" in block.code:
            done = run(_served(block.code, free_port()))
            assert "LOCAL:1" in done.stdout, f"{place}: {done.stderr}"
        elif block.language == "bash":
            [activated] = re.findall(r"^source .venv/bin/activate", block.code, re.MULTILINE)
            # Installing, building the page and a server that opens a browser are tested elsewhere.
            others = [line for line in block.code.splitlines() if not line.startswith("source")]
            assert all(re.match(r"pip install|linnet annotate", line) for line in others), place


def _served(code: str, port: int) -> str:
    """A block that starts the service and asks it, as one script: in the background, on a free port, until it answers."""
    serve, ask = code.replace("8766", str(port)).replace("#", f"--port {port} #", 1).strip().splitlines()
    serve = serve.partition(" #")[0]
    return f"{serve} & server=$!\ntrap 'kill $server; wait $server' EXIT\n{ask} --retry 60 --retry-delay 1 --retry-all-errors"


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def _stripped(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().splitlines()]
