"""The command line where standard streams are closed, full, or cannot hold every character; and early interrupts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

LINNET = f"{sys.executable} -m linnet"


def shell(command: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["sh", "-c", command], env={**os.environ, **environment}, capture_output=True, check=False
    )


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp()))


def test_output_to_a_pipe_is_utf_8_whatever_the_locale(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("Sjögren’s syndrome and leukaemia in a β-carotene trial.", encoding="utf-8")
    place = shell(
        f"{sys.executable} -c 'from linnet.link.starter import starter_terminology as s; print(s())'"
    ).stdout.decode()
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = shell(f"{LINNET} link {text} --terminology {place.strip()}", **plain)
    assert done.returncode == 0, done.stderr
    assert "Sjögren’s syndrome" in done.stdout.decode("utf-8")


@pytest.mark.parametrize("options", ["demo", "--help", "link --help", "--version"])
def test_a_closed_standard_output_is_an_error_in_words(options: str) -> None:
    done = shell(f"{LINNET} {options} >&-")
    assert done.returncode == 1
    assert done.stderr.decode() == "Error: standard output is closed. Open it, or write to a file with -o.\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("options", ["demo", "--help", "link --help", "--version"])
def test_a_full_disk_is_an_error_in_words(options: str) -> None:
    done = shell(f"{LINNET} {options} >/dev/full")
    assert done.returncode == 1
    assert done.stderr.decode().startswith("Error: the disk is full.")
    assert done.stderr.count(b"\n") == 1


def test_a_closed_standard_input_is_empty() -> None:
    done = shell(f"{LINNET} link - --terminology nowhere <&-")
    assert done.returncode == 1
    assert done.stderr.startswith(b"Error: ")
    assert b"Traceback" not in done.stderr


def test_messages_to_a_closed_standard_error_are_lost_and_nothing_else() -> None:
    assert b"Myocardial Infarction" in shell(f"{LINNET} demo 2>&-").stdout


def test_ctrl_c_while_the_command_line_is_imported_ends_without_a_traceback(tmp_path: Path) -> None:
    file = tmp_path / "run.py"
    file.write_text("""
import sys
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "typer":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupting())
from linnet.start import main
main()
""")
    done = subprocess.run([sys.executable, file], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"Interrupted.\n")


def test_nothing_is_imported_before_ctrl_c_is_caught() -> None:
    code = "import sys; before = set(sys.modules); import linnet.start; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["__future__", "linnet", "linnet.start"]


def test_short_memory_is_told_in_words(tmp_path: Path) -> None:
    code = """
import linnet.samples, linnet.cli.demo
def raising(*args, **options):
    raise MemoryError("Unable to allocate 80 GiB")
import linnet.link.starter as starter
starter.starter_terminology = raising
from linnet.cli import main
import sys
sys.argv = ["linnet", "demo"]
main()
"""
    file = tmp_path / "run.py"
    file.write_text(code)
    done = subprocess.run([sys.executable, file], capture_output=True, check=False)
    assert done.returncode == 1
    assert done.stderr.decode().startswith("Error: Not enough memory.")


def test_a_file_that_memory_does_not_suffice_to_read_is_not_called_damaged(tmp_path: Path) -> None:
    code = """
import linnet.cli.demo, linnet.encode.safetensors as safetensors
from errno import ENOMEM
def refusing(*args, **options):
    raise OSError(ENOMEM, "Cannot allocate memory")
safetensors.np.memmap = refusing
import sys
sys.argv = ["linnet", "demo"]
from linnet.start import main
main()
"""
    file = tmp_path / "run.py"
    file.write_text(code)
    done = subprocess.run([sys.executable, file], capture_output=True, check=False)
    assert done.returncode == 1
    assert done.stderr.decode().startswith("Error: Not enough memory.")
    assert done.stderr.count(b"\n") == 1


def test_libraries_that_memory_does_not_suffice_to_load_are_told_in_words(tmp_path: Path) -> None:
    file = tmp_path / "run.py"
    for module in ("typer", "pyarrow", "linnet.link.linker"):
        file.write_text(f"""
import sys
class Failing:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            raise ImportError("lib.so: failed to map segment from shared object")
sys.meta_path.insert(0, Failing())
sys.argv = ["linnet", "demo"]
from linnet.start import main
main()
""")
        done = subprocess.run([sys.executable, file], capture_output=True, check=False)
        assert (done.returncode, done.stderr.count(b"\n")) == (1, 1), done.stderr
        assert done.stderr.decode().startswith("Error: Not enough memory.")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux heeds a limit of the address space")
@pytest.mark.parametrize("megabytes", [60, 150, 300, 480])
def test_too_little_address_space_ends_every_command_in_words(tmp_path: Path, megabytes: int) -> None:
    names = tmp_path / "names.jsonl"
    names.write_text('{"id": "X:1", "name": "gout"}\n')
    for command in ("demo", f"terminology build {names} -o {tmp_path}/store"):
        done = shell(f"ulimit -v {megabytes * 1000}; {LINNET} {command}")
        assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (1, b"", 1), done.stderr
        assert done.stderr.startswith(b"Error: Not enough memory"), done.stderr
        assert list(tmp_path.iterdir()) == [names]
    assert shell(f"ulimit -v {megabytes * 1000}; {LINNET} --version").returncode == 0
