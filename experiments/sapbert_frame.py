"""Ranks of the right concepts by system, seed and corpus, and the cells that the tables of both SapBERT pages are made of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

import numpy as np
from result_tables import Array, Right, left_out, markdown
from sapbert_corpora import Corpora

__all__ = ["WITH_TRAIN", "Frame"]

WITH_TRAIN = "-with-train"
"""Ends the key of ranks among the names of the terminology and the training mentions."""


class Frame(ABC):
    """What a page says of its systems: Acc@1 and Acc@5 on the dev sets, and differences of Acc@1."""

    def __init__(self, corpora: Corpora) -> None:
        self.corpora = corpora
        self.diseases = [key for key, corpus in corpora.given.items() if corpus.names == "medic"]
        self.titles = {key: f"{corpora.given[key].title} dev" for key in self.diseases}
        self.columns = [f"{title}, Acc@{k}" for title in self.titles.values() for k in (1, 5)]

    @abstractmethod
    def ranks(self, name: str, question: str, seeds: Sequence[int] | None = None) -> Array:
        """(seeds, mentions) place of the right concept from 1; all seeds that are done if None.

        question  a corpus, or a corpus and WITH_TRAIN
        """

    def common(self, one: str, other: str) -> Sequence[int] | None:
        """Seeds of which both are done; None for all."""
        return None

    def right(
        self,
        name: str,
        question: str,
        *,
        k: int = 1,
        seeds: Sequence[int] | None = None,
        of: Array | None = None,
    ) -> Right:
        """The dev mentions whose concept is among the first k; `of`: a mask of mentions."""
        documents = self.corpora.documents(question.removesuffix(WITH_TRAIN))
        right = Right(self.ranks(name, question, seeds) <= k, documents)
        return right if of is None else right.of(of)

    def scores(self, name: str) -> list[str]:
        """Acc@1 with its interval and deviation, and Acc@5, of each disease corpus."""
        return [
            cell
            for corpus in self.diseases
            for cell in (str(self.right(name, corpus)), self.right(name, corpus, k=5).mean)
        ]

    def compared(self, one: str, other: str, question: str, of: Array | None = None) -> str:
        """Difference of Acc@1."""
        seeds = self.common(one, other)
        first, second = (self.right(name, question, seeds=seeds, of=of) for name in (one, other))
        return first - second

    def differences(self, one: str, other: str) -> list[str]:
        """Of each disease corpus."""
        return [self.compared(one, other, corpus) for corpus in self.diseases]

    def mentions(self, corpora: Iterable[str], *, train: bool) -> str:
        """What counts; `train`: what is learnt from, too."""
        rows = []
        for key in corpora:
            dev, title = self.corpora.linked(key, "dev"), self.corpora.given[key].title
            row = [title if train else f"{title} dev", f"{len(dev):,}", left_out(dev.left_out)]
            if train:
                counts = len(self.corpora.linked(key, "train")), len(dev), np.sum(self.corpora.unseen(key))
                row[1:2] = [f"{count:,}" for count in counts]
            rows.append(row)
        head = (
            ("train", "dev", "of these unseen in train", "left out of dev")
            if train
            else ("mentions", "left out")
        )
        return markdown(("corpus", *head), rows)
