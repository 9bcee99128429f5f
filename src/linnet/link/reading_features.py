"""The features by which readings of a string are compared, and their weights: what a reading does to the string, and how it matches.

A reading's score is the sum of its features times their weights; of several things, the features of a part count by its share.
Features of `linnet.read.forms` have the names of its rules.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations, permutations

import numpy as np

from linnet.link.lookup import Best, Lookup
from linnet.read.denials import SOMETHING_ELSE
from linnet.read.divide import Division, Kind, joining_words
from linnet.read.forms import Form
from linnet.rerank.name_kinds import KINDS, kinds, same_kind
from linnet.words.semantic_groups import Group
from linnet.words.text import LITTLE, key, simplify

__all__ = [
    "Features",
    "as_written",
    "covered",
    "divided",
    "lost_words",
    "matched",
    "nothing",
    "other_kind",
    "stems",
    "undivided",
    "without_words_of",
]

Features = dict[str, float]

_LEVELS = (0.35, 0.5)  # from which on a match counts by a weight of its own, too
_CLOSE = 0.6  # score from which on the closest name says something about the words of a text
# A code of a drug that the terminology lacks is like other codes, and none of them.
_CODE = re.compile(
    r"[A-Za-z]{1,6}[-\s]?\d{3,}[A-Za-z]?(?:\s+(?:tablets?|capsules?|injections?|infusions?|placebo))?"
)
_UNKNOWN = 0.6  # match of a candidate whose score is no cosine
# Short forms that are names, of long forms that are none, in the training sets of NCBI and BC5CDR, tmVar3 and NLM-Chem: those of up to
# three letters and digits ("SD") mean what they name in 43 of 69 cases, in 43 of 46 where the long form's best candidates agree.
_AMBIGUOUS, _NEAR = 3, 0.1
_ENOUGH = 0.5  # share from which on a text is rather of the kind of its concept than not
_MOST_DOUBT = 4.0
_PRODUCT = np.array([float(bool(kind & (Group.CHEMICAL | Group.PROTEIN))) for kind in KINDS.values()]) / 2
_DISORDER = Group.DISEASE | Group.PHENOTYPE
# Beside another name these belong to it, and are no further thing: "infection, poliomyelitis", "leukemia, in relapse".
_NOTHING_APART = frozenset(
    map(
        key,
        ("disease", "disorder", "infection", "lesion", "neoplasm", "recurrence", "relapse", "remission", "syndrome", "tumor", "tumour"),
    )
)  # fmt: skip


def matched(form: Form, best: Best, *, comparable: bool) -> Features:
    """The features of a text that is read as one thing in this form, by its best candidate; `comparable`: scores are cosines."""
    features: Features = dict(form.rules)
    score = best.score if best.is_exact or comparable else _UNKNOWN
    match = features["match"] = max(0.0, min(1.0, score))
    features |= {f"match over {least}": max(0.0, match - least) for least in _LEVELS}
    if best.is_exact:
        features["name"] = 1.0
        if best.preferred:
            features["preferred name"] = 1.0
    elif _CODE.fullmatch(form.text):
        features["code without a name"] = 1.0
    if best.preferred or not best.is_exact:
        features.pop("short form kept", None)
    return features


def covered(text: str, name: str) -> Features:
    """How much of a text's words its closest name has, which is not the text, and how much of the name's words the text."""
    words, near = stems(text), stems(name)
    common = len(words & near)
    return {
        "words that its name lacks": 1 - common / max(1, len(words)),
        "words that it lacks": 1 - common / max(1, len(near)),
    }


def as_written(short: str, long: str, lookup: Lookup) -> Features:
    """The features of a short form that the text defines, read as the name that it is elsewhere."""
    features = {"as written": 1.0, "name": 1.0, "match": lookup.exact(short)}
    if sum(map(str.isalnum, short)) <= _AMBIGUOUS:
        features["as written, short"] = 1.0
    if lookup.score_of(long, lookup.best(short).concept) >= lookup.best(long).score - _NEAR:
        features["as written, agreed"] = 1.0
    return features


def nothing(rule: str, *, item: bool, in_text: bool) -> Features:
    """The features of a text that is read as naming nothing.

    rule     that says so, or ""
    item     whether it is an item of a division
    in_text  whether it is a mention in a text: who found it there found a name, and "non-papillary carcinoma" is one
    """
    features = {"nothing": 1.0}
    if item:
        features["nothing: an item"] = 1.0
    if rule:
        features["nothing: placeholder" if rule.startswith("placeholder") else f"nothing: {rule}"] = 1.0
    if in_text and rule == SOMETHING_ELSE:
        features["nothing: denied, in a text"] = 1.0
    return features


def divided(
    text: str,
    division: Division,
    things: Sequence[tuple[str, Best]],
    of_items: Sequence[Features],
    lookup: Lookup,
    *,
    unread: int,
    closest: Best | None,
) -> Features:
    """The features of a text that is read as several things: the mean of its items', and what dividing adds.

    things    text and best candidate of each
    of_items  features of the best readings of those items that name something
    unread    items that match nothing and are left out
    closest   best candidate of the undivided text, if it was searched for
    """
    kind, items = division
    features = _mean(of_items)
    features["divided"] = max(features.get("divided", 0.0), 1.0)
    features[f"divided: {kind}" if len(of_items) > 1 else f"divided to one: {kind.group}"] = 1.0
    if unread:
        features[f"unread: {kind.group}"] = unread / (unread + len(of_items))
    if len(items) > 1:
        features |= _as_a_whole(text, [item.text for item in items], closest)
    return features | _of_things(kind, things, lookup) if len(of_items) > 1 else features


def undivided(best: Best, divisions: Sequence[tuple[Kind, Sequence[str]]]) -> Features:
    """The features of a text that is read as one thing though it can be divided.

    divisions  kinds, and items without those that say that they name nothing
    """
    features: Features = {}
    for kind, items in divisions:
        if kind.group == "separate":
            features["undivided: separate"] = 1.0
        if kind.group not in ("separate", "list") or len(items) < 2 or best.is_exact:
            continue
        if unread := without_words_of(best.name, items):
            features[f"undivided, unread: {kind.group}"] = len(unread) / len(items)
    return features


def without_words_of(name: str, items: Sequence[str]) -> list[str]:
    """The items that have no word of a name."""
    words = stems(name)
    return [item for item in items if not words & stems(item)]


def _mean(several: Sequence[Features]) -> Features:
    features: Features = {}
    for one in several:
        for name, value in one.items():
            features[name] = features.get(name, 0.0) + value / len(several)
    return features


def _as_a_whole(text: str, items: Sequence[str], closest: Best | None) -> Features:
    """What speaks against dividing a text: words that no item has, and a name that has words of all items."""
    features: Features = {}
    if dropped := stems(text) - frozenset().union(*map(stems, items)) - joining_words():
        features["words dropped"] = float(len(dropped))
    if closest is not None and _holds_together(text, items, closest):
        features["holds together"] = 1.0
    return features


def _of_things(kind: Kind, things: Sequence[tuple[str, Best]], lookup: Lookup) -> Features:
    """What the things that a text is divided into say about dividing it so."""
    features = {"worst part": 1 - min(max(0.0, best.score) for _, best in things)}
    if kind is Kind.COMMAS and all(best.is_exact for _, best in things):
        groups = [best.groups for _, best in things if best.groups]
        mixed = any(not a & b for a, b in combinations(groups, 2))
        if not mixed and not _is_one_thing(things, lookup):
            features["names apart: commas"] = 1.0
    if kind is Kind.ON and not all(best.groups & _DISORDER for _, best in things):
        features["on, not of disorders"] = 1.0
    return features


def lost_words(text: str, form: str, closest: Best) -> Features:
    """Where a form leaves out words of a text that its closest name has beside one of the form: how far the text and this name have
    the same words, 0 to 1."""
    words, near = stems(text), stems(closest.name)
    lost = (words - stems(form)) & near
    if not lost or closest.score < _CLOSE or not near & stems(form):
        return {}
    return {"lost words of a like name": len(words & near) / len(words | near)}


def _holds_together(text: str, items: Sequence[str], closest: Best) -> bool:
    """Whether the closest name of a text has words that only one item has, of every item, and hardly any others."""
    near, words = stems(closest.name), stems(text)
    numbers = {word for word in words if any(map(str.isdigit, word))}
    strange = len(near - words)
    if not near or strange > 1 or (strange and not numbers & near):
        return False
    of_items = [stems(item) for item in items]
    shared = frozenset().union(*(own & other for own, other in combinations(of_items, 2)))
    return all(near & (own - shared) for own in of_items)


def _is_one_thing(things: Sequence[tuple[str, Best]], lookup: Lookup) -> bool:
    """Whether a thing is nothing without the others, as "infection", or a name of one's concept has all words of another:
    "fever, malignant catarrhal"."""
    return any(
        words <= _NOTHING_APART or any(words <= stems(name) for name in lookup.names_of(other.concept))
        for (one, _), (_, other) in permutations(things, 2)
        for words in [stems(one)]
    )


def other_kind(texts: Sequence[str], lookup: Lookup, *, products: bool = False) -> list[float]:
    """How far the words of each text name a thing of another kind than its best candidate: 0, if they do not, to 4.

    products  the texts are without the dosage form that they were written with ("eczema cream"), so that only a drug is of their kind

    A cell of a table may hold anything, and the closest name of the terminology then has most of its words: factor VII is close to
    factor VII deficiency, rabbit syndrome to the rabbit.
    """
    best = [lookup.best(text) for text in texts]
    some = [place for place, one in enumerate(best) if one.concept >= 0 and one.name]
    values = [0.0] * len(texts)
    if some:
        of_texts = (
            np.repeat([_PRODUCT], len(some), axis=0) if products else kinds([texts[place] for place in some])
        )
        expected = lookup.group.expected_kinds(np.array([best[place].concept for place in some], np.int64))
        shares = same_kind(of_texts, [best[place].name for place in some], expected)
        for place, share in zip(some, shares.tolist(), strict=True):
            values[place] = max(0.0, min(_MOST_DOUBT, -math.log(max(share, 1e-9) / _ENOUGH)))
    return values


@lru_cache(maxsize=16384)
def stems(text: str) -> frozenset[str]:
    """The stems of a text's words without little ones; of all words if it has no others."""
    words = frozenset(simplify(text).split())
    return frozenset(map(key, words - LITTLE or words))
