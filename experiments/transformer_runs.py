"""What the experiments with a pretrained transformer share: run files, and training that goes on where it stopped."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from harness import DATA, say

from linnet.encode.export import source_digest
from linnet.io.files import open_output, read_text
from linnet.io.toml import to_toml
from linnet.train.loop import LAST, checkpoint_folder
from linnet.train.run import folder_of, read_run, run
from linnet.train.task import RunSettings

__all__ = [
    "DEVICE",
    "ROOT",
    "check_start",
    "finished",
    "forget",
    "portable",
    "remembering",
    "run_table",
    "trained",
]

ROOT = Path(__file__).absolute().parents[1]
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
"""Where trained encoders are asked, as in training."""
_TREE = "LINNET_TREE"


def check_start(results: Path, start: Path) -> None:
    """End the program if the results kept in a folder are of another transformer than START; a new folder becomes its own.

    Their folder is named for the settings, in which a transformer is but a path.
    """
    file, now = results / "start.txt", source_digest(start)
    if not file.exists():
        results.mkdir(parents=True, exist_ok=True)
        with open_output(file) as stream:
            stream.write(f"{now}\n")
    before = read_text(file).strip()
    if before != now:
        raise SystemExit(
            f"{results} has results of another transformer (digest {before}) than {start} (digest {now}). Name the one that "
            "they are of, or remove that folder, and all runs are done again."
        )


def portable(path: Path) -> str:
    """As a run file names it, so that a run resumes from another copy of this tree, and names no path of this machine."""
    os.environ[_TREE] = str(ROOT)
    path = path.absolute()
    return f"${{{_TREE}}}/{path.relative_to(ROOT).as_posix()}" if path.is_relative_to(ROOT) else str(path)


def trained(run_file: Path, table: Mapping[str, Any]) -> RunSettings:
    """Write a run file and train as it says, or go on; nothing is done where the model is there. Ends the program if stopped."""
    run_file.parent.mkdir(parents=True, exist_ok=True)
    os.environ[_TREE] = str(ROOT)
    os.environ.setdefault("LINNET_DATA", str(DATA.absolute()))  # which run files name
    with open_output(run_file) as stream:
        stream.write(to_toml(table))
    settings, _ = read_run(run_file)
    if not (settings.output / "model.toml").is_file():
        # A folder without a checkpoint is of a run that was killed before the first, or of one whose result was deleted.
        begun = (checkpoint_folder(settings.loop, folder_of(settings)) / LAST).is_file()
        say(f"{run_file.stem}: {'goes on' if begun else 'begins'}")
        if run(run_file, resume=begun, overwrite=not begun).trained.ending in ("interrupted", "terminated"):
            raise SystemExit(
                f"Stopped; a checkpoint is saved. Go on with the same command. ({run_file.stem})"
            )
    return settings


def finished(settings: RunSettings) -> dict[str, Any]:
    """Of a finished run: ending, steps, seconds, scores, sessions, cpu, threads, and the gpu if it ran on one."""
    facts = json.loads((folder_of(settings) / "provenance.json").read_text(encoding="utf-8"))
    hardware = {
        name: facts["hardware"][name] for name in ("cpu", "threads", "gpu") if name in facts["hardware"]
    }
    return {**facts["result"], **hardware, "sessions": len(facts["sessions"])}


def run_table(
    plan: Any, key: str, *, task: str, seed: int, loop: Mapping[str, Any], **sections: Any
) -> dict[str, Any]:
    """A run file below runs/ whose model comes to models/KEY. plan: its `minutes` between checkpoints and `precision`"""
    common = {
        "evaluate_every": 50,
        "checkpoint_minutes": plan.minutes,
        "precision": plan.precision,
        "threads": torch.get_num_threads(),
    }
    return {
        "task": task,
        "output": f"../models/{key}",
        "seed": seed,
        "loop": {**common, **loop},
        **sections,
    }


def forget(settings: RunSettings) -> None:
    """Remove a model and its checkpoints, which are hundreds of megabytes; what the run tells of itself stays."""
    shutil.rmtree(settings.output)
    for checkpoint in folder_of(settings).glob("*.safetensors"):
        checkpoint.unlink()


def remembering(
    encode: Callable[[Sequence[Any]], Any], *, key: Callable[[Any], Hashable] = lambda item: item
) -> Callable[[Sequence[Any]], Any]:
    """An encoder that encodes each item once: several corpora are looked for among the same names.

    key  what equal items have in common
    """
    known: dict[Hashable, Any] = {}

    @torch.no_grad()
    def remembered(items: Sequence[Any]) -> Any:
        new = {key(item): item for item in items if key(item) not in known}
        for start in range(0, len(new), 4096):
            keys = list(new)[start : start + 4096]
            vectors = torch.as_tensor(encode([new[one] for one in keys])).cpu().numpy()
            known.update(zip(keys, vectors, strict=True))
        return np.stack([known[key(item)] for item in items])

    return remembered
