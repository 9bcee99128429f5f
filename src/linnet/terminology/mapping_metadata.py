"""What the user says of a set of mappings: licence, ids, sources, people. SSSOM and OMOP's SOURCE_TO_CONCEPT_MAP hold it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from linnet.errors import RequestError, UnknownNameError
from linnet.io.settings_files import read_table

__all__ = ["OF_MAPPINGS", "OF_SETS", "read_metadata"]

_ADDRESS, _DATE, _TEXT = r"[A-Za-z][\w+.-]*:\S+", r"\d{4}-\d\d-\d\d", r".+"
OF_SETS = {
    "mapping_set_id": _ADDRESS, "mapping_set_version": _TEXT, "mapping_set_title": _TEXT, "mapping_set_description": _TEXT,
    "license": _ADDRESS, "creator_id": _ADDRESS, "creator_label": _TEXT, "subject_source": _ADDRESS,
    "subject_source_version": _TEXT, "object_source": _ADDRESS, "object_source_version": _TEXT, "mapping_provider": _ADDRESS,
    "mapping_date": _DATE, "publication_date": _DATE, "comment": _TEXT,
}  # fmt: skip
"""Slots of SSSOM's mapping sets → the pattern of their values."""
OF_MAPPINGS = {"author_id": _ADDRESS, "author_label": _TEXT}
"""Slots of SSSOM's mappings, with the same value for all."""
_LISTS = ("creator_id", "creator_label", *OF_MAPPINGS)
_PREFIX, _SHORT = r"[\w.-]+", r".{1,20}"
_KEYS = (
    OF_SETS | OF_MAPPINGS | {"curie_map": _ADDRESS, "subject_prefix": _PREFIX, "source_vocabulary_id": _SHORT}
)
_EXPECTED = {
    _ADDRESS: "an address, e.g. https://creativecommons.org/licenses/by/4.0/ or orcid:0000-0002-1825-0097",
    _DATE: "YYYY-MM-DD", _TEXT: "a text", _PREFIX: "letters and digits", _SHORT: "1 to 20 characters",
}  # fmt: skip


def read_metadata(given: Iterable[str]) -> Mapping[str, Any]:
    """Metadata from TOML files and from assignments such as `license=https://…` or `curie_map.ACME=https://…`; later ones win.

    subject_prefix        of the ids in the id column; without it, known CURIEs are kept and others get "source"
    source_vocabulary_id  in SOURCE_TO_CONCEPT_MAP

    A list in an assignment is separated by `|`. Raises RequestError for a value that SSSOM or OMOP would not take,
    UnknownNameError for an unknown key, DataError for a file that is not TOML.
    """
    table: dict[str, Any] = {}
    for item in given:
        name, assigned, value = item.partition("=")
        if not assigned:
            table |= read_table(item)
        elif name.startswith("curie_map."):
            table["curie_map"] = {**table.get("curie_map", {}), name.removeprefix("curie_map."): value}
        else:
            table[name] = value
    return {name: _checked(name, value) for name, value in table.items()}


def _checked(name: str, value: Any) -> Any:
    if name not in _KEYS:
        raise UnknownNameError("key of metadata", name, _KEYS)
    if isinstance(value, date):
        value = value.isoformat()
    if name in _LISTS and isinstance(value, str):
        value = value.split("|")
    kind = dict if name == "curie_map" else list if name in _LISTS else str
    texts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else [value]
    if not isinstance(value, kind) or not all(
        re.fullmatch(_KEYS[name], str(text), re.DOTALL) for text in texts
    ):
        raise RequestError(f"'{name}' of the mappings is {value!r}; expected {_EXPECTED[_KEYS[name]]}.")
    return value
