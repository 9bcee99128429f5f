"""Input features of a tagger for each token: spelling, membership in known names, abbreviations.

Tokens with the same spelling form a group, over which the network averages. The last word of the long form of a defined
abbreviation also belongs to the group of the short form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from linnet.arrays import Floats, Ints
from linnet.read.abbreviations.definitions import Definition, find_definitions
from linnet.recognise.gazetteer import Gazetteer, code_of, codes_of_windows
from linnet.recognise.tokens import Tokens, tokens_of
from linnet.recognise.windows import windows_of

__all__ = ["SHAPES", "DocumentFeatures", "TokenFeatures"]

_SIGNS = ".,;:()[]-/%'\"+=<>*"
_WORDS = ("lower", "capital", "letter", "acronym", "capitals", "mixed", "number", "code", "other code")
SHAPES = (*_WORDS, *_SIGNS, "sign")
_FLAGS = ("short form", "long form")
_POSITIONS = 4  # of a token in a name: first, inside, last, only


@dataclass(frozen=True, slots=True)
class DocumentFeatures:
    """The features of a document with T tokens.

    words    the W distinct texts of tokens        word   (T,) index of each token's text
    signals  (T, F) 0 or 1, see `TokenFeatures.size`
    members  (M, 2) token and group, by rising group; every token is in the group of its word
    group    (T,) the group of each token, 0 to G − 1
    """

    tokens: Tokens
    words: tuple[str, ...]
    word: Ints
    signals: Floats
    members: Ints
    group: Ints


@dataclass(frozen=True, slots=True)
class TokenFeatures:
    """Computes the features of documents.

    gazetteers  each adds the token's position in a name, and whether the token is the short form of a name
    """

    gazetteers: tuple[Gazetteer, ...] = ()

    @property
    def size(self) -> int:
        """Number of signals of a token: its shape, two for abbreviations, five for each gazetteer."""
        return self.size_with(len(self.gazetteers))

    @staticmethod
    def size_with(gazetteers: int) -> int:
        """`size` with this number of gazetteers."""
        return len(SHAPES) + len(_FLAGS) + (_POSITIONS + 1) * gazetteers

    @staticmethod
    def of_gazetteer(number: int) -> range:
        """The signals of a gazetteer: positions in a name, and whether the token is the short form of one."""
        first = TokenFeatures.size_with(number)
        return range(first, first + _POSITIONS + 1)

    def of(self, text: str) -> DocumentFeatures:
        """The features of a document's text."""
        tokens = tokens_of(text)
        signals = np.zeros((len(tokens), self.size), np.float32)
        signals[np.arange(len(tokens)), [_shape(token) for token in tokens.texts]] = 1
        if self.gazetteers:
            self._mark_names(text, tokens, signals)
        definitions = find_definitions(text)
        self._mark_definitions(tokens, definitions, signals)
        numbers: dict[str, int] = {}
        word = np.array([numbers.setdefault(token, len(numbers)) for token in tokens.texts], np.int64)
        groups: dict[str, int] = {}
        group = np.array([groups.setdefault(_spelling(t), len(groups)) for t in tokens.texts], np.int64)
        members = [
            *zip(range(len(tokens)), group.tolist(), strict=True),
            *_heads(tokens, definitions, groups),
        ]
        members.sort(key=lambda pair: (pair[1], pair[0]))
        return DocumentFeatures(
            tokens, tuple(numbers), word, signals, np.array(members, np.int64).reshape(-1, 2), group
        )

    def _mark_names(self, text: str, tokens: Tokens, signals: Floats) -> None:
        places, windows = tokens.places, windows_of(text)
        # Windows with equal codes are looked up once.
        distinct, rows = np.unique(codes_of_windows(text, tokens.words, windows), return_inverse=True)
        for number, gazetteer in enumerate(self.gazetteers):
            column = self.of_gazetteer(number).start
            free = 0
            for window in np.flatnonzero((gazetteer.has(distinct) & (distinct > 0))[rows]).tolist():
                first, last = windows.first[window], windows.last[window]
                if first < free:
                    continue
                free = last
                begin, end = int(places[first]), int(places[last - 1])
                if begin == end:
                    signals[begin, column + 3] = 1
                else:
                    signals[begin, column] = signals[end, column + 2] = 1
                    signals[begin + 1 : end, column + 1] = 1

    def _mark_definitions(self, tokens: Tokens, definitions: Sequence[Definition], signals: Floats) -> None:
        if not definitions:
            return
        positions: dict[str, list[int]] = {}
        for position, token in enumerate(tokens.texts):
            positions.setdefault(token, []).append(position)
        for definition in definitions:
            shorts = positions.get(definition.short, [])
            signals[shorts, len(SHAPES)] = 1
            signals[slice(*tokens.within(definition.long_start, definition.long_end)), len(SHAPES) + 1] = 1
            code = code_of(definition.long)
            for number, gazetteer in enumerate(self.gazetteers):
                if code and gazetteer.has(np.array([code], np.uint32))[0]:
                    signals[shorts, self.of_gazetteer(number)[-1]] = 1


def _heads(
    tokens: Tokens, definitions: Sequence[Definition], groups: dict[str, int]
) -> list[tuple[int, int]]:
    """The last token of each long form, and the group of its short form."""
    heads: set[tuple[int, int]] = set()
    for definition in definitions:
        first, last = tokens.within(definition.long_start, definition.long_end)
        group = groups.get(_spelling(definition.short))
        if (
            group is not None
            and last > first
            and _spelling(tokens.texts[last - 1]) != _spelling(definition.short)
        ):
            heads.add((last - 1, group))
    return sorted(heads)


def _spelling(token: str) -> str:
    """The form in which tokens count as the same word: in lower case, except acronyms."""
    return token if sum(map(str.isupper, token)) > 1 else token.lower()


@lru_cache(maxsize=65536)
def _shape(token: str) -> int:
    """Index in SHAPES."""
    if not token[0].isalnum():
        return SHAPES.index(token) if token in _SIGNS else len(SHAPES) - 1
    letters = [character for character in token if character.isalpha()]
    digits = any(map(str.isdigit, token))
    upper = sum(map(str.isupper, letters))
    if digits or not letters:
        name = "number" if not letters else "code" if upper == len(letters) else "other code"
    elif len(letters) == 1:
        name = "letter"
    elif upper == 0:
        name = "lower"
    elif upper == len(letters):
        name = "acronym" if upper <= 5 else "capitals"
    else:
        name = "capital" if upper == 1 and letters[0].isupper() else "mixed"
    return SHAPES.index(name)
