"""Normalisation of names at five levels, each of which ignores more differences in spelling.

    level     ignores                                        "Type-II Diabetes Mellitus, familial"
    fold      case, width, dashes, quotes, runs of spaces    "type-ii diabetes mellitus, familial"
    simplify  punctuation, British spelling, Greek, Roman    "type 2 diabetes mellitus familial"
    key       word order, plurals, little words              "2 diabet familial mellitu typ"
    sense     the choice among synonymous words              "2 diabet familial mellitu typ"
    kind      in what way something is wrong, or inherited   "2 diabet familial mellitu typ"

`simplify` is a function of the result of `fold`, the other levels of the result of `simplify`: names equal at one of the
first two levels are equal at all later ones. `fold` and `simplify` are idempotent; the others are not, as stems can be
stemmed again.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

from linnet.words.glossary import ADJECTIVES, COMPOUNDS, DROPPED, KINDS, MEANS

__all__ = [
    "GLOSSARY_LEVELS",
    "LEVELS",
    "LITTLE",
    "SAME",
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
"""Incremented when any level changes: indexes built with another version are refused."""

SAME = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–—―−﹘﹣－", "-"),
        **dict.fromkeys("‘’‚‛′`´ʹʼ", "'"),
        **dict.fromkeys("“”„‟″", '"'),
        **dict.fromkeys("​‌‍⁠﻿­", ""),
    }
)
"""Dashes and quotes of one kind, and none of the characters that are not seen."""
_ROUNDS = 8  # of rewriting until nothing changes; two suffice for real texts
_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "η": "eta", "θ": "theta",
    "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "ο": "omicron", "π": "pi", "ρ": "rho",
    "σ": "sigma", "ς": "sigma", "τ": "tau", "υ": "upsilon", "φ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega",
}  # fmt: skip
_GREEK_LETTER = re.compile("[" + "".join(_GREEK) + "]")
# Roman numerals from 2 on; "i" is 1 only after a word that is usually numbered.
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
# British → American, as (pattern, replacement) inside words; only spellings that are never American.
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
# Function words; `key` and `sense` drop them.
LITTLE = frozenset({
    "a", "an", "and", "as", "at", "by", "due", "for", "from", "in", "into", "nos", "of", "on", "or", "other", "the", "to",
    "with",
})  # fmt: skip


def fold(text: str) -> str:
    """The text in NFKC and case-folded, with one kind of dash and quote and single spaces."""
    if text.isascii():
        return " ".join(text.casefold().split())
    # A step may enable another: removing an invisible character lets an accent combine with its letter.
    for _ in range(_ROUNDS):
        before = text
        text = unicodedata.normalize("NFKC", text.translate(SAME)).casefold()
        text = " ".join(text.translate(SAME).split())
        if text == before:
            break
    return text


@lru_cache(maxsize=65536)
def simplify(text: str) -> str:
    """Only words and numbers: American spelling, Greek letters by name, Roman numerals as digits, no accents.

    A text without words and numbers is returned as `fold` leaves it.
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
    """The distinct stems of `simplify`'s words except function words, in alphabetical order."""
    return _stems(simplify(text).split())


@lru_cache(maxsize=65536)
def gloss(text: str) -> str:
    """`simplify` with one word per group of synonyms (`linnet.words.glossary`): severe nephropathy → kidney disease."""
    plain = [COMPOUNDS.get(word, word) for word in simplify(text).split()]
    words = [MEANS.get(word) or _noun(word) for phrase in plain for word in phrase.split()]
    return " ".join([word for word in words if word not in DROPPED] or words)


@lru_cache(maxsize=65536)
def _noun(word: str) -> str:
    """The noun for a learned adjective; other words are unchanged."""
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
    """As `sense`, with "disease" for words that only mean that something is wrong: "lung toxicity" is "lung disease"."""
    words = gloss(text).split()
    if len(words) > 1:
        words = [KINDS.get(word, word) for word in words]
    return _stems(words)


def tokens(text: str) -> list[str]:
    """The words of `simplify(text)`."""
    return simplify(text).split()


def _stems(words: list[str]) -> str:
    """The distinct stems of all words except function words, in alphabetical order."""
    kept = [word for word in words if word not in LITTLE] or words
    return " ".join(sorted({_stem(word) for word in kept}))


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    """One form for plural and singular of a noun: diseases, disease → diseas; metastases, metastasis → metastas."""
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
"""The levels that use `linnet.words.glossary`."""
