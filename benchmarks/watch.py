"""What a command costs: seconds, and the most memory that it and the processes it starts hold at once. Linux only."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Cost", "family", "memory", "watched"]

_EVERY = 0.5  # seconds between looks


@dataclass(frozen=True)
class Cost:
    """Seconds, processor seconds, and megabytes: the largest process by its own account, and all of them together."""

    seconds: float
    cpu: float
    peak: float
    together: float


def watched(command: Sequence[str | Path], **environment: str) -> Cost:
    """Run a command to its end, with more variables of the environment. Raises RuntimeError where it fails."""
    start, most = time.perf_counter(), 0.0
    words, variables = [*map(str, command)], {**os.environ, **environment}
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL, env=variables)
    while True:
        pid, status, usage = os.wait4(child.pid, os.WNOHANG)
        if pid:
            break
        most = max(most, sum(memory(one, "Pss") for one in family(child.pid)))
        time.sleep(_EVERY)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"{' '.join(words)} ended with {child.returncode}")
    peak = usage.ru_maxrss / 1024
    cpu = usage.ru_utime + usage.ru_stime
    return Cost(time.perf_counter() - start, cpu, peak, max(most, peak))


def memory(pid: int, kind: str) -> float:
    """Megabytes of a process: "Rss", "Pss" (shared pages divided among those who share them), "Anonymous" …; 0 when gone."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    lines = (line.split() for line in text.splitlines())
    return sum(int(words[1]) for words in lines if words[0] == f"{kind}:") / 1024


def family(pid: int) -> list[int]:
    """A process and all that it has started, directly or not."""
    found = [pid]
    for one in found:
        try:
            tasks = list(Path(f"/proc/{one}/task").iterdir())
            found.extend(int(child) for task in tasks for child in (task / "children").read_text().split())
        except OSError:
            continue
    return found
