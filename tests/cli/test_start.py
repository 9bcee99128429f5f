"""What starting a command costs: no garbage collection on the way in and out, and no import that the command does without."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.main import get_command

from linnet.cli.annotate import app as annotate


def run(tmp_path: Path, code: str, *args: str) -> subprocess.CompletedProcess[str]:
    """`linnet …` in a process of its own, with `code` executed in it first."""
    file = tmp_path / "run.py"
    file.write_text(f"import gc, sys\n{code}\nfrom linnet.start import main\nmain()\n")
    return subprocess.run([sys.executable, file, *args], capture_output=True, text=True, check=True)


@pytest.fixture
def not_collecting() -> Iterator[None]:
    gc.disable()
    yield
    gc.unfreeze()
    gc.enable()


def test_garbage_is_collected_while_a_command_runs(tmp_path: Path) -> None:
    (tmp_path / "attempts.py").write_text("import gc\ndef run(): print(gc.isenabled())\n")
    code = "from linnet.cli import COMMANDS\nCOMMANDS['attempt'] = ('attempts:run', 'Invented.')"
    assert run(tmp_path, code, "attempt").stdout == "True\n"


@pytest.mark.usefixtures("not_collecting")
def test_garbage_is_collected_while_linnet_annotate_serves() -> None:
    command = get_command(annotate)
    command.callback = lambda **options: print(gc.isenabled())
    seen: list[bool] = []
    command.callback = lambda **options: seen.append(gc.isenabled())
    command.main(args=[], standalone_mode=False)
    assert seen == [True]


def test_nothing_is_collected_while_the_command_line_is_imported_nor_at_the_end(tmp_path: Path) -> None:
    code = (
        "import os, atexit\n"
        "gc.collect()\n"
        "passes = gc.get_stats()\n"
        "atexit.register(lambda: print(len(gc.get_objects()) < 1000, gc.get_stats() == passes))"
    )
    assert run(tmp_path, code, "--version").stdout == "linnet 0.1.0\nTrue True\n"


def test_linking_a_name_imports_only_what_it_needs(tmp_path: Path) -> None:
    pass
