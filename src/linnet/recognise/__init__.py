"""From text to mentions: recognisers, abbreviations, composite mentions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from linnet.errors import UnknownNameError
from linnet.recognise.dictionary import DictionaryRecogniser
from linnet.recognise.names import NameLookup, Names
from linnet.types import Document

__all__ = ["NameLookup", "Names", "Recogniser", "open_recogniser", "recognisers"]


class Recogniser(Protocol):
    """Finds mentions in text."""

    def recognise(self, documents: Sequence[Document]) -> list[Document]:
        """Each document with the mentions found in it instead of its own; order kept, documents not mutated."""


recognisers: dict[str, Callable[[Sequence[Names]], Recogniser]] = {"dictionary": DictionaryRecogniser}


def open_recogniser(name: str, names: Sequence[Names]) -> Recogniser:
    """The recogniser of that name, for the names of these terminologies. Raises UnknownNameError."""
    if name not in recognisers:
        raise UnknownNameError("recogniser", name, recognisers)
    return recognisers[name](names)
