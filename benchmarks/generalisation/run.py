"""`make bench-generalisation`: linnet and others on corpora, terminologies and strings that it was not trained on.

    LINNET_DATA=… python -m benchmarks.generalisation.run [--only SET…] [--systems NAME…] [--score]

Answers are kept in OUT by set and system, and asked for again only where the set, the terminology, linnet's linking code or
a model has changed; so the command goes on where it stopped. OUT is bench-out/generalisation. Writes OUT/figures.json and, of
all sets, docs/results/generalisation.md. `--score` adds the half of the registry's strings that is scored once.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "benchmarks"))

import tables  # noqa: E402
from measuring import data_folder  # noqa: E402

from benchmarks.generalisation import page, strings  # noqa: E402
from benchmarks.generalisation.answers import Answer  # noqa: E402
from benchmarks.generalisation.dev_set import DevSet  # noqa: E402
from benchmarks.generalisation.figures import DISTINCT, Judged, difference, figures, judge, lump  # noqa: E402
from benchmarks.generalisation.nil_threshold import best_threshold, by_other_half, withheld  # noqa: E402
from benchmarks.generalisation.sets import sets  # noqa: E402
from benchmarks.generalisation.systems import (  # noqa: E402
    ACCURATE,
    DEFAULT,
    ENCODER,
    FORGETFUL,
    PEERS,
    answers,
    systems,
)

SCORED_ONCE = "registry-score"
COMPARED = {
    "linnet − encoder": (DEFAULT, ENCODER),
    "scorer": (FORGETFUL, ENCODER),
    "memory": (DEFAULT, FORGETFUL),
    "accurate − linnet": (ACCURATE, DEFAULT),
}


def main() -> None:
    parser = argparse.ArgumentParser(description="linnet where it was not trained.")
    parser.add_argument(
        "--only", nargs="+", choices=sets, default=[], metavar="SET", help="of " + ", ".join(sets)
    )
    parser.add_argument("--score", action="store_true", help=f"also {SCORED_ONCE}, which is scored once")
    parser.add_argument(
        "--systems",
        nargs="+",
        choices=systems,
        default=list(systems),
        help="some of them; the page has these",
    )
    parser.add_argument("--out", type=Path, default=ROOT / "bench-out" / "generalisation")
    given = parser.parse_args()
    data = data_folder("corpora")
    if SCORED_ONCE in given.only and not given.score:
        sys.exit(f"{SCORED_ONCE} is scored once. To score it now, add --score.")
    (given.out / "terminologies").mkdir(parents=True, exist_ok=True)
    rows = []
    for name in _names(given.only, score=given.score):
        rows.append(_row(sets[name](data, given.out), given.systems, data, given.out))
        _report(rows[-1])
    _write_figures(given.out / "figures.json", rows)
    if not given.only:
        page.write(ROOT / "docs/results/generalisation.md", rows, machine=tables.machine())


def _names(only: Sequence[str], *, score: bool) -> list[str]:
    """The sets to run, in their order; those of the registry where its answers are there."""
    there = {"registry-tune", SCORED_ONCE} if strings.REGISTRY.exists() else set()
    left_out = {"registry-tune", SCORED_ONCE} - there | (set() if score else {SCORED_ONCE})
    return [name for name in sets if name not in left_out and (not only or name in only)]


def _row(dev_set: DevSet, asked: Sequence[str], data: Path, out: Path) -> page.Row:
    judged: dict[str, Judged] = {}
    for name in asked:
        judged[name] = judge(dev_set, answers(systems[name], dev_set, out))
        if dev_set.of_strings and name in PEERS:
            judged[name] = judge(dev_set, _with_nil(judged[name], dev_set, name, data, out))
    compared = {title: pair for title, pair in COMPARED.items() if {*pair} <= {*asked}}
    gains = {
        title: {
            protocol: difference(judged[first], judged[second], protocol)
            for protocol in judged[first].results
        }
        for title, (first, second) in compared.items()
    }
    lumps = {
        title: found
        for title, (first, second) in compared.items()
        for protocol in judged[first].results
        if protocol == f"lenient{DISTINCT}" and (found := lump(judged[first], judged[second], protocol))
    }
    return page.Row(dev_set, {name: figures(dev_set, one) for name, one in judged.items()}, gains, lumps)


def _with_nil(judged: Judged, dev_set: DevSet, system: str, data: Path, out: Path) -> list[Answer]:
    """A program's answers to strings, NIL below the threshold of the tuning part, or of the other half."""
    if dev_set.name != SCORED_ONCE:
        return by_other_half(judged.answers, judged.golds)
    tuning = sets["registry-tune"](data, out)
    tuned = judge(tuning, answers(systems[system], tuning, out))
    return withheld(judged.answers, best_threshold(tuned.answers, tuned.golds))


def _report(row: page.Row) -> None:
    scores = next(iter(row.figures.values())).scores
    headline = next(name for name in ("equal", f"lenient{DISTINCT}", "lenient") if name in scores)
    shares = (f"{name} {100 * f.scores[headline].value:.1f}" for name, f in row.figures.items())  # type: ignore[operator]
    print(f"{row.dev_set.name:18} {', '.join(shares)}", flush=True)


def _write_figures(path: Path, rows: Sequence[page.Row]) -> None:
    table = {
        row.dev_set.name: {
            "mentions": len(row.dev_set.mentions),
            "systems": {
                name: asdict(replace(found, probabilities=[])) for name, found in row.figures.items()
            },
            "gains": {
                title: {protocol: asdict(gain) for protocol, gain in gains.items()}
                for title, gains in row.gains.items()
            },
        }
        for row in rows
    }
    path.write_text(json.dumps(table, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
