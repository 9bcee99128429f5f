"""The dual encoder of Le & Nguyen: mentions in context near their concepts, far from a linker's other candidates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import torch
from torch import Tensor

from linnet.arrays import Floats, Ints
from linnet.artifact import digest
from linnet.encode.model import Model, write_model
from linnet.errors import DataError
from linnet.link import Linker, Pipeline
from linnet.rerank.dual import combined_scores
from linnet.rerank.dual_inputs import describe_concept
from linnet.terminology import Terminology
from linnet.train.clusters import Batch, Clusters, LinkedCandidates, joined, linked_candidates
from linnet.train.corpus import read_mentions
from linnet.train.crossfit import Source
from linnet.train.learners.dual import DualLearner
from linnet.train.learners.static_dual import StaticDual, StaticDualSettings
from linnet.train.learners.transformer_dual import TransformerDual
from linnet.train.objectives import PrototypeSoftRadius, hardest_negative
from linnet.train.objectives.build import build_objective
from linnet.train.task import RunSettings
from linnet.train.tasks.dual_settings import DualSettings
from linnet.types import Mention

__all__ = ["DualTask"]

WEIGHTS = (0.0, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0, 50.0)
"""Of retrieval's score beside a distance, in order of preference where several are equally good."""
_MEASURED = 256  # clusters whose radius decides λ₀ when it is "auto"
_TOGETHER = 1024  # vectors of candidates computed at a time


class DualTask:
    """Batches of clusters, each against the hardest candidate of its anchor."""

    Settings: ClassVar[type[RunSettings]] = DualSettings
    batch_key: ClassVar[str] = "data.clusters"

    def __init__(
        self,
        settings: DualSettings,
        terminologies: Sequence[Terminology],
        train: LinkedCandidates,
        held: LinkedCandidates | None,
        dev: LinkedCandidates | None,
    ) -> None:
        """
        terminologies  whose concepts the rows mean: those of the first one, then those of the second …
        held  documents that are not trained on        dev  those of `[evaluation]`, or the same as `held`

        `places` has, for each concept row, its place among the `concepts` that are candidates or right somewhere, else −1.
        """
        self.settings, self.train, self.held, self.dev = settings, train, held, dev
        wanted = settings.data
        self.clusters = Clusters(
            train, largest=wanted.largest, documents=wanted.documents, seed=settings.seed
        )
        parts = [part for part in (train, held, dev) if part is not None]
        rows = np.unique(
            np.concatenate([part.candidates.ravel() for part in parts] + [p.gold for p in parts])
        )
        rows = rows[rows >= 0]
        total = sum(map(len, terminologies))
        self.places: Ints = np.full(total + 1, -1, np.int64)  # the last one for "no candidate"
        self.places[rows] = np.arange(len(rows))
        concepts = []
        for terminology, first in zip(terminologies, _firsts(terminologies), strict=True):
            own = rows[(rows >= first) & (rows < first + len(terminology))] - first
            concepts += [describe_concept(terminology, int(row), names=wanted.names) for row in own]
        self.module: DualLearner = _learner(settings, concepts, train)
        self._entities, self.concepts = self.module.entities(concepts), len(rows)
        self._mentions = self.module.mentions(train.contexts)
        self._judged = {id(p): self.module.mentions(p.contexts) for p in (held, dev) if p is not None}
        self._bank = torch.zeros(0, self.module.dimensions)
        self.objective = self._objective(settings.objective)
        self._excluded = torch.zeros(2, dtype=torch.float64)  # sum of shares, batches
        self.data: Mapping[str, str] = {}

    @classmethod
    def prepare(cls, settings: DualSettings) -> Self:
        """See `Task.prepare`."""
        wanted = settings.data
        sources = (
            Source(
                corpora=wanted.corpora,
                terminology=wanted.terminology,
                types=wanted.types,
                columns=wanted.columns,
            ),
            *wanted.also,
        )
        pipeline = Pipeline(retrievers=wanted.retrievers, encoder=wanted.encoder, reranker=None)
        # Once for each terminology, in the order they are named.
        linkers = {
            source.terminology: Linker.open([source.terminology], pipeline=pipeline) for source in sources
        }
        terminologies = [linker.terminologies[0] for linker in linkers.values()]
        first = dict(zip(linkers, _firsts(terminologies), strict=True))

        def found(given: Iterable[tuple[Source, list[Mention]]]) -> LinkedCandidates | None:
            kept = [(source, mentions) for source, mentions in given if mentions]
            parts = [linked_candidates(m, linkers[s.terminology], k=wanted.candidates) for s, m in kept]
            return joined(parts, [first[s.terminology] for s, _ in kept]) if parts else None

        read = [
            read_mentions(source.corpora, types=source.types, columns=source.columns) for source in sources
        ]
        split = [split_documents(mentions, share=wanted.held_out, seed=settings.seed) for mentions, _ in read]
        train = found((source, own) for source, (own, _) in zip(sources, split, strict=True))
        held = dev = found((source, away) for source, (_, away) in zip(sources, split, strict=True))
        data = {
            "terminology": digest(*(t.digest for t in terminologies))
            if wanted.also
            else terminologies[0].digest,
            "corpora": digest(*(of for _, of in read)) if wanted.also else read[0][1],
        }
        if settings.evaluation.corpora:
            mentions, data["evaluation"] = read_mentions(
                settings.evaluation.corpora, types=wanted.types, columns=wanted.columns
            )
            dev = found([(sources[0], mentions)])
        if train is None:
            raise DataError(
                "all documents are held out, and none is left to learn from. Lower data.held_out."
            )
        task = cls(settings, terminologies, train, held, dev)
        task.data = data
        return task

    def optimiser(self) -> torch.optim.Optimizer:
        """The learner's."""
        return self.module.optimiser()

    def loss(self, step: int) -> Tensor:
        """Of batch `step`, over the mentions that have a candidate which is wrong."""
        wanted = self.settings.data
        if wanted.refresh > 1 and step % wanted.refresh == 0:
            self._bank = self.concept_vectors()
        batch = self.clusters.batch(step, clusters=wanted.clusters, seed=self.settings.seed)
        vectors = self._mentions(batch.mentions)
        negatives = self._hardest(batch, vectors.detach())
        against = negatives >= 0
        # A cluster whose anchor has nothing to be kept from teaches nothing.
        against = against[np.searchsorted(batch.clusters, batch.clusters)] & against
        if not against.any():
            return (vectors * 0).sum()
        gold = self.places[self.train.gold[batch.mentions]]
        rows, places = np.unique(np.concatenate([gold[against], negatives[against]]), return_inverse=True)
        entities = self._entities(rows)[torch.from_numpy(places).to(vectors.device)]
        positive, negative = entities.chunk(2)
        kept = torch.from_numpy(against).to(vectors.device)
        clusters = torch.from_numpy(batch.clusters).to(vectors.device)
        loss: Tensor = self.objective(vectors[kept], clusters[kept], positive, negative)
        if isinstance(self.objective, PrototypeSoftRadius):
            self._excluded += torch.tensor([self.objective.excluded, 1.0], dtype=torch.float64)
        return loss

    def _hardest(self, batch: Batch, vectors: Tensor) -> Ints:
        """(B,) place of the wrong candidate nearest to each mention, −1 where it has none."""
        candidates = self.train.candidates[batch.mentions]
        places = self.places[candidates]
        allowed = (candidates >= 0) & (candidates != self.train.gold[batch.mentions][:, None])
        if self.settings.data.refresh > 1:
            bank, within = self._bank, np.maximum(places, 0)
        else:
            rows, within = np.unique(np.maximum(places, 0), return_inverse=True)
            bank, within = self._vectors(rows), within.reshape(places.shape)
        nearest = hardest_negative(
            vectors,
            bank.to(vectors.device)[torch.from_numpy(within).to(vectors.device)],
            torch.from_numpy(allowed).to(vectors.device),
        )
        chosen = nearest.cpu().numpy()
        found: Ints = places[np.arange(len(places)), chosen]
        return np.where(chosen >= 0, found, -1)

    @torch.no_grad()
    def _vectors(self, places: Ints) -> Tensor:
        training = self.module.training
        self.module.eval()
        parts = [self._entities(places[i : i + _TOGETHER]) for i in range(0, len(places), _TOGETHER)]
        self.module.train(training)
        return torch.cat(parts)

    def concept_vectors(self) -> Tensor:
        """(concepts, D), in evaluation mode and without gradients."""
        return self._vectors(np.arange(self.concepts))

    def evaluate(self) -> dict[str, float]:
        """acc@1 of the nearest candidate, of all mentions and of those whose concept or text train has or lacks; λ and
        the share of the mentions that it has excluded since the last time."""
        if self.dev is None:
            return {}
        scores = self.judge(self.dev, self.distances(self.dev), 0.0)
        if isinstance(self.objective, PrototypeSoftRadius):
            scores["radius"] = self.objective.radius
            scores["excluded"] = self.excluded()
            self._excluded.zero_()
        return scores

    def excluded(self) -> float:
        """Share of the mentions in batches that λ + ϵ left out of their prototypes, since the last evaluation."""
        return float(self._excluded[0] / self._excluded[1].clamp(min=1))

    def judge(self, found: LinkedCandidates, distances: Floats, weight: float) -> dict[str, float]:
        """acc@1 by weight · retrieval − distance; a part without mentions is left out."""
        right = ranked_first(found, distances, weight) == found.gold
        seen = np.isin(found.gold, self.train.gold)
        texts = {context.text for context in self.train.contexts}
        known = np.array([context.text in texts for context in found.contexts], bool)
        parts = {
            "acc@1": np.ones_like(seen),
            "seen_concept": seen,
            "unseen_concept": ~seen,
            "unseen_surface": ~known,
        }
        return {name: float(right[part].mean()) for name, part in parts.items() if part.any()}

    @torch.no_grad()
    def mention_vectors(self, found: LinkedCandidates) -> Tensor:
        """(M, D) of the mentions in `held` or `dev`."""
        encode = self._judged[id(found)]
        return torch.cat([encode(np.arange(i, min(i + 256, len(found)))) for i in range(0, len(found), 256)])

    @torch.no_grad()
    def distances(self, found: LinkedCandidates) -> Floats:
        """(M, k) distance of each candidate to the mention, inf for none. Only for the task's own `held` and `dev`."""
        vectors = self.mention_vectors(found)
        bank = self.concept_vectors().cpu().numpy()
        away = np.full(found.candidates.shape, np.inf, np.float32)
        for row, (vector, candidates) in enumerate(zip(vectors.cpu().numpy(), found.candidates, strict=True)):
            there = candidates >= 0
            away[row, there] = np.linalg.norm(bank[self.places[candidates[there]]] - vector, axis=1)
        return away

    def weight(self) -> float:
        """Of retrieval's score: as set, or the best on the documents held out."""
        if self.settings.evaluation.weight is not None or self.held is None:
            return self.settings.evaluation.weight or 0.0
        distances = self.distances(self.held)
        return max(WEIGHTS, key=lambda weight: self.judge(self.held, distances, weight)["acc@1"])  # type: ignore[arg-type]

    def state(self) -> dict[str, Tensor]:
        """λ, what it excluded, and the vectors that negatives are looked for among."""
        state = {"bank": self._bank, "excluded": self._excluded}
        if isinstance(self.objective, PrototypeSoftRadius):
            state["radius"] = torch.tensor([self.objective.radius], dtype=torch.float64)
        return state

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """Go on where `state` was taken."""
        self._bank, self._excluded = state["bank"], state["excluded"].clone()
        if isinstance(self.objective, PrototypeSoftRadius):
            self.objective.load_state_dict({"radius": float(state["radius"][0])})

    def save(self, directory: Path, *, card: str, training: Mapping[str, Any]) -> None:
        """Write a reranker's model directory."""
        self.module.eval()
        options: dict[str, Any] = {"names": self.settings.data.names, "weight": self.weight()}
        if self.settings.evaluation.within is not None:
            options["within"] = self.settings.evaluation.within

        def fill(draft: Path) -> None:
            options.update(self.module.write(draft))

        model = Model("dual", self.settings.name, self.module.dimensions, "fold", options, training)
        write_model(directory, model, fill=fill, card=card)

    def _objective(self, table: Mapping[str, Any]) -> Any:
        given = dict(table)
        if given.get("radius") == "auto":
            given["radius"] = self.mean_radius()
        return build_objective(given)

    @torch.no_grad()
    def mean_radius(self) -> float:
        """Mean over clusters of several mentions of the largest distance to the first one, under the current weights."""
        several = [numbers for numbers in self.clusters.members if len(numbers) > 1][:_MEASURED]
        if not several:
            raise DataError(
                "no concept is mentioned twice in a document, so there is no radius to measure. "
                'Write a number for objective.radius, or kind = "triplet-all".'
            )
        self.module.eval()
        vectors = [self._mentions(numbers) for numbers in several]
        self.module.train()
        return float(torch.stack([(one - one[:1]).norm(dim=1).max() for one in vectors]).mean())


def _firsts(terminologies: Sequence[Terminology]) -> list[int]:
    """Row of the first concept of each, counted over all."""
    return [sum(map(len, terminologies[:place])) for place in range(len(terminologies))]


def split_documents(
    mentions: list[Mention], *, share: float, seed: int
) -> tuple[list[Mention], list[Mention]]:
    """Mentions to train on and mentions held out, by whole documents drawn by the seed."""
    ids = sorted({mention.document.id for mention in mentions})
    drawn = np.random.default_rng([seed, 1]).permutation(len(ids))[: round(share * len(ids))]
    held = {ids[i] for i in drawn}
    return (
        [mention for mention in mentions if mention.document.id not in held],
        [mention for mention in mentions if mention.document.id in held],
    )


def ranked_first(found: LinkedCandidates, distances: Floats, weight: float) -> Ints:
    """(M,) row of the candidate that comes first, −1 where there is none."""
    best = combined_scores(distances, found.scores, weight).argmax(1)
    first: Ints = found.candidates[np.arange(len(found)), best]
    return first


def _learner(settings: DualSettings, concepts: Any, train: LinkedCandidates) -> DualLearner:
    names = [name for one in concepts for name in one.names]
    words = [" ".join(context) for context in train.contexts]
    if isinstance(settings.encoder, StaticDualSettings):
        return StaticDual(settings.encoder, names, words, seed=settings.seed)
    return TransformerDual(settings.encoder, names, words, seed=settings.seed)
