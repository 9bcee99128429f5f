"""Annotated corpora as training data: the mentions that have exactly one concept, and the terminology has it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from linnet.arrays import Ints
from linnet.artifact import digest
from linnet.corpora import read
from linnet.errors import DataError
from linnet.evaluate.gold import gold_mentions
from linnet.recognise.abbreviations import expanded_texts
from linnet.terminology import Terminology
from linnet.types import Mention

__all__ = ["LinkedMentions", "TableColumns", "linked_mentions", "read_mentions"]

_SHOWN = 5  # unknown ids named in a message


@dataclass(frozen=True, kw_only=True)
class TableColumns:
    """Which columns of corpora that are tables hold what, where they do not have the usual names.

    column  the text        concept_column  the concepts, and concept_prefix the vocabulary of ids without a prefix
    """

    column: str | None = None
    concept_column: str | None = None
    concept_prefix: str | None = None

    def given(self) -> dict[str, Any]:
        """Options of `linnet.corpora.read`."""
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass(frozen=True, slots=True)
class LinkedMentions:
    """Mentions and the concept of each.

    mentions  (M,) in the order of the corpus
    texts     (M,) their texts, abbreviations that their documents define spelt out
    concepts  (M,) row of the concept in the terminology
    left_out  why other mentions are not here → how many
    """

    mentions: tuple[Mention, ...]
    texts: tuple[str, ...]
    concepts: Ints
    left_out: Mapping[str, int]

    def __len__(self) -> int:
        return len(self.mentions)

    def describe(self) -> str:
        """One line: how many mentions are used, and how many are not and why."""
        reasons = [f"{count:,} {reason}" for reason, count in self.left_out.items() if count]
        return f"{len(self):,} mentions" + (f" (left out: {', '.join(reasons)})" if reasons else "")


def read_mentions(
    paths: Sequence[str | Path],
    *,
    types: Collection[str] = (),
    columns: TableColumns = TableColumns(),
    format: str | None = None,
) -> tuple[list[Mention], str]:
    """The mentions of corpora in order, and a digest that changes with the files.

    types    only mentions of these types, all where none is named
    columns  of files that are tables
    format   of the files, detected from their content if None

    Raises DataError where a file is missing, malformed, or has no mention (of these types).
    """
    found: list[Mention] = []
    for path in paths:
        mentions = list(
            gold_mentions(read(path, format=format, annotated=True, **columns.given()), types=types)
        )
        if not mentions:
            wanted = f" of type {', '.join(types)}" if types else ""
            raise DataError(
                f"no mention{wanted} is annotated in it. Name an annotated corpus, or other types.", path=path
            )
        found += mentions
    files = [
        file for path in map(Path, paths) for file in ([path] if path.is_file() else sorted(path.iterdir()))
    ]
    return found, digest(
        " ".join([*sorted(types), *columns.given().values()]), *(file for file in files if file.is_file())
    )


def linked_mentions(mentions: Iterable[Mention], terminology: Terminology) -> LinkedMentions:
    """Those with one current concept; an id that was replaced by one other means that one.

    Raises DataError, naming ids, where none is left: usually the corpus and the terminology write ids differently.
    """
    given = list(mentions)
    left_out = {"without a concept": 0, "with several concepts": 0, "unknown to the terminology": 0}
    unknown: Counter[str] = Counter()
    kept: list[int] = []
    rows: list[int] = []
    for place, mention in enumerate(given):
        if len(mention.concepts) != 1:
            left_out["with several concepts" if mention.concepts else "without a concept"] += 1
            continue
        current = terminology.resolve(mention.concepts[0])
        if len(current) == 1:
            kept.append(place)
            rows.append(terminology.row(current[0]))
        elif current:
            left_out["with several concepts"] += 1
        else:
            left_out["unknown to the terminology"] += 1
            unknown[mention.concepts[0]] += 1
    if not kept:
        raise DataError(_nothing(len(given), left_out, unknown, terminology))
    texts = expanded_texts(
        given
    )  # all of them: a short form may be defined around a mention that is left out
    return LinkedMentions(
        tuple(given[i] for i in kept), tuple(texts[i] for i in kept), np.array(rows, np.int64), left_out
    )


def _nothing(total: int, left_out: Mapping[str, int], unknown: Counter[str], terminology: Terminology) -> str:
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in left_out.items() if count) or "no mentions"
    ids = ", ".join(id for id, _ in unknown.most_common(_SHOWN))
    ours = ", ".join(terminology.ids.take(range(min(2, len(terminology)))))
    seen = f" It has ids such as {ours}; the corpus has {ids}." if unknown else ""
    return (
        f"none of {total:,} mentions can be used with {terminology.path}: {reasons}.{seen} "
        "Choose the terminology the corpus is annotated with."
    )
