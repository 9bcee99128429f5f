"""Mentions brought near the names of their concepts and away from others: triplets (DILBERT)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
import torch
from torch import Tensor

from linnet.arrays import Floats, Ints
from linnet.encode import unit
from linnet.errors import RequestError
from linnet.io.settings_files import check_at_least
from linnet.terminology import Terminology
from linnet.train.corpus import CorpusSettings, LinkedMentions, linked_mentions, read_mentions
from linnet.train.learners import build_learner
from linnet.train.learners.learner import Learner
from linnet.train.objectives import NameTriplet
from linnet.train.objectives.build import allowed_objectives, build_objective
from linnet.train.sampling import NameVectors, TripletSampler, own_and_others
from linnet.train.task import RunSettings
from linnet.train.tasks.encoder_task import EncoderRunSettings, EncoderTask
from linnet.types import Mention
from linnet.words.text import simplify

__all__ = ["MentionsTask"]

_TOGETHER = 4096  # texts encoded at a time when triplets are drawn
# Draws for different purposes come from different streams of one seed.
_ORDER, _TRIPLETS, _NAMES = 1 << 40, 1 << 41, 1 << 42


@dataclass(frozen=True, kw_only=True)
class MentionsData(CorpusSettings):
    """The section `[data]`, besides the keys of `CorpusSettings`.

    strategy     how names are chosen for a mention, see `linnet.train.sampling`; the resampling strategies search with
                 the current encoder: start from one trained with a random strategy
    positives, negatives
                 names to be near to and far from, of each mention; every positive comes with every negative
    k            names of parents or siblings to add
    nearest      names closest to a mention that resampling considers
    all_above    of these, resampling takes all that rank above the correct one, as in the paper, instead of at most `negatives`
    among        other names that resampling searches beside those of the corpora's concepts; None for all
    refresh      steps between draws of triplets
    triplets     of a batch
    """

    strategy: Literal["random", "random+parents", "resampling", "resampling+siblings"] = "random"
    positives: int = 30
    negatives: int = 5
    k: int = 2
    nearest: int = 50
    all_above: bool = False
    among: int | None = None
    refresh: int = 1000
    triplets: int = 48

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least(self, 1, "positives", "negatives", "k", "nearest", "refresh", "triplets")


@dataclass(frozen=True, kw_only=True)
class MentionsSettings(EncoderRunSettings):
    """A run file with task = "mentions"."""

    data: MentionsData
    objective: Annotated[Mapping[str, Any], allowed_objectives(NameTriplet)] = field(
        default_factory=lambda: {"kind": "name-triplet"}
    )


class MentionsTask(EncoderTask):
    """Batches of (mention, name of its concept, other name), all in `linnet.words.text.simplify` form."""

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
        """texts: `simplify` form of each mention and name → its number."""
        wanted = settings.data
        self.settings, self.module, self.data = settings, learner, data
        self._terminology, self._linked = terminology, linked
        self.facts = {"mentions": linked.describe()}
        self._sampler = TripletSampler(
            terminology,
            wanted.strategy,
            positives=wanted.positives,
            negatives=wanted.negatives,
            k=wanted.k,
            nearest=wanted.nearest,
            all_above=wanted.all_above,
        )
        self._encode = learner.numbered(list(texts))
        self._mentions = _numbers(texts, linked.texts)
        self._names = _numbers(texts, terminology.names.take(range(len(terminology.names))))
        self._objective: NameTriplet = build_objective(settings.objective)
        self._round = -1
        self._triplets: Ints = np.zeros((0, 3), np.int64)
        self._ordered: tuple[tuple[int, int], Ints] = (-1, -1), np.zeros(0, np.int64)

    @classmethod
    def prepare(cls, settings: MentionsSettings) -> Self:
        """See `Task.prepare`. Raises DataError where no mention can be used, RequestError where `data.strategy` needs a hierarchy
        that the terminology lacks."""
        wanted = settings.data
        mentions, digest = read_mentions(wanted.corpora, types=wanted.types, columns=wanted.columns)
        return cls.of(settings, mentions, corpora=digest)

    @classmethod
    def of(cls, settings: MentionsSettings, mentions: Iterable[Mention], *, corpora: str) -> Self:
        """`prepare` with given mentions instead of those of `data.corpora`; corpora: digest of their source."""
        terminology = Terminology.open(settings.data.terminology)
        linked = linked_mentions(mentions, terminology)
        names = terminology.names.take(range(len(terminology.names)))
        texts: dict[str, int] = {}
        for text in (*linked.texts, *names):
            texts.setdefault(simplify(text), len(texts))
        learner = build_learner(settings.encoder, texts, seed=settings.seed)
        data = {"terminology": terminology.digest, "corpora": corpora}
        task = cls(settings, learner, terminology, linked, texts, data)
        task.validate_on(settings.evaluation, metric=task._objective.distance, seed=settings.seed)
        return task

    def loss(self, step: int) -> Tensor:
        """Of batch `step`."""
        wanted = self.settings.data
        if step // wanted.refresh != self._round:
            self._draw(step // wanted.refresh)
        # Within a round every triplet comes once before any comes again; a rest smaller than a batch is left out.
        size = min(wanted.triplets, len(self._triplets))
        epoch, place = divmod(step % wanted.refresh, len(self._triplets) // size)
        picked = self._triplets[self._order(epoch)[place * size : (place + 1) * size]]
        numbers = np.column_stack([self._mentions[picked[:, 0]], self._names[picked[:, 1:]]])
        distinct, where = np.unique(numbers, return_inverse=True)
        vectors = self._encode(distinct)
        mentions, near, far = vectors[torch.from_numpy(where.reshape(-1, 3)).to(vectors.device)].unbind(1)
        return self._objective(mentions, near, far)

    def _order(self, epoch: int) -> Ints:
        """(T,) the triplets in the order of this round's epoch."""
        if (self._round, epoch) != self._ordered[0]:
            rng = np.random.default_rng([self.settings.seed, _ORDER, self._round, epoch])
            self._ordered = (self._round, epoch), rng.permutation(len(self._triplets))
        return self._ordered[1]

    def _draw(self, number: int) -> None:
        """Draw the triplets of a round, for every mention."""
        rng = np.random.default_rng([self.settings.seed, _TRIPLETS, number])
        vectors = self._vectors() if self.settings.data.strategy.startswith("resampling") else None
        self._triplets = self._sampler.triplets(self._linked.concepts.tolist(), rng, vectors)
        self._round = number
        if not len(self._triplets):
            raise RequestError(
                f"{self._terminology.path} has the names of one concept only, so there are no negatives. "
                "Name a terminology with more concepts."
            )

    def _vectors(self) -> NameVectors:
        """Of mentions and names, from the current encoder."""
        owners = np.asarray(self._terminology.name_concepts)
        own = np.isin(owners, np.unique(self._linked.concepts))
        rng = np.random.default_rng([self.settings.seed, _NAMES])
        rows = own_and_others(own, self.settings.data.among, rng)
        return NameVectors(self._encoded(self._mentions), self._encoded(self._names[rows]), rows)

    @torch.no_grad()
    def _encoded(self, numbers: Ints) -> Floats:
        """(N, D) vectors as the objective compares them."""
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

    def state(self) -> dict[str, Tensor]:
        """The triplets that resampling has drawn; random ones follow from the seed."""
        if self._round < 0 or not self.settings.data.strategy.startswith("resampling"):
            return {}
        return {"round": torch.tensor(self._round), "triplets": torch.from_numpy(self._triplets)}

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """Go on where `state` was taken."""
        if state:
            self._round, self._triplets = int(state["round"]), state["triplets"].numpy()


def _numbers(numbered: Mapping[str, int], texts: Any) -> Ints:
    return np.fromiter((numbered[simplify(text)] for text in texts), np.int64)
