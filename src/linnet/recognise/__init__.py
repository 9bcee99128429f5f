"""From text to mentions: recognisers, abbreviations, composite mentions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

from linnet.encode.named_models import absent_model, model_class, model_place
from linnet.errors import RequestError, UnknownNameError
from linnet.recognise.names import NameLookup, Names
from linnet.registry import imported
from linnet.types import Document

__all__ = ["NameLookup", "Names", "Recogniser", "check_types", "open_recogniser", "recognisers", "trained"]


class Recogniser(Protocol):
    """Finds mentions in text."""

    @property
    def types(self) -> frozenset[str]:
        """The types that its mentions may have; none where none has a type."""

    def recognise(self, documents: Sequence[Document]) -> list[Document]:
        """Each document with the mentions found in it instead of its own; order kept, documents not mutated."""


# Name → module and class, and kind in model.toml → module and class. Imported when first used.
recognisers: dict[str, str] = {"dictionary": "linnet.recognise.dictionary:DictionaryRecogniser"}
trained: dict[str, str] = {"tagger": "linnet.recognise.tagger:Tagger"}


def open_recogniser(name_or_path: str | Path, names: Sequence[Names]) -> Recogniser:
    """A recogniser: one that looks up the names of these terminologies, or a trained one, which brings what it knows.

    name_or_path  of `recognisers`, of a shipped model, or a model directory
    names         a trained one finds mentions of their types only, if it knows any of these and all of them have types

    Raises UnknownNameError for a name that is none of these, StoreError, DamagedError or MismatchError where the
    directory cannot be used.
    """
    name, path = str(name_or_path), model_place(name_or_path)
    if name in recognisers:
        looked_up: Recogniser = imported(recognisers[name])(names)
        return looked_up
    if not path.is_dir():
        raise absent_model(name_or_path, "recogniser", trained, [*recognisers, "DIRECTORY"])
    types = frozenset[str]().union(*(one.types for one in names)) if all(one.types for one in names) else ()
    opened: Recogniser = model_class(path, "a recogniser", trained).open(path, types=types)
    return opened


def check_types(types: Iterable[str], recogniser: Recogniser) -> None:
    """Refuse to look for mentions of types, in any case of letters, that the recogniser never finds.

    Raises UnknownNameError, which lists those it does find; RequestError where its mentions have no types at all.
    """
    known = {name.casefold() for name in recogniser.types}
    for name in types:
        if not known:
            raise RequestError(
                f"No mention is of type '{name}': the concepts of this terminology have no types. Ask for no types."
            )
        if name.casefold() not in known:
            raise UnknownNameError("type of mentions", name, recogniser.types)
