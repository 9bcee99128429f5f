"""Advice in words for those who use a service, and for those who run it and read its log: `advice.tsv`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from linnet.advice import Advice, Step, read_wordings, worded
from linnet.errors import LinnetError

__all__ = ["TABLE", "in_service", "next_step"]

TABLE = Path(__file__).with_name("advice.tsv")


def in_service(error: LinnetError) -> str:
    """The text of an error, with its advice in the words of a service."""
    return error.worded(_wording)


def next_step(error: LinnetError) -> str:
    """Its advice alone; "" without."""
    return " ".join(words for words in map(_wording, error.advice) if words)


def _wording(advice: Advice) -> str:
    return worded("".join(_wordings().get(advice.step, ())), advice.facts)


@cache
def _wordings() -> dict[Step, list[str]]:
    return read_wordings(TABLE)
