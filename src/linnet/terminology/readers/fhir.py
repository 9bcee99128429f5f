"""FHIR CodeSystem and ValueSet resources in JSON: one per file, one per line, or several in a Bundle.

Source: HL7 FHIR R4 and R5, "CodeSystem" (concept properties, designations, hierarchyMeaning) and "ValueSet" (expansion).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from linnet.advice import Step
from linnet.errors import DataError
from linnet.io.files import read_text
from linnet.io.json import parse_json
from linnet.terminology.readers.entry import Entries
from linnet.terminology.readers.fhir_codes import CodeCollector, Resource
from linnet.terminology.readers.fhir_systems import known_prefix, last_part
from linnet.terminology.readers.json_objects import inner, objects
from linnet.terminology.readers.options import DEFAULTS, ReadOptions, SourceFile
from linnet.types import Concept

__all__ = ["read_fhir"]

_EXPAND = "Get its expansion from a terminology server (ValueSet/$expand) and give that"


def read_fhir(path: Path, options: ReadOptions = DEFAULTS) -> Iterator[Concept]:
    """Concepts `prefix:code` in file order; the whole document is held in memory.

    The display is preferred, designations are further names; a fully specified name of SNOMED CT gives the type.
    Parents are the enclosing concept (unless the hierarchy is part-of) and the properties `parent`, `subsumedBy` and
    `child`. The prefix is that of the system's URI if linnet knows it (SNOMEDCT, LOINC, RXNORM, ICD10CM, HP, UCUM …),
    else `prefix`, else the CodeSystem's id or name, or for a ValueSet the last segment of the URI. Each system of a
    ValueSet has its own prefix. Unless `suppressed`, inactive, retired and deprecated codes become retired ids of their
    successors, or are left out and counted if they have none; abstract entries of a ValueSet are left out and counted.
    `languages` defaults to the resource's own, or English; names without a language are kept.
    Raises DataError for other resources, a ValueSet with rules only, a system without a prefix, or a repeated code.
    """
    try:
        yield from _read(SourceFile(path, options))
    except DataError as error:
        if error.path is not None:
            raise
        raise error.again(path=path) from None


def _read(file: SourceFile) -> Iterator[Concept]:
    resources, others = _resources(file)
    if not resources:
        raise file.error(
            f"holds {_listed(others) or 'no resource'}; expected a FHIR CodeSystem or ValueSet, which hold codes and names."
        )
    if others:
        file.tell(f"resources without a terminology were not read: {_listed(others)}.")
    chosen = [_checked(document, file) for document in resources]
    entries = Entries()
    collector = CodeCollector(entries, _prefixes(chosen, file), file)
    for resource in chosen:
        collector.add(resource)
    collector.finish()
    yield from entries.concepts()


def _resources(file: SourceFile) -> tuple[list[dict[str, Any]], Counter[str]]:
    """The CodeSystems and ValueSets in order, bundles unpacked; the number of other resources by kind."""
    resources: list[dict[str, Any]] = []
    others: Counter[str] = Counter()
    queue = _documents(file.path)
    while queue:
        document = queue.pop(0)
        kind = str(document.get("resourceType", "")) if isinstance(document, dict) else ""
        if kind in ("CodeSystem", "ValueSet"):
            resources.append(document)
        elif kind == "Bundle":
            if any(link.get("relation") == "next" for link in objects(document, "link")):
                file.tell(
                    "the Bundle is one page of several. Fetch the next ones too (its link 'next'), and give all files."
                )
            queue[:0] = [
                resource for entry in objects(document, "entry") if (resource := inner(entry, "resource"))
            ]
        else:
            others[kind or "JSON without a resourceType"] += 1
    return resources, others


def _documents(path: Path) -> list[Any]:
    text = read_text(path)
    try:
        document = parse_json(text, path, repeated=True)
    except DataError as error:
        if "Extra data" not in error.message:
            raise
        lines = enumerate(text.split("\n"), start=1)  # NDJSON of a bulk export
        return [parse_json(line, path, number, repeated=True) for number, line in lines if line.strip()]
    return document if isinstance(document, list) else [document]


def _checked(document: dict[str, Any], file: SourceFile) -> Resource:
    resource = Resource(document)
    name = resource.title
    if resource.kind == "CodeSystem":
        if not resource.codes:
            raise file.error(
                f"the CodeSystem '{name}' lists no concepts (content: {document.get('content', 'not stated')}). Get the "
                "complete resource, or a ValueSet of all its codes, expanded ($expand)."
            )
        content = document.get("content")
        if content in ("fragment", "example"):
            file.tell(f"the CodeSystem '{name}' is marked as {_article(content)}: some codes are missing.")
        elif content == "supplement":
            of = str(document.get("supplements") or "a CodeSystem that it does not name")
            file.tell(
                f"the CodeSystem '{name}' is a supplement: it adds names to {of}. Give that CodeSystem, too."
            )
        return resource
    expansion = inner(document, "expansion")
    if not expansion and not _enumerated(document):
        raise file.error(f"the ValueSet '{name}' has rules but no list of codes. {_EXPAND}.")
    if not resource.codes:
        raise file.error(f"the ValueSet '{name}' lists no codes. {_EXPAND}.")
    total = expansion.get("total")
    listed = resource.count()
    if isinstance(total, int) and total > listed:
        file.tell(
            f"the expansion of '{name}' holds only a page: {listed:,} of {total:,} codes. Fetch the other pages too (offset, count)."
        )
    return resource


def _article(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def _enumerated(document: dict[str, Any]) -> bool:
    """Whether the rules of a ValueSet only list codes."""
    compose = inner(document, "compose")
    include = objects(compose, "include")
    return bool(include) and not compose.get("exclude") and all(rule.get("concept") for rule in include)


def _prefixes(resources: Sequence[Resource], file: SourceFile) -> dict[str, str]:
    """System → prefix of its codes. Raises DataError for codes without a system, and if two systems share a prefix."""
    prefixes: dict[str, str] = {}
    for resource in sorted(resources, key=lambda resource: resource.kind):  # a CodeSystem knows its own name
        for system in resource.systems():
            own = resource.own_prefix() if resource.kind == "CodeSystem" else last_part(system)
            prefixes.setdefault(system, file.options.prefix or known_prefix(system) or own)
    for system, prefix in prefixes.items():
        if not prefix:
            raise file.error(
                "holds codes without a system. Give their prefix.", None, Step.READ_WITH(prefix="ACME")
            )
        same = [other for other, other_prefix in prefixes.items() if other_prefix == prefix]
        # an OID and a URI may name the same system
        if len(same) > 1 and (file.options.prefix or not all(map(known_prefix, same))):
            advice = (
                "Leave the prefix out"
                if file.options.prefix
                else "Read each in a file of its own, with a prefix"
            )
            raise file.error(
                f"the codes of several systems would begin with '{prefix}:': {', '.join(same) or system}. {advice}."
            )
    return prefixes


def _listed(kinds: Counter[str]) -> str:
    return ", ".join(f"{count:,} {kind}" for kind, count in kinds.most_common())
