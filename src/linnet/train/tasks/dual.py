"""The dual encoder of Le & Nguyen: mentions in context near their concepts, far from a linker's other candidates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import torch
from torch import Tensor

from linnet.arrays import Floats, Ints, Mask
from linnet.encode.model import Model, write_model
from linnet.errors import DataError
from linnet.io.artifact import digest
from linnet.link import Linker, Pipeline
from linnet.rerank.dual import combined_scores
from linnet.rerank.dual_inputs import DescribedConcept, describe_concept
from linnet.terminology import Terminology
from linnet.train.clusters import (
    ClusterBatch,
    Clusters,
    LinkedCandidates,
    concatenated,
    linked_candidates,
)
from linnet.train.corpus import CorpusSettings, read_mentions
from linnet.train.learners.transformer_dual import TransformerDual
from linnet.train.objectives import PrototypeSoftRadius, hardest_negative
from linnet.train.objectives.build import build_objective
from linnet.train.task import RunSettings, Task
from linnet.train.tasks.dual_settings import DualSettings
from linnet.types import Mention

__all__ = ["DualTask"]

WEIGHTS = (0.0, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0, 50.0)
"""Of retrieval's score relative to a distance; earlier ones are preferred where several are equally good."""
_MEASURED = 256  # clusters whose radius decides λ₀ when it is "auto"
_TOGETHER = 1024  # vectors of candidates computed at a time


class DualTask(Task):
    """Batches of clusters, each against the hardest candidate of its anchor."""

    Settings: ClassVar[type[RunSettings]] = DualSettings
    batch_key: ClassVar[str] = "data.clusters"
    Learner: ClassVar[type[TransformerDual]] = TransformerDual

    def __init__(
        self,
        settings: DualSettings,
        terminologies: Sequence[Terminology],
        train: LinkedCandidates,
        held: LinkedCandidates | None,
        dev: LinkedCandidates | None,
    ) -> None:
        """
        terminologies  of the concept rows: those of the first terminology, then those of the second …
        held  documents held out        dev  documents of `[evaluation]`, or the same as `held`

        `places` maps each concept row to its place among the concepts that occur as candidate or gold, else −1.
        """
        self.settings, self.train, self.held, self.dev = settings, train, held, dev
        wanted = settings.data
        self.clusters = Clusters(
            train, largest=wanted.largest, documents=wanted.documents, seed=settings.seed
        )
        splits = [split for split in (train, held, dev) if split is not None]
        occurring = [split.candidates.ravel() for split in splits] + [split.gold for split in splits]
        rows = np.unique(np.concatenate(occurring))
        rows = rows[rows >= 0]
        total = sum(map(len, terminologies))
        self.places: Ints = np.full(total + 1, -1, np.int64)  # the last one for "no candidate"
        self.places[rows] = np.arange(len(rows))
        concepts: list[DescribedConcept] = []
        for terminology, first in zip(terminologies, _first_rows(terminologies), strict=True):
            own = rows[(rows >= first) & (rows < first + len(terminology))] - first
            concepts += [describe_concept(terminology, int(row), names=wanted.names) for row in own]
        names = [name for concept in concepts for name in concept.names]
        words = [" ".join(context) for context in train.contexts]
        self.module: TransformerDual = self.Learner(settings.encoder, names, words, seed=settings.seed)
        self._entities, self.concepts = self.module.entities(concepts), len(rows)
        self._mentions = self.module.mentions(train.contexts)
        self._dev_mentions = {id(split): self.module.mentions(split.contexts) for split in splits[1:]}
        self._bank = torch.zeros(0, self.module.dimensions)
        self._in_training = self._places(train)
        self.objective = self._objective(settings.objective)
        self._excluded = torch.zeros(2, dtype=torch.float64)  # sum of shares, batches
        self.data: Mapping[str, str] = {}

    @classmethod
    def prepare(cls, settings: DualSettings) -> Self:
        """See `Task.prepare`. Raises DataError where no mention is left to learn from."""
        wanted = settings.data
        sources: tuple[CorpusSettings, ...] = (wanted, *wanted.also)
        pipeline = Pipeline(retrievers=wanted.retrievers, encoder=wanted.encoder, reranker=None)
        # One for each terminology, in their order.
        linkers = {
            source.terminology: Linker.open([source.terminology], pipeline=pipeline) for source in sources
        }
        terminologies = [linker.terminologies[0] for linker in linkers.values()]
        first_row = dict(zip(linkers, _first_rows(terminologies), strict=True))

        def retrieved(pairs: Iterable[tuple[CorpusSettings, list[Mention]]]) -> LinkedCandidates | None:
            kept = [(source.terminology, mentions) for source, mentions in pairs if mentions]
            candidates = [
                linked_candidates(
                    some, linkers[path], k=wanted.candidates, expand_context=wanted.expand_context
                )
                for path, some in kept
            ]
            return concatenated(candidates, [first_row[path] for path, _ in kept]) if kept else None

        corpora = [read_mentions(s.corpora, types=s.types, columns=s.columns) for s in sources]
        splits = [
            split_documents(mentions, share=wanted.held_out, seed=settings.seed) for mentions, _ in corpora
        ]
        train = retrieved((source, kept) for source, (kept, _) in zip(sources, splits, strict=True))
        held = dev = retrieved((source, held) for source, (_, held) in zip(sources, splits, strict=True))
        data = {"terminology": terminologies[0].digest, "corpora": corpora[0][1]}
        if wanted.also:
            data = {
                "terminology": digest(*(terminology.digest for terminology in terminologies)),
                "corpora": digest(*(of_corpora for _, of_corpora in corpora)),
            }
        if settings.evaluation.corpora:
            mentions, data["evaluation"] = read_mentions(
                settings.evaluation.corpora, types=wanted.types, columns=wanted.columns
            )
            dev = retrieved([(wanted, mentions)])
        if train is None:
            raise DataError("all documents are held out; none is left to learn from. Lower data.held_out.")
        task = cls(settings, terminologies, train, held, dev)
        task.data = data
        return task

    def loss(self, step: int) -> Tensor:
        """Of batch `step`, over the mentions with a wrong candidate."""
        wanted = self.settings.data
        if wanted.refresh > 1 and step % wanted.refresh == 0:
            self._bank = torch.zeros(self.concepts, self.module.dimensions)
            self._bank[self._in_training] = self._vectors(self._in_training).cpu()
        batch = self.clusters.batch(step, clusters=wanted.clusters, seed=self.settings.seed)
        vectors = self._mentions(batch.mentions)
        negatives = self._hardest(batch, vectors.detach())
        usable = negatives >= 0
        # Without a negative for its anchor, a cluster is left out.
        usable = usable[np.searchsorted(batch.clusters, batch.clusters)] & usable
        if not usable.any():
            return (vectors * 0).sum()
        gold = self.places[self.train.gold[batch.mentions]]
        rows, places = np.unique(np.concatenate([gold[usable], negatives[usable]]), return_inverse=True)
        entities = self._entities(rows)[torch.from_numpy(places).to(vectors.device)]
        positive, negative = entities.chunk(2)
        kept = torch.from_numpy(usable).to(vectors.device)
        clusters = torch.from_numpy(batch.clusters).to(vectors.device)
        loss: Tensor = self.objective(vectors[kept], clusters[kept], positive, negative)
        if isinstance(self.objective, PrototypeSoftRadius):
            self._excluded += torch.tensor([self.objective.excluded, 1.0], dtype=torch.float64)
        return loss

    def _hardest(self, batch: ClusterBatch, vectors: Tensor) -> Ints:
        """(B,) place of the wrong candidate nearest to each mention, −1 without one."""
        candidates = self.train.candidates[batch.mentions]
        places = self.places[candidates]
        allowed = (candidates >= 0) & (candidates != self.train.gold[batch.mentions][:, None])
        wanted = self.settings.data
        if wanted.refresh > 1 and wanted.reencoded:
            places, allowed = self._nearest(vectors, places, allowed, k=wanted.reencoded)
        if wanted.refresh > 1 and not wanted.reencoded:
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
        return np.where(chosen >= 0, places[np.arange(len(places)), chosen], -1)

    def _nearest(self, vectors: Tensor, places: Ints, allowed: Mask, *, k: int) -> tuple[Ints, Mask]:
        """(B, ≤ k) places of the allowed candidates nearest to each mention by the bank, and which of them are allowed."""
        candidates = self._bank.to(vectors.device)[torch.from_numpy(np.maximum(places, 0)).to(vectors.device)]
        distances = (candidates - vectors[:, None]).square().sum(2).cpu().numpy()
        order = np.argsort(np.where(allowed, distances, np.inf), axis=1, kind="stable")[:, :k]
        return np.take_along_axis(places, order, 1), np.take_along_axis(allowed, order, 1)

    def _places(self, split: LinkedCandidates) -> Ints:
        """(n,) places of the concepts that are candidates in it, ascending."""
        places: Ints = np.unique(self.places[split.candidates[split.candidates >= 0]])
        return places

    @torch.no_grad()
    def _vectors(self, places: Ints) -> Tensor:
        training = self.module.training
        self.module.eval()
        blocks = [self._entities(places[i : i + _TOGETHER]) for i in range(0, len(places), _TOGETHER)]
        self.module.train(training)
        return torch.cat(blocks)

    def concept_vectors(self) -> Tensor:
        """(concepts, D), in evaluation mode and without gradients."""
        return self._vectors(np.arange(self.concepts))

    def steps_of_pass(self) -> int:
        """Batches in which every cluster comes once."""
        return self.clusters.steps(clusters=self.settings.data.clusters, epochs=1)

    def evaluate(self) -> dict[str, float]:
        """acc@1 of the nearest candidate for all mentions, and by whether their concept or text is in train; λ, and the
        share of mentions that it has excluded since the last evaluation."""
        if self.dev is None:
            return {}
        scores = self.judge(self.dev, self.distances(self.dev), 0.0)
        if isinstance(self.objective, PrototypeSoftRadius):
            scores["radius"] = self.objective.radius
            scores["excluded"] = self.excluded()
            self._excluded.zero_()
        return scores

    def excluded(self) -> float:
        """Share of the batches' mentions that λ + ϵ excluded from their prototypes since the last evaluation."""
        return float(self._excluded[0] / self._excluded[1].clamp(min=1))

    def judge(self, dev: LinkedCandidates, distances: Floats, weight: float) -> dict[str, float]:
        """acc@1 by weight · retrieval − distance; subsets without mentions are left out."""
        right = ranked_first(dev, distances, weight) == dev.gold
        seen = np.isin(dev.gold, self.train.gold)
        texts = {context.text for context in self.train.contexts}
        known = np.array([context.text in texts for context in dev.contexts], bool)
        subsets = {
            "acc@1": np.ones_like(seen),
            "seen_concept": seen,
            "unseen_concept": ~seen,
            "unseen_surface": ~known,
        }
        return {name: float(right[subset].mean()) for name, subset in subsets.items() if subset.any()}

    @torch.no_grad()
    def mention_vectors(self, dev: LinkedCandidates) -> Tensor:
        """(M, D) of the mentions in `held` or `dev`."""
        encode = self._dev_mentions[id(dev)]
        batches = np.split(np.arange(len(dev)), range(256, len(dev), 256))
        return torch.cat([encode(batch) for batch in batches])

    @torch.no_grad()
    def distances(self, dev: LinkedCandidates) -> Floats:
        """(M, k) distance of each candidate to the mention, inf for none. Only for the task's own `held` and `dev`."""
        vectors = self.mention_vectors(dev).cpu().numpy()
        bank = np.zeros((self.concepts, self.module.dimensions), np.float32)
        places = self._places(dev)
        bank[places] = self._vectors(places).cpu().numpy()
        distances = np.full(dev.candidates.shape, np.inf, np.float32)
        for row, (vector, candidates) in enumerate(zip(vectors, dev.candidates, strict=True)):
            present = candidates >= 0
            places = self.places[candidates[present]]
            distances[row, present] = np.linalg.norm(bank[places] - vector, axis=1)
        return distances

    def weight(self) -> float:
        """Of retrieval's score: as set, or the best on the documents held out."""
        if self.settings.evaluation.weight is not None or self.held is None:
            return self.settings.evaluation.weight or 0.0
        distances = self.distances(self.held)
        return max(WEIGHTS, key=lambda weight: self.judge(self.held, distances, weight)["acc@1"])  # type: ignore[arg-type]

    def state(self) -> dict[str, Tensor]:
        """λ, what it excluded, and the candidates' vectors."""
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
        wanted = self.settings.data
        options: dict[str, Any] = {"names": wanted.names, "weight": self.weight()}
        if wanted.expand_context:
            options["expand_context"] = True
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
        """Mean, over clusters of several mentions, of the largest distance to the first, with the current weights."""
        several = [numbers for numbers in self.clusters.members if len(numbers) > 1][:_MEASURED]
        if not several:
            raise DataError(
                "no concept is mentioned twice in a document, so there is no radius to measure. "
                'Write a number for objective.radius, or kind = "triplet-all".'
            )
        self.module.eval()
        lengths = [len(numbers) for numbers in several]
        vectors = self._mentions(np.concatenate(several)).split(lengths)  # type: ignore[no-untyped-call]
        self.module.train()
        return float(torch.stack([(rows - rows[:1]).norm(dim=1).max() for rows in vectors]).mean())


def _first_rows(terminologies: Sequence[Terminology]) -> list[int]:
    """Row of each one's first concept, counted over all."""
    return [sum(map(len, terminologies[:position])) for position in range(len(terminologies))]


def split_documents(
    mentions: list[Mention], *, share: float, seed: int
) -> tuple[list[Mention], list[Mention]]:
    """Mentions to train on and mentions held out, both in the given order; no document has both.

    share  of the documents that is held out, 0 to 1
    """
    ids = sorted({mention.document.id for mention in mentions})
    drawn = np.random.default_rng([seed, 1]).permutation(len(ids))[: round(share * len(ids))]
    held = {ids[i] for i in drawn}
    return (
        [mention for mention in mentions if mention.document.id not in held],
        [mention for mention in mentions if mention.document.id in held],
    )


def ranked_first(dev: LinkedCandidates, distances: Floats, weight: float) -> Ints:
    """(M,) row of the best candidate, −1 for none."""
    best = combined_scores(distances, dev.scores, weight).argmax(1)
    first: Ints = dev.candidates[np.arange(len(dev)), best]
    return first
