"""What a second encoder gains on sources that its scorer has not seen, and when it should be asked: inside train only.

    python experiments/accurate_cv.py [experiments/accurate.toml] [--seeds 0 1]

Scorers of the first reranker's candidates and features (*alone*), and of both encoders' (*both*), learn by the settings of the
run file, from all sources but one group of `GROUPS` at a time, without choosing among steps. *Taught* is alone again, with `SHARE`
of its loss the cross-entropy to the probabilities of both: what the second encoder knows, distilled back. Each group's lists, as
retrieval makes them from the plain terminology, are then ranked by all three; a mention counts if its concept is in the
terminology. Sources with corpora of which the reranker remembers the mentions are not left out as a whole: their fold 0 is, by
scorers that learn from all other folds. Prints tables for docs/results/accurate.md; with the indexes built, three quarters of an
hour on two cores.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from harness import parser_of
from result_tables import markdown
from torch import Tensor

from linnet.arrays import Doubles, Ints, Mask
from linnet.train.crossfit import KINDS, Crossfit
from linnet.train.loop import train
from linnet.train.repeatable import repeatable
from linnet.train.run import read_run
from linnet.train.tasks.listwise import Examples, ListScorer, list_loss, open_crossfit
from linnet.train.tasks.second_encoder import (
    ExamplesOfLists,
    SecondEncoderSettings,
    SecondEncoderTask,
    examples_of_lists,
)

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
TOGETHER = 4096  # lists whose features are computed at a time
PLAIN, AUGMENTED = KINDS.index("plain"), KINDS.index("augmented")


@dataclass(frozen=True)
class Lists:
    """All lists, in one order.

    alone, both  the examples with the first reranker's candidates and features, and with those of both encoders
    fold         (N,)
    known        (N,) whether the terminology has the concept
    unseen       (N,) whether no other fold has the text
    """

    alone: Examples
    both: Examples
    fold: Ints
    known: Mask
    unseen: Mask


@dataclass(frozen=True)
class Ranked:
    """Of one set's lists: whether the first candidate is right by each scorer, and how probable *alone* finds its first one.

    That probability is not calibrated, as it is when linking.
    """

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
    parser = parser_of(__doc__)
    parser.add_argument("run_file", type=Path, nargs="?", default=HERE / "accurate.toml")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1])
    given = parser.parse_args()
    settings, _ = read_run(given.run_file)
    assert isinstance(settings, SecondEncoderSettings)
    crossfit = open_crossfit(settings.data, threads=settings.loop.threads)
    lists = all_lists(settings, crossfit)
    names = [
        f"names of {source.settings.terminology.name}"
        if source.settings.names
        else source.settings.corpora[0].stem
        for source in crossfit.sources
    ]
    with repeatable(settings.seed, torch.device("cpu"), threads=1):
        of_seeds = [dict(ranked_sets(settings, crossfit, lists, names, seed)) for seed in given.seeds]
    print(markdown(("", "lists", *WAYS, "both − alone"), accuracies(of_seeds)))
    shares = ("asked about of the left-out sets, %", "of NCBI and BC5CDR, %")
    print(markdown(("asked below", *shares, "mean of the left-out sets"), gates(of_seeds)))


def all_lists(settings: SecondEncoderSettings, crossfit: Crossfit) -> Lists:
    """The examples with what tells them apart."""
    made, alone = [], []
    for of_list in examples_of_lists(settings, crossfit):
        alone.append(first_examples(of_list))
        made.append(
            of_list._replace(first=None, group=None)
        )  # memory and indexes of a fold, no longer wanted
    texts = [[of_list.lists.texts[row].casefold() for row in of_list.rows.tolist()] for of_list in made]
    known: dict[tuple[int, int], set[str]] = {}
    for of_list, own in zip(made, texts, strict=True):
        known.setdefault((of_list.lists.source, of_list.lists.fold), set()).update(own)
    unseen = []
    for of_list, own in zip(made, texts, strict=True):
        lists = of_list.lists
        others = set().union(
            *(known[key] for key in known if key[0] == lists.source and key[1] != lists.fold)
        )
        unseen.append(np.array([text not in others for text in own], bool))
    golds = [[of_list.lists.gold[row] for row in of_list.rows.tolist()] for of_list in made]
    return Lists(
        Examples.stack(alone),
        Examples.stack([of_list.examples for of_list in made]),
        np.concatenate([np.full(len(of_list.rows), of_list.lists.fold) for of_list in made]),
        np.concatenate([np.array([max(gold, default=-1) >= 0 for gold in own], bool) for own in golds]),
        np.concatenate(unseen),
    )


def first_examples(of_list: ExamplesOfLists) -> Examples:
    """The same with the first reranker's candidates alone, and its features of these."""
    lists, rows, both = of_list.lists, of_list.rows, of_list.examples
    hits, k = lists.hits.take(rows), lists.hits.k
    mentions = [lists.mentions[row] for row in rows.tolist()]
    texts = [lists.texts[row] for row in rows.tolist()]
    together = [slice(start, start + TOGETHER) for start in range(0, max(1, len(rows)), TOGETHER)]
    features = np.concatenate(
        [
            of_list.first.features(mentions[part], texts[part], hits.take(part), of_list.group)
            for part in together
        ]
    )
    return Examples(features, both.present[:, :k], both.right[:, :k], both.source, both.kind)


def ranked_sets(
    settings: SecondEncoderSettings, crossfit: Crossfit, lists: Lists, names: Sequence[str], seed: int
) -> Iterator[tuple[str, Ranked]]:
    """Name of each set → its lists as ranked by scorers that have not seen it."""
    source, kind = lists.both.source, lists.both.kind
    for group in GROUPS:
        out = [number for number, name in enumerate(names) if name in group]
        if out:
            trained = scorers(settings, crossfit, lists, ~np.isin(source, out), seed)
            for number in out:
                yield names[number], trained.ranked(lists, (source == number) & (kind == PLAIN))
    remembered = [
        number for number, of in enumerate(crossfit.sources) if of.remembered and not of.settings.names
    ]
    if remembered:
        trained = scorers(settings, crossfit, lists, lists.fold != 0, seed)
        for number in remembered:
            types = " ".join(crossfit.sources[number].settings.types)
            for wanted in (PLAIN, AUGMENTED):
                chosen = (source == number) & (kind == wanted) & (lists.fold == 0)
                title = f"{names[number]} {types}, {KINDS[wanted]}"
                found = trained.ranked(lists, chosen)
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

    def ranked(self, lists: Lists, chosen: Mask) -> Ranked:
        """The chosen lists whose concept is known, ranked by each scorer."""
        rows = np.flatnonzero(chosen & lists.known)
        right, sure = {}, {}
        for name, examples in (("alone", lists.alone), ("taught", lists.alone), ("both", lists.both)):
            asked = examples.take(rows)
            probable = probabilities(getattr(self, name), asked)[:, :-1]
            right[name] = asked.right[np.arange(len(rows)), probable.argmax(axis=1)]
            sure[name] = probable.max(axis=1)
        return Ranked(**right, sure=sure["alone"], unseen=lists.unseen[rows])


def scorers(
    settings: SecondEncoderSettings, crossfit: Crossfit, lists: Lists, learnt: Mask, seed: int
) -> Scorers:
    """The three scorers after learning from these lists."""
    of_first, of_both = lists.alone.take(learnt), lists.both.take(learnt)
    alone, both = (scorer(settings, crossfit, examples, seed) for examples in (of_first, of_both))
    teacher = probabilities(both, of_both)[:, : of_first.present.shape[1]] * of_first.present
    # What the teacher finds beyond the candidates of the first encoder is none of these.
    soft = np.concatenate([teacher, 1 - teacher.sum(axis=1, keepdims=True)], axis=1)
    return Scorers(alone, scorer(settings, crossfit, of_first, seed, soft=soft), both)


@torch.no_grad()
def probabilities(scorer: ListScorer, examples: Examples) -> Doubles:
    """(N, k + 1) of the candidates, and of none of these."""
    parts = [examples.take(slice(start, start + 4096)) for start in range(0, len(examples.right), 4096)]
    logits = [scorer(torch.from_numpy(part.features), torch.from_numpy(part.present)) for part in parts]
    return np.asarray(torch.softmax(torch.cat(logits), dim=1), np.float64)


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
    """A row for each probability below which the second encoder is asked; shares and accuracies are means over sets."""
    left_out = [name for group in GROUPS for name in group if name in of_seeds[0]]
    remembered = [name for name in of_seeds[0] if name.endswith(f", {KINDS[PLAIN]}")]
    for below in BELOW:
        asked = [
            mean((ranked[name].sure < below).mean() for ranked in of_seeds for name in names)
            for names in (left_out, remembered)
        ]
        right = mean(ranked[name].gated(below).mean() for ranked in of_seeds for name in left_out)
        yield f"{below:g}", *(f"{100 * share:.0f}" for share in asked), f"{100 * right:.2f}"


def row(name: str, count: str, means: Sequence[float]) -> tuple[str, ...]:
    """Of a table of accuracies."""
    alone, _, both = means
    return name, count, *(f"{100 * value:.1f}" for value in means), f"{100 * (both - alone):+.1f}"


def mean(values: Iterable[float]) -> float:
    """Of one or more values."""
    return float(np.mean(list(values)))


if __name__ == "__main__":
    main()
