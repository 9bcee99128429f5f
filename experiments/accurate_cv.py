"""What a second encoder gains on sources that its scorer has not seen, and when it should be asked: inside train only.

    python experiments/accurate_cv.py [experiments/accurate.toml] [--seeds 0 1]

Scorers of the first encoder's candidates and features alone (*alone*), and of both encoders' (*both*), learn by the settings of the
run file, from all sources but one group of `GROUPS` at a time, without choosing among steps. Each group's lists, as retrieval makes
them from the plain terminology, are then ranked by both; a mention counts if its concept is in the terminology. Sources with
corpora of which the reranker remembers the mentions are not left out as a whole: their fold 0 is, by scorers that learn from all
other folds. Prints tables for docs/results/accurate.md; with the indexes built, half an hour on two cores.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from result_tables import markdown

from linnet.arrays import Doubles, Ints, Mask
from linnet.rerank.features import FEATURES
from linnet.train.crossfit import Crossfit
from linnet.train.loop import train
from linnet.train.run import read_run
from linnet.train.tasks.listwise import KINDS, Examples, ListScorer, open_crossfit
from linnet.train.tasks.second_encoder import SecondEncoderSettings, SecondEncoderTask, examples_of_lists

HERE = Path(__file__).parent
# Left out together, which saves time: sources of a group have nothing in common with each other.
GROUPS = (
    ("tmvar-diseases", "names of cells"),
    ("nlm-chem", "names of mondo"),
    ("hpo-notes", "names of genes"),
    ("medmentions", "medmentions-dev", "names of mesh"),
    ("askapatient", "names of hpo-2025"),
)
BELOW = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 1.01)
PLAIN, AUGMENTED = KINDS.index("plain"), KINDS.index("augmented")


@dataclass(frozen=True)
class Lists:
    """All lists, in one order. fold, (N,); asked: whether the concept is known; unseen: whether no other fold has the text."""

    examples: Examples
    fold: Ints
    asked: Mask
    unseen: Mask


@dataclass(frozen=True)
class Ranked:
    """Of one set's lists: whether the first candidate is right, alone and by both, and the probability of the first alone."""

    alone: Mask
    both: Mask
    sure: Doubles
    unseen: Mask

    def gated(self, below: float) -> Mask:
        """Right where the second encoder is asked only below a probability."""
        return np.where(self.sure < below, self.both, self.alone)


def main() -> None:
    """Run what the module says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run_file", type=Path, nargs="?", default=HERE / "accurate.toml")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1])
    given = parser.parse_args()
    settings, _ = read_run(given.run_file)
    assert isinstance(settings, SecondEncoderSettings)
    crossfit = open_crossfit(settings.data, threads=settings.loop.threads)
    lists = all_lists(settings, crossfit)
    names = [
        f"names of {one.settings.terminology.name}" if one.settings.names else one.settings.corpora[0].stem
        for one in crossfit.sources
    ]
    torch.set_num_threads(1)
    of_seeds = [dict(ranked_sets(settings, crossfit, lists, names, seed)) for seed in given.seeds]
    print(markdown(("", "lists", "alone", "both", "difference"), accuracies(of_seeds)))
    print(markdown(("asked below", "of the left-out lists, %", "mean of the sets left out"), gates(of_seeds)))


def all_lists(settings: SecondEncoderSettings, crossfit: Crossfit) -> Lists:
    """The examples with what tells them apart."""
    made = list(examples_of_lists(settings, crossfit))
    texts = [[one.lists.texts[row].casefold() for row in one.rows.tolist()] for one in made]
    known: dict[tuple[int, int], set[str]] = {}
    for one, some in zip(made, texts, strict=True):
        known.setdefault((one.lists.source, one.lists.fold), set()).update(some)
    unseen = []
    for one, some in zip(made, texts, strict=True):
        lists = one.lists
        others = set().union(
            *(known[key] for key in known if key[0] == lists.source and key[1] != lists.fold)
        )
        unseen.append(np.array([text not in others for text in some], bool))
    return Lists(
        Examples.stack([one.examples for one in made]),
        np.concatenate([np.full(len(one.rows), one.lists.fold) for one in made]),
        np.concatenate(
            [
                np.array([max(one.lists.gold[row], default=-1) >= 0 for row in one.rows.tolist()], bool)
                for one in made
            ]
        ),
        np.concatenate(unseen),
    )


def ranked_sets(
    settings: SecondEncoderSettings, crossfit: Crossfit, lists: Lists, names: Sequence[str], seed: int
) -> Iterator[tuple[str, Ranked]]:
    """Name of each set → its lists as ranked by scorers that have not seen it."""
    source, kind = lists.examples.source, lists.examples.kind
    for group in GROUPS:
        out = [number for number, name in enumerate(names) if name in group]
        if out:
            pair = pair_of_scorers(settings, crossfit, lists.examples, ~np.isin(source, out), seed)
            for number in out:
                yield names[number], ranked(settings, lists, (source == number) & (kind == PLAIN), *pair)
    remembered = [
        number for number, one in enumerate(crossfit.sources) if one.remembered and not one.settings.names
    ]
    if remembered:
        pair = pair_of_scorers(settings, crossfit, lists.examples, lists.fold != 0, seed)
        for number in remembered:
            types = " ".join(crossfit.sources[number].settings.types)
            for wanted in (PLAIN, AUGMENTED):
                chosen = (source == number) & (kind == wanted) & (lists.fold == 0)
                title = f"{names[number]} {types}, {KINDS[wanted]}"
                found = ranked(settings, lists, chosen, *pair)
                yield title, found
                if wanted == AUGMENTED:
                    yield (
                        f"{title}, unseen",
                        Ranked(*(column[found.unseen] for column in vars(found).values())),
                    )


def pair_of_scorers(
    settings: SecondEncoderSettings, crossfit: Crossfit, examples: Examples, learnt: Mask, seed: int
) -> tuple[ListScorer, ListScorer]:
    """Of the first encoder's candidates alone, and of both's."""
    rows = np.flatnonzero(learnt)
    alone, both = (
        scorer(settings, crossfit, some, rows, seed) for some in (cut(settings, examples), examples)
    )
    return alone, both


def cut(settings: SecondEncoderSettings, examples: Examples) -> Examples:
    """The first encoder's candidates and features."""
    k = settings.data.candidates
    features = examples.features[:, :k, : len(FEATURES)]
    return Examples(features, examples.present[:, :k], examples.right[:, :k], examples.source, examples.kind)


def scorer(
    settings: SecondEncoderSettings, crossfit: Crossfit, examples: Examples, rows: Ints, seed: int
) -> ListScorer:
    """Trained on these rows as the run file says, without choosing among steps."""
    torch.manual_seed(seed)
    held_out = settings.data.held_out
    parts = {held_out: [examples.take(rows[:0])], held_out + 1: [examples.take(rows)]}
    task = SecondEncoderTask(replace(settings, seed=seed), crossfit, parts)
    with tempfile.TemporaryDirectory() as folder:
        train(task, replace(settings.loop, evaluate_every=settings.loop.steps), Path(folder))
    return task.module.eval()


@torch.no_grad()
def ranked(
    settings: SecondEncoderSettings, lists: Lists, chosen: Mask, alone: ListScorer, both: ListScorer
) -> Ranked:
    """The chosen lists whose concept is known."""
    rows = np.flatnonzero(chosen & lists.asked)
    of_all = lists.examples.take(rows)
    right, sure = [], np.zeros(0)
    for module, examples in ((both, of_all), (alone, cut(settings, of_all))):
        logits = module(torch.from_numpy(examples.features), torch.from_numpy(examples.present))
        sure, first = torch.softmax(logits, dim=1)[:, :-1].max(dim=1)
        right.append(examples.right[np.arange(len(rows)), first.numpy()])
    return Ranked(right[1], right[0], np.asarray(sure, np.float64), lists.unseen[rows])


def accuracies(of_seeds: Sequence[Mapping[str, Ranked]]) -> Iterator[tuple[str, ...]]:
    """A row for each set, and the mean of those left out as a whole."""
    left_out = {name for group in GROUPS for name in group}
    sums: dict[str, list[float]] = {"alone": [], "both": []}
    for name in of_seeds[0]:
        alone, both = (
            mean(getattr(ranked_by[name], way).mean() for ranked_by in of_seeds) for way in ("alone", "both")
        )
        if name in left_out:
            sums["alone"].append(alone)
            sums["both"].append(both)
        yield row(name, f"{len(of_seeds[0][name].alone):,}", alone, both)
    yield row("mean of the sets left out", "", mean(sums["alone"]), mean(sums["both"]))


def gates(of_seeds: Sequence[Mapping[str, Ranked]]) -> Iterator[tuple[str, ...]]:
    """A row for each probability below which the second encoder is asked."""
    left_out = [name for group in GROUPS for name in group if name in of_seeds[0]]
    for below in BELOW:
        sets = [ranked_by[name] for ranked_by in of_seeds for name in left_out]
        asked = mean((one.sure < below).mean() for one in sets)
        right = mean(one.gated(below).mean() for one in sets)
        yield f"{below:g}", f"{100 * asked:.0f}", f"{100 * right:.2f}"


def row(name: str, count: str, alone: float, both: float) -> tuple[str, ...]:
    """Of a table of accuracies."""
    return name, count, f"{100 * alone:.1f}", f"{100 * both:.1f}", f"{100 * (both - alone):+.1f}"


def mean(values: Iterable[float]) -> float:
    """Of one or more values."""
    return float(np.mean(list(values)))


if __name__ == "__main__":
    main()
