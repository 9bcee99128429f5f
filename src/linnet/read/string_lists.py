"""Lists as people keep them in one cell: "1. HTN 2. T2DM", "asthma; eczema", "COPD w/ pneumonia", each with the kind of its joints.

`composites.possible_splits` completes coordinations ("breast and ovarian cancer"); here are the joints of whole items, whose
words are in `lexicon/joints.tsv`. Both use neither a terminology nor gold annotations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from linnet.read.rules import compiled

__all__ = ["caused_items", "comma_items", "is_dashed", "is_separated", "joined_items", "separate_items"]

_MOST = 20  # items of a list; a longer one is left whole
_HARD = re.compile(
    r"""\s*[;|\n\r•·▪●✓]+\s*
      | (?:(?<=^)|(?<=[\s,.;]))\(?(?:[1-9]|1\d)[.):](?!\d)\s*(?=\D)            # 1. first 2. second
      | (?:(?<=^)|(?<=[\s,;]))\#\s?(?:[1-9]|1\d)[.):\s]\s*(?=\D)
      | (?<=[\w)])\.\s+(?=[A-Z(?])(?<!\bvs\.\s)(?<!\bDr\.\s)(?<!\bSt\.\s) | (?<=[a-z]{4})\.\s+    # a new sentence
      | \s+(?:-|–|—|->|→|=>|//)+\s+ | \s+(?://|\\)\s*
    """,
    re.VERBOSE,
)
# Four things or more, always joined in the same way, are no name.
_SAME = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r",\s*(?:(?:and|or)\s+)?",
        r"\s+and\s+",
        r"\s+or\s+",
        r"\s*/\s*",
        r"\s*\+\s*",
        r"\s*&\s*",
        r"\s+plus\s+",
    )
]
_FEWEST = 4
_JOINT = r"[,\s]+{joints:joint}(?:\s+|(?<=/))|\s*\+\s*(?=\S)|\s*\((?=[^)]*\)\s*$)"
_DASH = re.compile(r"\s+[-–—]+\s+")
_COMMA = re.compile(r",\s+(?:(?:now|then|also|and)\s+)?")
_MOST_COMMAS = 4
_CAUSED = re.compile(
    r"^(?P<cause>\S+)[-–](?:induced|related|associated|triggered|dependent)\s+(?P<effect>\S.*)$",
    re.IGNORECASE,
)
_POST = re.compile(r"^post[-\s](?P<cause>[^\s,]+)\s+(?P<effect>[^,]+)$", re.IGNORECASE)


def separate_items(text: str) -> list[str]:
    """The items of a list with separators that hardly occur inside a name; [text] if there is no such separator, or too
    many.

    Separators are semicolons, lines, bullets, numbers, ends of sentences and spaced dashes; and commas, slashes, "and" … where
    they join four things or more.
    """
    items = [item for part in _HARD.split(text) if (item := _trimmed(part)) and any(map(str.isalnum, item))]
    split = [item for group in map(_same_joints, items) for item in group]
    return split if 1 < len(split) <= _MOST else [text]


def is_separated(text: str) -> bool:
    """Whether a text has separators that hardly occur inside a name."""
    return sum(any(map(str.isalnum, part)) for part in _HARD.split(text) if part) > 1


def is_dashed(text: str) -> bool:
    """Whether the separators of a text are all spaced dashes."""
    return bool(_DASH.search(text)) and not is_separated(_DASH.sub(" ", text))


def comma_items(text: str) -> list[str]:
    """The two to four items of a text with commas between them; [] without commas, or with one in brackets."""
    items = [item for part in _COMMA.split(text) if (item := _trimmed(part))]
    in_brackets = any(item.count("(") != item.count(")") for item in items)
    return items if 1 < len(items) <= _MOST_COMMAS and not in_brackets else []


def caused_items(text: str) -> tuple[str, str] | None:
    """Effect and cause of "steroid-induced diabetes" and "post-ERCP pancreatitis"; None for other texts."""
    found = _CAUSED.match(text.strip()) or _POST.match(text.strip())
    return (found["effect"], found["cause"]) if found else None


def _same_joints(text: str) -> list[str]:
    for joint in _SAME:
        items = [item for part in joint.split(text) if (item := _trimmed(part))]
        if len(items) >= _FEWEST and all(sum(map(str.isalpha, item)) > 1 for item in items):
            return items
    return [text]


def _trimmed(item: str) -> str:
    return item.strip(" ,;").lstrip("-*– ")


def joined_items(text: str) -> Iterator[tuple[str, str, str]]:
    """Each way to divide a text at one joint: the text before, the joint in small letters, the text after."""
    for joint in compiled(_JOINT).finditer(text):
        before, after = text[: joint.start()].strip(" ,"), text[joint.end() :].strip(" ,")
        if joint.group().strip() == "(":
            after = after.rstrip(")")
        if sum(map(str.isalpha, before)) > 1 and sum(map(str.isalpha, after)) > 1:
            yield before, " ".join(joint.group().casefold().strip(" ,").split()), after
