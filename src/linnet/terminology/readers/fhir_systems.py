"""CURIE prefixes of code systems, which FHIR names by URI.

>>> known_prefix("http://snomed.info/sct")
'SNOMEDCT'
>>> known_prefix("http://snomed.info/sct/731000124108/version/20240301")
'SNOMEDCT'
>>> known_prefix("https://hospital.example/fhir/CodeSystem/wards")
''
>>> last_part("https://hospital.example/fhir/CodeSystem/wards|2.1")
'wards'
"""

from __future__ import annotations

import re
from pathlib import Path

from linnet.formats.delimited import data_rows

__all__ = ["known_prefix", "last_part", "system_of"]

_ROWS = data_rows(Path(__file__).with_name("fhir_systems.tsv"))
_SYSTEMS = {uri: prefix for uri, prefix, *_ in _ROWS}
_NAMED = {prefix: named for _, prefix, *names in _ROWS for named in names}  # where a map is written
_SCHEME = re.compile(r"^https?://(?:www\.)?")


def known_prefix(system: str) -> str:
    """The prefix of a system's URI, with or without a version; "" for an unknown system."""
    plain = _SCHEME.sub("", system.partition("|")[0].strip().rstrip("/").lower())
    # SNOMED CT appends the edition to its URI, ICD-11 the release.
    if plain.startswith("snomed.info/sct/"):
        return "SNOMEDCT"
    if re.fullmatch(r"id\.who\.int/icd/release/11/[\w-]+/mms", plain):
        return "ICD11"
    return _SYSTEMS.get(plain, "")


def last_part(system: str) -> str:
    """The last part of a URI, without the version and characters that a CURIE prefix cannot have."""
    return re.sub(r"[^\w.-]", "", re.split(r"[/:#]", system.partition("|")[0].rstrip("/#"))[-1])


def system_of(prefix: str) -> str:
    """The URI by which FHIR names the system of a CURIE prefix; "" for an unknown one.

    >>> system_of("SNOMEDCT"), known_prefix(system_of("MESH"))
    ('http://snomed.info/sct', 'MESH')
    """
    return _NAMED.get(prefix, "")
