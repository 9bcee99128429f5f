"""Short forms and symbols, whose letter case means something: "ROS" is not a rose, "AIDS" no aid, "CO" not cobalt.

`linnet.words.text` ignores case, and takes endings off words. Both are right for words and wrong for symbols, so exact look-up
compares the symbols of a text with the names it has found, as they are written.
"""

from __future__ import annotations

import re

__all__ = ["agree", "may_be_mistaken", "symbols"]

_LETTERS = 5  # of the longest symbol; a longer word in capitals may as well be a word
_ELEMENT = 2  # letters up to which one capital makes a symbol: "Co", "He"
_WORD = re.compile(r"[^\W\d_]+")
_PLURAL = re.compile(r"(?<=[A-Z])s$")
_ENDING = 2  # letters that `linnet.words.text.key` takes off at most


def symbols(text: str) -> set[str]:
    """The words of up to five letters with two or more capitals, in lower case, without the s of a plural.

    Several words that are all in capitals have none: their case says nothing.

    >>> symbols("NSAIDs"), symbols("HIV infection"), symbols("Cold"), symbols("ACUTE PAIN")
    ({'nsaid'}, {'hiv'}, set(), set())
    """
    if text.islower() or (" " in text and text.isupper()):
        return set()
    return {
        word.casefold()
        for match in _WORD.findall(text)
        if sum(map(str.isupper, match)) > 1 and len(word := _PLURAL.sub("", match)) <= _LETTERS
    }


def may_be_mistaken(text: str, *, stems: bool) -> bool:
    """Whether `agree` can be false for the text and some name."""
    if stems:
        short_word = len(text) <= _LETTERS + _ENDING and text.isalpha()
        return short_word or _is_element(text) or bool(symbols(text))
    return _is_element(text)


def agree(text: str, name: str, *, stems: bool) -> bool:
    """Whether a text and a name that differ at most in case, or in endings and order, can mean the same symbols.

    Two symbols of one or two letters differ if their capitals do.

    stems  they agree only in the stems of their words: each symbol of either must be a word of the other

    >>> agree("ROS", "Roses", stems=True), agree("hives", "HIV", stems=True), agree("NSAIDs", "NSAID", stems=True)
    (False, False, True)
    >>> agree("CO", "Co", stems=False), agree("co", "CO", stems=False), agree("COLD", "Cold", stems=False)
    (False, True, True)
    """
    if text != name and _is_element(text) and _is_element(name) and text.casefold() == name.casefold():
        return False
    return not stems or (_has(name, symbols(text)) and _has(text, symbols(name)))


def _has(text: str, words: set[str]) -> bool:
    """Whether all are words of the text. In a text without capitals any s may be that of a symbol's plural."""
    if not words:
        return True
    own = {_PLURAL.sub("", word).casefold() for word in _WORD.findall(text)}
    if text.islower():
        own |= {word[:-1] for word in own if word.endswith("s")}
    return words <= own


def _is_element(text: str) -> bool:
    return (
        len(text) <= 2 * _ELEMENT and sum(map(str.isalpha, text)) <= _ELEMENT and any(map(str.isupper, text))
    )
