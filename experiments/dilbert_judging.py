"""Which answers of the DILBERT experiment are right."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from dilbert_data import Asked, terminology

from linnet.evaluate.accuracy import lenient
from linnet.evaluate.gold import Gold, Predicted, golds_of
from linnet.evaluate.resolution import resolve_gold
from linnet.evaluate.subsets import refined, seen_in
from linnet.read.abbreviations import expanded_texts
from linnet.terminology import Terminology
from linnet.types import Mention

__all__ = ["Array", "Flags", "all_hit", "document_f1", "judged", "refined_places", "share_right"]

Flags = np.ndarray[Any, np.dtype[np.bool_]]
Array = np.ndarray[Any, np.dtype[Any]]


def refined_places(golds: Sequence[Gold], seen: Sequence[Gold]) -> list[int]:
    """Mentions whose surface was not trained on, each once."""
    return refined(golds, seen_in(seen)).places


def judged(
    golds: Sequence[Gold], texts: Sequence[str], found: Mapping[str, Any], here: Terminology
) -> tuple[Flags, Flags, Flags]:
    """(N,) the whole text's name is right; the mention has one concept, which is known; right in the full set.

    In the full set what is a composite may be split, and then every part must be right; mentions without a concept, and
    those whose concept the terminology lacks, count as wrong: nothing is ever NIL here.
    """
    whole = [_predicted(found[text]["whole"]) for text in texts]
    split = [_composite(found[text]) for text in texts]
    settled = resolve_gold(golds, [answer.order() for answer in whole], here.resolve)
    single = [len(g.concepts) == 1 and here.row(next(iter(g.concepts))) >= 0 for g in settled]
    parts = resolve_gold(golds, [answer.order() for answer in split], here.resolve)
    return np.array(lenient(settled, whole)), np.array(single), np.array(lenient(parts, split))


def share_right(
    mentions: Sequence[Mention], held: Flags, ask: Callable[[Sequence[str]], Mapping[str, Any]], place: Path
) -> dict[str, Any]:
    """How choices are made inside train: "right", the share of the refined single-concept mentions held out; "n", how many.

    held  (N,) of the mentions; the others were seen          place  directory of the terminology
    """
    golds, texts = golds_of(mentions), expanded_texts(list(mentions))
    out, seen = np.flatnonzero(held), np.flatnonzero(~held)
    places = out[refined_places([golds[i] for i in out], [golds[i] for i in seen])]
    asked = [texts[i] for i in places]
    right, single = judged([golds[i] for i in places], asked, ask(asked), terminology(place))[:2]
    return {"right": float(right[single].mean()), "n": int(single.sum())}


def _predicted(ids: Sequence[str]) -> Predicted:
    return Predicted(frozenset(ids[:1]), (tuple(ids),))


def _composite(answer: Mapping[str, Any]) -> Predicted:
    if not answer["parts"]:
        return _predicted(answer["whole"])
    parts = tuple(map(_predicted, answer["parts"]))
    concepts = frozenset[str]().union(*(part.concepts for part in parts))
    return Predicted(concepts, tuple(part.ranked[0] for part in parts), parts=parts)


def all_hit(answer: Mapping[str, Any], terms: frozenset[str]) -> bool:
    """Whether each part of an answer is linked to one of the terms."""
    return all(terms & set(ids) for ids in answer["parts"] or [answer["whole"]])


def document_f1(found: Mapping[str, Any], some: Asked, terms: Sequence[frozenset[str]]) -> float:
    """Micro F1 of the concepts of each trial."""
    said: dict[str, set[str]] = {}
    true: dict[str, set[str]] = {}
    for text, gold, wanted in zip(some.texts, some.golds, terms, strict=True):
        if wanted:
            answer = found[text]
            said.setdefault(gold.document, set()).update(
                ids[0] for ids in answer["parts"] or [answer["whole"]]
            )
            true.setdefault(gold.document, set()).update(wanted)
    both = sum(len(said[document] & true[document]) for document in true)
    return 2 * both / (sum(map(len, said.values())) + sum(map(len, true.values())))
