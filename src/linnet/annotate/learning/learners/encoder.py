"""Fine-tunes the encoder of names on mentions and the names of their concepts."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from linnet import artifact
from linnet.annotate.learning.learners.training_run import train_run
from linnet.annotate.learning.metrics import linking_accuracy
from linnet.annotate.learning.training_data import Progress, TrainingData, stage
from linnet.corpora import write
from linnet.encode.model import MANIFEST
from linnet.encode.named_models import SHIPPED
from linnet.link import Linker
from linnet.link.indexing import build_indexes
from linnet.link.learned import ENCODER, TERMINOLOGY
from linnet.terminology import Terminology

__all__ = ["LearnEncoder"]

_DRAFT = "encoder-draft"
_DEFAULT = "ngram"  # the encoder of a pipeline that names none

_FEWEST = 100  # linked mentions
_CHECKED = 5  # every fifth document compares the encoder with the previous one
_STEPS = 300


class LearnEncoder:
    """The encoder of names, fine-tuned on mentions. Takes minutes for a large terminology, which is indexed again."""

    quick = False

    def available(self) -> bool:
        """With the `train` extra."""
        return find_spec("torch") is not None

    def learn(self, data: TrainingData, folder: Path, progress: Progress) -> str:
        """Train on four fifths of the documents; keep the encoder if it links the mentions of the last fifth better."""
        pipeline = data.linker.pipeline
        start = _started_from(pipeline.encoder)
        if "dense" not in pipeline.retrievers or start is None:
            return "no encoder: the terminology's pipeline has no n-gram encoder to fine-tune"
        documents = [document for document in data.documents if document.mentions]
        linked = sum(bool(mention.concepts) for document in documents for mention in document.mentions)
        if linked < _FEWEST:
            return f"no encoder: {linked:,} linked mentions are too few; it needs {_FEWEST}"
        progress(0.0, "Training the encoder of names")
        kept = [document for place, document in enumerate(documents) if (place + 1) % _CHECKED]
        checked = [document for place, document in enumerate(documents) if not (place + 1) % _CHECKED]
        write(kept, folder / "encoder.jsonl", format="jsonl")
        _train(data, folder, start, stage(progress, 0.0, 0.7))
        progress(0.7, "Indexing the terminology with the new encoder")
        terminology = _beside(data.terminology, folder / TERMINOLOGY)
        build_indexes(terminology, ["dense"], encoder=folder / _DRAFT, threads=1)
        progress(0.9, "Comparing the encoder with the previous one")
        learned = _linker(data, terminology, folder / _DRAFT)
        before, after = linking_accuracy(data.linker, checked), linking_accuracy(learned, checked)
        for checkpoint in (folder / f"{_DRAFT}.run").glob("*.safetensors"):
            checkpoint.unlink()
        scores = f"{after:.3f} of the mentions of {len(checked):,} accepted documents linked right, {before:.3f} before"
        if after <= before:
            shutil.rmtree(folder / _DRAFT)
            shutil.rmtree(folder / TERMINOLOGY)
            return f"no encoder: {scores}"
        (folder / _DRAFT).rename(folder / ENCODER)
        return f"an encoder: {scores}"


def _started_from(encoder: str | None) -> Path | None:
    """Directory of the pipeline's n-gram encoder; None for another kind of encoder."""
    name = encoder or _DEFAULT
    place = Path(name).absolute() if Path(name).is_dir() else SHIPPED / name
    manifest = place / MANIFEST
    return place if manifest.is_file() and 'kind = "ngram"' in manifest.read_text(encoding="utf-8") else None


def _train(data: TrainingData, folder: Path, start: Path, progress: Progress) -> None:
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
terminology = {json.dumps(str(data.terminology.path), ensure_ascii=False)}
corpora = ["encoder.jsonl"]
"""
    train_run(folder, "encoder", text, progress=progress, what="Training the encoder of names", steps=_STEPS)


def _beside(terminology: Terminology, place: Path) -> Terminology:
    """A copy of the terminology for another index; links its files instead of copying where possible."""
    shutil.rmtree(place, ignore_errors=True)
    for file in terminology.path.rglob("*"):
        below = file.relative_to(terminology.path)
        if file.is_file() and below.parts[:2] not in (("index", "dense"), ("index", "search")):
            goal = place / below
            goal.parent.mkdir(parents=True, exist_ok=True)
            artifact.link_or_copy(file, goal)
    return Terminology.open(place)


def _linker(data: TrainingData, terminology: Terminology, encoder: Path) -> Linker:
    pipeline = replace(data.linker.pipeline, encoder=str(encoder))
    return Linker.open([terminology], pipeline=pipeline, concept_types=data.types or None, threads=1)
