"""Train the classifier of what names name (`linnet.rerank.name_kinds`), and write its file into the package.

    python experiments/open_terminologies.py experiments/data
    linnet terminology build $LINNET_DATA/terminologies/other/unii_names.tsv.gz -o experiments/data/unii
    python experiments/name_kinds.py [--out FILE]

It learns from the names in `experiments/open_terminologies.py`'s sources and UNII whose concept is of one kind, in as many as `MOST`
says, and from composed ones: a name and a last word that names of another kind end in ("Psoriasis clinics", "Rabbit syndrome"), or
words that make a name of another kind of it ("absence of eyebrow"). Prints how many names of concepts left out of training are
sorted rightly. Four minutes on two cores; needs the `train` extra.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from harness import parser_of, say

from linnet.rerank.name_kinds import BUCKETS, FILE, KINDS, clues
from linnet.terminology import Terminology
from linnet.words.semantic_groups import group_of_concept

DATA = Path(__file__).absolute().parent / "data"
TERMINOLOGIES = ("open", "unii")
MOST = {"disorder": 160_000, "chemical": 120_000, "gene": 80_000}  # names of a kind; of other kinds all
LONGEST = 120
HELD_OUT = 0.05  # of the concepts
TESTED = 3_000  # names of each kind
COMPOSED = 60_000  # names of both ways
OFTEN, MOSTLY = 3, 0.6  # names with such words, and the share of them that are of the other kind
ADDED, LONG = 3, 8  # words that are added to a name, and of the name
PASSES = 3
BATCH = 1024
RATE, DECAY = 0.03, 0.4  # learning rate, and by what it is multiplied after each pass
DROPPED = 0.35  # of the clues of a name in a step
SMOOTHING = 0.02
LEVELS = 127 / 8  # of stored weights: with eight times as many the file is 70 % larger and sorts no better
GAIN = 4.0  # of the mean of clues, so that weights stay small
SEED = 0


Clues = tuple[np.ndarray, np.ndarray]
"""Buckets, and how much each of them counts; together 1."""


class Name(NamedTuple):
    """A name, the place of its kind in `KINDS`, and its concept."""

    text: str
    kind: int
    concept: str


def names_of(terminology: Terminology) -> Iterator[Name]:
    """The names of the concepts that are of one kind."""
    for id in terminology.ids.take(range(len(terminology))):
        concept = terminology[id]
        group = group_of_concept(concept.types, concept.id)
        own = [place for place, kind in enumerate(KINDS.values()) if group & kind]
        if len(own) == 1:
            for text in dict.fromkeys(concept.all_names):
                if len(text) <= LONGEST:
                    yield Name(text, own[0], concept.id)


def divided(names: Sequence[Name]) -> tuple[list[Name], list[Name]]:
    """Names to learn, at most `MOST` of a kind, and to test on, of other concepts."""
    chance = random.Random(SEED)
    ids = sorted({name.concept for name in names})
    chance.shuffle(ids)
    held_out = set(ids[: int(len(ids) * HELD_OUT)])
    learnt, tested = [], []
    for place, kind in enumerate(KINDS):
        own = [name for name in names if name.kind == place]
        chance.shuffle(own)
        learnt += [name for name in own if name.concept not in held_out][: MOST.get(kind)]
        tested += [name for name in own if name.concept in held_out][:TESTED]
    return learnt, tested


def composed(names: Sequence[Name], count: int) -> list[Name]:
    """`count` names that end in a word in which hardly any names but those of another kind end, and as many of which first or last words
    make a thing of another kind; each of the kind that it then is of."""
    chance = random.Random(SEED)
    short: dict[int, list[str]] = defaultdict(list)
    for name in names:
        if len(name.text) <= 40 and len(name.text.split()) <= 3 and "," not in name.text:
            short[name.kind].append(name.text)
    telling = ends(names)
    disorder = list(KINDS).index("disorder")
    made: list[Name] = []
    while len(made) < count:
        first, last = chance.randrange(len(KINDS)), chance.randrange(len(KINDS))
        if chance.random() < 0.7:  # mostly from or to disorders, which most columns hold
            first, last = (disorder, last) if chance.random() < 0.6 else (first, disorder)
        if first != last and short[first] and telling.get(last):
            made.append(Name(f"{chance.choice(short[first])} {chance.choice(telling[last])}", last, ""))
    by_kinds: dict[tuple[int, int], list[Change]] = defaultdict(list)
    for change in changes(names):
        by_kinds[change.rest, change.whole].append(change)
    kinds, often = list(by_kinds), [len(some) ** 0.5 for some in by_kinds.values()]
    for _ in range(count):
        change = chance.choice(by_kinds[chance.choices(kinds, often)[0]])
        parts = (change.words, chance.choice(short[change.rest]))
        made.append(Name(" ".join(parts if change.is_first else parts[::-1]), change.whole, ""))
    return made


def ends(names: Iterable[Name]) -> dict[int, list[str]]:
    """Kind → the last words of names that hardly any names of other kinds end in."""
    found: dict[int, Counter[str]] = defaultdict(Counter)
    for name in names:
        words = name.text.split()
        if len(words) > 1 and words[-1].isalpha() and len(words[-1]) > 2:
            found[name.kind][words[-1].lower()] += 1
    of_all: Counter[str] = sum(found.values(), Counter())
    return {
        kind: sorted(end for end, times in own.items() if times >= OFTEN and times > MOSTLY * of_all[end])
        for kind, own in found.items()
    }


class Change(NamedTuple):
    """Words that make of a name of one kind, at its beginning or end, a name of another: "absence of", "transplantation"."""

    is_first: bool
    words: str
    rest: int
    whole: int


def changes(names: Iterable[Name]) -> list[Change]:
    """The words with which names begin or end that are otherwise names themselves, of another kind."""
    kind: dict[str, int] = {}
    divided: dict[tuple[bool, str, int], Counter[int]] = defaultdict(Counter)
    for name in names:
        kind.setdefault(" ".join(name.text.lower().split()), name.kind)
    for name in names:
        words = name.text.lower().split()
        if len(words) > LONG or "," in name.text:
            continue
        for at in range(1, len(words)):
            front, back = " ".join(words[:at]), " ".join(words[at:])
            if at <= ADDED and back in kind:
                divided[True, front, kind[back]][name.kind] += 1
            if len(words) - at <= ADDED and front in kind:
                divided[False, back, kind[front]][name.kind] += 1
    found = []
    for (is_first, words, rest), counts in sorted(divided.items()):
        [(whole, times)] = counts.most_common(1)
        if whole != rest and counts.total() >= OFTEN and times > MOSTLY * counts.total():
            found.append(Change(is_first, words, rest, whole))
    return found


class Classifier(torch.nn.Module):
    """The mean of the rows of a name's last words and of its other clues, each as much as the other, times `GAIN`, and a bias."""

    def __init__(self) -> None:
        super().__init__()
        self.table = torch.nn.EmbeddingBag(BUCKETS, len(KINDS), mode="sum")
        torch.nn.init.zeros_(self.table.weight)
        self.bias = torch.nn.Parameter(torch.zeros(len(KINDS)))

    def forward(self, found: Sequence[Clues]) -> torch.Tensor:
        """(N, 8) logits of the clues of N names."""
        starts = np.cumsum([0, *(len(buckets) for buckets, _ in found[:-1])])
        buckets, shares = (torch.from_numpy(np.concatenate(part)) for part in zip(*found, strict=True))
        rows = self.table(buckets, torch.from_numpy(starts), per_sample_weights=shares)
        return rows * GAIN + self.bias  # type: ignore[no-any-return]


def clues_of(name: str) -> Clues:
    """The clues of a name, and how much each of them counts."""
    parts = clues(name)
    shares = [np.full(len(part), 0.5 / len(part), np.float32) for part in parts]
    return np.concatenate(parts), np.concatenate(shares)


def trained(names: Sequence[Name], tested: Sequence[Name]) -> Classifier:
    """A classifier of these names; the same for the same names."""
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    found = [clues_of(name.text) for name in names]
    right = torch.tensor([name.kind for name in names])
    counts = torch.bincount(right, minlength=len(KINDS)).double()
    weights = (counts.mean() / counts).sqrt().float()  # half way to kinds of the same weight
    model = Classifier()
    optimiser = torch.optim.Adam(model.parameters(), lr=RATE)
    chance = np.random.default_rng(SEED)
    for number in range(PASSES):
        order = chance.permutation(len(names))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            kept = [_some(found[place], chance) for place in batch]
            loss = torch.nn.functional.cross_entropy(
                model(kept), right[batch], weight=weights, label_smoothing=SMOOTHING
            )
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
        for group in optimiser.param_groups:
            group["lr"] *= DECAY
        say(f"pass {number + 1}: {shares(model, tested)}")
    return model


def _some(found: Clues, chance: np.random.Generator) -> Clues:
    """Most of the clues of a name, or all where none would be left."""
    buckets, shares = found
    kept = chance.random(len(buckets)) > DROPPED
    return (buckets[kept], shares[kept] / shares[kept].sum()) if kept.any() else found


def shares(model: Classifier, tested: Sequence[Name]) -> str:
    """How many names of each kind are sorted rightly."""
    with torch.no_grad():
        guessed = model([clues_of(name.text) for name in tested]).argmax(dim=1).numpy()
    right = guessed == np.array([name.kind for name in tested])
    parts = [
        f"{kind} {100 * np.mean([ok for ok, name in zip(right, tested, strict=True) if name.kind == place]):.1f}"
        for place, kind in enumerate(KINDS)
    ]
    return f"{100 * right.mean():.1f} % of {len(tested):,}: {', '.join(parts)}"


def main() -> None:
    """Train, and write the file."""
    parser = parser_of(__doc__)
    parser.add_argument("--out", type=Path, default=FILE)
    given = parser.parse_args()
    absent = [DATA / name for name in TERMINOLOGIES if not (DATA / name).is_dir()]
    if absent:
        raise SystemExit(f"{absent[0]} is not there. Run the commands in the beginning of {__file__}.")
    names = [name for place in TERMINOLOGIES for name in names_of(Terminology.open(DATA / place))]
    learnt, tested = divided(names)
    say(f"{len(names):,} names of one kind, {len(learnt):,} of them to learn")
    model = trained([*learnt, *composed(learnt, COMPOSED)], tested)
    weights = model.table.weight.detach().numpy() * GAIN
    scale = np.maximum(np.abs(weights).max(axis=0), 1e-9) / LEVELS
    np.savez_compressed(
        given.out,
        weights=np.rint(weights / scale).astype(np.int8),
        scale=scale.astype(np.float64),
        bias=model.bias.detach().numpy().astype(np.float64),
    )
    say(f"written: {given.out}, {given.out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
