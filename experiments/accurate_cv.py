"""What a second encoder gains on sources that its scorer has not seen, and when it should be asked: inside train only.

    python experiments/accurate_cv.py [experiments/accurate.toml] [--seeds 0 1]

Scorers of the first encoder's candidates and features alone (*alone*), and of both encoders' (*both*), learn by the settings of the
run file, from all sources but one group of `GROUPS` at a time, without choosing among steps. *Taught* is alone again, with `SHARE`
of its loss the cross-entropy to the probabilities of both: what the second encoder knows, distilled back. Each group's lists, as
retrieval makes them from the plain terminology, are then ranked by all three; a mention counts if its concept is in the
terminology. Sources with corpora of which the reranker remembers the mentions are not left out as a whole: their fold 0 is, by
scorers that learn from all other folds. Prints tables for docs/results/accurate.md; with the indexes built, half an hour on two
cores.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from result_tables import markdown
from torch import Tensor

from linnet.arrays import Doubles, Ints, Mask
from linnet.rerank.features import FEATURES
from linnet.train.crossfit import Crossfit
from linnet.train.loop import train
from linnet.train.run import read_run
from linnet.train.tasks.listwise import KINDS, Examples, ListScorer, list_loss, open_crossfit
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
SHARE = 0.5
BELOW = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 1.01)
WAYS = ("alone", "taught", "both")
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
    """Of one set's lists: whether the first candidate is right by each scorer, and the probability of the first alone."""

    alone: Mask
    taught: Mask
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
    print(markdown(("", "lists", *WAYS, "both − alone"), accuracies(of_seeds)))
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
            made = scorers(settings, crossfit, lists.examples, ~np.isin(source, out), seed)
            for number in out:
                yield names[number], made.ranked(settings, lists, (source == number) & (kind == PLAIN))
    remembered = [
        number for number, one in enumerate(crossfit.sources) if one.remembered and not one.settings.names
    ]
    if remembered:
        made = scorers(settings, crossfit, lists.examples, lists.fold != 0, seed)
        for number in remembered:
            types = " ".join(crossfit.sources[number].settings.types)
            for wanted in (PLAIN, AUGMENTED):
                chosen = (source == number) & (kind == wanted) & (lists.fold == 0)
                title = f"{names[number]} {types}, {KINDS[wanted]}"
                found = made.ranked(settings, lists, chosen)
                yield title, found
                if wanted == AUGMENTED:
                    yield (
                        f"{title}, unseen",
                        Ranked(*(column[found.unseen] for column in vars(found).values())),
                    )


class Scorers(NamedTuple):
    """See the module."""

    alone: ListScorer
    taught: ListScorer
    both: ListScorer

    def ranked(self, settings: SecondEncoderSettings, lists: Lists, chosen: Mask) -> Ranked:
        """The chosen lists whose concept is known."""
        rows = np.flatnonzero(chosen & lists.asked)
        examples = lists.examples.take(rows)
        short = cut(settings, examples)
        right, sure = {}, {}
        for name, some in (("alone", short), ("taught", short), ("both", examples)):
            probable = probabilities(getattr(self, name), some)[:, :-1]
            right[name] = some.right[np.arange(len(rows)), probable.argmax(axis=1)]
            sure[name] = probable.max(axis=1)
        return Ranked(**right, sure=sure["alone"], unseen=lists.unseen[rows])


def scorers(
    settings: SecondEncoderSettings, crossfit: Crossfit, examples: Examples, learnt: Mask, seed: int
) -> Scorers:
    """Learnt from these lists."""
    some = examples.take(learnt)
    short = cut(settings, some)
    alone, both = (scorer(settings, crossfit, of_one, seed) for of_one in (short, some))
    teacher = probabilities(both, some)[:, : settings.data.candidates] * short.present
    # What the teacher finds beyond the candidates of the first encoder is none of these.
    soft = np.concatenate([teacher, 1 - teacher.sum(axis=1, keepdims=True)], axis=1)
    return Scorers(alone, scorer(settings, crossfit, short, seed, soft=soft), both)


@torch.no_grad()
def probabilities(scorer: ListScorer, examples: Examples) -> Doubles:
    """(N, k + 1) of the candidates, and of none of these."""
    parts = [examples.take(slice(start, start + 4096)) for start in range(0, len(examples.right), 4096)]
    logits = [scorer(torch.from_numpy(some.features), torch.from_numpy(some.present)) for some in parts]
    return np.asarray(torch.softmax(torch.cat(logits), dim=1), np.float64)


def cut(settings: SecondEncoderSettings, examples: Examples) -> Examples:
    """The first encoder's candidates and features."""
    k = settings.data.candidates
    features = examples.features[:, :k, : len(FEATURES)]
    return Examples(features, examples.present[:, :k], examples.right[:, :k], examples.source, examples.kind)


class TaughtTask(SecondEncoderTask):
    """Learns from a teacher, too. soft, (N, k + 1): probabilities of the candidates of each example, and of none of these."""

    soft: Tensor

    def loss(self, step: int) -> Tensor:
        """Of batch `step`."""
        rows = self.batch(step)
        logits, right = self.judged_lists(rows)
        found = torch.log_softmax(logits, dim=1)
        soft = -(self.soft[rows] * torch.where(found.isfinite(), found, 0.0)).sum(dim=1).mean()
        return (1 - SHARE) * list_loss(logits, right) + SHARE * soft


def scorer(
    settings: SecondEncoderSettings,
    crossfit: Crossfit,
    examples: Examples,
    seed: int,
    *,
    soft: Doubles | None = None,
) -> ListScorer:
    """Trained as the run file says, without choosing among steps."""
    torch.manual_seed(seed)
    held_out = settings.data.held_out
    parts = {held_out: [examples.take(slice(0))], held_out + 1: [examples]}
    task = (SecondEncoderTask if soft is None else TaughtTask)(replace(settings, seed=seed), crossfit, parts)
    if isinstance(task, TaughtTask):
        task.soft = torch.from_numpy(soft).float()
    with tempfile.TemporaryDirectory() as folder:
        train(task, replace(settings.loop, evaluate_every=settings.loop.steps), Path(folder))
    return task.module.eval()


def accuracies(of_seeds: Sequence[Mapping[str, Ranked]]) -> Iterator[tuple[str, ...]]:
    """A row for each set, and the mean of those left out as a whole."""
    left_out = {name for group in GROUPS for name in group}
    kept = []
    for name in of_seeds[0]:
        means = [mean(getattr(ranked[name], way).mean() for ranked in of_seeds) for way in WAYS]
        if name in left_out:
            kept.append(means)
        yield row(name, f"{len(of_seeds[0][name].alone):,}", means)
    yield row("mean of the sets left out", "", np.mean(kept, axis=0).tolist())


def gates(of_seeds: Sequence[Mapping[str, Ranked]]) -> Iterator[tuple[str, ...]]:
    """A row for each probability below which the second encoder is asked."""
    left_out = [name for group in GROUPS for name in group if name in of_seeds[0]]
    for below in BELOW:
        sets = [ranked_by[name] for ranked_by in of_seeds for name in left_out]
        asked = mean((one.sure < below).mean() for one in sets)
        right = mean(one.gated(below).mean() for one in sets)
        yield f"{below:g}", f"{100 * asked:.0f}", f"{100 * right:.2f}"


def row(name: str, count: str, means: Sequence[float]) -> tuple[str, ...]:
    """Of a table of accuracies."""
    alone, _, both = means
    return name, count, *(f"{100 * value:.1f}" for value in means), f"{100 * (both - alone):+.1f}"


def mean(values: Iterable[float]) -> float:
    """Of one or more values."""
    return float(np.mean(list(values)))


if __name__ == "__main__":
    main()
