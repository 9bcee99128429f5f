"""Annotated corpora as training data: mentions with exactly one concept, which the terminology has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from linnet.arrays import Ints
from linnet.corpora import read
from linnet.errors import DataError
from linnet.evaluate.gold import gold_mentions
from linnet.io.artifact import digest
from linnet.read.abbreviations import expanded_texts
from linnet.terminology import Terminology
from linnet.types import Mention

__all__ = [
    "CorpusSettings",
    "LinkedMentions",
    "TableColumns",
    "corpus_files",
    "linked_mentions",
    "no_mention",
    "read_mentions",
]

_SHOWN = 5  # unknown ids named in a message


@dataclass(frozen=True, kw_only=True)
class TableColumns:
    """The columns of corpora that are tables, where they do not have the usual names.

    column  of the text        concept_column  of the concepts        concept_prefix  of ids without a prefix
    """

    column: str | None = None
    concept_column: str | None = None
    concept_prefix: str | None = None

    def options(self) -> dict[str, Any]:
        """For `linnet.corpora.read`."""
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class CorpusSettings:
    """Annotated corpora and the terminology of their concepts.

    types    only mentions of these types
    columns  of corpora that are tables
    """

    corpora: tuple[Path, ...]
    terminology: Path
    types: tuple[str, ...] = ()
    columns: TableColumns = field(default_factory=TableColumns)

    def __post_init__(self) -> None:
        if not self.corpora:
            raise ValueError("'corpora' is empty; expected at least one path.")

    def linked(self) -> tuple[Terminology, LinkedMentions, dict[str, str]]:
        """The terminology, the usable mentions, and the digests of both by name. Raises DataError where none is usable."""
        terminology = Terminology.open(self.terminology)
        mentions, digest = read_mentions(self.corpora, types=self.types, columns=self.columns)
        linked = linked_mentions(mentions, terminology)
        return terminology, linked, {"terminology": terminology.digest, "corpora": digest}


@dataclass(frozen=True, slots=True)
class LinkedMentions:
    """Mentions and the concept of each.

    mentions  (M,) in the order of the corpus
    texts     (M,) their texts; abbreviations defined in their documents are spelt out
    concepts  (M,) row of the concept in the terminology
    left_out  reason → number of mentions left out
    """

    mentions: tuple[Mention, ...]
    texts: tuple[str, ...]
    concepts: Ints
    left_out: Mapping[str, int]

    def __len__(self) -> int:
        return len(self.mentions)

    def describe(self) -> str:
        """One line: the number of mentions used, and of those left out by reason."""
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

    types    only mentions of these types; empty for all
    columns  of files that are tables
    format   of the files; None to detect it

    Raises DataError where a file is missing or malformed, or has no mention of these types.
    """
    mentions: list[Mention] = []
    for path in paths:
        documents = read(path, format=format, annotated=True, **columns.options())
        in_file = list(gold_mentions(documents, types=types))
        if not in_file:
            raise no_mention(types, path)
        mentions += in_file
    files = [file for path in paths for file in corpus_files(Path(path))]
    return mentions, digest(" ".join([*sorted(types), *columns.options().values()]), *files)


def no_mention(types: Collection[str], path: str | Path | None) -> DataError:
    """The error for a corpus without a mention of these types."""
    wanted = f" of type {', '.join(types)}" if types else ""
    return DataError(
        f"no mention{wanted} is annotated in it. Name an annotated corpus, or other types.", path=path
    )


def corpus_files(path: Path) -> list[Path]:
    """The file, or the files of the folder by name."""
    return [path] if path.is_file() else sorted(file for file in path.iterdir() if file.is_file())


def linked_mentions(mentions: Iterable[Mention], terminology: Terminology) -> LinkedMentions:
    """The mentions with one current concept; a retired id stands for its one successor.

    Raises DataError, naming ids, where none is left: usually corpus and terminology write ids differently.
    """
    mentions = list(mentions)
    left_out = {"without a concept": 0, "with several concepts": 0, "unknown to the terminology": 0}
    unknown: Counter[str] = Counter()
    kept: list[int] = []
    rows: list[int] = []
    for position, mention in enumerate(mentions):
        if len(mention.concepts) != 1:
            left_out["with several concepts" if mention.concepts else "without a concept"] += 1
            continue
        current = terminology.resolve(mention.concepts[0])
        if len(current) == 1:
            kept.append(position)
            rows.append(terminology.row(current[0]))
        elif current:
            left_out["with several concepts"] += 1
        else:
            left_out["unknown to the terminology"] += 1
            unknown[mention.concepts[0]] += 1
    if not kept:
        raise DataError(_none_usable(len(mentions), left_out, unknown, terminology))
    texts = expanded_texts(mentions)  # of all: a mention that is left out may define a short form
    return LinkedMentions(
        tuple(mentions[i] for i in kept), tuple(texts[i] for i in kept), np.array(rows, np.int64), left_out
    )


def _none_usable(
    total: int, left_out: Mapping[str, int], unknown: Counter[str], terminology: Terminology
) -> str:
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in left_out.items() if count) or "no mentions"
    ids = ", ".join(id for id, _ in unknown.most_common(_SHOWN))
    examples = ", ".join(terminology.ids.take(range(min(2, len(terminology)))))
    differing = f" Its ids look like {examples}; the corpus has {ids}." if unknown else ""
    return (
        f"none of {total:,} mentions can be used with {terminology.path}: {reasons}.{differing} "
        "Name the terminology that the corpus is annotated with."
    )
