"""Fine-tunes the encoder of names on mentions and the names of their concepts."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

from linnet.active.learners.reindexed import divided, keep_better
from linnet.active.learners.training_run import train_run
from linnet.active.training_data import Progress, TrainingData, checked, stage
from linnet.corpora import write
from linnet.encode.model import MANIFEST
from linnet.encode.named_models import SHIPPED
from linnet.link.pipeline import Pipeline
from linnet.terminology import Terminology

__all__ = ["LearnEncoder"]

_DRAFT = "encoder-draft"
_DEFAULT = "ngram"  # the encoder of a pipeline that names none

_FEWEST = 100  # linked mentions
_STEPS = 300


class LearnEncoder:
    """The encoder of names, fine-tuned on mentions. Takes minutes for a large terminology, which is indexed again."""

    quick = False

    def available(self) -> bool:
        """With the `train` extra."""
        return find_spec("torch") is not None

    def unsuitable(self, pipeline: Pipeline, terminology: Terminology) -> str:
        """See `Learner`: it fine-tunes an n-gram encoder."""
        if "dense" in pipeline.retrievers and _started_from(pipeline.encoder) is not None:
            return ""
        return "the terminology's pipeline has no n-gram encoder to fine-tune"

    def learn(self, data: TrainingData, folder: Path, progress: Progress) -> str:
        """Train on four fifths of the documents; keep the encoder if it links the mentions of the last fifth better."""
        if reason := self.unsuitable(data.linker.pipeline, data.terminology):
            return f"no encoder: {reason}"
        documents = [
            document for document in map(checked, (*data.documents, *data.strings)) if document.mentions
        ]
        linked = sum(bool(mention.concepts) for document in documents for mention in document.mentions)
        if linked < _FEWEST:
            return f"no encoder: {linked:,} linked mentions are too few; it needs {_FEWEST}"
        progress(0.0, "Training the encoder of names")
        learnt, judged = divided(documents)
        write(learnt, folder / "encoder.jsonl", format="jsonl")
        start = _started_from(data.linker.pipeline.encoder)
        _train(data, folder, start, stage(progress, 0.0, 0.7))
        for checkpoint in (folder / f"{_DRAFT}.run").glob("*.safetensors"):
            checkpoint.unlink()
        rest = stage(progress, 0.7, 1.0)
        kept, scores = keep_better(data, folder, folder / _DRAFT, kind="dense", checked=judged, progress=rest)
        return f"{'an' if kept else 'no'} encoder: {scores}"


def _started_from(encoder: str | None) -> Path | None:
    """Directory of the pipeline's n-gram encoder; None for another kind of encoder."""
    name = encoder or _DEFAULT
    path = Path(name).absolute() if Path(name).is_dir() else SHIPPED / name
    manifest = path / MANIFEST
    return path if manifest.is_file() and 'kind = "ngram"' in manifest.read_text(encoding="utf-8") else None


def _train(data: TrainingData, folder: Path, start: Path | None, progress: Progress) -> None:
    text = f"""task = "mention-synonyms"
output = "{_DRAFT}"

[loop]
steps = {_STEPS}
schedule = "linear"
evaluate_every = {_STEPS}
threads = 1

[encoder]
kind = "ngram"
name = "learned"
start = {json.dumps(str(start), ensure_ascii=False)}
learning_rate = 0.03

[objective]
kind = "info-nce"
temperature = 0.05

[data]
terminology = {json.dumps(str(data.terminology.path.absolute()), ensure_ascii=False)}
corpora = ["encoder.jsonl"]
"""
    train_run(folder, "encoder", text, progress=progress, what="Training the encoder of names", steps=_STEPS)
