"""Mentions brought near the names of their concepts and away from others: triplets (DILBERT)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
import torch
from torch import Tensor

from linnet.arrays import Floats, Ints
from linnet.encode import unit
from linnet.errors import RequestError
from linnet.terminology import Terminology
from linnet.text import simplify
from linnet.train.corpus import LinkedMentions, TableColumns, linked_mentions, read_mentions
from linnet.train.learners import build_learner
from linnet.train.learners.learner import Learner
from linnet.train.learners.ngram import NgramSettings
from linnet.train.learners.transformer import TransformerSettings
from linnet.train.objectives import NameTriplet
from linnet.train.objectives.build import build_objective, one_of
from linnet.train.sampling import Sampler, Vectors
from linnet.train.task import RunSettings
from linnet.train.validation import EvaluationSettings, NearestNames, open_validation
from linnet.types import Mention

__all__ = ["MentionsTask"]

_TOGETHER = 4096  # texts encoded at a time when triplets are drawn
# What is drawn for different purposes comes from different streams of one seed.
_ORDER, _TRIPLETS, _NAMES = 1 << 40, 1 << 41, 1 << 42


@dataclass(frozen=True, kw_only=True)
class DataSettings:
    """The section `[data]`.

    terminology  whose names are learnt       corpora  whose mentions are learnt, types: only of these types
    columns      of corpora that are tables
    strategy     how names are chosen for a mention, see `linnet.train.sampling`; the resampling ones look for hard
                 names with the encoder as it is: start from one trained with a random strategy
    positives, negatives
                 names of a mention to be near to and far from; every positive comes with every negative
    k            names of parents or siblings that are added
    nearest      how many of the names closest to a mention resampling looks at
    among        resampling looks among the names of the corpora's concepts and so many others; None for all names
    refresh      steps after which triplets are drawn anew
    triplets     of a batch
    """

    terminology: Path
    corpora: tuple[Path, ...]
    types: tuple[str, ...] = ()
    columns: TableColumns = field(default_factory=TableColumns)
    strategy: Literal["random", "random+parents", "resampling", "resampling+siblings"] = "random"
    positives: int = 30
    negatives: int = 5
    k: int = 2
    nearest: int = 50
    among: int | None = None
    refresh: int = 1000
    triplets: int = 48

    def __post_init__(self) -> None:
        for key in ("positives", "negatives", "k", "nearest", "refresh", "triplets"):
            if getattr(self, key) < 1:
                raise ValueError(f"'{key}' is {getattr(self, key)}; expected 1 or more.")


@dataclass(frozen=True, kw_only=True)
class MentionsSettings(RunSettings):
    """A run file with task = "mentions"."""

    encoder: NgramSettings | TransformerSettings
    data: DataSettings
    objective: Annotated[Mapping[str, Any], one_of(NameTriplet)] = field(
        default_factory=lambda: {"kind": "name-triplet"}
    )
    evaluation: EvaluationSettings | None = None


class MentionsTask:
    """Batches of (mention, name of its concept, other name), all in `linnet.text.simplify` form."""

    Settings: ClassVar[type[RunSettings]] = MentionsSettings
    batch_key: ClassVar[str] = "data.triplets"

    def __init__(
        self,
        settings: MentionsSettings,
        learner: Learner,
        terminology: Terminology,
        linked: LinkedMentions,
        texts: dict[str, int],
        data: Mapping[str, str],
    ) -> None:
        """texts: each mention and name in its form → its number."""
        wanted = settings.data
        self.settings, self.module, self.data = settings, learner, data
        self._terminology, self._linked = terminology, linked
        self._sampler = Sampler(
            terminology,
            wanted.strategy,
            positives=wanted.positives,
            negatives=wanted.negatives,
            k=wanted.k,
            nearest=wanted.nearest,
        )
        self._encode = learner.numbered(list(texts))
        self._mentions = _numbers(texts, linked.texts)
        self._names = _numbers(texts, terminology.names.take(range(len(terminology.names))))
        self._objective: NameTriplet = build_objective(settings.objective)
        self._round = -1
        self._triplets: Ints = np.zeros((0, 3), np.int64)
        self._ordered: tuple[tuple[int, int], Ints] = (-1, -1), np.zeros(0, np.int64)
        self._nearest: NearestNames | None = None

    @classmethod
    def prepare(cls, settings: MentionsSettings) -> Self:
        """See `Task.prepare`. Raises DataError where no mention can be used, RequestError where there is no hierarchy."""
        mentions, of_corpora = read_mentions(
            settings.data.corpora, types=settings.data.types, columns=settings.data.columns
        )
        return cls.of(settings, mentions, corpora=of_corpora)

    @classmethod
    def of(cls, settings: MentionsSettings, mentions: Iterable[Mention], *, corpora: str) -> Self:
        """`prepare` with other mentions than those of `data.corpora`, say of a part of the documents.

        corpora  digest of what they come from
        """
        terminology = Terminology.open(settings.data.terminology)
        linked = linked_mentions(mentions, terminology)
        names = terminology.names.take(range(len(terminology.names)))
        texts: dict[str, int] = {}
        for text in (*linked.texts, *names):
            texts.setdefault(simplify(text), len(texts))
        learner = build_learner(settings.encoder, texts, seed=settings.seed)
        data = {"terminology": terminology.digest, "corpora": corpora}
        task = cls(settings, learner, terminology, linked, texts, data)
        if settings.evaluation is not None:
            metric = "cosine" if task._objective.distance == "cosine" else "euclidean"
            task._nearest, read = open_validation(settings.evaluation, metric=metric, seed=settings.seed)
            task.data = {**data, "evaluation": read}
        return task

    def optimiser(self) -> torch.optim.Optimizer:
        """The learner's."""
        return self.module.optimiser()

    def loss(self, step: int) -> Tensor:
        """Of batch `step`."""
        wanted = self.settings.data
        if step // wanted.refresh != self._round:
            self._draw(step // wanted.refresh)
        # Within a round all triplets have their turn before one comes again; a rest smaller than a batch is left out.
        size = min(wanted.triplets, len(self._triplets))
        epoch, place = divmod(step % wanted.refresh, len(self._triplets) // size)
        picked = self._triplets[self._order(epoch)[place * size : (place + 1) * size]]
        numbers = np.column_stack([self._mentions[picked[:, 0]], self._names[picked[:, 1:]]])
        distinct, where = np.unique(numbers, return_inverse=True)
        vectors = self._encode(distinct)
        mentions, near, far = vectors[torch.from_numpy(where.reshape(-1, 3)).to(vectors.device)].unbind(1)
        return self._objective(mentions, near, far)

    def _order(self, epoch: int) -> Ints:
        """In which order an epoch of this round takes the triplets."""
        if (self._round, epoch) != self._ordered[0]:
            rng = np.random.default_rng([self.settings.seed, _ORDER, self._round, epoch])
            self._ordered = (self._round, epoch), rng.permutation(len(self._triplets))
        return self._ordered[1]

    def _draw(self, number: int) -> None:
        """The triplets of a round, all there are for every mention."""
        rng = np.random.default_rng([self.settings.seed, _TRIPLETS, number])
        vectors = self._vectors() if self.settings.data.strategy.startswith("resampling") else None
        self._triplets = self._sampler.triplets(self._linked.concepts.tolist(), rng, vectors)
        self._round = number
        if not len(self._triplets):
            raise RequestError(
                f"{self._terminology.path} has no names to be far from: all names are those of one concept. "
                "Name a terminology with more concepts."
            )

    def _vectors(self) -> Vectors:
        """Of mentions and names, as the encoder is now."""
        owners = np.asarray(self._terminology.name_concepts)
        rows = np.arange(len(owners))
        if self.settings.data.among is not None:
            own = np.isin(owners, np.unique(self._linked.concepts))
            others = np.flatnonzero(~own)
            rng = np.random.default_rng([self.settings.seed, _NAMES])
            drawn = rng.choice(others, size=min(self.settings.data.among, len(others)), replace=False)
            rows = np.sort(np.concatenate([np.flatnonzero(own), drawn]))
        return Vectors(self._encoded(self._mentions), self._encoded(self._names[rows]), rows)

    @torch.no_grad()
    def _encoded(self, numbers: Ints) -> Floats:
        """(N, D) as the objective compares them."""
        training = self.module.training
        self.module.eval()
        distinct, where = np.unique(numbers, return_inverse=True)
        parts = [
            self._encode(distinct[start : start + _TOGETHER]).cpu().numpy()
            for start in range(0, len(distinct), _TOGETHER)
        ]
        self.module.train(training)
        vectors = np.concatenate(parts)
        # The distance of unit vectors orders names as their cosine does.
        return (unit(vectors) if self._objective.distance == "cosine" else vectors)[where]

    def evaluate(self) -> dict[str, float]:
        """acc@1 and acc@64 of the nearest names, by the objective's distance."""
        return self._nearest(lambda texts: self.module(texts).cpu().numpy()) if self._nearest else {}

    def state(self) -> dict[str, Tensor]:
        """The triplets that resampling has drawn; those drawn at random follow from the seed."""
        if self._round < 0 or not self.settings.data.strategy.startswith("resampling"):
            return {}
        return {"round": torch.tensor(self._round), "triplets": torch.from_numpy(self._triplets)}

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """Go on where `state` was taken."""
        if state:
            self._round, self._triplets = int(state["round"]), state["triplets"].numpy()

    def save(self, directory: Path, *, card: str, training: Mapping[str, Any]) -> None:
        """Write the encoder."""
        self.module.save(directory, card=card, training={**training, "mentions": self._linked.describe()})


def _numbers(numbered: Mapping[str, int], texts: Any) -> Ints:
    return np.fromiter((numbered[simplify(text)] for text in texts), np.int64)
