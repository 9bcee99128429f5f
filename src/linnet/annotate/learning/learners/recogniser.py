"""Which words are mentions: a tagger trained on the checked documents, believed where it is sure; elsewhere names are."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from linnet.annotate.learning.training_data import Progress, TrainingData
from linnet.corpora import write
from linnet.link.learned import RECOGNISER

if TYPE_CHECKING:
    from linnet.train.metrics import Row

__all__ = ["LearnRecogniser"]

_DRAFT = "recogniser-draft"


@dataclass(frozen=True, kw_only=True)
class LearnRecogniser:
    """A tagger that finds mentions, names of the terminology or not.

    fewest     documents from which on it is tried; while few teach it, it is hardly ever sure, and names find the mentions
    epochs     passes over the documents, within `steps`: at least, at most; the latter is what the recogniser of
               experiments/ takes for 1,000 abstracts
    documents  of a batch
    seed       of the weights it begins with and of the order of the documents
    tagger     settings of the run file's section `[tagger]` that are not the default, see `linnet.train.learners.tagger`
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

    def learn(self, data: TrainingData, folder: Path, progress: Progress) -> str:
        """Train on the checked documents, a tenth of which say how sure it may be. Goes on from its last checkpoint after
        an interruption."""
        documents = [document for document in data.documents if document.text.strip()]
        if len(documents) < self.fewest or not any(document.mentions for document in documents):
            return f"no tagger: {len(documents):,} checked documents are too few; it needs {self.fewest}"
        progress(0.0, "Training the recogniser")
        write(documents, folder / "recogniser.jsonl", format="jsonl")
        self._train(data, folder, len(documents), progress)
        # The run file, the metrics and where they came from stay; checkpoints are of no use any more.
        for checkpoint in (folder / f"{_DRAFT}.run").glob("*.safetensors"):
            checkpoint.unlink()
        shutil.rmtree(folder / RECOGNISER, ignore_errors=True)  # of the same data, before an interruption
        (folder / _DRAFT).rename(folder / RECOGNISER)
        return f"a tagger from {len(documents):,} checked documents, beside names"

    def _train(self, data: TrainingData, folder: Path, documents: int, progress: Progress) -> None:
        from linnet.train.run import run

        low, high = self.steps
        steps = min(max(self.epochs * documents // self.documents, low), high)
        types = "".join(f"\ntypes = {json.dumps(list(data.types), ensure_ascii=False)}" if data.types else "")
        options = "".join(f"{name} = {value}\n" for name, value in self.tagger.items())
        tagger = f"\n[tagger]\n{options}" if options else ""
        run_file = folder / "recogniser.toml"
        run_file.write_text(
            f"""task = "recogniser"
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
terminologies = [{json.dumps(str(data.terminology.path), ensure_ascii=False)}]{types}
{tagger}""",
            encoding="utf-8",
        )
        begun = (folder / f"{_DRAFT}.run" / "last.safetensors").exists() and not (folder / _DRAFT).exists()
        run(run_file, resume=begun, overwrite=not begun, told=_RunProgress(progress, steps))


class _RunProgress:
    """Passes on how far the run is."""

    def __init__(self, progress: Progress, steps: int) -> None:
        self._progress, self._steps = progress, steps

    def stepped(self, step: int, loss: float) -> None:
        """As a share of all steps."""
        self._progress(step / self._steps, f"Training the recogniser: step {step:,} of {self._steps:,}")

    def evaluated(self, row: Row, *, best: bool) -> None:
        """Kept in metrics.csv."""

    def said(self, message: str) -> None:
        """For the terminal, which there is none of."""
