"""Which words are mentions: a tagger trained on the checked documents, used where it finds more than names do."""

from __future__ import annotations

import json
import shutil
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from linnet.annotate.learning.learners.names import NAMES, LearnNames
from linnet.annotate.learning.learners.stops import STOPS, LearnStops
from linnet.annotate.learning.lesson import Lesson, Told, within
from linnet.annotate.learning.spans import span_f1
from linnet.corpora import write
from linnet.link.targets import Target
from linnet.recognise import Recogniser, open_recogniser
from linnet.terminology import Terminology
from linnet.terminology.overrides import read_overrides
from linnet.text import simplify
from linnet.types import Document

if TYPE_CHECKING:
    from linnet.train.metrics import Row

__all__ = ["RECOGNISER", "LearnRecogniser"]

RECOGNISER = "recogniser"
"""Folder of a version with the recogniser, there only where it is used."""
_DRAFT = "recogniser-draft"
_COMPARED = "recogniser-names"

_CHECKED = 5  # every so many-th document is kept to compare with what names find


@dataclass(frozen=True, kw_only=True)
class LearnRecogniser:
    """A tagger that finds mentions, names of the terminology or not.

    fewest     documents from which on it is tried. Of NCBI train with MEDIC's names, 80 documents teach an F1 of 0.57 where
               names have 0.72; terminologies with fewer synonyms are overtaken earlier, and what does not help is not kept
    epochs     passes over the documents, within `steps`: at least, at most; the latter is what the recogniser of
               experiments/ takes for 1,000 abstracts
    documents  of a batch
    seed       of the weights it begins with and of the order of the documents
    always     keep it whatever names find, so that all documents are learnt from
    tagger     settings of the run file's section `[tagger]` that are not the default, see `linnet.train.learners.tagger`
    """

    fewest: int = 50
    epochs: int = 20
    steps: tuple[int, int] = (60, 1000)
    documents: int = 8
    seed: int = 0
    always: bool = False
    tagger: Mapping[str, float] = field(default_factory=dict)

    quick: ClassVar[bool] = True

    def available(self) -> bool:
        """With the `train` extra."""
        return find_spec("torch") is not None

    def learn(self, lesson: Lesson, folder: Path, told: Told) -> str:
        """Train on four fifths of the checked documents; keep the tagger where it finds the mentions of the last fifth
        better than names do, those that the four fifths teach among them. Goes on from its last checkpoint after an
        interruption."""
        documents = [document for document in lesson.documents if document.text.strip()]
        if len(documents) < self.fewest or not any(document.mentions for document in documents):
            return f"no tagger: {len(documents):,} checked documents are too few, it takes {self.fewest}"
        told(0.0, "Training the recogniser")
        kept, checked = (documents, []) if self.always else _divided(documents)
        write(kept, folder / "recogniser.jsonl", format="jsonl")
        self._train(lesson, folder, len(kept), within(told, 0.0, 0.9))
        if self.always:
            _tidy(folder)
            (folder / _DRAFT).rename(folder / RECOGNISER)
            return f"a tagger from {len(documents):,} checked documents"
        told(0.9, "Comparing the recogniser with the dictionary")
        names, stops = _names_of(replace(lesson, documents=kept, partial=[]), folder / _COMPARED)
        before = _found(names, checked, stops)
        after = _found(open_recogniser(folder / _DRAFT, []), checked, stops)
        _tidy(folder)
        scores = (
            f"F1 {after:.2f} on {len(checked):,} checked documents, {before:.2f} with names and what is none"
        )
        if after <= before:
            shutil.rmtree(folder / _DRAFT)
            return f"no tagger: {scores}"
        (folder / _DRAFT).rename(folder / RECOGNISER)
        return f"a tagger: {scores}"

    def _train(self, lesson: Lesson, folder: Path, documents: int, told: Told) -> None:
        from linnet.train.run import run

        low, high = self.steps
        steps = min(max(self.epochs * documents // self.documents, low), high)
        types = "".join(
            f"\ntypes = {json.dumps(list(lesson.types), ensure_ascii=False)}" if lesson.types else ""
        )
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
terminologies = [{json.dumps(str(lesson.terminology.path), ensure_ascii=False)}]{types}
{tagger}""",
            encoding="utf-8",
        )
        begun = (folder / f"{_DRAFT}.run" / "last.safetensors").exists() and not (folder / _DRAFT).exists()
        run(run_file, resume=begun, overwrite=not begun, told=_Heard(told, steps))


def _divided(documents: Sequence[Document]) -> tuple[list[Document], list[Document]]:
    """Documents to learn from, and every fifth, to check with."""
    return (
        [document for place, document in enumerate(documents) if (place + 1) % _CHECKED],
        [document for place, document in enumerate(documents) if not (place + 1) % _CHECKED],
    )


def _names_of(lesson: Lesson, folder: Path) -> tuple[Recogniser, frozenset[str]]:
    """What finds mentions without a tagger, after a lesson: names of the terminology and of the documents; what is none."""
    LearnNames().learn(lesson, folder, lambda *_: None)
    LearnStops().learn(lesson, folder, lambda *_: None)
    targets = list(lesson.linker.targets.names())
    if (folder / NAMES).exists():
        learned = Terminology.open(folder / NAMES)
        targets.insert(0, Target(learned, [], overrides=read_overrides(learned)).names())
    stops = json.loads((folder / STOPS).read_text(encoding="utf-8"))
    return open_recogniser("dictionary", targets), frozenset(stops)


def _found(recogniser: Recogniser, documents: Sequence[Document], stops: Collection[str]) -> float:
    found = recogniser.recognise([document.with_mentions(()) for document in documents])
    kept = [
        document.with_mentions([m for m in document.mentions if simplify(m.text) not in stops])
        for document in found
    ]
    return span_f1(documents, kept)


def _tidy(folder: Path) -> None:
    """Checkpoints and what was compared with are of no use any more; the run file, the metrics and where they came from stay."""
    shutil.rmtree(folder / _COMPARED, ignore_errors=True)
    for checkpoint in (folder / f"{_DRAFT}.run").glob("*.safetensors"):
        checkpoint.unlink()


class _Heard:
    """Passes on how far the run is."""

    def __init__(self, told: Told, steps: int) -> None:
        self._told, self._steps = told, steps

    def stepped(self, step: int, loss: float) -> None:
        """As a share of all steps."""
        self._told(step / self._steps, f"Training the recogniser: step {step:,} of {self._steps:,}")

    def evaluated(self, row: Row, *, best: bool) -> None:
        """Kept in metrics.csv."""

    def said(self, message: str) -> None:
        """For the terminal, which there is none of."""
