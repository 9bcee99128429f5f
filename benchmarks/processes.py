"""Figures of whole processes: start, opening, linking a name and an abstract, peak memory, building. Used by `bench.py`."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

__all__ = [
    "cached_name_milliseconds",
    "import_seconds",
    "link_seconds",
    "name_processor_seconds",
    "open_seconds",
    "peak_megabytes",
    "running_text_times_syntok",
    "timed",
]

LINNET = (str(Path(sys.executable).with_name("linnet")),)
ROUNDS = 5


def timed(*args: str | Path) -> float:
    """Seconds of `linnet …`, start included."""
    start = time.perf_counter()
    subprocess.run(
        [*LINNET, *map(str, args)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    return time.perf_counter() - start


def import_seconds() -> tuple[float, bool]:
    """Median seconds of `import linnet`, and whether it loads torch."""
    said = [_said("import time; t = time.perf_counter(); import linnet, sys; print(time.perf_counter() - t, 'torch' in sys.modules)")
            for _ in range(ROUNDS)]  # fmt: skip
    return statistics.median(float(one.split()[0]) for one in said), any("True" in one for one in said)


def open_seconds(terminology: Path) -> float:
    """Median seconds of opening a terminology with its indexes for linking, linnet being imported."""
    code = (
        "import time; from linnet.link import Linker\n"
        f"t = time.perf_counter(); Linker.open([{str(terminology)!r}]); print(time.perf_counter() - t)"
    )
    return statistics.median(float(_said(code)) for _ in range(ROUNDS))


def link_seconds(abstract: Path, terminology: Path) -> float:
    """Median seconds of `linnet link` of one abstract, process start included."""
    return statistics.median(timed("link", abstract, "--terminology", terminology) for _ in range(ROUNDS))


def name_processor_seconds(name: Path, terminology: Path) -> float:
    """Median seconds of processor, user and system, of `linnet link` of a file with one name, process start included.

    Compiled modules are used, as after an installation: the first run, which may compile them, is not counted.
    """
    command = [*LINNET, "link", str(name), "--mentions", "--terminology", str(terminology)]
    seconds = []
    for _ in range(ROUNDS + 1):
        usage = _usage(command)
        seconds.append(usage.ru_utime + usage.ru_stime)
    return statistics.median(seconds[1:])


# Prints the median milliseconds of linking a name, alone in its call, that has been linked before.
_CACHED = """
import statistics, sys, time
from linnet.link import Linker
linker, names, took = Linker.open([sys.argv[1]]), ("heart attack", "brest cancer", "severe asthma"), []
for name in names * 100:
    start = time.perf_counter()
    linker.link([name])
    took.append(1000 * (time.perf_counter() - start))
print(statistics.median(took[len(names):]))
"""


def cached_name_milliseconds(terminology: Path) -> float:
    """Median milliseconds of `linker.link` of one name that has been linked before."""
    return statistics.median(float(_said(_CACHED, str(terminology))) for _ in range(ROUNDS))


# Prints the best of three turns: processor seconds of finding and linking the mentions of a corpus ÷ those of splitting its texts
# into sentences with syntok. Each turn opens the terminology anew, as a linker keeps what it has searched for.
_RUNNING = """
import sys, time
from linnet import corpora
from linnet.link import Linker
from syntok.segmenter import segment
from syntok.tokenizer import Tokenizer
documents, tokenizer = list(corpora.read(sys.argv[1])), Tokenizer()
def seconds(work):
    start = time.process_time()
    work()
    return time.process_time() - start
linking, splitting = [], []
for _ in range(3):
    linker = Linker.open([sys.argv[2]], threads=1)
    linker.recogniser.recognise(documents[:1])
    splitting.append(seconds(lambda: [list(segment(tokenizer.tokenize(d.text))) for d in documents]))
    linking.append(seconds(lambda: list(linker.annotate_many(documents))))
print(min(linking) / min(splitting))
"""


def running_text_times_syntok(corpus: Path, terminology: Path) -> float:
    """How many times the processor time of syntok's sentence splitting it takes to find and link the mentions of a corpus."""
    return float(_said(_RUNNING, str(corpus), str(terminology)))


def peak_megabytes(corpus: Path, terminology: Path) -> float:
    """Largest resident size of `linnet link --mentions` of a corpus."""
    command = [
        *LINNET,
        "link",
        str(corpus),
        "--mentions",
        "--terminology",
        str(terminology),
        "-o",
        os.devnull,
    ]
    command += ["--manifest", "-", "--format", "jsonl"]
    return _usage(command).ru_maxrss / (1024 if sys.platform != "darwin" else 2**20)


def _usage(command: list[str]) -> resource.struct_rusage:
    """What a command used, once it has ended."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    child = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {child.returncode}")
    return usage


def _said(code: str, *arguments: str) -> str:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
