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

Every message says what happened, what linnet got, what it expected, and what to type next.
The command line prints the message and exits with 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

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
    """Base of all errors raised on purpose."""


class DataError(LinnetError):
    """An input is refused. Rendered as `file:line: message` with the parts that are known."""

    def __init__(self, message: str, *, path: str | Path | None = None, line: int | None = None) -> None:
        self.message, self.path, self.line = message, path, line
        place = ":".join(str(part) for part in (path, line) if part is not None)
        super().__init__(f"{place}: {message}" if place else message)

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.message, self.path, self.line))


def _rebuild(kind: type[DataError], message: str, path: str | Path | None, line: int | None) -> DataError:
    return kind(message, path=path, line=line)


class OffsetError(DataError):
    """A span is outside its text, or the text there differs from the mention's."""


class StoreError(LinnetError):
    """A terminology, index or model directory cannot be used."""


class DamagedError(StoreError):
    """Files of a store are missing, truncated or altered."""


class MismatchError(StoreError):
    """A store was built from other content, or for another use."""


class UnknownNameError(LinnetError):
    """A registry has no entry with this name.

    got       the unknown name and the nearest choice        expected  the choices (at most the first ones)
    """

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

    __str__ = Exception.__str__  # KeyError's would quote the message


class MissingExtraError(LinnetError):
    """An optional dependency is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        self.what, self.extra = what, extra
        super().__init__(f"{what} needs the '{extra}' extra. Run: {install_command(extra)}")

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.what, self.extra))


class RequestError(LinnetError):
    """Options contradict each other, or there is nothing to do."""


class TrainingError(LinnetError):
    """A training run cannot continue; its last checkpoint is kept."""
