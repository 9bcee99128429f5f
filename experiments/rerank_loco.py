"""Leaves out one corpus after the other: what a change to the training of `context` gives where it was not trained.

    python experiments/rerank_loco.py experiments/context.toml FEATURES.npz [--only VARIATION…] [--seeds 2]

The candidates and features of all sources are computed once and kept in FEATURES.npz: five minutes; a training takes 15 s.
Printed is, for each variation and each corpus that `benchmarks/generalisation` leaves out, the accuracy of the first candidate by a scorer
that learnt from the other corpora, without memory: on distinct texts that are no exact name of a candidate, beside the order in
which the candidates were found. `benchmarks/generalisation` measures the linker as a whole.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import torch
from harness import parser_of, say
from result_tables import markdown

from linnet.arrays import Floats, Ints, Mask
from linnet.rerank.features import FEATURES
from linnet.train.crossfit import KINDS, Crossfit
from linnet.train.loop import train
from linnet.train.run import read_run
from linnet.train.tasks.listwise import Examples, ListwiseSettings, ListwiseTask, fold_examples, open_crossfit
from linnet.words.text import LEVELS

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[1] / "benchmarks")]
from benchmarks.generalisation.left_out import LEFT_OUT  # noqa: E402

COLUMN = {name: number for number, name in enumerate(FEATURES)}
FORGETFUL = KINDS.index("forgetful")


@dataclass(frozen=True)
class Kept:
    """Examples of all folds, in the order of `fold_examples`.

    fold, text, known  (N,) the fold, the number of the text, whether the mention has a concept
    sources            their names, as `left_out` has them
    """

    examples: Examples
    fold: Ints
    text: Ints
    known: Mask
    sources: tuple[str, ...]


@dataclass(frozen=True)
class Variation:
    """A change: of the settings of the scorer, of the features (N, k, F), or of the rows that are drawn."""

    scorer: Mapping[str, Any] | None = None
    features: Callable[[Floats, Mask], Floats] | None = None
    distinct: bool = False
    equal: bool = False


def literal_below_best(features: Floats, present: Mask) -> Floats:
    """With a column for each level: 1 where another candidate has a name equal to the text at it, and this one has not."""
    columns = []
    for level in LEVELS:
        equal = (
            np.maximum(features[..., COLUMN[level]], features[..., COLUMN[f"preferred {level}"]]) * present
        )
        columns.append(np.where(present, equal.max(axis=1, keepdims=True) - equal, 0))
    return np.concatenate([features, np.stack(columns, axis=-1)], axis=-1).astype(np.float32)


def without_preferred_cosine(features: Floats, _: Mask) -> Floats:
    """With the cosine of the preferred name unknown."""
    changed = features.copy()
    changed[..., [COLUMN["preferred cosine"], COLUMN["preferred cosine below best"]]] = 0
    return changed


VARIATIONS = {
    "as shipped": Variation(),
    "distinct": Variation(distinct=True),
    "distinct, sources alike": Variation(distinct=True, equal=True),
    "distinct, more dropout": Variation({"dropout": 0.3}, distinct=True),
    "distinct, literal below best": Variation(features=literal_below_best, distinct=True),
    "linear": Variation({"hidden": 0}),
    "without the preferred cosine": Variation(features=without_preferred_cosine),
}


class VariedTask(ListwiseTask):
    """The task, with its rows drawn by distinct text, or from all sources alike."""

    def vary(self, variation: Variation, text: Ints) -> None:
        """text: (N,) of the examples learnt from."""
        if variation.equal:
            self._shares = np.full(len(self._rows), 1 / len(self._rows))
        self._reached = [_reached(text[rows] * len(KINDS) + self._train.kind[rows]) for rows in self._rows]
        self._distinct = variation.distinct

    def batch(self, step: int) -> Ints:
        """See `ListwiseTask.batch`."""
        if not self._distinct:
            return super().batch(step)
        rng = np.random.default_rng([self.settings.seed, step])
        counts = rng.multinomial(self.settings.data.lists, self._shares)
        drawn = zip(self._rows, self._reached, counts, strict=True)
        return np.concatenate(
            [rows[np.searchsorted(reached, rng.random(n), side="right")] for rows, reached, n in drawn]
        )


def main() -> None:
    """Run what the module says."""
    parser = parser_of(__doc__)
    parser.add_argument("run_file", type=Path)
    parser.add_argument("features", type=Path)
    parser.add_argument(
        "--only", nargs="+", choices=VARIATIONS, default=list(VARIATIONS), metavar="VARIATION"
    )
    parser.add_argument("--seeds", type=int, default=2)
    given = parser.parse_args()
    settings, _ = read_run(given.run_file)
    assert isinstance(settings, ListwiseSettings)
    torch.set_num_threads(1)
    if not given.features.exists():
        keep(settings, given.features)
    kept = read_kept(given.features)
    left_out = [number for number, name in enumerate(kept.sources) if name in LEFT_OUT]
    rows = [["as found", *(f"{found_first(kept, number):.1f}" for number in left_out), ""]]
    for name in given.only:
        scores = [
            np.array([accuracy(settings, kept, VARIATIONS[name], number, seed) for number in left_out])
            for seed in range(given.seeds)
        ]
        mean = np.mean(scores, axis=0)
        gains = [
            float(np.mean(of_seed) - np.mean([found_first(kept, n) for n in left_out])) for of_seed in scores
        ]
        rows.append([name, *(f"{score:.1f}" for score in mean), " ".join(f"{gain:+.2f}" for gain in gains)])
        say(f"{name}: {rows[-1][-1]}")
    print(markdown(("variation", *(kept.sources[n] for n in left_out), "mean gain by seed"), rows))


def keep(settings: ListwiseSettings, place: Path) -> None:
    """Write the examples of all sources."""
    crossfit = open_crossfit(settings.data, threads=settings.loop.threads)
    lists = list(crossfit.lists())
    made = fold_examples(settings, crossfit, lists)
    parts = {fold: iter(own) for fold, own in made.items()}
    examples, folds, texts, known = [], [], [], []
    for of_fold, _, _ in crossfit.remembering(lists):
        examples.append(next(parts[of_fold.fold]))
        usable = np.flatnonzero(of_fold.usable).tolist()
        folds.append(np.full(len(usable), of_fold.fold))
        texts += [of_fold.texts[row].casefold() for row in usable]
        known.append(np.array([bool(of_fold.gold[row]) for row in usable], bool))
    stacked = Examples.stack(examples)
    sources = [
        f"names of {source.settings.terminology.name}"
        if source.settings.names
        else source.settings.corpora[0].stem
        for source in crossfit.sources
    ]
    np.savez(
        place,
        **{name: getattr(stacked, name) for name in Examples.__slots__},
        fold=np.concatenate(folds), text=np.unique(texts, return_inverse=True)[1], known=np.concatenate(known),
        sources=sources,
    )  # fmt: skip


def read_kept(place: Path) -> Kept:
    """What `keep` wrote."""
    with np.load(place) as file:
        examples = Examples(*(file[name] for name in Examples.__slots__))
        return Kept(examples, file["fold"], file["text"], file["known"], tuple(map(str, file["sources"])))


def asked(kept: Kept, source: int) -> Ints:
    """Rows of a source's distinct texts that are no exact name of a candidate, without memory."""
    rows = np.flatnonzero((kept.examples.source == source) & (kept.examples.kind == FORGETFUL) & kept.known)
    features, present = kept.examples.features[rows], kept.examples.present[rows]
    exact = np.maximum(features[..., COLUMN["fold"]], features[..., COLUMN["preferred fold"]]) * present
    rows = rows[exact.max(axis=1) == 0]
    return np.asarray(rows[np.unique(kept.text[rows], return_index=True)[1]])


def found_first(kept: Kept, source: int) -> float:
    """Accuracy of the candidates as they were found, in %."""
    return 100 * float(kept.examples.right[asked(kept, source), 0].mean())


def accuracy(settings: ListwiseSettings, kept: Kept, variation: Variation, source: int, seed: int) -> float:
    """Of a scorer that has learnt neither from a source nor from what shares its texts, on `asked`, in %."""
    without = [kept.sources.index(name) for name in LEFT_OUT[kept.sources[source]]]
    scorer = replace(settings.scorer, **(variation.scorer or {}))
    changed = replace(settings, scorer=scorer, seed=seed)
    examples = kept.examples
    if variation.features is not None:
        examples = replace(examples, features=variation.features(examples.features, examples.present))
    torch.manual_seed(seed)
    nothing = SimpleNamespace(data={}, sources=kept.sources)  # a scorer is neither saved nor calibrated here
    by_fold = {fold: [examples.take(kept.fold == fold)] for fold in range(settings.data.folds)}
    task = VariedTask(changed, cast(Crossfit, nothing), by_fold, without=without)
    learnt = np.concatenate(
        [np.flatnonzero(kept.fold == fold) for fold in by_fold if fold != settings.data.held_out]
    )
    task.vary(variation, kept.text[learnt[~np.isin(examples.source[learnt], without)]])
    with tempfile.TemporaryDirectory() as folder:
        train(task, changed.loop, Path(folder))
    task.module.eval()
    rows = asked(kept, source)
    with torch.no_grad():
        logits = task.module(
            torch.from_numpy(examples.features[rows]), torch.from_numpy(examples.present[rows])
        )
    first = logits[:, :-1].argmax(dim=1).numpy()
    return 100 * float(examples.right[rows, first].mean())


def _reached(keys: Ints) -> Floats:
    """(N,) the sum of shares up to each row, if distinct keys have equal shares and the rows of a key share its own."""
    _, which, counts = np.unique(keys, return_inverse=True, return_counts=True)
    sums = np.cumsum(1 / counts[which])
    return np.asarray(sums / sums[-1])


if __name__ == "__main__":
    main()
