"""Short forms and symbols, whose letter case means something: "ROS" is not a rose, "AIDS" no aid, "CO" not cobalt.

`linnet.text` ignores case, and takes endings off words. Both are right for words and wrong for symbols, so exact look-up
compares the symbols of a text with the names it has found, as they are written.
"""

from __future__ import annotations

import re

__all__ = ["agree", "has_symbols", "may_be_mistaken"]

_LETTERS = 5  # of the longest symbol; a longer word in capitals may as well be a word
_ELEMENT = 2  # letters up to which one capital makes a symbol: "Co", "He"
_WORD = re.compile(r"[^\W\d_]+")
_PLURAL = re.compile(r"(?<=[A-Z])'?s$")
_ENDINGS = ("s", "e")  # that `linnet.text.key` takes off


def has_symbols(text: str) -> bool:
    """Whether case means something in the text.

    >>> has_symbols("NSAIDs"), has_symbols("HIV infection"), has_symbols("Cold"), has_symbols("ACUTE PAIN")
    (True, True, False, False)
    """
    return not text.islower() and bool(_symbols(text))


def may_be_mistaken(text: str) -> bool:
    """Whether the text has symbols, or is a short word of which a symbol may be left without its ending: "hives", "aids"."""
    if text.islower():
        return len(text) <= _LETTERS + 2 and text.endswith(_ENDINGS) and text.isalpha()
    return bool(_symbols(text)) or (len(text) <= _LETTERS + 2 and text.endswith(_ENDINGS) and text.isalpha())


def agree(text: str, name: str, *, stems: bool) -> bool:
    """Whether a text and a name that differ at most in case, or in endings and order, can mean the same symbols.

    stems  they agree only in the stems of their words: each symbol of either must be a word of the other. Otherwise,
           they agree but for case: only two symbols of one or two letters with other capitals differ

    >>> agree("ROS", "Roses", stems=True), agree("hives", "HIV", stems=True), agree("NSAIDs", "NSAID", stems=True)
    (False, False, True)
    >>> agree("CO", "Co", stems=False), agree("co", "CO", stems=False), agree("COLD", "Cold", stems=False)
    (False, True, True)
    """
    if stems:
        return _holds(name, _symbols(text)) and _holds(text, _symbols(name))
    return text == name or not (
        _is_element(text) and _is_element(name) and text.casefold() == name.casefold()
    )


def _symbols(text: str) -> set[str]:
    """The symbols of a text in lower case, without the s of a plural. None if all of several words are in capitals."""
    if len(text) > _LETTERS and text.isupper() and " " in text:
        return set()
    return {
        word.casefold()
        for match in _WORD.findall(text)
        if sum(map(str.isupper, match)) > 1 and len(word := _PLURAL.sub("", match)) <= _LETTERS
    }


def _holds(text: str, symbols: set[str]) -> bool:
    """Whether all symbols are words of the text. A text without capitals is in lower case throughout: the s of a plural, too."""
    if not symbols:
        return True
    words = {_PLURAL.sub("", word).casefold() for word in _WORD.findall(text)}
    if text.islower():
        words |= {word[:-1] for word in words if word.endswith("s")}
    return symbols <= words


def _is_element(text: str) -> bool:
    letters = [c for c in text if c.isalpha()]
    return len(letters) <= _ELEMENT and any(map(str.isupper, letters))
