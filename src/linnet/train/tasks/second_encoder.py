"""A second encoder behind a listwise reranker: learns to rank the candidates of both where the first is unsure."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from linnet.arrays import Ints, Mask
from linnet.encode import Encoder, load_encoder
from linnet.encode.model import Model, open_model, write_model
from linnet.encode.named_models import model_place
from linnet.encode.safetensors import write_safetensors
from linnet.io.settings_files import NameOrPath, check_at_least
from linnet.link.indexing import build_second_index
from linnet.link.second_index import RESERVED, SecondIndex, check_unoccupied
from linnet.link.terminology_group import TerminologyGroup
from linnet.rerank.calibrator import CERTAIN, FILE, Calibrator
from linnet.rerank.listwise import ListwiseReranker
from linnet.rerank.reranker import Reranker
from linnet.rerank.second_stage import ENCODER, FIRST, WEIGHTS
from linnet.rerank.second_stage_features import SECOND_FEATURES, pooled_features
from linnet.retrieve.dense import DenseIndex
from linnet.retrieve.hits import Hits
from linnet.retrieve.index import index_path
from linnet.terminology import Terminology
from linnet.train.crossfit import KINDS, CandidateLists, Crossfit, is_right
from linnet.train.task import RunSettings
from linnet.train.tasks.listwise import (
    Examples,
    ListwiseData,
    ListwiseSettings,
    ListwiseTask,
    open_crossfit,
)

__all__ = [
    "ExamplesOfLists",
    "SecondEncoderData",
    "SecondEncoderSettings",
    "SecondEncoderTask",
    "examples_of_lists",
    "forgetting",
    "second_examples",
]

_FIRST = NameOrPath("context")
_TOGETHER = 4096  # lists whose features are computed at a time


@dataclass(frozen=True, kw_only=True)
class SecondEncoderData(ListwiseData):
    """The section `[data]`: that of task = "listwise", and

    first      name or directory of a listwise reranker
    second     name or directory of the second encoder
    found      candidates that it adds at most
    surest     lists whose best candidate the first reranker finds more probable are not learnt from
    ask_below  the first reranker's calibrated probability below which the second encoder is asked when linking
    """

    second: NameOrPath
    first: NameOrPath = _FIRST
    found: int = 8
    surest: float = 1.0
    ask_below: float = 0.9

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least(self, 1, "found")
        for name in ("surest", "ask_below"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"'{name}' is {getattr(self, name)}; expected a number from 0 to 1.")


@dataclass(frozen=True, kw_only=True)
class SecondEncoderSettings(ListwiseSettings):
    """A run file with task = "second-encoder"."""

    data: SecondEncoderData

    def __post_init__(self) -> None:
        super().__post_init__()
        if _index_name(self) in RESERVED:
            raise ValueError(
                f"'output' is named '{_index_name(self)}', as an index of another kind is; expected another name: each "
                "terminology gets an index of the second encoder that is named like the model."
            )


class SecondEncoderTask(ListwiseTask):
    """As `ListwiseTask`, with the candidates and features of both encoders.

    Each terminology gets an index of the second encoder's vectors, which has the name of the model.
    """

    Settings: ClassVar[type[RunSettings]] = SecondEncoderSettings
    settings: SecondEncoderSettings

    @classmethod
    def prepare(cls, settings: ListwiseSettings) -> Self:
        """See `Task.prepare`. Raises DataError where a corpus is too small for its folds, MismatchError where `first` is
        no listwise reranker."""
        assert isinstance(settings, SecondEncoderSettings)
        crossfit = open_crossfit(settings.data, threads=settings.loop.threads)
        task = cls(settings, crossfit, second_examples(settings, crossfit))
        models = {"first": settings.data.first, "second": settings.data.second}
        digests = {role: open_model(model_place(name), checked=False).digest for role, name in models.items()}
        task.data = {**task.data, **digests}
        return task

    def save(self, directory: Path, *, card: str, training: Mapping[str, Any]) -> None:
        """Write the model with a calibrator, fitted to the links of the fold held out. For these the first reranker forgets
        the fold's mentions, in the model those of the fold left out."""
        data = self.settings.data
        with tempfile.TemporaryDirectory(prefix="linnet-second-encoder-") as folder:
            path = Path(folder)
            without_fold = path / "m"
            first = forgetting(data.first, self._crossfit, data.held_out, path / "held-out")
            self._write(without_fold, copied=first, calibrator=CERTAIN)
            calibrator = self.calibrator(without_fold, data.held_out)
            copied = Path(data.first) if Path(data.first).is_dir() else None
            if data.left_out is not None:
                copied = forgetting(data.first, self._crossfit, data.left_out, path / "left-out")
            self._write(directory, copied=copied, card=card, training=training, calibrator=calibrator)

    def _write(
        self,
        directory: Path,
        *,
        copied: Path | None,
        card: str = "",
        training: Mapping[str, Any] | None = None,
        calibrator: Calibrator | None = None,
    ) -> None:
        """Write the model directory; `copied` is the directory of the first reranker, None to find it by name."""
        data = self.settings.data
        first = ListwiseReranker.open(copied or model_place(data.first))

        def fill(draft: Path) -> None:
            write_safetensors(draft / WEIGHTS, dict(self.module.scorer().arrays()))
            shutil.copytree(model_place(data.second), draft / ENCODER)
            if copied is not None:
                shutil.copytree(copied, draft / FIRST)
            if calibrator is not None:
                calibrator.save(draft / FILE)

        options = {
            "features": list(SECOND_FEATURES),
            "found": data.found,
            "index": _index_name(self.settings),
            "first": first.name,
            "first_digest": first.digest,
            "ask_below": data.ask_below,
        }
        size = len(self.module.centre)
        model = Model("second-encoder", directory.name, size, "tokenizer", options, dict(training or {}))
        write_model(directory, model, fill=fill, card=card)


def forgetting(first: NameOrPath, crossfit: Crossfit, fold: int, path: Path) -> Path:
    """The first reranker, written to `place` with the memory of all folds but this one, and with its calibrator."""
    own = model_place(first)
    beside = own / FILE
    calibrator = Calibrator.open(beside) if beside.is_file() else None
    ListwiseReranker.open(own).remembering(crossfit.mention_priors(fold)).save(path, calibrator=calibrator)
    return path


class ExamplesOfLists(NamedTuple):
    """What is learnt from a fold of a source, by one kind of list.

    rows    (N,) of `lists`, in the order of the examples
    first   the first reranker with the memory of that kind
    group   what the candidates are from
    """

    lists: CandidateLists
    kind: str
    rows: Ints
    examples: Examples
    first: ListwiseReranker
    group: TerminologyGroup


def second_examples(settings: SecondEncoderSettings, crossfit: Crossfit) -> dict[int, list[Examples]]:
    """The examples of each fold but the one left out, see `fold_examples` of task "listwise"."""
    data = settings.data
    examples: dict[int, list[Examples]] = {fold: [] for fold in range(data.folds) if fold != data.left_out}
    for made in examples_of_lists(settings, crossfit):
        examples[made.lists.fold].append(made.examples)
    return examples


def examples_of_lists(settings: SecondEncoderSettings, crossfit: Crossfit) -> Iterator[ExamplesOfLists]:
    """The examples of each list and kind, in the order of `Crossfit.remembering`."""
    data = settings.data
    first = ListwiseReranker.open(model_place(data.first), threads=settings.loop.threads)
    encoder = load_encoder(data.second, threads=settings.loop.threads)
    searched: CandidateLists | None = None
    for lists, kind, known in crossfit.remembering(left_out=data.left_out):
        if searched is not lists:  # its kinds follow one another
            searched, group = lists, _group(crossfit, lists, settings, encoder)
            found = group.nearest(lists.texts, encoder, k=data.found)
        knowing = first.remembering(known)
        rows = np.flatnonzero(lists.usable & _may_be_wrong(lists, knowing, group, data.surest))
        together = [rows[start : start + _TOGETHER] for start in range(0, max(1, len(rows)), _TOGETHER)]
        number = KINDS.index(kind)
        parts = [_examples(lists, number, some, knowing, encoder, found, group) for some in together]
        yield ExamplesOfLists(lists, kind, rows, Examples.stack(parts), knowing, group)


def _group(
    crossfit: Crossfit, lists: CandidateLists, settings: SecondEncoderSettings, encoder: Encoder
) -> TerminologyGroup:
    """What the candidates are from, with an index of the second encoder, built if it is not there."""
    linker = crossfit.linker(lists.source, lists.fold if lists.augmented else None)
    [member] = linker.group.members
    name = _index_name(settings)
    wanted = SecondIndex(name, model_place(settings.data.second))
    check_unoccupied(member.terminology, wanted)
    build_second_index(
        member.terminology,
        wanted,
        update=True,
        since=_with_the_same_names(crossfit, lists, name),
        threads=settings.loop.threads,
    )
    member.second = DenseIndex.open(member.terminology, name, encoder=encoder, threads=settings.loop.threads)
    return linker.group


def _with_the_same_names(crossfit: Crossfit, lists: CandidateLists, name: str) -> Path | None:
    """A terminology whose vectors are those of nearly all names: that which has no training mentions, or all names."""
    if lists.augmented:
        return crossfit.terminology(lists.source, None).path
    whole = Terminology.open(crossfit.sources[lists.source].settings.terminology)
    is_other = whole.digest != crossfit.terminology(lists.source, None).digest
    return whole.path if is_other and index_path(whole, name).is_dir() else None


def _index_name(settings: SecondEncoderSettings) -> str:
    return settings.output.name


def _may_be_wrong(lists: CandidateLists, first: Reranker, group: TerminologyGroup, surest: float) -> Mask:
    """(N,) whether the first reranker finds its best candidate at most this probable."""
    if surest == 1:
        return np.ones(len(lists.texts), bool)
    ranked = first.rerank(lists.mentions, lists.texts, lists.hits, group)
    return np.asarray(ranked.scores[:, 0] <= surest)


def _examples(
    lists: CandidateLists,
    kind: int,
    rows: Ints,
    first: ListwiseReranker,
    encoder: Encoder,
    found: Hits,
    group: TerminologyGroup,
) -> Examples:
    mentions = [lists.mentions[row] for row in rows.tolist()]
    texts = [lists.texts[row] for row in rows.tolist()]
    pool, features = pooled_features(
        first, encoder, mentions, texts, lists.hits.take(rows), group, found=found.take(rows)
    )
    right = is_right(pool, [lists.gold[row] for row in rows.tolist()])
    source, kinds = np.full(len(rows), lists.source), np.full(len(rows), kind)
    return Examples(features, pool.concepts >= 0, right, source, kinds)
