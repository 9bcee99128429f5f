"""Recognition of mentions in text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

from linnet.encode.model import MANIFEST
from linnet.encode.named_models import absent_model, model_class, model_place
from linnet.errors import RequestError, UnknownNameError
from linnet.recognise.terminology_names import NameLookup, TerminologyNames
from linnet.registry import imported
from linnet.types import Document
from linnet.words.semantic_groups import group_of_type, mentions_kind

__all__ = [
    "COMBINED",
    "DICTIONARY",
    "NameLookup",
    "Recogniser",
    "TerminologyNames",
    "check_types",
    "open_recogniser",
    "recogniser_model",
    "recognisers",
    "shared_kinds",
    "shared_types",
    "trained",
]


class Recogniser(Protocol):
    """Finds mentions in text."""

    @property
    def types(self) -> frozenset[str]:
        """The types its mentions may have; empty if mentions have no types."""

    def recognise(self, documents: Sequence[Document]) -> list[Document]:
        """Copies of the documents, in order, with the recognised mentions in place of their own."""


COMBINED, DICTIONARY = "combined", "dictionary"

# What mentions are called of a terminology of phenotypes whose concepts have no types.
_PHENOTYPE = "Phenotype"

# Name → module and what makes it from names, and kind in model.toml → module and class. Imported when first used.
recognisers: dict[str, str] = {
    COMBINED: "linnet.recognise.default_recogniser:combined",
    DICTIONARY: "linnet.recognise.dictionary:DictionaryRecogniser",
}
trained: dict[str, str] = {"tagger": "linnet.recognise.tagger:Tagger"}


def open_recogniser(name_or_path: str | Path, names: Sequence[TerminologyNames]) -> Recogniser:
    """A recogniser that looks up the names of these terminologies, a trained one, or both together.

    name_or_path  a name in `recognisers`, a shipped model, or a model directory
    names         of the terminologies. If all of them have types, and the trained recogniser knows any of these, it
                  recognises only these; of "disorders", or of "drugs", it recognises diseases, or chemicals

    Raises UnknownNameError for an unknown name; StoreError, DamagedError or MismatchError if the directory cannot be used.
    """
    name, path = str(name_or_path), model_place(name_or_path)
    if name in recognisers:
        lookup: Recogniser = imported(recognisers[name])(names)
        return lookup
    if not path.is_dir():
        raise absent_model(name_or_path, "recogniser", trained, [*recognisers, "DIRECTORY"])
    opened: Recogniser = model_class(path, "a recogniser", trained).open(
        path, types=shared_types(names) | set(shared_kinds(names).values())
    )
    return opened


def recogniser_model(name_or_path: str | Path, names: Sequence[TerminologyNames]) -> Path | None:
    """The folder of the trained model that `open_recogniser` would open, None if it would open none."""
    if str(name_or_path) == COMBINED:
        from linnet.recognise.default_recogniser import fitting_model

        return fitting_model(names)
    path = model_place(name_or_path)
    return path if (path / MANIFEST).is_file() else None


def shared_types(names: Sequence[TerminologyNames]) -> frozenset[str]:
    """Types common in any of the terminologies; empty if one has neither types nor phenotypes."""
    if not all(terminology.types or terminology.phenotypes for terminology in names):
        return frozenset()
    types = (terminology.types - terminology.rare or {_PHENOTYPE} for terminology in names)
    return frozenset[str]().union(*types)


def shared_kinds(names: Sequence[TerminologyNames]) -> dict[str, str]:
    """Type → what its mentions are commonly called, for those of `shared_types` that mean diseases or chemicals.

    "Disease" for "disorder", and for "Condition", which may be a finding; "Chemical" for "drug".
    """
    kinds = {name: mentions_kind(group_of_type([name])) for name in sorted(shared_types(names))}
    return {name: kind for name, kind in kinds.items() if kind}


def check_types(types: Iterable[str], recogniser: Recogniser) -> None:
    """Refuse types, in any letter case, that the recogniser never finds.

    Raises UnknownNameError with the types that it finds; RequestError if its mentions have no types.
    """
    known = {name.casefold() for name in recogniser.types}
    for name in types:
        if not known:
            raise RequestError(
                f"No mention has the type '{name}': the concepts of this terminology have no types. Leave the types out."
            )
        if name.casefold() not in known:
            raise UnknownNameError("type of mentions", name, recogniser.types)
