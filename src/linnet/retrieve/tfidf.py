"""TF-IDF weights of texts, which word and character retrieval compare by cosine.

weight of feature t    tf(t) · idf(t), idf(t) = log((1 + forms) / (1 + frequency of t)) + 1; vectors scaled to length 1
"""

from __future__ import annotations

import numpy as np

from linnet.arrays import Floats, Hashes, Ints
from linnet.retrieve.vocabulary import Vocabulary, count_pairs

__all__ = ["MAX_COUNT", "idf", "unit_vectors"]

# Counts are stored in a byte: a feature that occurs more often in a text counts this often.
MAX_COUNT = 255


def idf(vocabulary: Vocabulary) -> Floats:
    """(V + 1,) by id; the last entry is for unknown features. Smoothed: a feature of all names still counts."""
    frequencies = np.append(vocabulary.frequencies, 0)
    return (np.log((1 + vocabulary.forms) / (1 + frequencies)) + 1).astype(np.float32)


def unit_vectors(
    owners: Ints, codes: Hashes, *, vocabulary: Vocabulary, idf: Floats, texts: int
) -> tuple[Ints, Ints, Ints, Floats, Floats]:
    """The TF-IDF vectors of a batch, from its features in any order.

    returns  owner, id, count and unit weight of each distinct known feature, by owner, then id; and (texts,) the
             lengths by which weights were divided

    Unknown features are left out but count towards the length: a text that shares only a part with a name is not
    similar to it, whatever the rest is.
    """
    size = len(vocabulary)
    ids = vocabulary.find(codes).astype(np.int64)
    unknown = ids < 0
    if unknown.any():
        others, inverse = np.unique(codes[unknown], return_inverse=True)
        ids[unknown] = size + inverse
        owners, ids, counts = count_pairs(owners, ids, size + len(others))
    else:
        owners, ids, counts = count_pairs(owners, ids, size)
    counts = np.minimum(counts, MAX_COUNT)
    weights = counts * idf[np.minimum(ids, size)]
    lengths = np.sqrt(np.bincount(owners, weights * weights, minlength=texts))
    known = ids < size
    owners, ids, counts, weights = owners[known], ids[known], counts[known], weights[known]
    return owners, ids, counts, (weights / lengths[owners]).astype(np.float32), lengths.astype(np.float32)
