"""Names the tests that `make check` leaves out, by how long they took.

    make test PYTEST="--durations=0 --durations-min=0.25" | tee LOG
    python tools/slow_tests.py LOG

Writes tests/slow.txt: each test function of which a case took a quarter of a second or more, with its fixtures, sorted. Run it on a machine
that does nothing else.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from pathlib import Path

LIST = Path(__file__).parents[1] / "tests" / "slow.txt"
LEAST = 0.25  # seconds
_DURATION = re.compile(r"\s*([\d.]+)s (?:call|setup|teardown)\s+(\S+::.*)")


def slow_functions(log: str) -> list[str]:
    """FILE::FUNCTION of each slow test, sorted."""
    seconds: dict[str, float] = defaultdict(float)
    for line in log.splitlines():
        if found := _DURATION.fullmatch(line.rstrip()):
            seconds[found[2]] += float(found[1])
    return sorted({case.split("[")[0] for case, taken in seconds.items() if taken >= LEAST})


def main() -> None:
    """Write the list."""
    log = Path(sys.argv[1]).read_text(encoding="utf-8", errors="replace")
    if not (found := slow_functions(log)):
        sys.exit(f"{sys.argv[1]} names no durations; run pytest with --durations=0 --durations-min={LEAST}.")
    LIST.write_text("\n".join(found) + "\n", encoding="utf-8")
    sys.stdout.write(f"{LIST}: {len(found)} test functions\n")


if __name__ == "__main__":
    main()
