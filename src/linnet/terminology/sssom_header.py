"""The metadata lines of an SSSOM table: YAML behind `#`, with the prefixes of all ids.

Source: SSSOM 1.0, "SSSOM/TSV". `curie_map` must expand every prefix; `license` and `mapping_set_id` are required.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, TextIO
from urllib.parse import quote
from uuid import NAMESPACE_URL, uuid5

from linnet.words.curies import is_known

__all__ = ["NO_LICENCE", "content_id", "entity", "write_header"]

NO_LICENCE = "https://w3id.org/sssom/license/unspecified"
"""What SSSOM requires in place of a licence that nobody has chosen."""
_VOCABULARIES = {
    "oboInOwl": "http://www.geneontology.org/formats/oboInOwl#",
    "orcid": "https://orcid.org/",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "semapv": "https://w3id.org/semapv/vocab/",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "sssom": "https://w3id.org/sssom/",
}
# As the Python package `sssom` expands a prefix that nobody has declared.
_UNKNOWN = "http://w3id.org/sssom/unknown_prefix/"


def entity(id: str, *, prefix: str) -> str:
    """The id as SSSOM refers to it: a CURIE or URI; `prefix` is for ids without one. Other characters are escaped.

    >>> entity("D 1|2", prefix="source"), entity("HP:1", prefix="source")
    ('source:D%201%7C2', 'HP:1')
    """
    return quote(id if ":" in id else f"{prefix}:{id}", safe=":/#?&=%.,;~@+()'-_")


def content_id(rows: Iterable[Iterable[object]]) -> str:
    """A globally unique id for a mapping set, of the form that the package `sssom` gives; the same for the same rows."""
    content = repr([list(map(str, row)) for row in rows])
    return f"https://w3id.org/sssom/mappings/{uuid5(NAMESPACE_URL, content)}"


def write_header(
    stream: TextIO, metadata: Mapping[str, Any], ids: Iterable[str], *, curie_map: Mapping[str, str]
) -> None:
    """Write the metadata and the prefixes of the ids.

    curie_map  expansions that take precedence over those of Bioregistry
    """
    named = [metadata[name] for name in ("subject_source", "object_source") if name in metadata]
    known = dict(_VOCABULARIES)
    for id in (*ids, *named, *metadata.get("creator_id", ())):
        prefix, is_curie, _ = id.partition(":")
        if is_curie and "://" not in id and prefix not in known:
            known[prefix] = (
                f"https://bioregistry.io/{prefix.lower()}:"
                if is_known(id)
                else f"{_UNKNOWN}{prefix.lower()}/"
            )
    lines = [f"  {prefix}: {json.dumps(place)}" for prefix, place in sorted({**known, **curie_map}.items())]
    # A JSON string, or list of strings, is YAML.
    lines += [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in metadata.items()]
    stream.writelines(f"#{line}\n" for line in ("curie_map:", *lines))
