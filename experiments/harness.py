"""What the experiments on papers share: a plan file, results kept for each run, and a page made of a template and tables.

    plans/NAME.toml ─► runs, each kept by `Kept` under a digest of the settings ─► tables ─► NAME.md ─► docs/results/NAME.md

The tables are kept, too, in NAME.json beside the page: `--report` makes the page of them where the runs' own results are not at
hand.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from result_tables import machine

from linnet.io.artifact import digest
from linnet.io.settings_files import read_settings

__all__ = [
    "CHOOSING", "DATA", "HERE", "RESULTS", "Kept", "best_rate", "execute", "fit", "key_of", "page_of", "parser_of", "read_plan",
    "say", "tables_of", "write_page",
]  # fmt: skip

HERE = Path(__file__).absolute().parent
DATA = Path(os.environ.get("LINNET_DATA", "../shared/data"))
RESULTS = HERE / "results"
"""Where the numbers of finished runs are kept, in the repository."""
CHOOSING = 1000
"""Seed of the runs that choose a learning rate."""
PlanT = TypeVar("PlanT")
# What may change without changing what a run does: where it is kept, and how many runs there are.
_HOW_MANY = frozenset({"work", "results", "seeds", "variant_seeds"})


def say(text: str) -> None:
    """Print to standard error at once, with the time of day, so that an hours-long run shows where it is."""
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


# ── results of runs ──────────────────────────────────────────────────────────────────────────────────────────


def key_of(settings: Mapping[str, Any], *, without: Collection[str] = ()) -> str:
    """Eight characters that differ where settings do; numbers of seeds and the keys in `without` do not count."""
    table = _settled({name: value for name, value in settings.items() if name not in without})
    return digest(json.dumps(table, sort_keys=True, default=str))[:8]


def _settled(table: Any) -> Any:
    if not isinstance(table, Mapping):
        return table
    return {str(name): _settled(value) for name, value in table.items() if name not in _HOW_MANY}


class Kept:
    """Results in a folder, one file for each run, written whole or not at all.

    ending  "npz": arrays, and facts that are none; "json": facts alone
    """

    def __init__(self, folder: Path, ending: str = "npz") -> None:
        self.folder, self._ending = folder, ending

    def file(self, *parts: object) -> Path:
        """Where the result of a run lies."""
        return self.folder / ("-".join(map(str, parts)).replace(" ", "") + f".{self._ending}")

    def has(self, *parts: object) -> bool:
        """Whether it is there."""
        return self.file(*parts).exists()

    def keep(self, *parts: object, facts: Mapping[str, Any], **arrays: Any) -> None:
        """Write a result."""
        file = self.file(*parts)
        file.parent.mkdir(parents=True, exist_ok=True)
        draft = file.with_suffix(f".part.{self._ending}")
        if self._ending == "json":
            draft.write_text(json.dumps(facts), encoding="utf-8")
        else:
            np.savez_compressed(draft, facts=json.dumps(facts), **arrays)
        draft.replace(file)
        _read.cache_clear()

    def arrays(self, *parts: object) -> dict[str, Any]:
        """By name."""
        return _read(self.file(*parts))[0]

    def facts(self, *parts: object) -> dict[str, Any]:
        """By name."""
        return _read(self.file(*parts))[1]


@lru_cache(maxsize=64)
def _read(file: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    if file.suffix == ".json":
        return {}, json.loads(file.read_text(encoding="utf-8"))
    with np.load(file) as kept:
        return {name: kept[name] for name in kept.files if name != "facts"}, json.loads(str(kept["facts"]))


def fit(task: Any, steps: int, *, rate: float | None = None, first: int = 0) -> tuple[float, float]:
    """So many steps at a constant rate, the encoder's own if None; the mean loss of the last tenth, and seconds of processor time.

    first  number of the first step
    """
    optimiser, began = task.optimiser(), time.process_time()
    for group in optimiser.param_groups:
        group["lr"] = group["lr"] if rate is None else rate
    task.module.train()
    losses = []
    for step in range(first, first + steps):
        loss = task.loss(step)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        if step - first >= min(0.9 * steps, steps - 1):
            losses.append(loss.item())
    task.module.eval()
    return float(np.mean(losses)), time.process_time() - began


# ── pages ────────────────────────────────────────────────────────────────────────────────────────────────────


def write_page(page: Path, plan: Any, tables: Mapping[str, str] | None, *, timed: bool = False) -> None:
    """NAME.md in a folder of pages, of the template NAME.md beside this file.

    plan    whose fields the template names as {plan.…}
    tables  what stands in its other places; they are kept beside the page. None for those that were kept.
    timed   whether this process did the runs, so that {machine} is this one; else that of the tables kept
    """
    kept = page.with_suffix(".json")
    if tables is None:
        tables = tables_of(kept)
    else:
        on = machine() if timed or not kept.is_file() else tables_of(kept).get("machine")
        tables = {**tables, "machine": on} if on else tables
        lines = {key: text.split("\n") if "\n" in text else text for key, text in tables.items()}
        page.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(lines, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    page.write_text(page_of(page.stem, plan, tables), encoding="utf-8")
    say(f"written: {page}")


def page_of(name: str, plan: Any, tables: Mapping[str, str]) -> str:
    """The page as Markdown."""
    return (HERE / f"{name}.md").read_text(encoding="utf-8").format(plan=plan, **tables)


def tables_of(file: Path) -> dict[str, str]:
    """The tables that were kept of a page; a text of several lines is a list there."""
    lines = json.loads(file.read_text(encoding="utf-8"))
    return {key: "\n".join(text) if isinstance(text, list) else text for key, text in lines.items()}


def read_plan(file: Path, kind: type[PlanT], *, work: Path | None = None) -> PlanT:
    """A run file. work: directory of runs and results instead of the file's"""
    plan = read_settings(file, kind)
    return plan if work is None else replace(plan, work=work)  # type: ignore[type-var]


def best_rate(rates: Sequence[float], score: Callable[[float], float]) -> float:
    """The learning rate with the best score; one alone needs none."""
    return max(rates, key=score) if len(rates) > 1 else rates[0]


def parser_of(description: str | None) -> argparse.ArgumentParser:
    """Of a script whose docstring is its help."""
    return argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def execute(
    description: str | None,
    page: str,
    plan_file: Path,
    *,
    read: type[Any] | Callable[..., Any],
    run: Callable[[Any], None],
    tables: Callable[[Any], Mapping[str, str] | None],
    instead: Mapping[str, Callable[[Any, str], None]] | None = None,
) -> None:
    """The command line of an experiment: do the runs, unless `--report` is given, and write the page.

    Without the data, which intervals need, the page is made of the tables that were kept of it.

    read    the dataclass of a run file, or a function of the file and another `work` or None; `results` is the folder of pages
    run     does everything that is not there yet
    tables  what the page has besides the plan, of what is there; None where nothing is
    instead  more options: what is called with the plan and the option's value in the place of all this
    """
    parser = parser_of(description)
    parser.add_argument("plan", nargs="?", type=Path, default=plan_file, metavar="RUN.toml")
    parser.add_argument("--work", type=Path, help="directory of runs, instead of the plan's")
    parser.add_argument("--report", action="store_true", help="train nothing; write the page of what is kept")
    for option in instead or ():
        parser.add_argument(option)
    given = parser.parse_args()
    is_type = isinstance(read, type)
    plan = read_plan(given.plan, read, work=given.work) if is_type else read(given.plan, work=given.work)
    for option, act in (instead or {}).items():
        if (value := getattr(given, option.removeprefix("--"))) is not None:
            act(plan, value)
            return
    if not given.report:
        run(plan)
    made = tables(plan) if DATA.is_dir() else None
    if made is not None:
        made = {**made, "run_file": digest(given.plan.read_text(encoding="utf-8"))[:8]}
    write_page(plan.results / f"{page}.md", plan, made, timed=not given.report)
