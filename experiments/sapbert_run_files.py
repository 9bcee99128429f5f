"""The run files of `sapbert_transformers.py`, as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from sapbert_transformer_plan import PASS, Alignment, FineTuning, Run, Transformer
from transformer_runs import portable

__all__ = ["alignment", "fine_tuning", "sample_name"]


def sample_name(share: float) -> str:
    """Of the directory with the terminology of a sample, beside those of run files and models."""
    return f"sample-{share:g}"


def alignment(plan: Transformer, run: Alignment) -> dict[str, Any]:
    """Task `synonyms`: the pass learns the plan's terminologies, every other run their sample."""
    whole = run.name == PASS
    return {
        "task": "synonyms",
        **_shared(plan, run, run.share if whole else 1.0),
        "encoder": {**_encoder(plan, run, portable(plan.start)), **run.encoder},
        "objective": dict(run.objective),
        "data": {
            "terminologies": (
                list(map(portable, plan.terminologies)) if whole else [f"../{sample_name(run.share)}"]
            ),
            "pairing": "once",
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
