"""A small terminology, corpora to link against it, and a way to run the command line as a process that can be killed."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from linnet.link.indexing import build_indexes
from linnet.link.linker_config import LinkerConfig
from linnet.terminology import write_terminology
from linnet.types import Concept

CONCEPTS = (
    Concept("T:1", "Gout", ("podagra",), ("Disease",)),
    Concept("T:2", "Ataxia Telangiectasia", ("Louis-Bar syndrome",), ("Disease",)),
    Concept("T:3", "Breast Neoplasms", ("breast cancer",), ("Disease",)),
    Concept("T:4", "Ovarian Neoplasms", ("ovarian cancer",), ("Disease",)),
    Concept("T:5", "Aspirin", ("acetylsalicylic acid",), ("Chemical",)),
)
SENTENCES = (
    "Podagra was treated with aspirin.",
    "Ataxia telangiectasia (AT) is rare; AT is inherited.",
    "Breast and ovarian cancer, and cancers of the breast.",
    "Nothing to be found here – 日本語.",
)

T = TypeVar("T")
Record = dict[str, Any]
Start = Callable[..., "subprocess.Popen[str]"]


class Tools:
    """What several tests do with corpora and outputs."""

    @staticmethod
    def documents(count: int, *, first: int = 0) -> list[Record]:
        """Invented documents, each with an id of its own."""
        return [
            {"id": f"d{number}", "text": " ".join([f"Case {number}.", *SENTENCES[number % 4 :]])}
            for number in range(first, first + count)
        ]

    @staticmethod
    def write_lines(path: Path, records: list[Record]) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8"
        )
        return path

    @staticmethod
    def read_parts(folder: Path) -> list[Record]:
        """The records of all JSON Lines parts, in their order."""
        return [
            json.loads(line)
            for part in sorted(folder.glob("*.jsonl"))
            for line in part.read_text(encoding="utf-8").splitlines()
        ]

    @staticmethod
    def contents(folder: Path) -> dict[str, bytes]:
        """The parts by name: all that is in the folder but the journal."""
        return {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file() and "_linnet" not in path.parts
        }

    @staticmethod
    def make_old(folder: Path) -> None:
        """Set the parts' times back, so that `old` tells the ones left as they are from the ones written anew.

        Times as they come and inode numbers would not tell: a part may be written twice between two ticks of
        the clock, and ext4 soon gives the inode of a removed file to another.
        """
        for name in Tools.contents(folder):
            os.utime(folder / name, (1, 1))

    @staticmethod
    def old(folder: Path) -> set[str]:
        """The parts not written since `make_old`."""
        return {name for name in Tools.contents(folder) if (folder / name).stat().st_mtime == 1}

    @staticmethod
    def wait_for(condition: Callable[[], T | None], *, seconds: float = 120) -> T:
        """What the condition returns once it is neither None nor empty."""
        end = time.monotonic() + seconds
        while not (found := condition()):
            assert time.monotonic() < end, "waited in vain"
            time.sleep(0.01)
        return found

    @staticmethod
    def finished(output: Path) -> int:
        """How many parts the journal knows."""
        journal = output / "_linnet" / "journal.jsonl"
        return journal.read_bytes().count(b"\n") if journal.is_file() else 0

    @staticmethod
    def busy_worker(output: Path) -> int | None:
        """The process that is linking a part just now."""
        for file in (output / "_linnet" / "attempts").glob("*"):
            with contextlib.suppress(FileNotFoundError, IndexError, ValueError):
                return int(file.read_text().split()[2])
        return None

    @staticmethod
    def begun_again(output: Path) -> set[str]:
        """The notes of parts that are being linked for the second time or more."""
        found = set()
        for file in (output / "_linnet" / "attempts").glob("*"):
            with contextlib.suppress(FileNotFoundError, IndexError, ValueError):
                if int(file.read_text().split()[0]) > 1:
                    found.add(file.name)
        return found

    @staticmethod
    def running(process: int) -> bool:
        """Whether the process is there, and no zombie."""
        try:
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return False
        return state != "Z"


@pytest.fixture(scope="session")
def tools() -> type[Tools]:
    return Tools


@pytest.fixture(scope="session")
def terminology(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five concepts with the indexes that linking searches by default."""
    place = tmp_path_factory.mktemp("terminology") / "t"
    build_indexes(write_terminology(CONCEPTS, place, sources=[]), ("exact", "dense"))
    return place


@pytest.fixture
def opening(terminology: Path) -> LinkerConfig:
    return LinkerConfig(terminologies=(str(terminology),), threads=1)


@pytest.fixture
def start(terminology: Path, tmp_path: Path) -> Iterator[Start]:
    """Start `linnet link … -t T` as a process of its own; what still runs when the test ends is killed."""
    started: list[subprocess.Popen[str]] = []
    program = str(Path(sys.executable).with_name("linnet"))

    def start(*args: str, **variables: str) -> subprocess.Popen[str]:
        command = [program, "link", *args, "-t", str(terminology)]
        environment = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0", "OMP_NUM_THREADS": "1", **variables}
        process = subprocess.Popen(
            command,
            cwd=tmp_path,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()
