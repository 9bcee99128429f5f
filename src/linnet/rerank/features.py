"""Features that distinguish right candidates from wrong ones, with the same meaning in every terminology.

Each of a candidate's two names, the one it was found by and the preferred one, is compared with the mention's text: vectors,
words weighted by rarity, head, first and last word, numbers, length, the forms of `linnet.text.LEVELS`, and whether words
that only the name has occur elsewhere in the document. Other features are the retriever's score and place, the concept's
size and place in the hierarchy, whether its types suit the mention's, and the counts of `MentionPriors` for concept and
text. Some features are repeated as the
distance to the best of the list.
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
from linnet.semantic_groups import agreement, group_of_mention
from linnet.text import LEVELS
from linnet.types import Mention

__all__ = ["FEATURES", "Features"]

_NAME_COLUMNS = (
    "cosine",
    "text covered",  # share of the text's words, by rarity, that the name has
    "name covered",
    "text lacks",  # rarity of the rarest word of the text that the name lacks
    "name adds",  # rarity of the rarest word of the name that the text lacks
    "adds near",  # share of the added words, by rarity, that stand near the mention
    "adds in document",
    "head",
    "first",
    "last",
    "numbers differ",
    "numbers lost",
    "numbers added",
    "longer",  # logarithm of the name's length over the text's
    "more words",
    *LEVELS,
)
_FORMS = ("words", "stems")  # of a text, in the order of `MentionPriors.hashes`
_SEARCH = ("score", "place", "exact", "override", "homonyms")
_PRIORS = tuple(f"{what} by {form}" for form in _FORMS for what in ("meant", "share", "unseen"))
_TYPES = ("types differ",)  # the mention's and the concept's, where both are known
_WHOLE_LIST = ("spelt out", "candidates", "words of text", "rarest word")
_COMPARED = ("cosine", "text covered", "name covered", "preferred cosine", "score", "prior")
FEATURES: tuple[str, ...] = (
    *_NAME_COLUMNS,
    *(f"preferred {name}" for name in _NAME_COLUMNS),
    "is preferred",
    *_SEARCH,
    *CONCEPT_FACTS,
    *_PRIORS,
    *_TYPES,
    *_WHOLE_LIST,
    *(f"{name} below best" for name in _COMPARED),
)
"""The columns of the features that `Features.of` returns."""

_COLUMN = {name: number for number, name in enumerate(FEATURES)}

_BATCH = 8192  # candidates processed at a time: the working set stays in the caches


class Features:
    """Candidates to numbers, (N, k) to (N, k, len(FEATURES)).

    rarity  (BUCKETS,) idf of words by `bucket(stem) % BUCKETS`
    """

    def __init__(self, strings: StringTable, priors: MentionPriors, rarity: Floats) -> None:
        self._strings, self._priors, self._rarity = strings, priors, rarity

    def of(
        self, mentions: Sequence[Mention], texts: Sequence[str], hits: Hits, table: CandidateTable
    ) -> Floats:
        """(N, k, F) float32; rows of zeros without a candidate."""
        out = np.zeros((*hits.concepts.shape, len(FEATURES)), np.float32)
        if not out.size:
            return out
        around = context_words(mentions)
        text_rows = self._strings.rows(texts)
        present = hits.concepts >= 0
        written = [mention.text for mention in mentions]
        # (N, 2, 2) of the texts, and of the mentions as written
        surfaces = np.stack([self._priors.hashes(texts), self._priors.hashes(written)], axis=1)
        groups = _groups(mentions)
        step = max(1, _BATCH // hits.k)
        for start in range(0, len(texts), step):
            query, place = np.nonzero(present[start : start + step])
            if len(query):
                query += start
                out[query, place] = self._of(query, place, text_rows, hits, table, around, surfaces, groups)
        spelt_out = np.array(
            [text.split() != as_written.split() for as_written, text in zip(written, texts, strict=True)]
        )
        out[..., _COLUMN["spelt out"]] = spelt_out[:, None] & present
        _compare(out, present)
        return out

    def _of(
        self,
        query: Ints,
        place: Ints,
        text_rows: Ints,
        hits: Hits,
        table: CandidateTable,
        around: ContextWords,
        surfaces: Ints,
        groups: Ints,
    ) -> Floats:
        """(M, F) of the candidates at (query, place)."""
        out = np.zeros((len(query), len(FEATURES)), np.float32)
        concept, name = (column[query, place].astype(np.int64) for column in (hits.concepts, hits.names))
        names = table.names(name)
        preferred, ids, facts, remembered, own_groups = table.concepts(concept)
        strings = self._strings.features
        text = text_rows[query]
        width = len(_NAME_COLUMNS)
        self._compare_names(out[:, :width], strings, text, names, query, around)
        same = names == preferred
        out[same, width : 2 * width] = out[same, :width]
        other = np.flatnonzero(~same)
        block = np.zeros((len(other), width), np.float32)
        self._compare_names(block, strings, text[other], preferred[other], query[other], around)
        out[other, width : 2 * width] = block
        origins = hits.origins[query, place]
        columns: dict[str, Array] = {
            "is preferred": same,
            "score": hits.scores[query, place],
            "place": 1.0 / (place + 1),
            "exact": (origins & Origin.EXACT) > 0,
            "override": (origins & Origin.OVERRIDE) > 0,
            "types differ": agreement(groups[query], own_groups) < 0,
            "homonyms": np.log1p(_repeated(query, strings.levels[names, 0])),
            "candidates": np.log1p(np.bincount(query)[query]),
            "words of text": np.log1p(strings.count[text]),
            "rarest word": self._rarities(strings.words[text]).max(axis=1),
            **dict(zip(CONCEPT_FACTS, facts.T, strict=True)),
        }
        for number, form in enumerate(_FORMS):
            seen = self._priors.seen(surfaces[query, :, number]).max(axis=1)
            meant = self._priors.meant(surfaces[query, :, number], ids[:, None]).max(axis=1)
            columns[f"meant by {form}"] = np.log1p(meant)
            columns[f"share by {form}"] = meant / np.maximum(seen, 1)
            # Nothing is known against a concept of a terminology that no training mention was linked to.
            columns[f"unseen by {form}"] = (seen > 0) & (meant == 0) & remembered
        _fill(out, columns)
        return out

    def _rarities(self, words: Array) -> Floats:
        return np.where(words > 0, self._rarity[words % BUCKETS], np.float32(0))

    def _compare_names(
        self, out: Floats, strings: NameFeatures, text: Ints, name: Ints, query: Ints, around: ContextWords
    ) -> None:
        """Fill (M, len(_NAME_COLUMNS)) with the comparison of each candidate's name with its text."""
        text_words, name_words = strings.words[text], strings.words[name]
        text_rarity, name_rarity = self._rarities(text_words), self._rarities(name_words)
        equal = text_words[:, :, None] == name_words[:, None, :]
        text_shared, name_shared = equal.any(axis=2) & (text_words > 0), equal.any(axis=1) & (name_words > 0)
        lacks = np.where(text_shared, np.float32(0), text_rarity)
        adds = np.where(name_shared, np.float32(0), name_rarity)
        bits = (name_words % BITS).astype(np.int64)
        near = around.near[query[:, None], bits]
        document = around.documents[around.document[query][:, None], bits]
        added = adds.sum(axis=1)
        weight = np.maximum(added, 1e-6)
        text_numbers, name_numbers = strings.numbers[text], strings.numbers[name]
        columns: dict[str, Array] = {
            "text covered": 1 - lacks.sum(axis=1) / np.maximum(text_rarity.sum(axis=1), 1e-6),
            "name covered": 1 - added / np.maximum(name_rarity.sum(axis=1), 1e-6),
            "text lacks": lacks.max(axis=1),
            "name adds": adds.max(axis=1),
            "adds near": (adds * near).sum(axis=1) / weight,
            "adds in document": (adds * document).sum(axis=1) / weight,
            "head": strings.head[text] == strings.head[name],
            "first": strings.first[text] == strings.first[name],
            "last": strings.last[text] == strings.last[name],
            "numbers differ": (text_numbers != name_numbers) & (text_numbers > 0) & (name_numbers > 0),
            "numbers lost": (text_numbers > 0) & (name_numbers == 0),
            "numbers added": (text_numbers == 0) & (name_numbers > 0),
            "longer": np.log((strings.length[name] + 1) / (strings.length[text] + 1)),
            "more words": strings.count[name] - strings.count[text],
            **dict(zip(LEVELS, (strings.levels[text] == strings.levels[name]).T, strict=True)),
        }
        if strings.vectors.shape[1]:
            left, right = (strings.vectors[rows].astype(np.int32) for rows in (text, name))
            columns["cosine"] = np.einsum("md,md->m", left, right) / ONE**2
        _fill(out, columns)


def _groups(mentions: Sequence[Mention]) -> Ints:
    """(N,) the semantic groups of mentions' types, 0 where a type is unknown."""
    known = {type: int(group_of_mention(type)) for type in {mention.type for mention in mentions}}
    return np.fromiter((known[mention.type] for mention in mentions), np.int64, len(mentions))


def _fill(out: Floats, columns: dict[str, Array]) -> None:
    for column, values in columns.items():
        out[:, _COLUMN[column]] = values


def _repeated(query: Ints, forms: Ints) -> Ints:
    """(M,) the number of other candidates of the same query with the same form."""
    _, group, counts = np.unique(
        query.astype(np.int64) << 32 | forms, return_inverse=True, return_counts=True
    )
    return np.asarray(counts[group] - 1)


def _compare(out: Floats, present: Mask) -> None:
    """Fill in the distances to the best of each list."""
    for name in _COMPARED:
        values = out[..., _COLUMN[name]]
        best = np.where(present, values, -np.inf).max(axis=1, keepdims=True)
        out[..., _COLUMN[f"{name} below best"]] = np.where(present, best, values) - values
