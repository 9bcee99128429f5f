"""Lists as people keep them in one cell: "1. HTN 2. T2DM", "asthma; eczema", "COPD w/ pneumonia", each with the kind of its joints.

Here are the joints of whole items, `shared_words` completes the items of others. Words between items are in `lexicon/joints.tsv`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice

from linnet.read.divide.kinds import Kind
from linnet.read.rules import Rules

__all__ = ["comma_items", "joined_items", "separate_items"]

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
_DASH = re.compile(r"\s+[-–—]+\s+")
# Four things or more, always joined in the same way, are no name.
_SAME = [
    re.compile(joint, re.IGNORECASE)
    for joint in (
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
_COMMA = re.compile(r",\s+(?:(?:now|then|also|and)\s+)?")
_MOST_COMMAS = 4
_JOINTS = 4  # of a text at which it is divided
_FRAMES = {
    "": r"[,\s]+(?:%s)(?:\s+|(?<=/))",
    "sign": r"\s*(?:%s)\s*(?=\S)",
    "end": r"\s*(?:%s)(?=[^)]*\)\s*$)",
}
_CAUSED = re.compile(
    r"(\S+)[-–](?:induced|related|associated|triggered|dependent)\s+(\S.*)|post[-\s]([^\s,]+)\s+([^,]+)",
    re.IGNORECASE,
)


def separate_items(text: str) -> tuple[Kind, list[str]] | None:
    """The items of a list with separators that hardly occur inside a name; None if there is no such separator, or too many.

    Separators are semicolons, lines, bullets, numbers, ends of sentences and spaced dashes; and commas, slashes, "and" … where
    they join four things or more.
    """
    parts = _separated(text)
    items = [item for part in parts for item in _same_joints(part)]
    if not 1 < len(items) <= _MOST:
        return None
    if len(parts) == 1:
        return Kind.LIST, items
    return Kind.SEPARATE if len(_separated(_DASH.sub(" ", text))) > 1 else Kind.DASHED, items


def comma_items(text: str) -> list[str]:
    """The two to four items of a text with commas between them; [] without commas, or with one in brackets."""
    items = _parts(_COMMA, text)
    in_brackets = any(item.count("(") != item.count(")") for item in items)
    return items if 1 < len(items) <= _MOST_COMMAS and not in_brackets else []


def joined_items(text: str) -> Iterator[tuple[Kind, Sequence[str]]]:
    """Each way to divide a text at one joint, and at "steroid-induced diabetes" or "post-ERCP pancreatitis": effect and cause."""
    joints = _joints()
    found = ((joint, joints.rule(joint).kind) for joint in joints.pattern(text).finditer(text))
    divided = (
        (text[: joint.start()].strip(" ,"), kind, text[joint.end() :].strip(" ,")) for joint, kind in found
    )
    named = (way for way in divided if all(sum(map(str.isalpha, part)) > 1 for part in (way[0], way[2])))
    for before, kind, after in islice(named, _JOINTS):
        if kind in (Kind.ASIDE, Kind.ON):
            yield Kind.ASIDE, [before]
        if kind == "absent":
            yield Kind.JOINED, [before, f"no {after}"]
        elif kind != Kind.ASIDE:
            yield Kind(kind), [before, after]
    if caused := _CAUSED.fullmatch(text.strip()):
        cause, effect = filter(None, caused.groups())
        yield Kind.CAUSED, [effect, cause]


@cache
def _joints() -> Rules:
    return Rules("joints", _FRAMES)


def _separated(text: str) -> list[str]:
    return [part for part in _parts(_HARD, text) if any(map(str.isalnum, part))]


def _same_joints(text: str) -> list[str]:
    for joint in _SAME:
        items = _parts(joint, text)
        if len(items) >= _FEWEST and all(sum(map(str.isalpha, item)) > 1 for item in items):
            return items
    return [text]


def _parts(separator: re.Pattern[str], text: str) -> list[str]:
    return [item for part in separator.split(text) if (item := part.strip(" ,;").lstrip("-*– "))]
