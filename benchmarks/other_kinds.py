"""Whether strings that name things of other kinds than the terminology has are linked, and how probable linnet says that is.

    LINNET_DATA=… python benchmarks/bench.py --build
    LINNET_DATA=… python benchmarks/other_kinds.py [--terminology bench-out/medic] [--count 500] [--seed 0]

Bare strings, linked to a terminology of diseases: distinct mentions of chemicals (BC5CDR train, NLM-Chem) and genes (tmVar3),
interventions of a trial registry, and names of diseases with a word that makes something else of them, all of which are NIL; and distinct
mentions of diseases (BC5CDR and NCBI train), which have a concept. A mention that is literally a name of the terminology ("cancer"
among interventions) is left out of the former. With and without the reader's feature "other kind", in the same run; without the
reranker's memory. No dev set is read. The classifier of kinds has learnt names of MeSH and NCBI Gene, so that it knows many of these
chemicals and genes by name, and parts of the interventions;
docs/results/other-kinds.md tells of names that it has not learnt.

Exits with 1 where the doubt costs more than it saves: see `LEAST_SAVED` and `MOST_LOST`.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from measuring import data_folder, outcome, parser_of

from linnet import corpora
from linnet.link import Linker, Pipeline
from linnet.terminology import Terminology
from linnet.types import Link
from linnet.words.text import fold

LEAST_SAVED = 0.3  # of the wrong links of chemicals and genes at 50 % or more
MOST_LOST = 0.01  # of the right links of diseases at 50 % or more

_BC5CDR = "bc5cdr/CDR_TrainingSet.PubTator.txt"
_LEVELS = (0.5, 0.8)
# Words that make something else of the name of a disease.
_HEADS = (
    "antibody", "clinic", "drug", "gene", "mouse", "nurse", "questionnaire", "register", "society", "specialist", "tablets", "test",
    "vaccine", "virus",
)  # fmt: skip


@dataclass
class Strings:
    """Distinct strings with their concepts, none for NIL."""

    title: str
    golds: Mapping[str, tuple[str, ...]]
    is_mention: bool = True

    @property
    def has_concepts(self) -> bool:
        """Whether the strings have concepts."""
        return any(self.golds.values())


def main() -> int:
    """Print the table; 1 where a limit is missed."""
    parser = parser_of(__doc__)
    parser.add_argument("--terminology", type=Path, default=Path("bench-out/medic"), metavar="DIR")
    parser.add_argument("--count", type=int, default=500, help="strings of each kind, at most")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    data = data_folder("corpora")
    if not (options.terminology / "terminology.json").is_file():
        sys.exit(f"{options.terminology} is not there. Run: python benchmarks/bench.py --build")
    terminology = Terminology.open(options.terminology)
    linker = Linker.open([terminology], pipeline=Pipeline(memory=False))
    doubt = tuple(name for name in linker.reader.weights if name.endswith("other kind"))
    undoubting = Linker.open([terminology], pipeline=Pipeline(memory=False, without=doubt))
    names = {fold(name) for name in terminology.names.take(range(len(terminology.names)))}
    missed = []
    print(
        f"| strings | n | {' | '.join(f'wrong at {level:.0%} or more' for level in _LEVELS)} | right at 50 % or more |"
    )
    print("|---|---:|---:|---:|---:|")
    for strings in (*sets(data / "corpora"), with_heads(terminology, options.seed)):
        texts = [text for text in sorted(strings.golds) if strings.has_concepts or fold(text) not in names]
        random.Random(options.seed).shuffle(texts)
        texts = texts[: options.count]
        before = shares(undoubting.link(texts), strings.golds)
        after = shares(linker.link(texts), strings.golds)
        cells = [f"{100 * was:.1f} → {100 * now:.1f}" for was, now in zip(before, after, strict=True)]
        print(
            f"| {strings.title} | {len(texts)} | {' | '.join(cells if strings.has_concepts else [*cells[:-1], ''])} |"
        )
        if strings.has_concepts and before[-1] - after[-1] > MOST_LOST:
            missed.append(f"{strings.title}: {cells[-1]} right, limit {100 * MOST_LOST:.0f} point")
        elif not strings.has_concepts and strings.is_mention and after[0] > before[0] * (1 - LEAST_SAVED):
            missed.append(f"{strings.title}: {cells[0]} wrong, limit {100 * LEAST_SAVED:.0f} % less")
    return outcome(missed)


def shares(links: list[Link], golds: Mapping[str, tuple[str, ...]]) -> list[float]:
    """The shares of strings linked wrongly at each of `_LEVELS`, and rightly at the first."""
    rows = [(link.probability or 0.0, link.concepts == golds[link.mention.text]) for link in links]
    wrong = [sum(sure >= level and not right for sure, right in rows) for level in _LEVELS]
    return [
        count / len(rows) for count in (*wrong, sum(sure >= _LEVELS[0] and right for sure, right in rows))
    ]


def sets(folder: Path) -> Iterator[Strings]:
    """The sets of strings."""
    yield Strings("chemicals of BC5CDR", dict.fromkeys(mentions(folder / _BC5CDR, "Chemical"), ()))
    yield Strings(
        "chemicals of NLM-Chem", dict.fromkeys(mentions(folder / "nlm-chem/half.PubTator", "Chemical"), ())
    )
    yield Strings("genes of tmVar3", dict.fromkeys(mentions(folder / "tmvar3/tmVar3.PubTator", "Gene"), ()))
    with (folder / "clinical-trials/trials.jsonl").open(encoding="utf-8") as stream:
        trials = [json.loads(line) for line in stream]
    interventions = {one["name"] for trial in trials for one in trial["interventions"]}
    yield Strings("interventions of trials", dict.fromkeys(interventions, ()), is_mention=False)
    yield Strings("diseases of BC5CDR", mentions(folder / _BC5CDR, "Disease"))
    yield Strings("diseases of NCBI", mentions(folder / "ncbi-disease/NCBItrainset_corpus.txt"))


def with_heads(terminology: Terminology, seed: int) -> Strings:
    """Names of diseases, each with a word after it that makes something else of it."""
    chance = random.Random(seed)
    names = sorted(
        {
            name
            for name in terminology.names.take(range(len(terminology.names)))
            if name.replace(" ", "").isalpha()
        }
    )
    texts = [f"{name} {chance.choice(_HEADS)}" for name in chance.sample(names, 1000)]
    return Strings("gout clinic, gout antibody, …", dict.fromkeys(texts, ()))


def mentions(path: Path, type: str | None = None) -> dict[str, tuple[str, ...]]:
    """The distinct texts of mentions of a type, each with the concepts of the first."""
    found: dict[str, tuple[str, ...]] = {}
    for document in corpora.read(path):
        for mention in document.mentions:
            if type is None or mention.type == type:
                found.setdefault(mention.text, mention.concepts)
    return found


if __name__ == "__main__":
    sys.exit(main())
