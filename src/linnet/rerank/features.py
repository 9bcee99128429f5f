"""What tells a right candidate from a wrong one, as numbers that mean the same in every terminology.

Each of the two names of a candidate, the one it was found by and the preferred one, is held against the mention's text:
vectors, words weighted by rarity, head, ends, numbers, length, the forms of `linnet.text.LEVELS`, and whether what one has
and the other lacks stands elsewhere in the document. Then the retriever's score and place, the concept's size and place in
the hierarchy, and what `MentionPriors` knows of it and of the text. Some are given again as the distance to the best of the list.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linnet.arrays import Array, Floats, Ints, Mask
from linnet.rerank.candidate_table import CONCEPT_FACTS, CandidateTable
from linnet.rerank.context_words import BITS, ContextWords, context_words
from linnet.rerank.mention_priors import MentionPriors
from linnet.rerank.name_features import BUCKETS, NameFeatures, StringTable
from linnet.retrieve.fixed_point import ONE
from linnet.retrieve.hits import Hits, Origin
from linnet.text import LEVELS
from linnet.types import Mention

__all__ = ["FEATURES", "Features"]

_OF_A_NAME = (
    "cosine",
    "text covered",  # share of the text's words, by rarity, that the name has
    "name covered",
    "text lacks",  # rarity of the rarest word the text has and the name lacks
    "name adds",  # of the rarest word the name has and the text lacks
    "adds near",  # share of what the name adds that stands near the mention
    "adds in document",
    "head",
    "first",
    "last",
    "numbers differ",
    "numbers lost",
    "numbers added",
    "longer",  # logarithm of the name's characters over the text's
    "more words",
    *LEVELS,
)
_FORMS = ("words", "stems")  # of a text, in the order of `MentionPriors.hashes`
_SEARCH = ("score", "place", "exact", "override", "homonyms")
_MEMORY = tuple(f"{what} by {form}" for form in _FORMS for what in ("meant", "share", "unseen"))
_WHOLE_LIST = ("spelt out", "candidates", "words of text", "rarest word")
_COMPARED = ("cosine", "text covered", "name covered", "preferred cosine", "score", "prior")
FEATURES: tuple[str, ...] = (
    *_OF_A_NAME,
    *(f"preferred {name}" for name in _OF_A_NAME),
    "is preferred",
    *_SEARCH,
    *CONCEPT_FACTS,
    *_MEMORY,
    *_WHOLE_LIST,
    *(f"{name} below best" for name in _COMPARED),
)
"""The columns of what `Features.of` returns."""

_COLUMN = {name: number for number, name in enumerate(FEATURES)}

_TOGETHER = 8192  # candidates worked on at a time, so that the work stays in the caches


class Features:
    """Candidates to numbers, (N, k) to (N, k, len(FEATURES)).

    rarity  (BUCKETS,) idf of words by `bucket(stem) % BUCKETS`
    """

    def __init__(self, strings: StringTable, memory: MentionPriors, rarity: Floats) -> None:
        self._strings, self._memory, self._rarity = strings, memory, rarity

    def of(
        self, mentions: Sequence[Mention], texts: Sequence[str], hits: Hits, rows: CandidateTable
    ) -> Floats:
        """(N, k, F) float32; rows of zeros where there is no candidate."""
        out = np.zeros((*hits.concepts.shape, len(FEATURES)), np.float32)
        if not out.size:
            return out
        around = context_words(mentions)
        text_rows = self._strings.rows(texts)
        there = hits.concepts >= 0
        surfaces = self._surfaces(mentions, texts)
        step = max(1, _TOGETHER // hits.k)
        for start in range(0, len(texts), step):
            part = slice(start, start + step)
            query, place = np.nonzero(there[part])
            if len(query):
                out[query + start, place] = self._of(
                    query + start, place, text_rows, hits, rows, around, surfaces
                )
        spelt_out = np.array([text != mention.text for mention, text in zip(mentions, texts, strict=True)])
        out[..., _COLUMN["spelt out"]] = spelt_out[:, None] & there
        _compare(out, there)
        return out

    def _surfaces(self, mentions: Sequence[Mention], texts: Sequence[str]) -> Ints:
        """(N, 2, 2) hashes of the texts, and of the mentions as they are written."""
        written = [mention.text for mention in mentions]
        both = [self._memory.hashes(list(dict.fromkeys(given))) for given in (texts, written)]
        places = [{text: i for i, text in enumerate(dict.fromkeys(given))} for given in (texts, written)]
        return np.stack(
            [
                hashes[[place[text] for text in given]]
                for hashes, place, given in zip(both, places, (texts, written), strict=True)
            ],
            axis=1,
        )

    def _of(
        self,
        query: Ints,
        place: Ints,
        text_rows: Ints,
        hits: Hits,
        rows: CandidateTable,
        around: ContextWords,
        surfaces: Ints,
    ) -> Floats:
        """(M, F) of the candidates at (query, place)."""
        out = np.zeros((len(query), len(FEATURES)), np.float32)
        concept, name = (column[query, place].astype(np.int64) for column in (hits.concepts, hits.names))
        names = rows.names(name)
        preferred, ids, facts = rows.concepts(concept)
        parts = self._strings.parts
        text = text_rows[query]
        width = len(_OF_A_NAME)
        self._name(out[:, :width], parts, text, names, query, around)
        same = names == preferred
        out[same, width : 2 * width] = out[same, :width]
        other = np.flatnonzero(~same)
        block = np.zeros((len(other), width), np.float32)
        self._name(block, parts, text[other], preferred[other], query[other], around)
        out[other, width : 2 * width] = block
        origins = hits.origins[query, place]
        columns: dict[str, Array] = {
            "is preferred": same,
            "score": hits.scores[query, place],
            "place": 1.0 / (place + 1),
            "exact": (origins & Origin.EXACT) > 0,
            "override": (origins & Origin.OVERRIDE) > 0,
            "homonyms": np.log1p(_repeated(query, parts.levels[names, 0])),
            "candidates": np.log1p(np.bincount(query)[query]),
            "words of text": np.log1p(parts.count[text]),
            "rarest word": self._rarities(parts.words[text]).max(axis=1),
            **dict(zip(CONCEPT_FACTS, facts.T, strict=True)),
        }
        for number, form in enumerate(_FORMS):
            seen = self._memory.seen(surfaces[query, :, number]).max(axis=1)
            meant = self._memory.meant(surfaces[query, :, number], ids[:, None]).max(axis=1)
            columns[f"meant by {form}"] = np.log1p(meant)
            columns[f"share by {form}"] = meant / np.maximum(seen, 1)
            columns[f"unseen by {form}"] = (seen > 0) & (meant == 0)
        for column, values in columns.items():
            out[:, _COLUMN[column]] = values
        return out

    def _rarities(self, words: Array) -> Floats:
        return np.where(words > 0, self._rarity[words % BUCKETS], np.float32(0))

    def _name(
        self, out: Floats, parts: NameFeatures, text: Ints, name: Ints, query: Ints, around: ContextWords
    ) -> None:
        """Fill (M, len(_OF_A_NAME)) with how the name of each candidate compares with its text."""
        mine, its = parts.words[text], parts.words[name]
        rare, rares = self._rarities(mine), self._rarities(its)
        equal = mine[:, :, None] == its[:, None, :]
        shared, known = equal.any(axis=2) & (mine > 0), equal.any(axis=1) & (its > 0)
        lacks, adds = np.where(shared, np.float32(0), rare), np.where(known, np.float32(0), rares)
        bits = (its % BITS).astype(np.int64)
        near = around.near[query[:, None], bits]
        document = around.documents[around.document[query][:, None], bits]
        added = adds.sum(axis=1)
        weight = np.maximum(added, 1e-6)
        number, numbers = parts.numbers[text], parts.numbers[name]
        columns: dict[str, Array] = {
            "text covered": 1 - lacks.sum(axis=1) / np.maximum(rare.sum(axis=1), 1e-6),
            "name covered": 1 - added / np.maximum(rares.sum(axis=1), 1e-6),
            "text lacks": lacks.max(axis=1),
            "name adds": adds.max(axis=1),
            "adds near": (adds * near).sum(axis=1) / weight,
            "adds in document": (adds * document).sum(axis=1) / weight,
            "head": parts.head[text] == parts.head[name],
            "first": parts.first[text] == parts.first[name],
            "last": parts.last[text] == parts.last[name],
            "numbers differ": (number != numbers) & (number > 0) & (numbers > 0),
            "numbers lost": (number > 0) & (numbers == 0),
            "numbers added": (number == 0) & (numbers > 0),
            "longer": np.log((parts.length[name] + 1) / (parts.length[text] + 1)),
            "more words": parts.count[name] - parts.count[text],
            **dict(zip(LEVELS, (parts.levels[text] == parts.levels[name]).T, strict=True)),
        }
        if parts.vectors.shape[1]:
            left, right = (parts.vectors[rows].astype(np.int32) for rows in (text, name))
            columns["cosine"] = np.einsum("md,md->m", left, right) / ONE**2
        for column, values in columns.items():
            out[:, _COLUMN[column]] = values


def _repeated(query: Ints, forms: Ints) -> Ints:
    """(M,) how many other candidates of the same query have the same form."""
    order = np.lexsort((forms, query))
    new = np.ones(len(order), bool)
    new[1:] = (query[order][1:] != query[order][:-1]) | (forms[order][1:] != forms[order][:-1])
    group = np.cumsum(new) - 1
    out = np.empty(len(order), np.int64)
    out[order] = np.bincount(group)[group] - 1
    return out


def _compare(out: Floats, there: Mask) -> None:
    """Fill the distances to the best of each list."""
    for name in _COMPARED:
        values = out[..., _COLUMN[name]]
        best = np.where(there, values, -np.inf).max(axis=1, keepdims=True)
        out[..., _COLUMN[f"{name} below best"]] = np.where(there, best, values) - values
