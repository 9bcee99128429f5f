"""Figures of `bench.py` as Markdown, and the targets they are held against."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kept_tables import write_shown
from measuring import table

__all__ = ["Target", "machine", "targets", "write"]

BEGIN, END = "<!-- linking: written by make bench -->", "<!-- linking: end -->"
TEMPLATE = Path(__file__).with_name("linking_page.md")
UNTRAINED = "linnet, nothing learnt (exact, sparse)"
GLOSSED = "linnet, nothing learnt but with the glossary (exact, sparse)"
ENCODER = "linnet, encoder alone (exact, dense)"
DEFAULT = "linnet, default pipeline"
FORGETFUL = "linnet, default pipeline, no memory of training mentions"
BASE = "scikit-learn TF-IDF char 2–5"
UNSEEN = "lenient+augmented+unseen-surface"
# Per system, the figure and the least it is to be for each of the tasks.
TASKS = ("NCBI", "BC5CDR-disease", "BC5CDR-chemical")
ACCURACY = {
    UNTRAINED: {
        "lenient": (82.0, 79.0, 93.5), "lenient+augmented": (89.5, 89.0, 95.0), "recall@64": (94.0, 92.0, 95.0),
    },
    ENCODER: {"lenient": (85.0, 81.0, 95.0)},
    DEFAULT: {
        "lenient+augmented": (93.0, 92.5, 96.5), UNSEEN: (82.0, 82.5, 90.0), "augmented recall@64": (98.8, 98.0, 98.0),
    },
}  # fmt: skip
CALIBRATION = 0.03
PROCESSES = {
    "import linnet, s": 0.3,
    "loads torch": 1.0,
    "opening MeSH, s": 0.2,
    "linnet link of one name, s of processor": 0.4,
    "linker.link of one cached name, ms": 1.0,
    "linnet link of one abstract, s": 2.0,
    # 12.8 on 26 November 2026; a fifth more is a regression.
    "finding and linking, BC5CDR dev, × sentence splitting by syntok": 15.4,
    "peak memory, BC5CDR dev, MB": 600.0,
    "building and indexing MeSH, s": 60.0,
}


@dataclass(frozen=True)
class Target:
    """What was to be reached, and whether it was."""

    what: str
    got: str
    wanted: str
    met: bool


def targets(figures: Mapping[str, Any]) -> list[Target]:
    """Every target, in the order of the tables."""
    checked = []
    for place, task in enumerate(TASKS):
        systems = figures["tasks"][task]["systems"]
        for system, wanted in ACCURACY.items():
            for name, values in wanted.items():
                got, least = systems[system][name], values[place]
                what, met = f"{task}, {system}: {name}", round(got, 1) >= least
                checked.append(Target(what, f"{got:.1f}", f"at least {least}", met))
        error, what = systems[DEFAULT]["calibration error"], f"{task}, {DEFAULT}: calibration error"
        checked.append(Target(what, f"{error:.3f}", f"below {CALIBRATION}", error < CALIBRATION))
    sparse = figures["sparse"]
    checked.append(
        Target("character n-grams beside scikit-learn", sparse["failures"].replace("\n", "; ") or "fast enough",
               "10 times as fast at equal recall@64", sparse["met"])
    )  # fmt: skip
    for task, linking in figures["linking"].items():
        checked.append(
            Target(f"{task}, the whole linker beside scikit-learn", linking["failures"].replace("\n", "; ") or "fast enough",
                   "10 times as fast, every score sorted, 2.5 times, best selected, 1 and 2 threads", linking["met"])
        )  # fmt: skip
    for name, most in PROCESSES.items():
        got = figures["processes"][name]
        checked.append(Target(name, f"{got:.2f}", f"below {most:g}", got < most))
    for what, gate in figures.get("gates", {}).items():
        checked.append(
            Target(what, gate["said"] or "within its limits", f"exit code 0 of {gate['script']}", gate["met"])
        )
    return checked


def write(path: Path, figures: Mapping[str, Any]) -> None:
    """Keep all tables, and put those of the template between the marks of a page."""
    template = TEMPLATE.read_text(encoding="utf-8")
    write_shown(path, BEGIN, END, template, render(figures))


def render(figures: Mapping[str, Any]) -> dict[str, str]:
    """All tables as Markdown, each with what was measured."""
    systems = [
        f"### {task}\n\n{measured['mentions']:,} mentions, {measured['texts']:,} distinct texts, "
        f"{measured['names']:,} names\n\n{_systems(measured['systems'])}"
        for task, measured in figures["tasks"].items()
    ]
    checked = targets(figures)
    rows = [(t.what, t.got, t.wanted, "met" if t.met else "**not met**") for t in checked]
    missed = [(t.what, t.got, t.wanted) for t in checked if not t.met]
    return {
        "linking_run": f"{figures['minutes']} minutes on {figures['machine']}",
        "systems": "\n".join(systems),
        "sparse": figures["sparse"]["table"],
        "whole": "\n\n".join(f"{task}: {linking['table']}" for task, linking in figures["linking"].items()),
        "targets": table(("", "measured", "target", ""), rows, text=(0, 2, 3)),
        "met": f"{len(checked) - len(missed)} of {len(checked)} targets were met.",
        "missed": table(("missed", "measured", "target"), missed, text=(0, 1, 2)),
    }


def _systems(systems: Mapping[str, Any]) -> str:
    base, rows = _speed(systems[BASE], 1), []
    keys = ("lenient", "strict", "lenient+augmented", UNSEEN, "recall@64", "augmented recall@64")
    for name, row in systems.items():
        shown = [f"{row[key]:.1f}" if key in row else "–" for key in keys]
        one, two = _speed(row, 1), _speed(row, 2)
        times = f"{one / base:.1f}" if one and base else "–"
        speeds = [f"{one:,.0f}" if one else "–", times, f"{two:,.0f}" if two else "–"]
        rows.append((name, *shown, *speeds))
    accuracies = (
        "lenient",
        "strict",
        "lenient+augmented",
        "… unseen surfaces",
        "recall@64",
        "augmented recall@64",
    )
    return table(("system", *accuracies, "mentions/s, 1 thread", "×", "2 threads"), rows) + "\n"


def _speed(row: Mapping[str, Any], threads: int) -> float:
    return float(row["speed"].get(threads, 0.0))


def machine() -> str:
    """Processor, cores and Python, and how busy it was."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists() and (found := re.search(r"model name\s*:\s*(.+)", info.read_text())):
        cpu = found.group(1)
    load = f", load {os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else ""
    return f"{cpu}, {os.cpu_count()} cores, Python {platform.python_version()}{load}"
