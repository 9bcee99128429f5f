"""The page of `sapbert_transformers.py`, from the results of its runs. What is not there yet is left out and named."""

from __future__ import annotations

import textwrap
from pathlib import Path

from result_tables import percent
from sapbert_transformer_tables import TransformerTables
from sapbert_transformers import Runs

from linnet.artifact import digest

__all__ = ["page"]

HERE = Path(__file__).parent


def page(runs: Runs, plan_file: Path) -> str:
    """The page as Markdown."""
    tables, plan = TransformerTables(runs), runs.plan
    return (HERE / "sapbert-transformer.md").read_text(encoding="utf-8").format(
        run_file=digest(plan_file.read_text(encoding="utf-8"))[:8],
        missing=_missing(tables),
        plan=plan,
        sample=percent(plan.sample),
        rates=", ".join(f"{kind}: {runs.rate(kind):g}" for kind in plan.rates),
        epochs=", ".join(
            f"{runs.corpora.given[key].title} {passes:g}" for key, passes in plan.fine_tuning.passes.items()
        ),
        mentions=tables.mentions(),
        training=tables.training(),
        gains=tables.gains(),
        gain_differences=tables.gain_differences(),
        mining=tables.mining(),
        mining_differences=tables.mining_differences(),
        objectives=tables.objectives(),
        objective_differences=tables.objective_differences(),
        fine_tuning="\n".join(_fine_tuning(tables, key) for key in plan.fine_tuning.passes),
    )  # fmt: skip


def _missing(tables: TransformerTables) -> str:
    """A paragraph of what the tables lack, or nothing."""
    sentences = []
    if tables.missing:
        sentences.append(f"Not done yet, and left out of all tables: {'; '.join(tables.missing)}.")
    if others := tables.other_weights():
        sentences.append(f"Fine-tuned from a repetition of the pass with other weights: {'; '.join(others)}.")
    return textwrap.fill(" ".join(sentences), 140) + "\n\n" if sentences else ""


def _fine_tuning(tables: TransformerTables, key: str) -> str:
    title = tables.corpora.given[key].title
    return f"### {title}\n\n{tables.fine_tuning(key)}\n{tables.fine_tuning_differences(key)}"
