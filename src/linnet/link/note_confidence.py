"""How probable links of mentions that linnet found in notes are: by the probability of the link, and of the mention.

The calibrators were fitted on papers, where the span is rarely in doubt. In notes a mention may be a label, a test or part of a longer
name, so the recogniser's confidence enters; and a literal name, whatever papers meant by it, is nearly always right. With the next word
it may name something else: "stroke unit", "arrhythmia clinic", "Dr Burns". A logistic regression, fitted on the clinical notes to tune on
by `experiments/note_confidence.py`.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from functools import cache

from linnet.read.rules import compiled, link_weights
from linnet.recognise.text_kind import is_note
from linnet.rerank.name_kinds import KINDS, kinds
from linnet.retrieve.hits import Origin
from linnet.types import Link, Mention
from linnet.words.text import LITTLE

__all__ = ["FEATURES", "as_in_a_note", "feature_values"]

FEATURES = ("link", "mention", "literal", "several words", "with the next word", "title", "dose")
_LEAST = 0.001
_TITLE = r"(?<!\w)(?:{lists:title})\.?\s+\Z"
_DOSE = r"[ \t]*{doses:number}\s*-?\s*{doses:unit}(?!\w)"
_BEFORE = 12  # characters that a title may take
_NEXT = re.compile(r"[ \t]+([^\W\d_][\w-]*)")
_OTHER = list(KINDS).index("other")
_EXACT, _RERANKED = str(Origin.EXACT), str(Origin.RERANKED)


def as_in_a_note(link: Link) -> Link:
    """The link of a mention in a note with the probability that both are right. What a person decided, NIL, a mention without a
    confidence, and a link in another text stay."""
    probability, confidence = link.probability, link.mention.confidence
    if probability is None or probability == 1 or confidence is None or not is_note(link.mention.document):
        return link
    bias, *weights = _weights()
    score = bias + sum(map(math.prod, zip(weights, feature_values(link), strict=True)))
    return replace(link, probability=round(1 / (1 + math.exp(-score)), 4))


def feature_values(link: Link) -> list[float]:
    """The `FEATURES` of a link with a probability: its log odds, those of the mention, whether the best candidate, of each part of a
    composite, is an exact match that was not reranked, whether the mention has several words, the log odds, at most 0, that with
    the next word it is no service, person or other thing of `KINDS["other"]`, and whether a person's title precedes or a dose follows."""
    origins = [one.candidates[0].origin if one.candidates else "" for one in link.parts or (link,)]
    is_literal = all(_EXACT in origin and _RERANKED not in origin for origin in origins)
    log_odds = [_log_odds(p or 0.0) for p in (link.probability, link.mention.confidence)]
    text, start, end = link.mention.document.text, link.mention.start, link.mention.end
    around = (
        compiled(_TITLE).search(text[max(0, start - _BEFORE) : start]),
        compiled(_DOSE).match(text, end),
    )
    several = float(len(link.mention.text.split()) > 1)
    return [*log_odds, float(is_literal), several, _beside(link.mention), *map(float, map(bool, around))]


def _beside(mention: Mention) -> float:
    following = _NEXT.match(mention.document.text, mention.end)
    if following is None or following[1].lower() in LITTLE:
        return 0.0
    [shares] = kinds([f"{mention.text} {following[1]}"])
    return min(0.0, _log_odds(1 - float(shares[_OTHER])))


@cache
def _weights() -> list[float]:
    """The bias, and a weight for each of `FEATURES`."""
    weights = link_weights("note confidence")
    return [weights[name] for name in ("always", *FEATURES)]


def _log_odds(probability: float) -> float:
    bounded = min(max(probability, _LEAST), 1 - _LEAST)
    return math.log(bounded / (1 - bounded))
