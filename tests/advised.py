"""What an error advises, for `pytest.raises(…, check=advises(Step.X, fact=…))`."""

from __future__ import annotations

from collections.abc import Callable

from linnet.advice import Step
from linnet.errors import LinnetError

__all__ = ["advises"]


def advises(step: Step, **facts: object) -> Callable[[LinnetError], bool]:
    """Whether an error advises this step, with at least these facts."""

    def check(error: LinnetError) -> bool:
        return any(advice.step is step and facts.items() <= advice.facts.items() for advice in error.advice)

    return check
