"""OMOP standardised vocabularies as Athena delivers them: CONCEPT.csv and related tables in a directory or zip archive.

Athena separates columns with tabs; exports from databases use commas.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from linnet.advice import Step
from linnet.plural import counted
from linnet.terminology.readers.clean import clean
from linnet.terminology.readers.entry import Entry
from linnet.terminology.readers.folder import SourceFolder
from linnet.terminology.readers.options import DEFAULTS, ReadOptions, SourceFile
from linnet.terminology.readers.rows import named_rows
from linnet.types import Concept
from linnet.words.curies import curie

__all__ = ["read_omop"]

_ENGLISH = {"4180186", "4093769"}  # concepts of the language: the current one and the one of older files
_COLUMNS = (
    "concept_id", "concept_name", "domain_id", "vocabulary_id", "concept_class_id", "standard_concept",
    "concept_code", "invalid_reason",
)  # fmt: skip
_PREFIXES = {"SNOMED": "SNOMEDCT", "MeSH": "MESH", "RxNorm": "RXNORM", "MedDRA": "MEDDRA"}
_TABLES = ("CONCEPT.csv", "CONCEPT_SYNONYM.csv", "CONCEPT_ANCESTOR.csv", "CONCEPT_RELATIONSHIP.csv")
# CONCEPT_CPT4.csv has no names; the program that comes with it adds them to CONCEPT.csv.
_FAMILY = re.compile(r"concept(?!_class\.csv$)")
_SUCCESSION = ("Maps to", "Concept replaced by")


def read_omop(path: Path, options: ReadOptions = DEFAULTS) -> Iterator[Concept]:
    """Concepts `OMOP:…` in the order of CONCEPT.csv; the vocabulary's own code is an xref ("SNOMEDCT:44054006").

    Types are domain and concept class. Parents are ancestors one level up. An invalid concept (with `standard`, also a
    non-standard one) becomes a retired id of what it maps to; a valid non-standard one has it as an xref.
    `languages` are concept ids of languages, by default English. Synonyms, ancestors and relationships are optional.
    Raises DataError if CONCEPT.csv is missing, lacks a column, or has a repeated id.
    """
    folder = SourceFolder.of(path).at("CONCEPT.csv")
    folder.name_unread([folder.file(name) for name in _TABLES], _FAMILY, options)
    maps = _maps(folder, options)
    synonyms = _synonyms(folder, options)
    parents = _parents(folder, options)
    file = folder.file("CONCEPT.csv")
    assert file is not None
    seen: set[str] = set()
    invalid_count = other_count = 0
    for number, row in named_rows(file, _COLUMNS, options):
        id, name, domain, vocabulary, kind, standard, code, invalid = row
        if options.vocabularies and vocabulary not in options.vocabularies:
            continue
        if not id.isdigit() or id in seen:
            problem = "occurs twice" if id in seen else "is not a number"
            SourceFile(file, options).malformed(f"concept_id '{id}' {problem}.", number)
            continue
        seen.add(id)
        targets = [f"OMOP:{target}" for target in maps.get(id, ()) if target != id]
        if (invalid and not options.suppressed) or (options.standard and standard != "S"):
            if targets:
                yield Entry(f"OMOP:{id}", replaced_by=targets).concept()
            elif invalid and not options.suppressed:
                invalid_count += 1
            else:
                other_count += 1
            continue
        yield Entry(
            f"OMOP:{id}",
            names=[clean(name), *map(clean, synonyms.get(id, ()))],
            types=[domain, kind],
            parents=[f"OMOP:{parent}" for parent in parents.get(id, ())],
            xrefs=[curie(code, prefix=_PREFIXES.get(vocabulary, vocabulary)), *targets],
            sources=[vocabulary],
        ).concept()
    source = SourceFile(file, options)
    if invalid_count:
        source.tell(
            f"left out: {counted(invalid_count, 'invalid concepts without a successor')}.",
            Step.READ_THEM(suppressed=True),
        )
    if other_count:
        without = (
            "" if folder.file("CONCEPT_RELATIONSHIP.csv") else ", as CONCEPT_RELATIONSHIP.csv is missing"
        )
        source.tell(
            f"left out: {counted(other_count, 'non-standard concepts without a mapping')}{without}. To read them, leave standard out."
        )
    unknown = (
        sum(len(names) for id, names in synonyms.items() if id not in seen) if not options.vocabularies else 0
    )
    if unknown:
        source.tell(f"left out: {counted(unknown, 'synonyms')} of other concepts than these.")


def _maps(folder: SourceFolder, options: ReadOptions) -> dict[str, list[str]]:
    """Concept → the concepts it maps to, else those that replaced it."""
    maps: dict[str, dict[str, list[str]]] = {kind: {} for kind in _SUCCESSION}
    file = folder.file("CONCEPT_RELATIONSHIP.csv")
    if file is not None:
        columns = ("concept_id_1", "concept_id_2", "relationship_id", "invalid_reason")
        for _, (first, second, kind, invalid) in named_rows(file, columns, options):
            if kind in maps and not invalid:
                maps[kind].setdefault(first, []).append(second)
    return {**maps["Concept replaced by"], **maps["Maps to"]}


def _synonyms(folder: SourceFolder, options: ReadOptions) -> dict[str, list[str]]:
    synonyms: dict[str, list[str]] = {}
    file = folder.file("CONCEPT_SYNONYM.csv")
    if file is not None:
        languages = options.languages or _ENGLISH
        others: Counter[str] = Counter()
        columns = ("concept_id", "concept_synonym_name", "language_concept_id")
        for _, (id, synonym, language) in named_rows(file, columns, options):
            if language in languages:
                synonyms.setdefault(id, []).append(synonym)
            else:
                others[language] += 1
        SourceFile(file, options).tell_languages("synonyms", others, languages)
    return synonyms


def _parents(folder: SourceFolder, options: ReadOptions) -> dict[str, list[str]]:
    parents: dict[str, list[str]] = {}
    file = folder.file("CONCEPT_ANCESTOR.csv")
    if file is not None:
        columns = ("descendant_concept_id", "ancestor_concept_id", "min_levels_of_separation")
        for _, (id, ancestor, levels) in named_rows(file, columns, options):
            if levels == "1":
                parents.setdefault(id, []).append(ancestor)
    return parents
