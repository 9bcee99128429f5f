"""What an error or a note advises: `pytest.raises(…, check=advises(Step.X, fact=…))`, or in the words of the command line."""

from __future__ import annotations

import re
from collections.abc import Callable

from linnet.advice import Note, Step
from linnet.cli.advice import for_command
from linnet.errors import LinnetError

__all__ = ["advises", "in_options", "reads"]


def in_options(told: LinnetError | Note) -> str:
    """The text on the command line."""
    return for_command(told, None)


def reads(pattern: str) -> Callable[[LinnetError], bool]:
    """Whether the pattern is in the text of an error on the command line."""
    return lambda error: re.search(pattern, in_options(error)) is not None


def advises(step: Step, **facts: object) -> Callable[[LinnetError], bool]:
    """Whether an error advises this step, with at least these facts."""

    def check(error: LinnetError) -> bool:
        return any(advice.step is step and facts.items() <= advice.facts.items() for advice in error.advice)

    return check
