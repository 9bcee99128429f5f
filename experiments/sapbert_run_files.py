"""The run files of `sapbert_transformers.py`, as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from sapbert_transformer_plan import MORE_PAIRS, PASS, Alignment, FineTuning, MaskedPlan, Run, Transformer
from transformer_runs import portable

__all__ = ["alignment", "fine_tuning", "masked", "sample_name"]


def sample_name(share: float) -> str:
    """Of the directory with the terminology of a sample, beside those of run files and models."""
    return f"sample-{share:g}"


def alignment(plan: Transformer, run: Alignment, *, start: str) -> dict[str, Any]:
    """Task `synonyms`: the pass learns the plan's terminologies, every other run their sample.

    start  directory of a transformer, as the run file names it
    """
    whole = run.name == PASS
    pairing: dict[str, Any] = {"pairing": "once"}
    if run.name == MORE_PAIRS:
        pairing = {"pairing": "combinations", "most": plan.more_pairs}
    return {
        "task": "synonyms",
        **_shared(plan, run, run.share if whole else 1.0),
        "encoder": {**_encoder(plan, run, start), **run.encoder},
        "objective": dict(run.objective),
        "data": {
            "terminologies": (
                list(map(portable, plan.terminologies)) if whole else [f"../{sample_name(run.share)}"]
            ),
            **pairing,
            "pairs": plan.pairs,
            "hard": run.hard,
            "refresh": plan.refresh,
        },
    }


def fine_tuning(
    plan: Transformer, run: FineTuning, *, start: str, terminology: str, data: Mapping[str, Any]
) -> dict[str, Any]:
    """Task `mention-synonyms`, with mining.

    start        directory of the transformer that is fine-tuned, terminology: of the corpus; both as the run file names them
    data         `Corpora.training_data`
    """
    return {
        "task": "mention-synonyms",
        **_shared(plan, run, run.passes),
        "encoder": _encoder(plan, run, start),
        "objective": {"kind": "multi-similarity", "mining": True},
        "data": {"terminology": terminology, **data, "pairs": run.pairs},
    }


def masked(plan: Transformer, run: Run, wanted: MaskedPlan) -> dict[str, Any]:
    """Task `masked-language`."""
    return {
        "task": "masked-language",
        **_shared(plan, run, wanted.passes),
        "encoder": _encoder(plan, run, portable(plan.start)),
        "data": {
            "texts": [f"${{LINNET_DATA}}/{file}" for file in wanted.texts],
            "tokens": wanted.tokens,
            "batch": wanted.batch,
            "held_out": wanted.held_out,
        },
    }


def _shared(plan: Transformer, run: Run, passes: float) -> dict[str, Any]:
    return {
        "output": f"../models/{run.key}",
        "seed": run.seed,
        "loop": {
            "passes": passes,
            "warm_up": plan.warm_up,
            "evaluate_every": 50,
            "checkpoint_minutes": plan.minutes,
            "precision": plan.precision,
            "threads": torch.get_num_threads(),
        },
    }


def _encoder(plan: Transformer, run: Run, start: str) -> dict[str, Any]:
    return {
        "kind": "transformer",
        "name": "minilm-synonyms",
        "start": start,
        "dropout": plan.dropout,
        "learning_rate": run.rate,
    }
