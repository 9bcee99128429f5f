"""Account names in any script, normalised, without lookalikes."""

from __future__ import annotations

import unicodedata

__all__ = ["LONGEST", "account_key", "account_name"]

LONGEST = 64
_SIGNS = frozenset("._@-'’·")
# Invisible letters and marks (Unicode's Default_Ignorable_Code_Point); the other invisible characters are in category Cf.
_UNSEEN = frozenset((0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0)).union(
    range(0x180B, 0x1810), range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0)
)
# Scripts whose letters look alike; a name may use one of them.
_ALIKE = frozenset({"LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "CHEROKEE", "COPTIC"})


def account_name(text: str) -> str:
    """The name in Unicode's NFKC: full-width letters, ligatures and other variants in their plain form.

    Raises ValueError for a name that is empty or too long, begins with a sign, contains spaces, invisible or control characters or
    signs other than `. _ @ - ' ’ ·`, or mixes scripts whose letters look alike.
    """
    name = unicodedata.normalize("NFKC", text)
    if not name:
        raise ValueError("must not be empty")
    for letter in name:
        kind = unicodedata.category(letter)
        if kind.startswith("Z"):
            raise ValueError("must not contain spaces. Use a dot or a hyphen instead")
        if ord(letter) in _UNSEEN or kind[0] == "C":
            raise ValueError(
                f"must not contain the invisible character U+{ord(letter):04X}. Type the name again"
            )
        if kind[0] not in "LMN" and letter not in _SIGNS:
            raise ValueError(f"must not contain {letter!r}. Use letters, digits, and . _ @ -")
    if unicodedata.category(name[0])[0] not in "LN":
        raise ValueError(f"must begin with a letter or a digit, not with {name[0]!r}")
    scripts = {_script(letter) for letter in name if letter.isalpha()} & _ALIKE
    if len(scripts) > 1:
        listed = " and ".join(sorted(script.title() for script in scripts))
        raise ValueError(f"mixes {listed} letters, which look alike. Use letters of one script")
    if len(name) > LONGEST or len(account_key(name)) > LONGEST:
        raise ValueError(f"must not be longer than {LONGEST} characters")
    return name


def account_key(name: str) -> str:
    """Key of the account: Unicode's NFKC_Casefold, so that upper and lower case are the same."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return unicodedata.normalize("NFKC", folded).casefold()


def _script(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]
