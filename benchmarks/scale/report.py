"""Figures of `run.py` as Markdown, and the targets they are held against."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kept_tables import write_shown
from tables import Target

__all__ = ["targets", "write"]

BEGIN, END = "<!-- scale: written by make bench-scale -->", "<!-- scale: end -->"
# Of the default pipeline, exact and dense, on two cores.
BUILD_MINUTES, BUILD_GB, DISK_GB, OPEN_SECONDS, RESIDENT_GB = 30, 8, 4, 1, 1.5
FASTER, P50, P99, BATCH, RECALL = 100, 5, 5, 1000, 0.98


def targets(figures: Mapping[str, Any]) -> list[Target]:
    """Every target, in the order of the issue."""
    costs = [cost for step, cost in figures["built"].items() if not step.startswith("generate")]
    minutes = sum(cost["seconds"] for cost in costs) / 60
    peak = max(cost["together"] for cost in costs) / 1000
    disk = sum(figures["bytes"][part] for part in ("store", "exact", "dense")) / 1e9
    opening = max(figures["open"].values())
    single, flat = figures["single"], figures["flat"]
    resident = single["resident, MB"] / 1000
    times = flat["flat, ms"] / single["search p50, ms"]
    tail = single["search p99, ms"] / single["search p50, ms"]
    batch = figures["batch"][2]["searched a second"]
    recall, together = flat["recall@64"], figures["shared"]
    share = together["all, MB"] / (together["one, MB"] * together["processes"])
    return [
        _most("building terminology and indexes, minutes", minutes, BUILD_MINUTES),
        _most("peak memory of building, all processes, GB", peak, BUILD_GB),
        _most("on disk, terminology with exact and dense index, GB", disk, DISK_GB),
        _most("opening the linker, s", opening, OPEN_SECONDS),
        _most(f"resident after {single['queries']:,} queries, GB", resident, RESIDENT_GB),
        _least("single mention, times as fast as exact search", times, FASTER),
        _most("single mention, p50, ms", single["search p50, ms"], P50),
        _most("single mention, p99 over p50", tail, P99),
        _least("mentions a second in batches, two threads", batch, BATCH),
        _least("concept recall@64 beside exact search", recall, RECALL, 3),
        Target(
            f"memory of {together['processes']} processes, compared with {together['processes']} times one process",
            f"{100 * share:.0f} %",
            "below 60 %",
            share < 0.6,
        ),
    ]


def write(path: Path, figures: Mapping[str, Any]) -> None:
    """Keep all tables, and put those of the template between the marks of a page."""
    template = Path(__file__).with_name("page.md").read_text(encoding="utf-8")
    write_shown(path, BEGIN, END, template, _render(figures))


def _render(figures: Mapping[str, Any]) -> dict[str, str]:
    counts, flat, single = figures["counts"], figures["flat"], figures["single"]
    built = [
        (step, f"{cost['seconds'] / 60:.1f}", f"{cost['cpu'] / 60:.1f}", f"{cost['together'] / 1000:.2f}")
        for step, cost in figures["built"].items()
    ]
    megabytes = [(name, f"{size / 1e6:,.0f}") for name, size in figures["bytes"].items()]
    batch = [
        (threads, f"{row['searched a second']:,.0f}", f"{row['linked a second']:,.0f}")
        for threads, row in figures["batch"].items()
    ]
    vectors = flat["forms"] * flat["dimensions"] * 4 / 1e9
    floor = 1000 * vectors / flat["GB/s"]
    computed = 2 * flat["forms"] * flat["dimensions"] / 1e9
    compared = single["compared for a query, MB"]
    rows = [
        (
            "exact, 32-bit floats",
            f"{1000 * vectors:,.0f}",
            f"{floor:,.1f}",
            f"{flat['flat, ms']:,.1f}",
            f"{computed:.2f}",
            f"{1000 * computed / flat['GFLOP/s']:.1f}",
        ),
        (
            f"linnet exact + dense {figures['dense']}",
            f"{compared:,.1f}",
            f"{compared / flat['GB/s']:.2f}",
            f"{single['search p50, ms']:.2f}",
            "–",
            "–",
        ),
    ]
    checked = [(t.what, t.got, t.wanted, "met" if t.met else "**not met**") for t in targets(figures)]
    return {
        "scale_run": f"{figures['machine']}: {counts['concepts']:,} concepts and {counts['names']:,} names, {flat['forms']:,} "
        f"distinct forms of {flat['dimensions']} dimensions",
        "scale_targets": _table(("", "measured", "target", ""), checked),
        "scale_built": _table(("building", "minutes", "processor minutes", "peak GB, all processes"), built),
        "scale_disk": _table(("on disk", "MB"), megabytes),
        "scale_batch": _table(("threads", "searched a second", "linked a second"), batch),
        "scale_linker": f"One mention through the whole linker takes {single['link p50, ms']:.1f} ms (p50) or "
        f"{single['link p99, ms']:.1f} ms (p99), with {single['resident with the linker, MB']:,.0f} MB resident. Of the "
        f"{single['resident, MB']:,.0f} MB resident after the queries, {single['of that its own, MB']:,.0f} MB are the process's "
        f"own. {figures['shared']['processes']} processes hold {figures['shared']['all, MB']:,.0f} MB together, one alone "
        f"{figures['shared']['one, MB']:,.0f} MB.",
        "scale_roofline": f"Roofline of one query on one thread: this machine reads memory at {flat['GB/s']:.1f} GB/s and "
        f"computes at most {flat['GFLOP/s']:.0f} GFLOP/s.\n\n"
        + _table(("", "MB compared", "ms to read them", "ms measured", "GFLOP", "ms to compute"), rows),
    }


def _table(head: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    lines = [
        f"| {' | '.join(map(str, row))} |" for row in (head, ["---"] + ["---:"] * (len(head) - 1), *rows)
    ]
    return "\n".join(lines) + "\n"


def _most(what: str, got: float, wanted: float, digits: int = 2) -> Target:
    return Target(what, f"{got:,.{digits}f}", f"at most {wanted:g}", got <= wanted)


def _least(what: str, got: float, wanted: float, digits: int = 0) -> Target:
    return Target(what, f"{got:,.{digits}f}", f"at least {wanted:g}", got >= wanted)
