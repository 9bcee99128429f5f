"""Advice in options of the running command: the first of its wordings in advice.tsv whose options the command has."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache, partial
from pathlib import Path

from linnet.advice import Advice, Note, Step, read_wordings, worded
from linnet.errors import LinnetError

__all__ = ["TABLE", "for_command", "options_in"]

TABLE = Path(__file__).with_name("advice.tsv")

_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
# A whole command, of linnet or of another program, whose options are its own.
_COMMAND = re.compile(r"\b(?:linnet (?:[a-z]+ )+|ray start)(?:(?![.?!;](?:\s|$)).)*")


def for_command(told: LinnetError | Note, options: Collection[str] | None) -> str:
    """An error or note as a command says it. options: its own; None: those of all commands."""
    return told.worded(partial(_wording, options=options))


def _wording(advice: Advice, options: Collection[str] | None) -> str:
    wordings = (worded(each, advice.facts) for each in _wordings()[advice.step])
    return next((each for each in wordings if options is None or options_in(each) <= set(options)), "")


@cache
def _wordings() -> dict[Step, list[str]]:
    return read_wordings(TABLE)


def options_in(message: str) -> set[str]:
    """The options a message names, except those of whole commands."""
    return set(_OPTION.findall(_COMMAND.sub("", message)))
