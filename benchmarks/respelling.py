"""Whether spelling correction corrects what is misspelt, and nothing else.

    LINNET_DATA=… python benchmarks/respelling.py --terminology medic/ hpo/ [--count 400] [--seed 0]

Misspelt are names of each terminology: one word of five letters or more gets one error (`typing_errors.misspelt`), drawn by the
seed. Rightly spelt are words that the terminology lacks, each a mention of its own: of the abstracts of PubMedQA (in three or
more), of ChEBI's names, and of the names of human genes. None of the three is a source of `known_words.bin`. Every correction
of such a word is wrong, so the precision is that of a column which has as many typing errors as foreign words of each kind.
The default pipeline, without the reranker's memory.

Exits with 1 if, over all terminologies, a limit is missed: precision, recall, corrected foreign words, honesty.
"""

from __future__ import annotations

import gzip
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path

from measuring import data_folder, outcome, parser_of
from typing_errors import misspelt

from linnet.errors import LinnetError
from linnet.link import Linker, Pipeline
from linnet.retrieve.spelling import Spelling
from linnet.terminology import Terminology
from linnet.types import Link
from linnet.words.text import simplify

# Limits of the sums over all terminologies.
LEAST_PRECISION = 0.9
LEAST_RECALL = 0.85
MOST_CORRECTED = 0.03  # of the rightly spelt words
MOST_DISHONEST = 0.08  # mean probability of respelt links above their precision

_WORD = re.compile(r"[a-z]{5,30}")


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("--terminology", type=Path, nargs="+", required=True, metavar="DIR")
    parser.add_argument("--count", type=int, default=400, help="misspelt names, and words of each source")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    data = data_folder("text", "terminologies")
    words = {source: sorted(read(data)) for source, read in SOURCES.items()}
    total = Counts()
    print(HEADER)
    for path in options.terminology:
        try:
            counts = count(Terminology.open(path), words, options.count, random.Random(options.seed))
        except LinnetError as error:
            sys.exit(str(error))
        print(counts.row(path.name), flush=True)
        total += counts
    print(total.row("all"))
    return outcome(total.missed())


@dataclass
class Counts:
    """Mentions, links through a corrected word, and the sum of their probabilities."""

    misspelt: int = 0
    linked_right: int = 0
    respelt: int = 0
    respelt_right: int = 0
    foreign: int = 0
    foreign_respelt: int = 0
    probability: float = 0.0

    def __iadd__(self, other: Counts) -> Counts:
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))
        return self

    @property
    def precision(self) -> float:
        return self.respelt_right / max(1, self.respelt + self.foreign_respelt)

    @property
    def recall(self) -> float:
        return self.linked_right / max(1, self.misspelt)

    @property
    def corrected(self) -> float:
        return self.foreign_respelt / max(1, self.foreign)

    @property
    def mean_probability(self) -> float:
        return self.probability / max(1, self.respelt + self.foreign_respelt)

    def row(self, name: str) -> str:
        shares = (self.recall, self.corrected, self.precision)
        cells = " | ".join(f"{100 * share:.1f}" for share in shares)
        return f"| {name} | {self.misspelt} | {self.foreign} | {cells} | {self.mean_probability:.2f} |"

    def missed(self) -> list[str]:
        dishonesty = self.mean_probability - self.precision
        limits = (
            (self.precision < LEAST_PRECISION, f"precision {self.precision:.3f} < {LEAST_PRECISION}"),
            (self.recall < LEAST_RECALL, f"recall {self.recall:.3f} < {LEAST_RECALL}"),
            (self.corrected > MOST_CORRECTED, f"corrected {self.corrected:.3f} > {MOST_CORRECTED}"),
            (dishonesty > MOST_DISHONEST, f"too sure by {dishonesty:.3f} > {MOST_DISHONEST}"),
        )
        return [f"missed: {text}" for is_missed, text in limits if is_missed]


HEADER = (
    "| terminology | misspelt | foreign words | misspelt linked right, % | foreign corrected, % | corrections right, % "
    "| mean probability |\n|---|---:|---:|---:|---:|---:|---:|"
)


def count(terminology: Terminology, words: dict[str, list[str]], many: int, rng: random.Random) -> Counts:
    """The links of misspelt names, and of words of each source that the terminology lacks."""
    vocabulary = Spelling.open(terminology)
    wrong = list(misspelt_names(terminology, many, rng))
    foreign = []
    for of_source in words.values():
        lacking = [word for word in of_source if simplify(word) not in vocabulary]
        foreign += rng.sample(lacking, min(many, len(lacking)))
    linker = Linker.open([terminology], pipeline=Pipeline(memory=False))
    links = linker.link([*(text for text, _ in wrong), *foreign], k=1)
    counts = Counts(misspelt=len(wrong), foreign=len(foreign))
    for link, (_, gold) in zip(links, wrong, strict=False):
        right = gold in link.concepts
        counts.linked_right += right
        counts.respelt += is_respelt(link)
        counts.respelt_right += is_respelt(link) and right
    counts.foreign_respelt = sum(map(is_respelt, links[len(wrong) :]))
    counts.probability = sum(link.probability or 0.0 for link in links if is_respelt(link))
    return counts


def is_respelt(link: Link) -> bool:
    """Whether it has a concept, found by a corrected word."""
    return bool(link.concepts) and "spelling" in link.candidates[0].origin


def misspelt_names(terminology: Terminology, many: int, rng: random.Random) -> Iterator[tuple[str, str]]:
    """Names of up to six words with one error, and the id of their concept."""
    rows = rng.sample(range(len(terminology.names)), len(terminology.names))
    for row in rows:
        name = terminology.names[row]
        if name.isascii() and len(name.split()) <= 6 and any(map(_WORD.fullmatch, name.lower().split())):
            many -= 1
            yield misspelt(name, rng), terminology.ids[int(terminology.name_concepts[row])]
        if not many:
            return


def words_of_abstracts(data: Path) -> Iterator[str]:
    counts: Counter[str] = Counter()
    for row in _rows(data / "text/pubmedqa.jsonl.gz"):
        counts.update(set(re.findall(r"\b[a-z]{5,30}\b", json.loads(row)["text"])))
    return (word for word, documents in counts.items() if documents >= 3)


def names_of_chebi(data: Path) -> set[str]:
    names = (row.split("\t")[0].strip().lower() for row in _rows(data / "terminologies/reach/chebi.tsv.gz"))
    return {name for name in names if _WORD.fullmatch(name)}


def words_of_genes(data: Path) -> set[str]:
    rows = (row.split("\t") for row in _rows(data / "terminologies/other/Homo_sapiens.gene_info.gz"))
    return {word for row in rows if len(row) > 8 for word in re.findall(r"\b[a-z]{5,30}\b", row[8])}


def _rows(path: Path) -> Iterator[str]:
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        yield from stream


SOURCES: dict[str, Callable[[Path], Iterator[str] | set[str]]] = {
    "PubMedQA": words_of_abstracts,
    "ChEBI": names_of_chebi,
    "genes": words_of_genes,
}

if __name__ == "__main__":
    sys.exit(main())
