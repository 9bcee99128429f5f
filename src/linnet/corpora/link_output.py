"""Recognition of the output of `linnet link`: its answers are predictions, never gold, and stay together."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

from linnet.advice import Step
from linnet.errors import DataError
from linnet.types import Document, Mention

__all__ = [
    "ASSERTION",
    "LINK_COLUMNS",
    "RELATION",
    "SECTION",
    "TEXT_KIND",
    "as_predictions",
    "is_linked",
    "link_columns",
    "not_gold",
]

LINK_COLUMNS = ("concepts", "name", "probability", "score", "matched", "origin")
RELATION = "relation"
ASSERTION = "assertion"
SECTION = "section"
TEXT_KIND = "text_kind"
# Combinations of JSON fields of a mention, and of table columns, that only the output of `linnet link` has.
_MENTION = frozenset({"probability", "candidates"})
_ROW = frozenset({"probability", "matched", "origin"})
_ANSWER = frozenset({"name", "probability", "candidates", "origin", "parts"})


@lru_cache
def link_columns(columns: tuple[str, ...]) -> dict[str, str]:
    """The columns that `linnet link` wrote → which of `LINK_COLUMNS` they are; those of its latest run last.

    It puts `linked_` before a name that the table has already, also one of an earlier run.
    """
    named = defaultdict(list)
    for column in sorted(columns, key=len):
        named[_plain(column)].append(column)
    times = len(named["matched"]) if named.keys() >= _ROW else 0
    # Without `assertion` beside it, a column `section` or `text_kind` is the table's own; so is `relation` if it is not behind `origin`.
    added = (ASSERTION, SECTION, TEXT_KIND) if ASSERTION in named else ()
    if any(pair == ["origin", RELATION] for pair in map(list, pairwise(map(_plain, columns)))):
        added = (RELATION, *added)
    written = {name: named[name][-times:] if times else [] for name in (*LINK_COLUMNS, *added)}
    return {column: name for name, same in written.items() for column in same}


def _plain(column: str) -> str:
    return re.sub(r"^(linked_)+", "", column)


def is_linked(document: Document) -> bool:
    """Whether `linnet link` wrote the document."""
    row = document.extra.get("table", {}).get("row", {})
    fields = document.extra.get("mentions", {}).get("fields", {})
    return (
        bool(link_columns(tuple(row)))
        or fields.keys() >= _MENTION
        or any(mention.extra.get("jsonl", {}).keys() >= _MENTION for mention in document.mentions)
    )


def as_predictions(document: Document) -> Document:
    """The document with the links in JSON that linnet made as predictions, without the fields that say more of these answers:
    once a person has corrected the concepts, they would belong to another answer."""
    lines = document.extra.get("mentions", {})
    fields = lines.get("fields", {})

    def prediction(mention: Mention) -> Mention:
        own = mention.extra.get("jsonl", {})
        answer = next((record for record in (own, fields) if record.keys() >= _MENTION), None)
        if answer is None:
            return mention
        kept = replace(mention, extra={**mention.extra, "jsonl": _without_answer(own)})
        if mention.source != "gold":  # a person has said otherwise
            return kept
        return replace(kept, source="linnet", confidence=answer["probability"])

    extra = dict(document.extra)
    if fields.keys() >= _MENTION:
        extra["mentions"] = {**lines, "fields": _without_answer(fields)}
    return replace(document, mentions=tuple(map(prediction, document.mentions)), extra=extra)


def _without_answer(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in _ANSWER}


def not_gold(path: object) -> DataError:
    """The error for links in place of gold annotations."""
    return DataError(
        "holds links that linnet made, not gold annotations. If a person has checked all links, remove the fields "
        "'probability', 'candidates', 'matched' and 'origin'.",
        Step.SCORE_LINKS(),
        path=str(path),
    )
