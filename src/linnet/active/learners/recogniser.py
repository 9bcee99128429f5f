"""Trains a tagger of mentions on the accepted documents. If it is unsure, mentions are found by names."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar

from linnet.active.learners.training_run import train_run
from linnet.active.training_data import Progress, TrainingData
from linnet.corpora import write
from linnet.link.learned import RECOGNISER
from linnet.link.pipeline import Pipeline
from linnet.terminology import Terminology

__all__ = ["LearnRecogniser"]

_DRAFT = "recogniser-draft"


@dataclass(frozen=True, kw_only=True)
class LearnRecogniser:
    """A tagger that finds mentions, whether or not the terminology has their names.

    fewest     documents needed; with fewer, it is hardly ever sure
    epochs     passes over the documents, within `steps` (minimum, maximum); the maximum is what the recogniser of
               experiments/ takes for 1,000 abstracts
    documents  per batch
    seed       of the initial weights and of the order of the documents
    tagger     settings for the run file's section `[tagger]`, see `linnet.train.learners.tagger`
    """

    fewest: int = 50
    epochs: int = 20
    steps: tuple[int, int] = (60, 1000)
    documents: int = 8
    seed: int = 0
    tagger: Mapping[str, float] = field(default_factory=dict)

    quick: ClassVar[bool] = True

    def available(self) -> bool:
        """With the `train` extra."""
        return find_spec("torch") is not None

    def unsuitable(self, pipeline: Pipeline, terminology: Terminology) -> str:
        """See `Learner`: it learns for any."""
        return ""

    def learn(self, data: TrainingData, folder: Path, progress: Progress) -> str:
        """Train on the accepted documents; a tenth of them calibrates it. Resumes from the last checkpoint after an
        interruption."""
        documents = [document for document in data.documents if document.text.strip()]
        if len(documents) < self.fewest or not any(document.mentions for document in documents):
            return f"no tagger: {len(documents):,} accepted documents are too few; it needs {self.fewest}"
        progress(0.0, "Training the recogniser")
        write(documents, folder / "recogniser.jsonl", format="jsonl")
        self._train(data, folder, len(documents), progress)
        # Run file, metrics and manifest stay; the checkpoints are no longer needed.
        for checkpoint in (folder / f"{_DRAFT}.run").glob("*.safetensors"):
            checkpoint.unlink()
        shutil.rmtree(folder / RECOGNISER, ignore_errors=True)  # from before an interruption
        (folder / _DRAFT).rename(folder / RECOGNISER)
        return f"a tagger from {len(documents):,} accepted documents, beside names"

    def _train(self, data: TrainingData, folder: Path, documents: int, progress: Progress) -> None:
        low, high = self.steps
        steps = min(max(self.epochs * documents // self.documents, low), high)
        types = "".join(f"\ntypes = {json.dumps(list(data.types), ensure_ascii=False)}" if data.types else "")
        options = "".join(f"{name} = {value}\n" for name, value in self.tagger.items())
        tagger = f"\n[tagger]\n{options}" if options else ""
        text = f"""task = "recogniser"
output = "{_DRAFT}"
seed = {self.seed}

[loop]
steps = {steps}
warm_up = {steps // 20}
schedule = "linear"
evaluate_every = {max(steps // 4, 1)}
clip = 5.0
threads = 1

[data]
documents = {self.documents}
held_out = 0.1

[[data.sources]]
corpora = ["recogniser.jsonl"]

[[data.gazetteers]]
name = "terminology"
terminologies = [{json.dumps(str(data.terminology.path.absolute()), ensure_ascii=False)}]{types}
{tagger}"""
        train_run(folder, "recogniser", text, progress=progress, what="Training the recogniser", steps=steps)
