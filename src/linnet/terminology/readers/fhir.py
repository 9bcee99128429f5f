"""FHIR CodeSystem and ValueSet resources in JSON, one a file, one a line, or several in a Bundle.

Source: HL7 FHIR R4 and R5, "CodeSystem" (concept properties, designations, hierarchyMeaning) and "ValueSet" (expansion).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from linnet.errors import DataError
from linnet.files import read_text
from linnet.terminology.readers.entry import Entries
from linnet.terminology.readers.fhir_codes import Gathering, Resource
from linnet.terminology.readers.fhir_systems import known_prefix, last_part
from linnet.terminology.readers.json_objects import inner, objects
from linnet.terminology.readers.options import DEFAULTS, ReadOptions
from linnet.types import Concept

__all__ = ["read_fhir"]

_EXPAND = "Ask a terminology server for its expansion (ValueSet/$expand) and give that"


def read_fhir(path: Path, options: ReadOptions = DEFAULTS) -> Iterator[Concept]:
    """Concepts `prefix:code` in the order of the file; the document is held in memory while read.

    The display is preferred, designations are further names; a fully specified name of SNOMED CT gives the type.
    Parents are the enclosing concept (unless the hierarchy means parts) and the properties `parent`, `subsumedBy` and
    `child`. The prefix is that of the system's URI where linnet knows it (SNOMEDCT, LOINC, RXNORM, ICD10CM, HP, UCUM …),
    else `prefix`, else the CodeSystem's id or name, for a ValueSet the last part of the URI. In a ValueSet of several
    systems each has its own. Codes that are inactive, retired or deprecated become retired ids of what replaced them, or
    are left out and counted, unless `suppressed`; so are the abstract entries of a ValueSet, which it does not contain.
    `languages` defaults to the resource's own, or English; names without a language are kept.
    Raises DataError for other resources, a ValueSet that only states rules, a system without prefix, or a repeated code.
    """
    try:
        yield from _read(path, options)
    except DataError as error:
        if error.path is not None:
            raise
        raise DataError(error.message, path=path) from None  # of a resource that knows no file


def _read(path: Path, options: ReadOptions) -> Iterator[Concept]:
    resources, others = _resources(path)
    if not resources:
        raise DataError(
            f"holds {_listed(others) or 'no resource'}; expected a FHIR CodeSystem or ValueSet, which hold codes and names.",
            path=path,
        )
    if others:
        options.tell(f"resources that hold no terminology were not read: {_listed(others)}.", path=path)
    chosen = [_checked(document, path, options) for document in resources]
    entries = Entries()
    gathering = Gathering(entries, _prefixes(chosen, path, options), options, path)
    for resource in chosen:
        gathering.add(resource)
    gathering.tell()
    yield from entries.concepts()


def _resources(path: Path) -> tuple[list[dict[str, Any]], Counter[str]]:
    """The CodeSystems and ValueSets in order, bundles unpacked; how many resources of other kinds there are."""
    found: list[dict[str, Any]] = []
    others: Counter[str] = Counter()
    waiting = _documents(path)
    while waiting:
        document = waiting.pop(0)
        kind = str(document.get("resourceType", "")) if isinstance(document, dict) else ""
        if kind in ("CodeSystem", "ValueSet"):
            found.append(document)
        elif kind == "Bundle":
            waiting[:0] = [
                resource for entry in objects(document, "entry") if (resource := inner(entry, "resource"))
            ]
        else:
            others[kind or "JSON without a resourceType"] += 1
    return found, others


def _documents(path: Path) -> list[Any]:
    text = read_text(path)
    try:
        try:
            document = json.loads(text)
        except json.JSONDecodeError as error:
            if not error.msg.startswith("Extra data"):
                raise
            return [json.loads(line) for line in text.split("\n") if line.strip()]  # NDJSON of a bulk export
    except json.JSONDecodeError as error:
        message = f"not JSON, or cut off ({error.msg}). Fetch the file again."
        raise DataError(message, path=path, line=error.lineno) from None
    except (ValueError, RecursionError) as error:
        raise DataError(f"JSON that cannot be read ({error}).", path=path) from None
    return document if isinstance(document, list) else [document]


def _checked(document: dict[str, Any], path: Path, options: ReadOptions) -> Resource:
    resource = Resource(document)
    name = resource.title
    if resource.kind == "CodeSystem":
        if not resource.codes:
            raise DataError(
                f"the CodeSystem '{name}' lists no concepts (content: {document.get('content', 'not said')}). Get the "
                "complete resource, or a ValueSet of all its codes, expanded ($expand).",
                path=path,
            )
        if document.get("content") in ("fragment", "example"):
            options.tell(
                f"the CodeSystem '{name}' says that it is a {document['content']}: not all its codes are in it.",
                path=path,
            )
        return resource
    expansion = inner(document, "expansion")
    if not expansion and not _enumerated(document):
        raise DataError(
            f"the ValueSet '{name}' states rules and does not list its codes. {_EXPAND}.", path=path
        )
    if not resource.codes:
        raise DataError(f"the ValueSet '{name}' lists no codes. {_EXPAND}.", path=path)
    total = expansion.get("total")
    listed = resource.count()
    if isinstance(total, int) and total > listed:
        options.tell(
            f"the expansion of '{name}' holds {listed:,} of {total:,} codes: a page of it. Fetch the others (offset, count), too.",
            path=path,
        )
    return resource


def _enumerated(document: dict[str, Any]) -> bool:
    """Whether the rules of a ValueSet do nothing but list codes."""
    compose = inner(document, "compose")
    include = objects(compose, "include")
    return bool(include) and not compose.get("exclude") and all(rule.get("concept") for rule in include)


def _prefixes(resources: Sequence[Resource], path: Path, options: ReadOptions) -> dict[str, str]:
    """System → prefix of its codes. Raises DataError for codes without a system, and where two systems would share one."""
    prefixes: dict[str, str] = {}
    for resource in sorted(resources, key=lambda resource: resource.kind):  # a CodeSystem knows its own name
        for system in resource.systems():
            own = resource.own_prefix() if resource.kind == "CodeSystem" else last_part(system)
            prefixes.setdefault(system, options.prefix or known_prefix(system) or own)
    for system, prefix in prefixes.items():
        if not prefix:
            raise DataError(
                "holds codes without a system, which would say whose they are. Name it, e.g. --prefix ACME",
                path=path,
            )
        same = [other for other, its in prefixes.items() if its == prefix]
        # an OID and a URI may name one system
        if len(same) > 1 and (options.prefix or not all(map(known_prefix, same))):
            advice = (
                "Leave out --prefix" if options.prefix else "Read each in a file of its own, with --prefix"
            )
            raise DataError(
                f"the codes of several systems would begin with '{prefix}:': {', '.join(same) or system}. {advice}.",
                path=path,
            )
    return prefixes


def _listed(kinds: Counter[str]) -> str:
    return ", ".join(f"{count:,} {kind}" for kind, count in kinds.most_common())
