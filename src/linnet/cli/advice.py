"""Advice in options of the running command: the first of its wordings in advice.tsv whose options the command has.

Readers still advise options in their messages, and no command has them all: an option that the command lacks is replaced by its own,
or the advice is left out.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache, partial
from pathlib import Path

from linnet.advice import Advice, Note, Step, read_wordings, worded
from linnet.errors import LinnetError

__all__ = ["TABLE", "advised", "for_command", "options_in"]

TABLE = Path(__file__).with_name("advice.tsv")

_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
_SENTENCE = re.compile(r"(?<=[.?!])\s+|\n")
# A whole command in a message, of linnet or of another program, whose options are its own.
_COMMAND = re.compile(
    r"\b(?:linnet (?:[a-z]+ )+|robot convert|ray start|pip3? install|jq )(?:(?![.?!;](?:\s|$)).)*"
)
_ALTERNATIVE = re.compile(r",? or [^,.;]*")
# What other commands call an option; the first one that the command has is used.
_SYNONYMS = {
    "--input-format": ("--input-format", "--corpus-format", "--format"),
    "--format": ("--format", "--input-format", "--corpus-format"),
    "--terminology": ("--terminology", "-t"),
}
# Advice in place of options that a command lacks.
_INSTEAD = {
    "Name it: --concept-column NAME": "Call it 'concept'.",
    "Name it: --column NAME": "Call it 'text'.",
    "Name one: --sheet NAME": "Save the sheet as CSV.",
}


def for_command(told: LinnetError | Note, options: Collection[str] | None) -> str:
    """An error or note as a command says it. options: its own; None: those of all commands."""
    wording = partial(_wording, options=options)
    text = told.worded(wording)
    return text if options is None else advised(text, options)


def _wording(advice: Advice, options: Collection[str] | None) -> str:
    fitting = (
        each for each in _wordings()[advice.step] if options is None or options_in(each) <= set(options)
    )
    return worded(next(fitting, ""), advice.facts)


@cache
def _wordings() -> dict[Step, list[str]]:
    return read_wordings(TABLE)


def advised(message: str, options: Collection[str]) -> str:
    """The message, naming no options but these, except in whole commands."""
    for option in options_in(message) - set(options):
        known = next((name for name in _SYNONYMS.get(option, ()) if name in options), None)
        if known:
            message = re.sub(rf"(?<![\w-]){option}(?![\w-])", known, message)
    if options_in(message) <= set(options):
        return message
    for advice, other in _INSTEAD.items():
        if not options_in(advice) <= set(options):
            message = message.replace(advice, other)
    sentences = _SENTENCE.split(message)
    kept = [fitting for sentence in sentences if (fitting := _fitting(sentence, options))]
    return " ".join(kept) if len(kept) < len(sentences) or " ".join(kept) != " ".join(sentences) else message


def options_in(message: str) -> set[str]:
    """The options a message names, except those of whole commands."""
    return set(_OPTION.findall(_COMMAND.sub("", message)))


def _fitting(sentence: str, options: Collection[str]) -> str:
    """The sentence without alternatives that name missing options; "" if none remains."""
    if options_in(sentence) <= set(options):
        return sentence
    shorter = _ALTERNATIVE.sub(lambda part: part[0] if options_in(part[0]) <= set(options) else "", sentence)
    return shorter if shorter != sentence and options_in(shorter) <= set(options) else ""
