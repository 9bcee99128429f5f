"""Which mentions each objective has right, by corpus and retrieval, and the tables that both Le & Nguyen pages have of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from le_nguyen_plan import Part
from paper_corpora import TITLES
from result_tables import Array, Right, markdown, percent

from linnet.evaluate.significance import mcnemar
from linnet.terminology import Terminology
from linnet.train.clusters import LinkedCandidates

__all__ = ["BASE", "KS", "NAMES", "RETRIEVAL", "SRN", "Frame", "seen_in", "short"]

KS = (1, 2, 4, 8, 16, 32, 64)
SRN = "prototype-soft-radius"
# Columns that no objective was learnt for.
RETRIEVAL, NAMES, BASE = "retrieval", "names", "base"
_SHORT = {
    "triplet-all": "TLA",
    "triplet-down-sampled": "TLD",
    "prototype": "PTL",
    SRN: "PTL + SRN",
    RETRIEVAL: "retrieval alone",
    NAMES: "MiniLM, names alone",
    BASE: "MiniLM, before training",
}


def short(column: str) -> str:
    """A column's title."""
    return _SHORT[column]


def seen_in(train: Sequence[LinkedCandidates], dev: LinkedCandidates) -> tuple[Array, Array]:
    """(M,) dev mentions whose concept, and whose text, parts of train have."""
    texts = {context.text for part in train for context in part.contexts}
    surfaces = np.array([context.text in texts for context in dev.contexts])
    return np.isin(dev.gold, np.concatenate([part.gold for part in train])), surfaces


class Frame(ABC):
    """Tables of the parts that are done. what: "alone", by the nearest candidate, or "combined", with retrieval's score"""

    parts: Sequence[Part]
    objectives: Sequence[str]

    @abstractmethod
    def dev(self, part: Part) -> LinkedCandidates:
        """The dev mentions with their candidates."""

    @abstractmethod
    def learnt(self, part: Part) -> Sequence[LinkedCandidates]:
        """The train mentions, those held out too."""

    @abstractmethod
    def flags(self, part: Part, column: str, what: str) -> Array:
        """(seeds, mentions) what an objective, `NAMES` or `BASE` has right."""

    @abstractmethod
    def terminology(self, part: Part) -> Terminology:
        """What it is linked to."""

    def label(self, part: Part) -> tuple[str, str]:
        """Of a row of accuracies."""
        return TITLES[part[0]], part[1]

    def right(self, part: Part, column: str, what: str = "alone") -> Right:
        """A cell."""
        dev = self.dev(part)
        first = (dev.candidates[:, 0] == dev.gold)[None]
        return Right(first if column == RETRIEVAL else self.flags(part, column, what), dev.documents)

    def recall(self, *, tested: bool) -> str:
        """Of the candidates. tested: the second retrieval of a corpus against the first"""
        rows, before = [], {}
        for part in self.parts:
            dev = self.dev(part)
            among = dev.candidates == dev.gold[:, None]
            hit = among.any(1)
            last = str(Right(hit[None], dev.documents))
            if tested and part[0] in before:
                last += f", McNemar p = {mcnemar(before[part[0]], hit.tolist()).p:.3g}"
            before[part[0]] = hit.tolist()
            rows.append(
                (TITLES[part[0]], part[1], *(percent(among[:, :k].any(1).mean()) for k in KS[:-1]), last)
            )
        return markdown(("corpus", "retrieval", *(f"@{k}" for k in KS)), rows)

    def accuracy(self, what: str, *others: str) -> str:
        """Acc@1 of retrieval, other columns, and the objectives."""
        columns = (RETRIEVAL, *others, *self.objectives)
        rows = [
            (*self.label(part), *(self.right(part, column, what) for column in columns))
            for part in self.parts
        ]
        return markdown(("corpus", "retrieval", *map(short, columns)), rows)

    def differences(self, what: str, *more: tuple[str, str]) -> str:
        """Each objective against the one before, the last against the first, and more pairs."""
        kinds = self.objectives
        pairs = [*zip(kinds[1:], kinds[:-1], strict=True), (kinds[-1], kinds[0]), *more]
        rows = [
            (
                TITLES[part[0]],
                part[1],
                *(self.right(part, a, what) - self.right(part, b, what) for a, b in pairs),
            )
            for part in self.parts
        ]
        return markdown(("corpus", "retrieval", *(f"{short(a)} − {short(b)}" for a, b in pairs)), rows)

    def seen(self, parts: Sequence[Part], *, retrieval: bool = True) -> str:
        """Acc@1 by whether train has the concept, or the surface. retrieval: has a column"""
        columns = [(column, "alone") for column in (RETRIEVAL, *self.objectives)]
        columns.append((self.objectives[-1], "combined"))
        rows = []
        for part in parts:
            concepts, surfaces = seen_in(self.learnt(part), self.dev(part))
            groups = {
                "concept seen": concepts,
                "concept unseen": ~concepts,
                "surface seen": surfaces,
                "surface unseen": ~surfaces,
            }
            titles = [TITLES[part[0]], part[1]][: 1 + retrieval]
            rows += [
                (*titles, f"{name}, n = {group.sum():,}", *(self.right(part, *column).of(group).share for column in columns))
                for name, group in groups.items()
                if group.any()
            ]  # fmt: skip
        head = ["corpus", "retrieval"][: 1 + retrieval]
        kinds = (short(column) for column, what in columns if what == "alone")
        last = f"{short(self.objectives[-1])} with retrieval's score"
        return markdown((*head, "mentions", *kinds, last), rows)
