"""Everything linnet raises on purpose.

    LinnetError
    ├── DataError            an input file or value is refused; names file and line
    │   └── OffsetError      a span does not lie in its text, or the text there differs
    ├── StoreError           a terminology, index or model directory cannot be used
    │   ├── DamagedError     files missing, truncated or altered
    │   └── MismatchError    built from, or for, something else
    ├── UnknownNameError     a registry has no such entry; lists the choices
    ├── UnknownIdError       a terminology has no such concept; a KeyError too
    ├── MissingExtraError    an optional dependency is not installed; names the extra
    ├── RequestError         the options cannot be honoured together
    └── TrainingError        a run cannot continue: its loss is not a number, or memory is short

Every error says what happened, what linnet got and what it expected, and advises what to do next (`linnet.advice`): its text is
worded for Python; the command line and the services word the advice for theirs. The command line exits with 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Self

from linnet.advice import Advice, with_advice
from linnet.extras import install_command
from linnet.listing import first_few

__all__ = [
    "DamagedError",
    "DataError",
    "LinnetError",
    "MismatchError",
    "MissingExtraError",
    "OffsetError",
    "RequestError",
    "StoreError",
    "TrainingError",
    "UnknownIdError",
    "UnknownNameError",
]

_SHOWN = 50  # choices that a message lists; UMLS has 127 semantic types


class LinnetError(Exception):
    """Base of all errors raised on purpose.

    code     what kind of error it is, for programs: that of its class, unless one class has several
    message  what happened, what linnet got and what it expected
    advice   what to do next; the first is the likeliest
    """

    code: str = "refused"

    def __init__(self, message: str = "", *advice: Advice, code: str = "") -> None:
        super().__init__(message, *advice)
        self.message, self.advice = message, advice
        if code:
            self.code = code

    def worded(self, wording: Callable[[Advice], str]) -> str:
        """The message, and the advice in these words; "" for advice that does not apply."""
        return with_advice(self.message, self.advice, wording)

    @property
    def happened(self) -> str:
        """The text without advice."""
        return self.worded(lambda advice: "")

    def __str__(self) -> str:
        return self.worded(str)


class DataError(LinnetError):
    """An input is refused. Its text begins with `file:line: `, the parts that are known."""

    code = "data"

    def __init__(
        self,
        message: str,
        *advice: Advice,
        path: str | Path | None = None,
        line: int | None = None,
        code: str = "",
    ) -> None:
        super().__init__(message, *advice, code=code)
        self.path, self.line = path, line

    def again(
        self,
        *advice: Advice,
        words: str = "",
        but: Advice | None = None,
        path: str | Path | None = None,
        line: int | None = None,
    ) -> Self:
        """The same error with words before it, with further advice or without a piece of it, or at another place."""
        advice = (*(each for each in self.advice if each != but), *advice)
        path, line = path or self.path, line or self.line
        return type(self)(f"{words}{self.message}", *advice, path=path, line=line, code=self.code)

    def worded(self, wording: Callable[[Advice], str]) -> str:
        place = ":".join(str(part) for part in (self.path, self.line) if part is not None)
        return f"{place}: {super().worded(wording)}" if place else super().worded(wording)


class OffsetError(DataError):
    """A span is outside its text, or the text there differs from the mention's."""

    code = "offset"


class StoreError(LinnetError):
    """A terminology, index or model directory cannot be used."""

    code = "store"


class DamagedError(StoreError):
    """Files of a store are missing, truncated or altered."""

    code = "damaged"


class MismatchError(StoreError):
    """A store was built from other content, or for another use."""

    code = "mismatch"


class UnknownNameError(LinnetError):
    """A registry has no entry with this name.

    got       the unknown name and the nearest choice        expected  the choices (at most the first ones)
    """

    code = "unknown_name"

    def __init__(self, kind: str, name: str, choices: Iterable[str]) -> None:
        self.kind, self.name, self.choices = kind, name, sorted(choices)
        folded = {choice.casefold(): choice for choice in self.choices}
        near = get_close_matches(name.casefold(), folded, n=1)
        hint = f" Did you mean '{folded[near[0]]}'?" if near else ""
        self.got = f"Unknown {kind} '{name}'.{hint}"
        self.expected = f"Choose from: {first_few(self.choices, _SHOWN)}."
        super().__init__(f"{self.got} {self.expected}")

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.kind, self.name, self.choices))


class UnknownIdError(LinnetError, KeyError):
    """A terminology has no concept with this id."""

    code = "unknown_id"


class MissingExtraError(LinnetError):
    """An optional dependency is not installed."""

    code = "missing_extra"

    def __init__(self, what: str, extra: str) -> None:
        self.what, self.extra = what, extra
        super().__init__(f"{what} needs the '{extra}' extra. Run: {install_command(extra)}")

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.what, self.extra))


class RequestError(LinnetError):
    """Options contradict each other, or there is nothing to do."""

    code = "request"


class TrainingError(LinnetError):
    """A training run cannot continue; its last checkpoint is kept."""

    code = "training"
