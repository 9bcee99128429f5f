"""What reads alike: the encoder of names goes on learning from mentions and their concepts' names."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from linnet import artifact
from linnet.annotate.learning.lesson import Lesson, Told, within
from linnet.corpora import write
from linnet.encode.model import MANIFEST
from linnet.encode.named_models import SHIPPED
from linnet.evaluate.system import blank
from linnet.link import Linker
from linnet.link.indexing import build_indexes
from linnet.link.learned import ENCODER, TERMINOLOGY
from linnet.terminology import Terminology
from linnet.types import Document

if TYPE_CHECKING:
    from linnet.train.metrics import Row

__all__ = ["LearnEncoder"]

_DRAFT = "encoder-draft"
_DEFAULT = "ngram"  # the encoder of a pipeline that names none

_FEWEST = 100  # linked mentions
_CHECKED = 5  # every so many-th document is kept to compare with the encoder as it was
_STEPS = 300


class LearnEncoder:
    """The encoder of names, fine-tuned on mentions; minutes on a large terminology, which is indexed anew."""

    quick = False

    def available(self) -> bool:
        """With the `train` extra."""
        return find_spec("torch") is not None

    def learn(self, lesson: Lesson, folder: Path, told: Told) -> str:
        """Train on four fifths of the documents; keep the encoder where it links the mentions of the last fifth better."""
        pipeline = lesson.linker.pipeline
        start = _started_from(pipeline.encoder)
        if "dense" not in pipeline.retrievers or start is None:
            return "no encoder: the terminology's pipeline has no n-gram encoder that could go on learning"
        documents = [document for document in lesson.documents if document.mentions]
        linked = sum(bool(mention.concepts) for document in documents for mention in document.mentions)
        if linked < _FEWEST:
            return f"no encoder: {linked:,} linked mentions are too few; it needs {_FEWEST}"
        told(0.0, "Training the encoder of names")
        kept = [document for place, document in enumerate(documents) if (place + 1) % _CHECKED]
        checked = [document for place, document in enumerate(documents) if not (place + 1) % _CHECKED]
        write(kept, folder / "encoder.jsonl", format="jsonl")
        _train(lesson, folder, start, within(told, 0.0, 0.7))
        told(0.7, "Indexing the terminology with the new encoder")
        terminology = _beside(lesson.terminology, folder / TERMINOLOGY)
        build_indexes(terminology, ["dense"], encoder=folder / _DRAFT, threads=1)
        told(0.9, "Comparing the encoder with the one before")
        learned = _linker(lesson, terminology, folder / _DRAFT)
        before, after = _right(lesson.linker, checked), _right(learned, checked)
        for checkpoint in (folder / f"{_DRAFT}.run").glob("*.safetensors"):
            checkpoint.unlink()
        scores = f"{after:.3f} of the mentions of {len(checked):,} checked documents linked right, {before:.3f} before"
        if after <= before:
            shutil.rmtree(folder / _DRAFT)
            shutil.rmtree(folder / TERMINOLOGY)
            return f"no encoder: {scores}"
        (folder / _DRAFT).rename(folder / ENCODER)
        return f"an encoder: {scores}"


def _started_from(encoder: str | None) -> Path | None:
    """The directory of the n-gram encoder that a pipeline names; None where it is of another kind."""
    name = encoder or _DEFAULT
    place = Path(name).absolute() if Path(name).is_dir() else SHIPPED / name
    manifest = place / MANIFEST
    return place if manifest.is_file() and 'kind = "ngram"' in manifest.read_text(encoding="utf-8") else None


def _train(lesson: Lesson, folder: Path, start: Path, told: Told) -> None:
    from linnet.train.run import run

    run_file = folder / "encoder.toml"
    run_file.write_text(
        f"""task = "mention-synonyms"
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
terminology = {json.dumps(str(lesson.terminology.path), ensure_ascii=False)}
corpora = ["encoder.jsonl"]
""",
        encoding="utf-8",
    )
    begun = (folder / f"{_DRAFT}.run" / "last.safetensors").exists() and not (folder / _DRAFT).exists()
    run(run_file, resume=begun, overwrite=not begun, told=_Heard(told))


class _Heard:
    """Passes on how far the run is."""

    def __init__(self, told: Told) -> None:
        self._told = told

    def stepped(self, step: int, loss: float) -> None:
        """As a share of all steps."""
        self._told(step / _STEPS, f"Training the encoder of names: step {step:,} of {_STEPS:,}")

    def evaluated(self, row: Row, *, best: bool) -> None:
        """Kept in metrics.csv."""

    def said(self, message: str) -> None:
        """For the terminal, which there is none of."""


def _beside(terminology: Terminology, place: Path) -> Terminology:
    """The same terminology in another place, for an index of its own; its files are linked, not copied, where they can be."""
    shutil.rmtree(place, ignore_errors=True)
    for file in terminology.path.rglob("*"):
        below = file.relative_to(terminology.path)
        if file.is_file() and below.parts[:2] not in (("index", "dense"), ("index", "search")):
            goal = place / below
            goal.parent.mkdir(parents=True, exist_ok=True)
            artifact.link_or_copy(file, goal)
    return Terminology.open(place)


def _linker(lesson: Lesson, terminology: Terminology, encoder: Path) -> Linker:
    pipeline = replace(lesson.linker.pipeline, encoder=str(encoder))
    return Linker.open([terminology], pipeline=pipeline, concept_types=lesson.types or None, threads=1)


def _right(linker: Linker, documents: Sequence[Document]) -> float:
    """Share of the mentions whose concepts are right."""
    truth = [frozenset(mention.concepts) for document in documents for mention in document.mentions]
    links = linker.link([mention for document in blank(documents) for mention in document.mentions], k=1)
    right = sum(frozenset(link.concepts) == wanted for link, wanted in zip(links, truth, strict=True))
    return right / len(truth) if truth else 0.0
