"""Names brought to a common form, at five levels that forget more and more of how a name was written.

    level     forgets                                        "Type-II Diabetes Mellitus, familial"
    fold      case, width, dashes, quotes, runs of spaces    "type-ii diabetes mellitus, familial"
    simplify  punctuation, British spelling, Greek, Roman    "type 2 diabetes mellitus familial"
    key       word order, plurals, little words              "2 diabet familial mellitu typ"
    sense     which of several words for a thing was used    "2 diabet familial mellitu typ"
    kind      in what way something is wrong, or inherited   "2 diabet familial mellitu typ"

Two names equal at a level are taken for the same name at that level. `simplify` is a function of what `fold` leaves,
the others of what `simplify` leaves: names equal at one of the first two are equal at all later levels. `fold`
and `simplify` map their own output to itself; the others do not, since a stem can be stemmed again.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

from linnet.glossary import ADJECTIVES, COMPOUNDS, DROPPED, KINDS, MEANS

__all__ = [
    "GLOSSARY_LEVELS",
    "LEVELS",
    "LITTLE",
    "VERSION",
    "fold",
    "gloss",
    "key",
    "kind",
    "sense",
    "simplify",
    "tokens",
]

VERSION = 1
"""Raised when any form below changes: indexes built with another are refused."""

_SAME = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–—―−﹘﹣－", "-"),
        **dict.fromkeys("‘’‚‛′`´ʹʼ", "'"),
        **dict.fromkeys("“”„‟″", '"'),
        **dict.fromkeys("​‌‍⁠﻿­", ""),
    }
)
_ROUNDS = 8  # of rewriting, until nothing changes; two do for all but contrived texts
_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "η": "eta", "θ": "theta",
    "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "ο": "omicron", "π": "pi", "ρ": "rho",
    "σ": "sigma", "ς": "sigma", "τ": "tau", "υ": "upsilon", "φ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega",
}  # fmt: skip
_GREEK_LETTER = re.compile("[" + "".join(_GREEK) + "]")
# Roman numerals from 2 on; a lone "i" is 1 only after a word that is usually numbered.
_ROMAN = {
    "ii": "2", "iii": "3", "iv": "4", "v": "5", "vi": "6", "vii": "7", "viii": "8", "ix": "9", "xi": "11", "xii": "12", "xiii": "13",
}  # fmt: skip
_ONE = {"i": "1", "v": "5", "x": "10"}
_NUMBERED = {
    "type",
    "types",
    "class",
    "stage",
    "grade",
    "group",
    "factor",
    "phase",
    "form",
    "complex",
    "variant",
}
# British → American, as (pattern, replacement) inside words; only spellings with no American reading.
_BRITISH = [
    (re.compile(pattern), replacement)
    for pattern, replacement in [
        (r"aemi(?=a|c)", "emi"),
        (r"haem", "hem"),
        (r"oedem", "edem"),
        (r"oesoph", "esoph"),
        (r"oestr", "estr"),
        (r"rrhoe", "rrhe"),
        (r"\bpaed", "ped"),
        (r"opaed", "oped"),
        (r"anaesth", "anesth"),
        (r"\bfoet", "fet"),
        (r"\bcoeliac", "celiac"),
        (r"\bcaec", "cec"),
        (r"\bfaec", "fec"),
        (r"gynaec", "gynec"),
        (r"ischaem", "ischem"),
        (r"\baetiol", "etiol"),
        (r"tumour", "tumor"),
        (r"colour", "color"),
        (r"behaviour", "behavior"),
        (r"(?<=[a-z]{3})isation", "ization"),
        (r"sulph", "sulf"),
        (r"fibre", "fiber"),
        (r"\bleuc(?=o|aem|em)", "leuk"),
        (r"centre\b", "center"),
        (r"litre\b", "liter"),
        (r"dyspnoe", "dyspne"),
        (r"apnoe", "apne"),
    ]
]
_BRITISH_HINT = re.compile(r"ae|oe|our|isation|ulph|bre|leuc|tre")
_NOT_WORD = re.compile(r"[^\w+%]+|_")
_POSSESSIVE = re.compile(r"'s\b|s'(?=\s|$)")
_APOSTROPHE = re.compile(r"(?<=\w)'(?=\w)")
_PLUS_INSIDE = re.compile(r"(?<=[a-z])\+(?=[a-z])")
# Words that carry no meaning of their own; `key` and `sense` drop them.
LITTLE = frozenset({
    "a", "an", "and", "as", "at", "by", "due", "for", "from", "in", "into", "nos", "of", "on", "or", "other", "the", "to",
    "with",
})  # fmt: skip


def fold(text: str) -> str:
    """Compatibility-normalised, case-folded, with one kind of dash and quote and single spaces."""
    if text.isascii():
        return " ".join(text.casefold().split())
    # Each step can undo another's work: removing an invisible character lets an accent join its letter.
    for _ in range(_ROUNDS):
        before = text
        text = unicodedata.normalize("NFKC", text.translate(_SAME)).casefold()
        text = " ".join(text.translate(_SAME).split())
        if text == before:
            break
    return text


@lru_cache(maxsize=65536)
def simplify(text: str) -> str:
    """Words and numbers only: American spelling, Greek letters by name, Roman numerals as digits, no accents.

    What has neither words nor numbers stays as `fold` leaves it.
    """
    text = folded = fold(text)
    if not text.isascii():
        text = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
        text = _GREEK_LETTER.sub(lambda match: _GREEK[match.group()], text)
    if "'" in text:
        text = _APOSTROPHE.sub("", _POSSESSIVE.sub("", text))
    text = " ".join(_NOT_WORD.sub(" ", _PLUS_INSIDE.sub(" ", text)).split())
    if _BRITISH_HINT.search(text):
        for _ in range(_ROUNDS):
            before = text
            for pattern, replacement in _BRITISH:
                text = pattern.sub(replacement, text)
            if text == before:
                break
    words = text.split()
    for i, word in enumerate(words):
        if word in _ROMAN and word != "v":
            words[i] = _ROMAN[word]
        elif word in _ONE and i and words[i - 1] in _NUMBERED:
            words[i] = _ONE[word]
    return " ".join(words) or folded


@lru_cache(maxsize=65536)
def key(text: str) -> str:
    """The stems of `simplify`'s words, little words dropped, in alphabetical order, each once."""
    return _stems(simplify(text).split())


@lru_cache(maxsize=65536)
def gloss(text: str) -> str:
    """`simplify` with words of one meaning taken for one (`linnet.glossary`): severe nephropathy → kidney disease."""
    plain = [COMPOUNDS.get(word, word) for word in simplify(text).split()]
    words = [MEANS.get(word) or _noun(word) for phrase in plain for word in phrase.split()]
    return " ".join([word for word in words if word not in DROPPED] or words)


@lru_cache(maxsize=65536)
def _noun(word: str) -> str:
    """The noun of a learned adjective, other words as they are."""
    for length in range(4, min(len(word) - 3, 10)):
        noun = ADJECTIVES.get(word[-length:])
        if noun is not None:
            return word[:-length] + noun
    return word


@lru_cache(maxsize=65536)
def sense(text: str) -> str:
    """As `key`, but of the words of `gloss`: "nephropathies" and "diseases of the kidney" are both `diseas kidney`."""
    return _stems(gloss(text).split())


@lru_cache(maxsize=65536)
def kind(text: str) -> str:
    """As `sense`, with "disease" for words that only say that something is wrong: "lung toxicity" is "lung disease"."""
    words = gloss(text).split()
    if len(words) > 1:
        words = [KINDS.get(word, word) for word in words]
    return _stems(words)


def tokens(text: str) -> list[str]:
    """The words of `simplify(text)`."""
    return simplify(text).split()


def _stems(words: list[str]) -> str:
    """The stems of all but little words, each once, in alphabetical order."""
    kept = [word for word in words if word not in LITTLE] or words
    return " ".join(sorted({_stem(word) for word in kept}))


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    """Plural and singular of a noun to one form: diseases, disease → diseas; metastases, metastasis → metastas."""
    if len(word) < 4 or not word.isalpha():
        return word
    if word.endswith("omata"):
        return word[:-2]
    if word.endswith("ies"):
        return word[:-3] + "y"
    for ending in ("es", "is", "s", "e"):
        if word.endswith(ending) and not word.endswith("ss"):
            return word[: -len(ending)]
    return word


LEVELS: dict[str, Callable[[str], str]] = {
    "fold": fold,
    "simplify": simplify,
    "key": key,
    "sense": sense,
    "kind": kind,
}
GLOSSARY_LEVELS = ("sense", "kind")
"""The levels that read `linnet.glossary`."""
