"""Fine-tunes the two towers that compare mentions in their contexts with concepts (TrainX's bi-encoder)."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar

from linnet.active.learners.reindexed import divided, keep_better
from linnet.active.learners.training_run import train_run
from linnet.active.training_data import Progress, TrainingData, checked, stage
from linnet.corpora import write
from linnet.encode.model import open_model
from linnet.encode.two_tower import is_two_tower
from linnet.link.pipeline import Pipeline
from linnet.retrieve.encoder_stamp import index_encoder
from linnet.terminology import Terminology

__all__ = ["LearnTwoTower"]

_DRAFT = "two-tower-draft"
_WEIGHTS = "mention"  # the folder of a model with the weights of its first tower


@dataclass(frozen=True, kw_only=True)
class LearnTwoTower:
    """The two-tower encoder of mentions in their contexts, fine-tuned on mentions. Takes minutes to hours without a GPU.

    fewest    linked mentions needed
    passes    over the mentions, within `steps` (minimum, maximum)
    mentions  of a batch
    """

    fewest: int = 100
    passes: int = 5
    steps: tuple[int, int] = (50, 1000)
    mentions: int = 32

    quick: ClassVar[bool] = False

    def available(self) -> bool:
        """With the `train` extra."""
        return all(find_spec(name) is not None for name in ("torch", "transformers", "onnxscript"))

    def unsuitable(self, pipeline: Pipeline, terminology: Terminology) -> str:
        """See `Learner`: it goes on from the model that the terminology is indexed with."""
        if "entities" not in pipeline.retrievers or index_encoder(terminology, "entities") is None:
            return "the terminology has no index of entities, whose model training goes on from. Index the terminology with such a model"
        if _started_from(terminology) is None:
            return (
                f"{index_encoder(terminology, 'entities')} has no weights to train further. Index the terminology with the folder "
                "that its training wrote"
            )
        return ""

    def learn(self, data: TrainingData, folder: Path, progress: Progress) -> str:
        """Train on four fifths of the documents; keep the encoder if it links the mentions of the last fifth better. Resumes from
        the last checkpoint after an interruption."""
        if reason := self.unsuitable(data.linker.pipeline, data.terminology):
            return f"no two-tower encoder: {reason}"
        documents = [
            document for document in map(checked, (*data.documents, *data.strings)) if document.mentions
        ]
        learnt, judged = divided(documents)
        concepts = [
            mention.concepts[0]
            for document in learnt
            for mention in document.mentions
            if len(mention.concepts) == 1 and data.terminology.row(mention.concepts[0]) >= 0
        ]
        if len(concepts) < self.fewest or len(set(concepts)) < 2:
            return (
                f"no two-tower encoder: {len(concepts):,} linked mentions of {len(set(concepts)):,} concepts are too few; "
                f"it needs {self.fewest} of several"
            )
        progress(0.0, "Training the two-tower encoder")
        write(learnt, folder / "two-tower.jsonl", format="jsonl")
        self._train(data, folder, len(concepts), stage(progress, 0.0, 0.7))
        for checkpoint in (folder / f"{_DRAFT}.run").glob("*.safetensors"):
            checkpoint.unlink()
        # The small copy is what is used: a version takes a quarter of the space, and is judged as it is.
        trained, small = folder / _DRAFT, folder / f"{_DRAFT}-int8"
        shutil.rmtree(small, ignore_errors=True)
        (trained / "int8").rename(small)
        shutil.rmtree(trained)
        rest = stage(progress, 0.7, 1.0)
        kept, scores = keep_better(data, folder, small, kind="entities", checked=judged, progress=rest)
        return f"{'a' if kept else 'no'} two-tower encoder: {scores}"

    def _train(self, data: TrainingData, folder: Path, mentions: int, progress: Progress) -> None:
        low, high = self.steps
        steps = min(max(self.passes * mentions // self.mentions, low), high)
        start = _started_from(data.terminology)
        options = open_model(str(start), checked=False).options
        text = f"""task = "two-tower"
output = "{_DRAFT}"

[loop]
steps = {steps}
warm_up = {steps // 10}
schedule = "linear"
evaluate_every = {max(steps // 4, 1)}
threads = 1

[encoder]
name = "learned"
start = {json.dumps(str(start), ensure_ascii=False)}
shared = {json.dumps(bool(options["shared"]))}
max_length = {int(options["max_length"])}
learning_rate = 5e-5

[data]
terminology = {json.dumps(str(data.terminology.path.absolute()), ensure_ascii=False)}
corpora = ["two-tower.jsonl"]
mentions = {self.mentions}
"""
        train_run(
            folder, "two-tower", text, progress=progress, what="Training the two-tower encoder", steps=steps
        )


def _started_from(terminology: Terminology) -> Path | None:
    """Directory of the model that the terminology is indexed with, or of which it is the small copy; None without weights."""
    path = Path(str(index_encoder(terminology, "entities")))
    weights = (folder for folder in (path, path.parent) if (folder / _WEIGHTS).is_dir())
    return next((folder for folder in weights if is_two_tower(folder)), None)
