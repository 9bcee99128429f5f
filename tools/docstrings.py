"""For the API reference: linnet's docstrings list arguments and fields as aligned columns; here they become tables.

name, other   what they are, and
              what follows on the next line
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import griffe

__all__ = ["AlignedColumns", "as_markdown"]

_PAIR = re.compile(r"^(\S(?:[^.:;|]{0,58}\S)??) {2,}(\S.*)$")


class AlignedColumns(griffe.Extension):
    """Rewrites docstrings before they are rendered."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Called for each module, class, function and attribute."""
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)


def as_markdown(docstring: str) -> str:
    """The docstring, every block of aligned columns a table of two.

    >>> print(as_markdown("Search.\\n\\nk, n   how many\\n       of them\\ntexts  (N,)"))
    Search.
    <BLANKLINE>
    | | |
    |---|---|
    | `k`, `n` | how many of them |
    | `texts` | (N,) |
    """
    return "\n".join(_lines(docstring.split("\n")))


def _lines(lines: list[str]) -> Iterator[str]:
    place, free = 0, True
    while place < len(lines):
        pairs, after = _pairs(lines, place) if free else ([], place)
        if not pairs:
            yield lines[place]
            free = not lines[place].strip()
            place += 1
            continue
        yield from ("| | |", "|---|---|")
        for name, text in pairs:
            names = ", ".join(f"`{one}`" for one in name.split(", "))
            yield f"| {names} | {text.replace('|', chr(92) + '|')} |"
        if after < len(lines) and lines[after].strip():
            yield ""
        place, free = after, True


def _pairs(lines: list[str], start: int) -> tuple[list[tuple[str, str]], int]:
    """The names and texts of a block that begins at a line, and where it ends."""
    pairs: list[tuple[str, str]] = []
    place = start
    while place < len(lines):
        line = lines[place]
        if match := _PAIR.match(line):
            pairs.append((match[1], match[2]))
        elif pairs and line.startswith("    "):
            name, text = pairs[-1]
            pairs[-1] = (name, f"{text} {line.strip()}")
        else:
            break
        place += 1
    return pairs, place
