"""What a cross-encoder learns from: lists of candidates of which another reranker is unsure, as texts.

The lists are those of `Crossfit`, so neither the candidates nor the first reranker's memory know the mention. They take
minutes to make, so they are kept in a file.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyarrow import feather

from linnet import artifact
from linnet.arrays import Ints, Mask
from linnet.files import replacing
from linnet.rerank.cross_inputs import DescribedCandidate, describe_candidates
from linnet.rerank.dual_inputs import MentionInContext, mentions_in_context
from linnet.rerank.listwise import ListwiseReranker
from linnet.retrieve.hits import Hits
from linnet.train.crossfit import KINDS, CandidateLists, Crossfit
from linnet.types import Mention

__all__ = ["UnsureList", "unsure_lists"]

# Changes whenever the texts or the probabilities of a list are made otherwise.
_VERSION = "2"


class UnsureList(NamedTuple):
    """A mention and its candidates, in the first reranker's order.

    source, fold, kind  its origin; kind is a place in `KINDS`
    mention             with its sentence
    candidates          (k,) described
    probabilities       (k,) of the first reranker; the rest to 1 is that of "none of these"
    right               (k,) whether a candidate is the mention's concept; if none is, "none of these" is right
    """

    source: int
    fold: int
    kind: int
    mention: MentionInContext
    candidates: tuple[DescribedCandidate, ...]
    probabilities: tuple[float, ...]
    right: tuple[bool, ...]


def unsure_lists(
    crossfit: Crossfit, first: ListwiseReranker, *, surest: float, place: Path | None = None
) -> list[UnsureList]:
    """Of all folds, those whose best candidate the first reranker gives at most the probability `surest`.

    place  directory that keeps them, so that later runs with the same data and reranker read them
    """
    key = artifact.digest(
        "\n".join([
            _VERSION, first.digest, f"{surest} {crossfit.depth} {crossfit.folds} {crossfit.seed}",
            repr(crossfit.pipeline),
            *(f"{name} {value}" for name, value in crossfit.data.items()),
            *(str(source.settings) for source in crossfit.sources),
        ])
    )  # fmt: skip
    file = place / f"unsure-{key[:12]}.arrow" if place is not None else None
    if file is not None and file.is_file():
        return _read(file)
    lists = list(_made(crossfit, first, surest))
    if file is not None:
        with replacing(file) as draft:
            _write(lists, draft)
    return lists


def _made(crossfit: Crossfit, first: ListwiseReranker, surest: float) -> Iterator[UnsureList]:
    for lists, kind, known in crossfit.remembering():
        yield from _of_kind(crossfit, first.remembering(known), lists, KINDS.index(kind), surest)


def _of_kind(
    crossfit: Crossfit, reranker: ListwiseReranker, lists: CandidateLists, kind: int, surest: float
) -> Iterator[UnsureList]:
    group = crossfit.linker(lists.source, lists.fold if lists.augmented else None).group
    some = np.flatnonzero(lists.usable & (lists.hits.concepts[:, 0] >= 0))
    mentions, texts, hits, right = _taken(lists, some)
    ranked = reranker.rerank(mentions, texts, hits, group)
    kept = np.flatnonzero(ranked.scores[:, 0] <= surest)
    described = describe_candidates(ranked.take(kept), group)
    contexts = mentions_in_context([mentions[row] for row in kept], [texts[row] for row in kept])
    for row, context, candidates in zip(kept.tolist(), contexts, described, strict=True):
        gold = hits.concepts[row][right[row]]
        yield UnsureList(
            lists.source,
            lists.fold,
            kind,
            context,
            tuple(candidates),
            tuple(ranked.scores[row, : len(candidates)].tolist()),
            tuple(np.isin(ranked.concepts[row, : len(candidates)], gold).tolist()),
        )


def _taken(lists: CandidateLists, rows: Ints) -> tuple[list[Mention], list[str], Hits, Mask]:
    mentions = [lists.mentions[row] for row in rows.tolist()]
    texts = [lists.texts[row] for row in rows.tolist()]
    return mentions, texts, lists.hits.take(rows), lists.right[rows]


def _write(lists: list[UnsureList], file: Path) -> None:
    columns = {
        "source": [candidate_list.source for candidate_list in lists],
        "fold": [candidate_list.fold for candidate_list in lists],
        "kind": [candidate_list.kind for candidate_list in lists],
        "left": [candidate_list.mention.left for candidate_list in lists],
        "text": [candidate_list.mention.text for candidate_list in lists],
        "right": [candidate_list.mention.right for candidate_list in lists],
        "names": [[candidate.names for candidate in candidate_list.candidates] for candidate_list in lists],
        "definitions": [
            [candidate.definition for candidate in candidate_list.candidates] for candidate_list in lists
        ],
        "probabilities": [list(candidate_list.probabilities) for candidate_list in lists],
        "is_right": [list(candidate_list.right) for candidate_list in lists],
    }
    feather.write_feather(pa.table(columns), str(file), compression="zstd")


def _read(file: Path) -> list[UnsureList]:
    columns = feather.read_table(str(file)).to_pydict()
    return [
        UnsureList(
            source,
            fold,
            kind,
            MentionInContext(left, text, right),
            tuple(map(DescribedCandidate, names, definitions)),
            tuple(probabilities),
            tuple(is_right),
        )
        for source, fold, kind, left, text, right, names, definitions, probabilities, is_right in zip(
            *columns.values(), strict=True
        )
    ]
