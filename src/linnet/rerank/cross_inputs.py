"""The inputs of a cross-encoder: a mention in its sentence and one candidate, as one sequence of tokens.

    [CLS] left [START] mention [END] right [SEP] name ; name … [SEP] definition [SEP]

Training and linking use the same inputs. A concept without a definition is described by its parents' names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from linnet.encode.markers import cut_around
from linnet.rerank.dual_inputs import MentionInContext
from linnet.rerank.reranker import Concepts
from linnet.rerank.tokens import END, START
from linnet.retrieve.hits import Hits
from linnet.terminology import Terminology
from linnet.text import fold

__all__ = ["CANDIDATE", "MENTION", "DescribedCandidate", "PairTokens", "describe_candidates"]

MENTION, CANDIDATE = 40, 40
"""Tokens of a mention with its context, and of a candidate, at most, markers included."""

_NAMES = 4
_NAME_TOKENS = 24  # of all names of a candidate; the rest is for the definition
_DEFINITION = 240  # characters
_PARENTS = 2
_KEPT = 200_000  # texts whose tokens are remembered; about 100 MB


class DescribedCandidate(NamedTuple):
    """A candidate's names, the preferred one first, then the one that was found, joined by " ; "; and its definition."""

    names: str
    definition: str


def describe_candidates(hits: Hits, concepts: Concepts) -> list[list[DescribedCandidate]]:
    """For each query its candidates, without the empty places, in `linnet.text.fold` form."""
    present = hits.concepts >= 0
    rows = hits.concepts[present].astype(np.int64)
    found = concepts.name_texts(hits.names[present].astype(np.int64))
    described: list[DescribedCandidate] = [DescribedCandidate("", "")] * len(rows)
    numbers = np.arange(len(rows))
    for places, terminology, own in concepts.concepts(rows):
        for place, row in zip(numbers[places].tolist(), np.asarray(own).tolist(), strict=True):
            described[place] = _describe(terminology, row, found[place])
    ends = present.sum(axis=1).cumsum().tolist()
    return [described[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _describe(terminology: Terminology, row: int, found: str) -> DescribedCandidate:
    others = terminology.names.take(terminology.name_rows(row)[: 2 * _NAMES])
    names = list(dict.fromkeys(map(fold, [*others[:1], found, *others[1:]])))[:_NAMES]
    definition = terminology.definition(row)[:_DEFINITION]
    if not definition:
        definition = " ; ".join(terminology.name(parent) for parent in terminology.parents(row)[:_PARENTS])
    return DescribedCandidate(" ; ".join(names), fold(definition))


class PairTokens:
    """Token ids of mentions with candidates.

    between  the token at the end of each part
    """

    def __init__(self, tokenizer: Any, *, first: str = "[CLS]", between: str = "[SEP]") -> None:
        """
        tokenizer       of the tokenizers library, with START and END; truncation and padding are switched off
        first, between  its tokens for the beginning, and for the end of each part

        Raises ValueError for a token that it lacks.
        """
        tokenizer.no_truncation()
        tokenizer.no_padding()
        tokenizer.encode_special_tokens = True  # a marker written in a text is text
        self._tokenizer = tokenizer
        ids = {token: tokenizer.token_to_id(token) for token in (first, between, START, END)}
        if None in ids.values():
            raise ValueError(
                f"the tokenizer lacks {', '.join(token for token, id in ids.items() if id is None)}"
            )
        self._first, self.between, self._start, self._end = (ids[t] for t in (first, between, START, END))
        self._known: dict[str, list[int]] = {}

    def mentions(self, contexts: Sequence[MentionInContext]) -> list[list[int]]:
        """(N,) the first parts; a sentence that is too long is cut evenly on both sides of the mention."""
        ids = iter(self._ids([text for context in contexts for text in context]))
        parts = []
        for _ in contexts:
            left, text, right = cut_around(next(ids), next(ids), next(ids), room=MENTION - 4)
            parts.append([self._first, *left, self._start, *text, self._end, *right, self.between])
        return parts

    def candidates(self, described: Sequence[DescribedCandidate]) -> list[list[int]]:
        """(N,) the second parts."""
        ids = iter(self._ids([text for candidate in described for text in candidate]))
        parts = []
        for _ in described:
            names, definition = next(ids)[:_NAME_TOKENS], next(ids)
            part = [*names, self.between]
            if definition:
                part += [*definition[: CANDIDATE - len(part) - 1], self.between]
            parts.append(part)
        return parts

    def _ids(self, texts: Sequence[str]) -> list[list[int]]:
        if len(self._known) > _KEPT:
            self._known = {}
        known = self._known
        new = list({text for text in texts if text not in known})
        if new:
            encodings = self._tokenizer.encode_batch(new, add_special_tokens=False)
            known.update(zip(new, (encoding.ids for encoding in encodings), strict=True))
        return [known[text] for text in texts]
