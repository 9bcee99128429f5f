"""Features that distinguish right candidates from wrong ones, with the same meaning in every terminology.

Each of a candidate's two names, the one it was found by and the preferred one, is compared with the mention's text: vectors,
words weighted by rarity, head, first and last word, numbers, length, the forms of `linnet.words.text.LEVELS`, and whether words
that only the name has occur elsewhere in the document. Other features are the retriever's score and place, the concept's
size and place in the hierarchy, whether its types suit the mention's, and the counts of `MentionPriors` for concept and
text. Some features are repeated as the distance to the best of the list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from linnet.arrays import Array, Floats, Ints, Mask
from linnet.rerank.candidate_table import CONCEPT_FACTS, CandidateTable
from linnet.rerank.context_words import BITS, ContextWords, context_words
from linnet.rerank.mention_priors import MentionPriors
from linnet.rerank.name_features import BUCKETS, StringTable
from linnet.retrieve.fixed_point import ONE
from linnet.retrieve.hits import Hits, Origin
from linnet.types import Mention
from linnet.words.semantic_groups import agreement, group_of_mention
from linnet.words.text import LEVELS

__all__ = ["FEATURES", "Features", "below_best"]

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


class _Mentions(NamedTuple):
    """Of N mentions.

    strings   (N,) rows of their texts in the `StringTable`
    around    the words around them
    surfaces  (N, 2, 2) hashes of `MentionPriors`, of the texts, and of the mentions as written
    groups    (N,) semantic groups of their types, 0 where a type is unknown
    """

    strings: Ints
    around: ContextWords
    surfaces: Ints
    groups: Ints


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
        written, types = [mention.text for mention in mentions], [mention.type for mention in mentions]
        group_of = {type: int(group_of_mention(type)) for type in set(types)}
        known = _Mentions(
            self._strings.rows(texts),
            context_words(mentions),
            np.stack([self._priors.hashes(texts), self._priors.hashes(written)], axis=1),
            np.array([group_of[type] for type in types], np.int64),
        )
        present = hits.concepts >= 0
        step = max(1, _BATCH // hits.k)
        for start in range(0, len(texts), step):
            query, place = np.nonzero(present[start : start + step])
            if len(query):
                query += start
                out[query, place] = self._of(query, place, known, hits, table)
        spelt_out = [text.split() != mention.split() for mention, text in zip(written, texts, strict=True)]
        out[..., _COLUMN["spelt out"]] = np.array(spelt_out)[:, None] & present
        for name in _COMPARED:
            out[..., _COLUMN[f"{name} below best"]] = below_best(out[..., _COLUMN[name]], present)
        return out

    def _of(self, query: Ints, place: Ints, known: _Mentions, hits: Hits, table: CandidateTable) -> Floats:
        """(M, F) of the candidates at (query, place)."""
        out = np.zeros((len(query), len(FEATURES)), np.float32)
        name = table.names(hits.names[query, place].astype(np.int64))
        concept = table.concepts(hits.concepts[query, place].astype(np.int64))
        preferred, text = concept["preferred"], known.strings[query]
        width = len(_NAME_COLUMNS)
        self._compare_names(out[:, :width], text, name, query, known.around)
        is_preferred = name == preferred
        out[is_preferred, width : 2 * width] = out[is_preferred, :width]
        other = np.flatnonzero(~is_preferred)
        block = np.zeros((len(other), width), np.float32)
        self._compare_names(block, text[other], preferred[other], query[other], known.around)
        out[other, width : 2 * width] = block
        records, origins = self._strings.records, hits.origins[query, place]
        columns: dict[str, Array] = {
            "is preferred": is_preferred,
            "score": hits.scores[query, place],
            "place": 1.0 / (place + 1),
            "exact": (origins & Origin.EXACT) > 0,
            "override": (origins & Origin.OVERRIDE) > 0,
            "types differ": agreement(known.groups[query], concept["groups"]) < 0,
            "homonyms": np.log1p(_repeated(query, records["levels"][name, 0])),
            "candidates": np.log1p(np.bincount(query)[query]),
            "words of text": np.log1p(records["count"][text].astype(np.float32)),
            "rarest word": self._rarities(records["words"][text]).max(axis=1),
            **dict(zip(CONCEPT_FACTS, concept["facts"].T, strict=True)),
        }
        for number, form in enumerate(_FORMS):
            surfaces = known.surfaces[query, :, number]
            seen = self._priors.seen(surfaces).max(axis=1)
            meant = self._priors.meant(surfaces, concept["id"][:, None]).max(axis=1)
            columns[f"meant by {form}"] = np.log1p(meant)
            columns[f"share by {form}"] = meant / np.maximum(seen, 1)
            # Nothing is known against a concept of a terminology that no training mention was linked to.
            columns[f"unseen by {form}"] = (seen > 0) & (meant == 0) & concept["remembered"]
        _fill(out, columns)
        return out

    def _rarities(self, words: Array) -> Floats:
        return np.where(words > 0, self._rarity[words % BUCKETS], np.float32(0))

    def _compare_names(
        self, out: Floats, texts: Ints, names: Ints, query: Ints, around: ContextWords
    ) -> None:
        """Fill (M, len(_NAME_COLUMNS)) with the comparison of each candidate's name with its text, both rows of the `StringTable`."""
        text, name = self._strings.records[texts], self._strings.records[names]
        text_words, name_words = text["words"], name["words"]
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
        text_numbers, name_numbers = text["numbers"], name["numbers"]
        text_size, name_size = (
            {field: strings[field].astype(np.float32) for field in ("length", "count")}
            for strings in (text, name)
        )
        columns: dict[str, Array] = {
            "text covered": 1 - lacks.sum(axis=1) / np.maximum(text_rarity.sum(axis=1), 1e-6),
            "name covered": 1 - added / np.maximum(name_rarity.sum(axis=1), 1e-6),
            "text lacks": lacks.max(axis=1),
            "name adds": adds.max(axis=1),
            "adds near": (adds * near).sum(axis=1) / weight,
            "adds in document": (adds * document).sum(axis=1) / weight,
            **{field: text[field] == name[field] for field in ("head", "first", "last")},
            "numbers differ": (text_numbers != name_numbers) & (text_numbers > 0) & (name_numbers > 0),
            "numbers lost": (text_numbers > 0) & (name_numbers == 0),
            "numbers added": (text_numbers == 0) & (name_numbers > 0),
            "longer": np.log((name_size["length"] + 1) / (text_size["length"] + 1)),
            "more words": name_size["count"] - text_size["count"],
            **dict(zip(LEVELS, (text["levels"] == name["levels"]).T, strict=True)),
        }
        if self._strings.encoder is not None:
            left, right = (self._strings.vectors[rows].astype(np.int32) for rows in (texts, names))
            columns["cosine"] = np.einsum("md,md->m", left, right) / ONE**2
        _fill(out, columns)


def _fill(out: Floats, columns: Mapping[str, Array]) -> None:
    for column, values in columns.items():
        out[:, _COLUMN[column]] = values


def _repeated(query: Ints, forms: Ints) -> Ints:
    """(M,) the number of other candidates of the same query with the same form."""
    pairs = query.astype(np.int64) << 32 | forms
    _, group, counts = np.unique(pairs, return_inverse=True, return_counts=True)
    return np.asarray(counts[group] - 1)


def below_best(values: Floats, present: Mask) -> Floats:
    """(N, k) how far each candidate's value is below the best of its list; 0 without a candidate."""
    best = np.where(present, values, -np.inf).max(axis=1, keepdims=True)
    return np.asarray(np.where(present, best, values) - values, np.float32)
