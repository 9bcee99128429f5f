"""What starting a command costs: it imports no more than it needs, and looks for garbage only while the command itself runs."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from linnet.cli.annotate import app as annotate
from linnet.link.indexing import build_indexes, build_name_features
from linnet.link.pipeline import Pipeline
from linnet.terminology import write_terminology
from linnet.types import Concept

# What only other inputs, outputs and commands need: libraries, and our own modules.
UNNEEDED = {
    "lxml",
    "onnxruntime",
    "pyarrow.compute",
    "rich",
    "scipy",
    "ssl",
    "syntok",
    "tokenizers",
    "torch",
    "urllib.request",
    "linnet.corpora.bioc_xml",
    "linnet.corpora.json_formats",
    "linnet.corpora.pubtator",
    "linnet.corpora.tools",
    "linnet.corpora.table",
    "linnet.recognise.dictionary",
    "linnet.recognise.tagger",
    "linnet.scale.job",
    "linnet.terminology.staging",
}


def run(tmp_path: Path, code: str, *args: str | Path) -> str:
    """The output of `linnet …` in a process of its own, with `code` executed in it first."""
    file = tmp_path / "run.py"
    file.write_text(f"import atexit, gc, sys\nfrom linnet.start import main\n{code}\nmain()\n")
    done = subprocess.run([sys.executable, file, *args], capture_output=True, text=True, check=False)
    return done.stdout


@pytest.fixture
def not_collecting() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


def test_linking_one_name_imports_only_what_it_needs(tmp_path: Path) -> None:
    concepts = [Concept("T:1", "Gout", ("podagra",)), Concept("T:2", "Asthma")]
    terminology = write_terminology(concepts, tmp_path / "t")
    build_indexes(terminology, Pipeline().retrievers)
    build_name_features(terminology, Pipeline())
    (tmp_path / "name.txt").write_text("podagra\n")
    code = "atexit.register(lambda: print(*sys.modules))"
    shown = run(tmp_path, code, "link", tmp_path / "name.txt", "--mentions", "-t", tmp_path / "t")
    link, modules = shown.splitlines()
    assert '"concepts": ["T:1"]' in link
    assert UNNEEDED & set(modules.split()) == set()


def test_garbage_is_collected_while_a_command_runs(tmp_path: Path) -> None:
    (tmp_path / "attempts.py").write_text("import gc\ndef run(): print(gc.isenabled())\n")
    code = "from linnet.cli import COMMANDS\nCOMMANDS['attempt'] = ('attempts:run', 'Invented.')"
    assert run(tmp_path, code, "attempt") == "True\n"


@pytest.mark.usefixtures("not_collecting")
def test_garbage_is_collected_while_linnet_annotate_serves() -> None:
    collecting: list[bool] = []

    def serve(**options: Any) -> None:
        collecting.append(gc.isenabled())

    command = get_command(annotate)
    command.callback = serve
    command.main(args=[], standalone_mode=False)
    assert collecting == [True]


def test_no_garbage_is_looked_for_while_a_command_starts_and_ends(tmp_path: Path) -> None:
    code = (
        "passes = lambda: [generation['collections'] for generation in gc.get_stats()]\n"
        "before = passes()\n"
        "atexit.register(lambda: print(passes() == before, len(gc.get_objects()) < 1000))"
    )
    assert run(tmp_path, code, "--version") == "linnet 0.1.0\nTrue True\n"


def test_the_help_of_a_command_and_wrong_usage_import_no_heavy_library(tmp_path: Path) -> None:
    code = "atexit.register(lambda: print(*sys.modules))"
    heavy = {"numpy", "pyarrow", "faiss", "linnet.link"}
    for option in ("--help", "--nonsense"):
        modules = set(run(tmp_path, code, "link", option).split())
        assert "linnet.cli.link" in modules
        assert not heavy & modules
