"""Whether two diseases in one string are both linked, and whether a name with a comma stays one.

    LINNET_DATA=… python benchmarks/bench.py --build
    LINNET_DATA=… python benchmarks/listed_names.py [--terminology bench-out/medic] [--count 40]

Pairs: the most frequent mentions of the training sets of NCBI and BC5CDR that are linked right on their own and are no short forms,
each with each other, between them a comma, a slash, a semicolon, "and", or a line end; right where the concepts of both are
linked. Names: those of MEDIC 2021+ that have a comma or a slash and are not in the terminology, whose concept it has (3,000 drawn).
With and without the reader's features of names in a list (`APART`), in the same run. No dev set is read.

Exits with 1 where these features lose more names than pairs are gained, or fewer than `LEAST` of the pairs are right.
"""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import NamedTuple

from measuring import data_folder, parser_of, table

from linnet.link import Linker, Pipeline
from linnet.terminology import Terminology
from linnet.terminology.readers import read
from linnet.train.corpus import read_mentions
from linnet.words.text import fold

LEAST = 0.95
APART = "names apart: "
BETWEEN = {"comma": ", ", "slash": "/", "semicolon": "; ", "and": " and ", "line end": "\n"}
_CORPORA = ("ncbi-disease/NCBItrainset_corpus.txt", "bc5cdr/CDR_TrainingSet.PubTator.txt")
_NEWER = "terminologies/medic/medic_2021plus.dictionary.txt"
_NAMES = 3000
_SHORT = re.compile(r"\S{,5}")


class Asked(NamedTuple):
    """Strings and the concepts of each."""

    texts: list[str]
    golds: list[frozenset[str]]


def main() -> int:
    """Print the table; 1 where a limit is missed."""
    parser = parser_of(__doc__)
    parser.add_argument("--terminology", type=Path, default=Path("bench-out/medic"), metavar="DIR")
    parser.add_argument("--count", type=int, default=40, help="mentions that are paired")
    given = parser.parse_args()
    data = data_folder("corpora", "terminologies")
    terminology = Terminology.open(given.terminology)
    pipeline = Pipeline.from_manifest(terminology.pipeline)
    linker = Linker.open([terminology], pipeline=pipeline)
    of_reader = tuple(name for name in linker.reader.weights if name.startswith(APART))
    without = Linker.open([terminology], pipeline=replace(pipeline, without=of_reader))
    single = frequent(linker, data, given.count)
    asked = {title: pairs(single, between) for title, between in BETWEEN.items()}
    asked["names with a comma or slash"] = newer_names(terminology, data)
    before = {title: right(without, some) for title, some in asked.items()}
    after = {title: right(linker, some) for title, some in asked.items()}
    rows = []
    for title, some in asked.items():
        shares = (f"{100 * found[title] / len(some.texts):.1f}" for found in (before, after))
        rows.append((title, f"{len(some.texts):,}", *shares))
    print(table(("right, %", "strings", "without", "with"), rows))
    of_pairs = sum(len(asked[title].texts) for title in BETWEEN)
    gained = sum(after[title] - before[title] for title in BETWEEN)
    lost = sum(before[title] - after[title] for title in asked if title not in BETWEEN)
    return int(gained <= lost or sum(after[title] for title in BETWEEN) < LEAST * of_pairs)


def frequent(linker: Linker, data: Path, count: int) -> dict[str, frozenset[str]]:
    """Text → concepts of the most frequent mentions of one concept that are linked right alone."""
    mentions, _ = read_mentions([data / "corpora" / file for file in _CORPORA])
    mentions = [m for m in mentions if m.type != "Chemical" and len(m.concepts) == 1]
    often = Counter(
        (mention.text, mention.concepts) for mention in mentions if not _SHORT.fullmatch(mention.text)
    )
    texts = [text for (text, _), _ in often.most_common(4 * count)]
    concepts = [frozenset(ids) for (_, ids), _ in often.most_common(4 * count)]
    links = linker.link(texts)
    known: dict[frozenset[str], str] = {}  # one text of each concept
    for text, ids, link in zip(texts, concepts, links, strict=True):
        if frozenset(link.concepts) == ids:
            known.setdefault(ids, text)
    return {text: ids for ids, text in list(known.items())[:count]}


def pairs(single: dict[str, frozenset[str]], between: str) -> Asked:
    """Each text with each other."""
    both = list(permutations(single, 2))
    return Asked([f"{a}{between}{b}" for a, b in both], [single[a] | single[b] for a, b in both])


def newer_names(terminology: Terminology, data: Path) -> Asked:
    """Names that the terminology lacks, of concepts that it has."""
    known = {fold(name) for name in terminology.names.take(range(len(terminology.names)))}
    found = [
        (name, frozenset(terminology.resolve(concept.id)))
        for concept in read(data / _NEWER)
        for name in concept.all_names
        if ("," in name or "/" in name)
        and fold(name) not in known
        and len(terminology.resolve(concept.id)) == 1
    ]
    drawn = random.Random(0).sample(found, min(_NAMES, len(found)))
    return Asked([name for name, _ in drawn], [gold for _, gold in drawn])


def right(linker: Linker, asked: Asked) -> int:
    """How many strings are linked to just their concepts."""
    links = linker.link(asked.texts)
    return sum(frozenset(link.concepts) == gold for link, gold in zip(links, asked.golds, strict=True))


if __name__ == "__main__":
    sys.exit(main())
