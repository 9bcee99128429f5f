"""Options that take several values in a row, as the command line's contract writes them: `--types Disease Chemical`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

__all__ = ["spread_values"]


def spread_values(args: Sequence[str], *, repeatable: set[str], valued: set[str], required: int) -> list[str]:
    """`--types A B` written as `--types A --types B`, for a parser that knows only the second form.

    repeatable  options that may be repeated           valued    all other options that take a value
    required    positional arguments that must be there

    Words after a repeatable option are its values, unless too few positional arguments are left: then the
    last such word that exists as a file (or is `-`), else the last one, is taken for the argument.

    >>> spread_values(["in.txt", "-t", "a", "b"], repeatable={"-t"}, valued=set(), required=1)
    ['in.txt', '-t', 'a', '-t', 'b']
    >>> spread_values(["-t", "a", "in.txt"], repeatable={"-t"}, valued=set(), required=1)
    ['-t', 'a', 'in.txt']
    """
    parts: list[tuple[str, ...]] = []  # (option, value), (option,) or (word,)
    extras: list[int] = []  # positions in parts of further values, which might be arguments
    option = ""
    words = iter(args)
    for word in words:
        if word == "--":
            parts.extend([(word,), *((rest,) for rest in words)])
            break
        if word.startswith("-") and word != "-":
            option = word if word in repeatable else ""
            takes = word in repeatable or word in valued
            value = next(words, None) if takes else None
            parts.append((word,) if value is None else (word, value))
        elif option:
            extras.append(len(parts))
            parts.append((option, word))
        else:
            parts.append((word,))
    missing = required - sum(len(part) == 1 and not _is_option(part[0]) for part in parts)
    for _ in range(min(missing, len(extras))):
        place = next((p for p in reversed(extras) if _is_input(parts[p][1])), extras[-1])
        extras.remove(place)
        parts[place] = parts[place][1:]
    return [word for part in parts for word in part]


def _is_option(word: str) -> bool:
    return word.startswith("-") and word != "-"


def _is_input(word: str) -> bool:
    return word == "-" or Path(word).exists()
