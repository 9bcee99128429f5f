"""Settings of the doubt about strings of another kind (`linnet.link.kind_doubt`), chosen on names that nobody has learnt.

    LINNET_DATA=… python experiments/kind_doubt.py --out FOLDER       (after experiments/name_kinds.py; ten minutes on two cores)

Builds six terminologies (HPO, MEDIC 2021+, the chemicals and procedures of MeSH, DO, the Cell Ontology, Uberon) with a name of 1,500
concepts each held out, and links composed strings (`linnet.train.composed_strings`) and names of other kinds, of concepts that the
classifier of kinds has not learnt. What counts is the mean log loss of the probabilities of those links that are no exact matches.
Crosswise: the settings with the least loss on five terminologies are measured on the sixth. No dev set is read.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from name_kinds import DATA, TERMINOLOGIES, divided, names_of
from progress import say
from string_costs import SOURCES, held_out

from linnet.arrays import Doubles, Ints, Mask
from linnet.link import Linker, Pipeline, kind_doubt
from linnet.link.indexing import build_indexes
from linnet.rerank import name_kinds
from linnet.rerank.name_kinds import KINDS
from linnet.retrieve.hits import Origin
from linnet.semantic_groups import Group
from linnet.terminology import Terminology, write_terminology
from linnet.terminology.readers import ReadOptions, read
from linnet.text import simplify
from linnet.train.composed_strings import compose
from linnet.types import Concept

Reader = Callable[[Path], Iterable[Concept]]
OTHERS: dict[str, Reader] = {
    "doid": lambda folder: read(folder / "doid/doid.obo.gz", options=ReadOptions(only_prefixes={"DOID"})),
    "cells": lambda folder: read(folder / "other/cl-basic.obo", options=ReadOptions(only_prefixes={"CL"})),
    "uberon": lambda folder: (
        concept
        for concept in read(folder / "biolexica/anatomy.ssslm.tsv.gz")
        if concept.id.startswith("UBERON")
    ),
}
OWN = {
    "hpo": Group.DISEASE | Group.PHENOTYPE,
    "medic": Group.DISEASE | Group.PHENOTYPE,
    "mesh": Group.CHEMICAL | Group.PROTEIN | Group.PROCEDURE,
    "doid": Group.DISEASE | Group.PHENOTYPE,
    "cells": Group.ANATOMY | Group.CELL,
    "uberon": Group.ANATOMY | Group.CELL,
}
"""Kinds of each terminology, of which no names of other kinds are drawn."""
HELD_OUT, COMPOSED, FOREIGN = 1500, 4000, 250  # names, strings, and names of each other kind
KINDS_OF_STRINGS = {"name", "qualified", "typo", "shorthand"}
SEED = 3


class Settings(NamedTuple):
    """The constants of `linnet.rerank.name_kinds` and `linnet.link.kind_doubt`."""

    unusual: float
    halved: float
    enough: float


GRID = [Settings(*one) for one in product((0.005, 0.02, 0.05), (0.05, 0.1, 0.2), (0.3, 0.5, 1.0))]
SHIPPED = Settings(name_kinds._UNUSUAL, kind_doubt._HALVED, kind_doubt._ENOUGH)


class Links(NamedTuple):
    """Links of M strings that are no exact matches, before any doubt.

    texts, names   (M,) as read, and by which the concept was found
    groups, usual  (M,) of the concepts, and (8,) of the terminology's names, see `name_kinds.usual_kinds`, before the least is set
    probabilities  (M,)
    right, foreign (M,) whether the link is right, and whether the string is of another kind
    """

    texts: list[str]
    names: list[str]
    groups: Ints
    usual: Doubles
    probabilities: Doubles
    right: Mask
    foreign: Mask

    def doubted(self, settings: Settings | None) -> Doubles:
        """(M,) the probabilities, with the doubt of these settings."""
        if settings is None:
            return self.probabilities
        with patch.object(name_kinds, "_UNUSUAL", settings.unusual):
            expected = name_kinds.expected_kinds(self.groups, np.maximum(self.usual, settings.unusual))
            shares = name_kinds.same_kind(name_kinds.kinds(self.texts), self.names, expected)
        factors = kind_doubt.factor_of(shares, enough=settings.enough, halved=settings.halved)
        return self.probabilities * factors

    def loss(self, settings: Settings | None) -> float:
        """Mean log loss."""
        sure = self.doubted(settings).clip(0.001, 0.999)
        return -float(np.log(np.where(self.right, sure, 1 - sure)).mean())

    def shares(self, settings: Settings | None) -> tuple[float, float, float]:
        """Of the right links, and of those of other kinds, the shares at 50 % or more; of the latter, at 80 % or more."""
        sure = self.doubted(settings)
        return (
            float((sure[self.right] >= 0.5).mean()),
            float((sure[self.foreign] >= 0.5).mean()),
            float((sure[self.foreign] >= 0.8).mean()),
        )


def links_of(name: str, reader: Reader, data: Path, out: Path, foreign: Sequence[Sequence[str]]) -> Links:
    """Link strings to a terminology, built under `out`; `foreign` has names of each of `KINDS`."""
    reduced, held = held_out([concept for concept in reader(data) if concept.name], count=HELD_OUT)
    if not (out / name / "index").is_dir():
        write_terminology(
            (replace(concept, xrefs=()) for concept in reduced), out / name, sources=[{"path": name}]
        )
        build_indexes(Terminology.open(out / name), Pipeline().retrievers, update=True)
    composed = compose(reduced, count=COMPOSED, seed=SEED, held_out=held)
    golds = {
        one.text: one.concepts for one in composed if one.kind in KINDS_OF_STRINGS and len(one.concepts) == 1
    }
    forms = {simplify(text) for concept in reduced for text in concept.all_names}
    chance = random.Random(SEED)
    for group, names in zip(KINDS.values(), foreign, strict=True):
        if not group & OWN[name]:
            golds |= {
                text: ()
                for text in chance.sample(names, min(FOREIGN, len(names)))
                if simplify(text) not in forms
            }
    linker = Linker.open([Terminology.open(out / name)])
    seen: dict[str, Any] = {}

    def undoubted(written: Any, choice: Any, hits: Any, splits: Any, group: Any) -> Any:
        seen.update(choice=choice, hits=hits, splits=splits)
        return choice.confidence

    texts = list(golds)
    with patch("linnet.link.linker.confidence_by_kind", undoubted):
        links = linker.link(texts)
    hits, group = seen["hits"], linker.group
    named = (hits.origins[:, 0] & (Origin.EXACT | Origin.OVERRIDE)) > 0
    rows = [
        row
        for row, link in enumerate(links)
        if link.concepts and link.probability and row not in seen["splits"] and not named[row]
    ]
    concepts = hits.concepts[rows, 0].astype(np.int64)
    some = np.linspace(0, len(reduced), min(len(reduced), 300), endpoint=False).astype(np.int64)
    mean = name_kinds.kinds([reduced[row].name for row in some]).mean(axis=0)
    return Links(
        [seen["choice"].texts[row] for row in rows],
        group.name_texts(hits.names[rows, 0].astype(np.int64)),
        group.groups(concepts),
        mean / mean.max(),
        np.array([links[row].probability for row in rows]),
        np.array([links[row].concepts == golds[texts[row]] for row in rows]),
        np.array([not golds[texts[row]] for row in rows]),
    )


def row(name: str, links: Links, settings: Settings | None) -> str:
    """A row of the table."""
    shares = " | ".join(f"{100 * share:.1f}" for share in links.shares(settings))
    label = "none" if settings is None else ", ".join(map(str, settings))
    return f"| {name} | {len(links.texts)} | {label} | {links.loss(settings):.3f} | {shares} |"


def main() -> None:
    """Print the table, and the settings chosen on all terminologies."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    data = Path(os.environ["LINNET_DATA"]) / "terminologies"
    names = [name for place in TERMINOLOGIES for name in names_of(Terminology.open(DATA / place))]
    _, unlearnt = divided(names)
    foreign = [
        [name.text for name in unlearnt if name.kind == place and 4 <= len(name.text) <= 60]
        for place in range(len(KINDS))
    ]
    tasks = {}
    for name, reader in (SOURCES | OTHERS).items():
        tasks[name] = links_of(name, reader, data, given.out, foreign)
        say(f"{name}: {len(tasks[name].texts):,} links")
    lines = [
        "| terminology | links | unusual, halved, enough | log loss | right at 50 % or more | other kinds at 50 % | at 80 % |",
        "|---|---:|---|---:|---:|---:|---:|",
    ]
    losses = {settings: {name: own.loss(settings) for name, own in tasks.items()} for settings in GRID}
    for name, own in tasks.items():
        best = min(GRID, key=lambda one: sum(loss for other, loss in losses[one].items() if other != name))
        lines += [row(name, own, settings) for settings in (None, SHIPPED, best)]
    sys.stdout.write("\n".join(lines) + "\n")
    best = min(GRID, key=lambda one: sum(losses[one].values()))
    sys.stdout.write(f"least loss on all: {best}; shipped: {SHIPPED}\n")


if __name__ == "__main__":
    main()
