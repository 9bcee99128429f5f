"""A cross-encoder beside a listwise reranker: learns what to add to its log-probabilities where it is unsure."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import torch
from torch import Tensor

from linnet.arrays import Floats, Ints, Mask
from linnet.encode.model import Model, write_model
from linnet.encode.named_models import model_place
from linnet.errors import DataError
from linnet.link import Pipeline
from linnet.rerank.calibrator import FILE, Calibrator
from linnet.rerank.cross_encoder import LEAST, SMALLEST
from linnet.rerank.first_reranker import FIRST
from linnet.rerank.listwise import ListwiseReranker
from linnet.settings_files import NameOrPath
from linnet.train.calibration import fit_calibrator, judge_fold
from linnet.train.crossfit import KINDS, Crossfit
from linnet.train.learners.cross_encoder import CrossEncoderLearner, CrossEncoderSettings
from linnet.train.task import RunSettings, Task
from linnet.train.tasks.behind_first import forgetting
from linnet.train.tasks.listwise import DataSettings, list_loss, open_crossfit
from linnet.train.unsure_lists import UnsureList, unsure_lists

__all__ = ["CrossEncoderTask", "CrossEncoderTaskSettings", "UnsureDataSettings"]

_FIRST = NameOrPath("context")
_JUDGED = 2000  # lists of the fold held out that an evaluation reads at most


@dataclass(frozen=True, kw_only=True)
class UnsureDataSettings(DataSettings):
    """The section `[data]`: that of task = "listwise", and

    first      name or directory of a listwise reranker: the cross-encoder adds to its log-probabilities
    surest     lists whose best candidate it finds more probable are not learnt from
    bare       share of the lists that are learnt from without definitions, which many terminologies lack
    ask_below  the first reranker's calibrated probability below which the cross-encoder is asked when linking
    """

    first: NameOrPath = _FIRST
    surest: float = 0.98
    bare: float = 0.2
    ask_below: float = 0.9
    lists: int = 16

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("surest", "bare", "ask_below"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"'{name}' is {getattr(self, name)}; expected a number from 0 to 1.")


@dataclass(frozen=True, kw_only=True)
class CrossEncoderTaskSettings(RunSettings):
    """A run file with task = "cross-encoder"."""

    data: UnsureDataSettings
    encoder: CrossEncoderSettings = field(default_factory=CrossEncoderSettings)


class _Tokenised(NamedTuple):
    """A list in tokens, those candidates left out that would not be asked about.

    mention        its part            candidates  their parts, see `PairTokens`
    probabilities  (k,) of them        none        of "none of these"        right  (k,)
    """

    mention: list[int]
    candidates: list[list[int]]
    probabilities: Floats
    none: float
    right: Mask


class CrossEncoderTask(Task):
    """Lists of which the first reranker is unsure. Sources are drawn by the square root of their sizes."""

    Settings: ClassVar[type[RunSettings]] = CrossEncoderTaskSettings
    batch_key: ClassVar[str] = "data.lists"

    def __init__(
        self, settings: CrossEncoderTaskSettings, crossfit: Crossfit, lists: Sequence[UnsureList]
    ) -> None:
        """
        lists  of all folds

        Raises DataError where no list is left to learn from.
        """
        wanted = settings.data
        self.settings, self._crossfit = settings, crossfit
        folds = np.array([candidate_list.fold for candidate_list in lists], np.int64)
        learnt = np.flatnonzero(
            (folds != wanted.held_out) & (folds != (-1 if wanted.left_out is None else wanted.left_out))
        )
        if not len(learnt):
            raise DataError(
                "the first reranker is sure of every mention: nothing is left to learn from. Raise data.surest."
            )
        self.module: CrossEncoderLearner = CrossEncoderLearner(
            settings.encoder, _texts(lists), seed=settings.seed
        )
        self.data: Mapping[str, str] = crossfit.data
        self._lists = self._tokenised(lists)
        sources = np.array([candidate_list.source for candidate_list in lists], np.int64)
        self._rows = [learnt[sources[learnt] == source] for source in np.unique(sources[learnt])]
        roots = np.sqrt([len(rows) for rows in self._rows])
        self._shares = roots / roots.sum()
        self._pass = len(learnt)
        kinds = np.array([candidate_list.kind for candidate_list in lists], np.int64)
        held_out = np.flatnonzero(folds == wanted.held_out)
        if len(held_out) > _JUDGED:
            held_out = np.sort(np.random.default_rng(settings.seed).choice(held_out, _JUDGED, replace=False))
        self._held_out, self._groups = held_out, len(KINDS) * sources[held_out] + kinds[held_out]
        self._between = self.module.tokens.between

    @classmethod
    def prepare(cls, settings: CrossEncoderTaskSettings) -> Self:
        """See `Task.prepare`. Raises DataError where a corpus is too small for its folds, MismatchError where `first` is
        no listwise reranker."""
        crossfit = open_crossfit(settings.data, threads=settings.loop.threads)
        first = ListwiseReranker.open(model_place(settings.data.first), threads=settings.loop.threads)
        wanted = settings.data
        lists = unsure_lists(crossfit, first, surest=wanted.surest, place=wanted.place)
        task = cls(settings, crossfit, lists)
        task.data = {**task.data, "first": first.digest}
        return task

    def _tokenised(self, lists: Sequence[UnsureList]) -> list[_Tokenised]:
        parts = self.module.tokens.mentions([candidate_list.mention for candidate_list in lists])
        tokenised = []
        for candidate_list, mention in zip(lists, parts, strict=True):
            probabilities, right = (
                np.array(candidate_list.probabilities, np.float32),
                np.array(candidate_list.right, bool),
            )
            asked = (probabilities >= LEAST) | right
            described = [candidate_list.candidates[place] for place in np.flatnonzero(asked).tolist()]
            none = float(max(1 - probabilities.astype(np.float64).sum(), SMALLEST))
            tokenised.append(
                _Tokenised(
                    mention,
                    self.module.tokens.candidates(described),
                    probabilities[asked],
                    none,
                    right[asked],
                )
            )
        return tokenised

    def steps_of_pass(self) -> int:
        """As many as lists fill; they are drawn with replacement."""
        return max(1, round(self._pass / self.settings.data.lists))

    def loss(self, step: int) -> Tensor:
        """Of batch `step`: lists drawn with replacement."""
        rng = np.random.default_rng([self.settings.seed, step])
        counts = rng.multinomial(self.settings.data.lists, self._shares)
        rows = np.concatenate(
            [rows[rng.integers(len(rows), size=n)] for rows, n in zip(self._rows, counts, strict=True) if n]
        )
        bare = rng.random(len(rows)) < self.settings.data.bare
        lists = [
            self._without_definitions(self._lists[row]) if without else self._lists[row]
            for row, without in zip(rows.tolist(), bare.tolist(), strict=True)
        ]
        return list_loss(*self._logits(lists))

    def _without_definitions(self, candidate_list: _Tokenised) -> _Tokenised:
        cut = [side[: side.index(self._between) + 1] for side in candidate_list.candidates]
        return candidate_list._replace(candidates=cut)

    def _logits(self, lists: Sequence[_Tokenised]) -> tuple[Tensor, Tensor]:
        """(N, k + 1) logits, the last of "none of these", and (N, k) right."""
        width = max(len(candidate_list.candidates) for candidate_list in lists)
        pairs = [
            [*candidate_list.mention, *side] for candidate_list in lists for side in candidate_list.candidates
        ]
        scores = self.module(pairs)
        device = scores.device
        present = torch.zeros(len(lists), width, dtype=torch.bool)
        right, first = present.clone(), torch.zeros(len(lists), width)
        for row, candidate_list in enumerate(lists):
            count = len(candidate_list.candidates)
            present[row, :count] = True
            right[row, :count] = torch.from_numpy(candidate_list.right)
            first[row, :count] = torch.from_numpy(np.log(np.maximum(candidate_list.probabilities, SMALLEST)))
        present, right, first = present.to(device), right.to(device), first.to(device)
        none = torch.tensor([candidate_list.none for candidate_list in lists], device=device).log()
        logits = self.module.weight * first
        logits = logits.masked_scatter(present, logits[present] + scores).masked_fill(~present, -torch.inf)
        return torch.cat([logits, (self.module.weight * none)[:, None]], dim=1), right

    def evaluate(self) -> dict[str, float]:
        """On the fold held out: share of lists with the right answer, "none of these" where no candidate is, each source and
        kind of list with equal weight; the same of the first reranker alone; minus the loss."""
        if not len(self._held_out):
            return {}
        good, before, losses = [], [], []
        for rows in _slices(self._held_out, 64):
            lists = [self._lists[row] for row in rows.tolist()]
            logits, right = self._logits(lists)
            answer = torch.cat([right, ~right.any(dim=1, keepdim=True)], dim=1)
            good += answer.gather(1, logits.argmax(dim=1, keepdim=True))[:, 0].tolist()
            before += [_first_is_right(candidate_list) for candidate_list in lists]
            losses.append(float(list_loss(logits, right)) * len(lists))
        return {
            "acc@1": self._mean(good),
            "acc@1 first": self._mean(before),
            "log-likelihood": -sum(losses) / len(self._held_out),
        }

    def _mean(self, good: Sequence[bool]) -> float:
        values = np.asarray(good, np.float64)
        return float(np.mean([values[self._groups == group].mean() for group in np.unique(self._groups)]))

    def save(self, directory: Path, *, card: str, training: Mapping[str, Any]) -> None:
        """Write the model with a calibrator, fitted to the links of the fold held out. For these the first reranker forgets
        the fold's mentions, in the model those of the fold left out."""
        wanted = self.settings.data
        with tempfile.TemporaryDirectory(prefix="linnet-cross-encoder-") as folder:
            place = Path(folder)
            without_fold = place / "m"
            self._write(
                without_fold,
                copied=forgetting(wanted.first, self._crossfit, wanted.held_out, place / "held-out"),
            )
            pipeline = Pipeline(
                retrievers=self._crossfit.pipeline.retrievers,
                encoder=self._crossfit.pipeline.encoder,
                reranker=str(without_fold),
                depth=wanted.candidates,
            )
            judged = judge_fold(
                self._crossfit, pipeline, wanted.held_out, sources=range(len(self._crossfit.sources))
            )
            fitted = fit_calibrator(link for source in judged for link in source)
            copied = Path(wanted.first) if Path(wanted.first).is_dir() else None
            if wanted.left_out is not None:
                copied = forgetting(wanted.first, self._crossfit, wanted.left_out, place / "left-out")
            self._write(directory, copied=copied, card=card, training=training, calibrator=fitted)

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
        first = ListwiseReranker.open(copied or model_place(self.settings.data.first))
        options: dict[str, Any] = {}

        def fill(draft: Path) -> None:
            if copied is not None:
                shutil.copytree(copied, draft / FIRST)
            if calibrator is not None:
                calibrator.save(draft / FILE)
            options.update(self.module.write(draft))
            options.update(
                first=first.name, first_digest=first.digest, ask_below=self.settings.data.ask_below
            )

        model = Model(
            "cross-encoder",
            directory.name,
            self.module.dimensions,
            "tokenizer",
            options,
            dict(training or {}),
        )
        write_model(directory, model, fill=fill, card=card)


def _texts(lists: Sequence[UnsureList]) -> Iterator[str]:
    for candidate_list in lists:
        yield from candidate_list.mention
        for candidate in candidate_list.candidates:
            yield from candidate


def _first_is_right(candidate_list: _Tokenised) -> bool:
    if not candidate_list.right.any():
        return bool(candidate_list.none > candidate_list.probabilities.max(initial=0))
    return bool(
        candidate_list.right[candidate_list.probabilities.argmax()]
        and candidate_list.probabilities.max() > candidate_list.none
    )


def _slices(rows: Ints, size: int) -> Iterator[Ints]:
    for start in range(0, len(rows), size):
        yield rows[start : start + size]
