"""How probable it is that a name of a terminology is a mention in this text: where the tagger found none, or only parts of the name.

The tagger has seen names in abstracts and notes, and never seen most names: its probability, the form of the name, what else the name
may be, and what stands beside it are weighed together. The weights are learnt (`experiments/name_weights.py`), as `name_weights.tsv`.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from linnet.arrays import Floats
from linnet.read.shorthand import Expansion, expansions
from linnet.recognise.chemical_context import CHEMICAL
from linnet.recognise.dictionary import SPELLING
from linnet.recognise.gazetteer import Gazetteer, code_of
from linnet.recognise.text_kind import note_of
from linnet.types import Mention

__all__ = ["FEATURES", "Judgement", "feature_rows", "name_judge"]

_SCALE = 4.0  # of logits, so that all features are of about one size
_LEAST = 1e-4  # probability below which the tagger's differences say nothing
_BEFORE, _AFTER = 24, 40  # characters that are looked at
_LABEL = re.compile(r"[ \t]*[:=]|[ \t]+[-–][ \t]")
_LETTER = re.compile(r",?\s+(?:type\s+)?\w{1,2}")
_HEAD = re.compile(r"(?:^|[\n|\t])[^\w\n]*$")


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the tagger says of a name.

    exact, within  the probability that exactly the name is a mention of its type, and that any of it belongs to one
    held           confidence of the surest mention that the name holds; 0 without one
    other_held     whether all mentions that it holds are of another type
    added          what the name has beside the mentions that it holds
    seldom         whether the terminology gives it a type that seldom is what the tagger knows: "candida", an organism
    """

    exact: float
    within: float
    held: float = 0.0
    other_held: bool = False
    added: str = ""
    seldom: bool = False


@dataclass(frozen=True, slots=True)
class _Name:
    """A name with what is beside it, the gazetteers that have it, and whether its text is a note."""

    text: str
    before: str
    after: str
    mention: Mention
    judgement: Judgement
    known: frozenset[str]
    shorthand: Sequence[Expansion]
    note: float

    @property
    def is_chemical(self) -> bool:
        return self.mention.type.casefold() == CHEMICAL

    @property
    def is_respelt(self) -> bool:
        return self.mention.source == SPELLING


def _logit(probability: float) -> float:
    p = min(max(probability, _LEAST), 1 - _LEAST)
    return math.log(p / (1 - p)) / _SCALE


FEATURES: dict[str, Callable[[_Name], float]] = {
    "bias": lambda n: 1.0,
    "exact": lambda n: _logit(n.judgement.exact),
    "within": lambda n: _logit(n.judgement.within),
    "chemical": lambda n: n.is_chemical,
    "note": lambda n: n.note,
    "note exact": lambda n: n.note * _logit(n.judgement.exact),
    "note within": lambda n: n.note * _logit(n.judgement.within),
    "note chemical": lambda n: n.note * n.is_chemical,
    "note shorthand": lambda n: n.note * bool(n.shorthand),
    "several words": lambda n: " " in n.text.strip(),
    "letters": lambda n: min(sum(map(str.isalpha, n.text)), 20) / 10,
    "short": lambda n: sum(map(str.isalpha, n.text)) <= 3,
    "acronym": lambda n: " " not in n.text and len(n.text) > 1 and sum(map(str.isupper, n.text)) > 1,
    "capital": lambda n: n.text[:1].isupper() and not n.text.isupper(),
    "shorthand": lambda n: bool(n.shorthand),
    "shorthand's share": lambda n: max((expansion.share for expansion in n.shorthand), default=0.0),
    "shorthand in small": lambda n: n.text.islower() and bool(n.shorthand),
    "own kind": lambda n: bool(n.known & ({"chemicals"} if n.is_chemical else {"diseases", "mesh-diseases"})),
    "other kind": lambda n: bool(
        n.known & ({"diseases", "mesh-diseases"} if n.is_chemical else {"chemicals"})
    ),
    "mesh": lambda n: "mesh-diseases" in n.known,
    "protein": lambda n: "proteins" in n.known,
    "other thing": lambda n: "others" in n.known,
    "respelt": lambda n: n.is_respelt,
    "respelt, letters": lambda n: n.is_respelt * min(sum(map(str.isalpha, n.text)), 20) / 10,
    "label": lambda n: bool(_LABEL.match(n.after)) and bool(_HEAD.search(n.before)),
    "ends phrase": lambda n: bool(re.match(r"\s*(?:[,;.)\n+?]|$)", n.after)),
    "seldom": lambda n: n.judgement.seldom,
    "seldom exact": lambda n: n.judgement.seldom * _logit(n.judgement.exact),
    "holds": lambda n: n.judgement.held > 0,
    "holds exact": lambda n: (n.judgement.held > 0) * _logit(n.judgement.exact),
    "held": lambda n: (n.judgement.held > 0) * _logit(n.judgement.held),
    "other held": lambda n: n.judgement.other_held,
    "note other held": lambda n: n.note * n.judgement.other_held,
    "adds a letter": lambda n: bool(_LETTER.fullmatch(n.judgement.added)),
}
"""Of a name, each 0 or 1, a logit, or a share."""


def feature_rows(
    names: Sequence[Mention], judgements: Sequence[Judgement], gazetteers: Sequence[Gazetteer]
) -> Floats:
    """(N, F) of names of one document, in the order of `FEATURES`.

    gazetteers  that the tagger knows
    """
    described = _described(names, judgements, gazetteers)
    rows = [[float(feature(name)) for feature in FEATURES.values()] for name in described]
    return np.array(rows, np.float32).reshape(len(names), len(FEATURES))


def name_judge(
    gazetteers: Sequence[Gazetteer],
) -> Callable[[Sequence[Mention], Sequence[Judgement]], list[float]]:
    """The learnt judge of names, for `TaggerBesideNames`. gazetteers  that the tagger knows"""
    return lambda names, judgements: _probabilities(feature_rows(names, judgements, gazetteers))


def _probabilities(rows: Floats) -> list[float]:
    return [round(float(p), 4) for p in 1 / (1 + np.exp(-rows.astype(np.float64) @ _weights()))]


def _described(
    names: Sequence[Mention], judgements: Sequence[Judgement], gazetteers: Sequence[Gazetteer]
) -> Iterator[_Name]:
    if not names:
        return
    text, note = names[0].document.text, note_of(names[0].document)
    codes = np.array([code_of(name.text) for name in names], np.uint32)
    known = {gazetteer.name: gazetteer.has(codes) & (codes > 0) for gazetteer in gazetteers}
    for position, (mention, judgement) in enumerate(zip(names, judgements, strict=True)):
        yield _Name(
            mention.text,
            text[max(0, mention.start - _BEFORE) : mention.start],
            text[mention.end : mention.end + _AFTER],
            mention,
            judgement,
            frozenset(name for name, has in known.items() if has[position]),
            expansions(mention.text),
            note,
        )


@cache
def _weights() -> Floats:
    text = files(__package__).joinpath("name_weights.tsv").read_text(encoding="utf-8")
    rows = csv.DictReader((line for line in text.splitlines() if not line.startswith("#")), delimiter="\t")
    weights = {row["feature"]: float(row["weight"]) for row in rows}
    return np.array([weights[name] for name in FEATURES])
