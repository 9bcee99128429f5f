"""SNOMED CT releases: RF2 snapshot files below a directory, international, national, or both.

Source: SNOMED CT Release File Specification, chapters 4 and 5; the ids are those of its metadata concepts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from linnet.advice import Step
from linnet.io.archive import is_archive, only_member
from linnet.listing import tally
from linnet.plural import counted
from linnet.terminology.readers.clean import clean
from linnet.terminology.readers.entry import Entry
from linnet.terminology.readers.folder import SourceFolder, is_folder
from linnet.terminology.readers.options import DEFAULTS, ReadOptions, SourceFile
from linnet.terminology.readers.rf2_files import Release, current_rows
from linnet.terminology.readers.rf2_single import check_single
from linnet.terminology.readers.semantic_tag import FULLY_SPECIFIED_NAME, untagged
from linnet.types import Concept

__all__ = ["read_rf2"]

_IS_A = "116680003"
_DEFINITION = "900000000000550004"
_PREFERRED = "900000000000548007"
_US_ENGLISH = "900000000000509007"
# Historical associations, surest first: REPLACED BY, SAME AS; then POSSIBLY EQUIVALENT TO, ALTERNATIVE.
_SUCCESSORS = (
    {"900000000000526001", "900000000000527005"},
    {"900000000000523009", "900000000000530003"},
)
_DESCRIPTION = ("active", "conceptId", "languageCode", "typeId", "term")
_BOTH = "Give a folder that holds both releases"


@dataclass(slots=True)
class _Names:
    """Names of concepts with their sort keys, semantic tags, definitions, and counts of active names in other languages."""

    names: dict[str, list[tuple[int, int, str]]] = field(default_factory=dict)
    types: dict[str, list[str]] = field(default_factory=dict)
    definitions: dict[str, str] = field(default_factory=dict)
    others: Counter[str] = field(default_factory=Counter)
    inactive: int = 0

    def add(self, rank: int, serial: int, row: list[str], options: ReadOptions) -> None:
        flag, concept, language, type, term = row
        if flag != "1" and not options.suppressed:
            self.inactive += language in _languages(options)
            return
        if language not in _languages(options):
            self.others[language] += flag == "1"
            return
        text = clean(term)
        if type == _DEFINITION:
            self.definitions.setdefault(concept, text)
            return
        if type == FULLY_SPECIFIED_NAME:
            rank = 3
            text, tag = untagged(text)
            if tag:
                self.types.setdefault(concept, []).append(tag)
        self.names.setdefault(concept, []).append((rank, serial, text))

    def entry(self, concept: str, parents: list[str]) -> Entry:
        return Entry(
            f"SNOMEDCT:{concept}",
            names=[name for _, _, name in sorted(self.names.get(concept, ()))],
            types=self.types.get(concept, []),
            definition=self.definitions.get(concept, ""),
            parents=parents,
        )


def read_rf2(path: Path, options: ReadOptions = DEFAULTS) -> Iterator[Concept]:
    """Active concepts `SNOMEDCT:…` in file order, then inactive ones as retired ids of their successors.

    The preferred name is the synonym preferred by the US English language refset, else by any refset, else the fully
    specified name. The latter's semantic tag is the type ("disorder"). `languages` defaults to {"en"}. Parents are the
    inferred is-a relationships. An inactive concept without successor is left out, unless `suppressed`.
    Several editions below one folder are read together; the latest state of a row counts. Names and parents of absent
    concepts (in an extension without the release it extends) are left out and counted.
    A single file of descriptions gives their concepts, active or not.
    Raises DataError if the snapshot lacks concepts or descriptions, for two releases of one edition, if no name is in the
    languages, for a row of the wrong width, and for any other single file.
    """
    if is_archive(path) and len(SourceFolder.of(path).files) == 1:
        path = only_member(path)
    if not is_folder(path):
        yield from _single(SourceFile(path, options))
        return
    source, release = SourceFile(path, options), Release(path)
    active: dict[str, bool] = {}
    for file, number, (id, flag) in release.rows("concepts", ("id", "active"), options):
        if not id.isdigit() or flag not in ("0", "1"):
            SourceFile(file, options).malformed(f"id '{id}', active '{flag}': expected numbers.", number)
            continue
        active[id] = flag == "1"
    names = _names(release, options)
    _check_languages(names, active, source)
    parents = _parents(release, options)
    _tell_absent(names, parents, active, source)
    for id, live in active.items():
        if live or options.suppressed:
            yield names.entry(id, parents.get(id, [])).concept()
    if not options.suppressed:
        successors = _successors(release, options)
        lost = sum(not live and id not in successors for id, live in active.items())
        parts = [
            counted(count, what)
            for count, what in (
                (lost, "inactive concepts without a successor"),
                (names.inactive, "inactive descriptions"),
            )
            if count
        ]
        if parts:
            source.tell(f"left out: {' and '.join(parts)}.", Step.READ_THEM(suppressed=True))
        for id, targets in successors.items():
            if not active.get(id, True):
                yield Entry(
                    f"SNOMEDCT:{id}", replaced_by=[f"SNOMEDCT:{target}" for target in targets]
                ).concept()


def _single(file: SourceFile) -> Iterator[Concept]:
    """The concepts of one file of descriptions, in order of first appearance."""
    check_single(file)
    names = _Names()
    for serial, (_, _, row) in enumerate(current_rows([file.path], _DESCRIPTION, file.options, several=True)):
        names.add(2, serial, row, file.options)
    _check_languages(names, None, file)
    file.tell(
        "a single file of descriptions does not say which concepts are retired, which names are preferred, or what the "
        "parents are; retired concepts are read like active ones. Give the release folder for that."
    )
    for id in names.names:
        yield names.entry(id, []).concept()


def _languages(options: ReadOptions) -> frozenset[str]:
    return frozenset(options.languages or {"en"})


def _preferences(release: Release, options: ReadOptions) -> dict[str, int]:
    """Description → 0 if US English prefers it, 1 if another refset does."""
    rank: dict[str, int] = {}
    columns = ("active", "refsetId", "referencedComponentId", "acceptabilityId")
    for _, _, (flag, refset, description, acceptability) in release.rows("languages", columns, options):
        if flag == "1" and acceptability == _PREFERRED:
            rank[description] = min(rank.get(description, 1), int(refset != _US_ENGLISH))
    return rank


def _names(release: Release, options: ReadOptions) -> _Names:
    rank = _preferences(release, options)
    names = _Names()
    rows = release.rows("descriptions", ("id", *_DESCRIPTION), options)
    for serial, (_, _, (id, *row)) in enumerate(rows):
        names.add(rank.get(id, 2), serial, row, options)
    for _, _, row in release.rows("definitions", _DESCRIPTION, options):
        names.add(2, 0, [*row[:3], _DEFINITION, row[4]], options)
    return names


def _parents(release: Release, options: ReadOptions) -> dict[str, list[str]]:
    parents: dict[str, list[str]] = {}
    columns = ("active", "sourceId", "destinationId", "typeId")
    for _, _, (flag, child, parent, type) in release.rows("relationships", columns, options):
        if flag == "1" and type == _IS_A:
            parents.setdefault(child, []).append(f"SNOMEDCT:{parent}")
    return parents


def _check_languages(names: _Names, active: dict[str, bool] | None, file: SourceFile) -> None:
    """Raise DataError if no name is in the languages; report the number of names in others."""
    others = tally(names.others)
    wanted = ", ".join(sorted(_languages(file.options)))
    if not names.names and others:
        choice = names.others.most_common(1)[0][0]
        raise file.error(
            f"no description in {wanted}. Languages: {others}.", None, Step.READ_WITH(languages=[choice])
        )
    if others:
        nameless = sum(live and id not in names.names for id, live in (active or {}).items())
        rest = f"; {nameless:,} active concepts have names only in these" if nameless else ""
        choices = sorted({*_languages(file.options), *names.others})
        file.tell(
            f"descriptions in other languages were left out: {others}{rest}.",
            Step.READ_THEM(languages=choices),
        )


def _tell_absent(
    names: _Names, parents: dict[str, list[str]], active: dict[str, bool], file: SourceFile
) -> None:
    """Report names and parents of concepts that are not below the folder. Raises DataError if all names are of such."""
    count = sum(len(rows) for id, rows in names.names.items() if id not in active)
    concepts = sum(id not in active for id in names.names)
    children = sum(id not in active for id in parents)
    if concepts:
        message = (
            f"{counted(count, 'names')} of {counted(concepts, 'concepts that are not below it')} (an extension without the "
            f"release it extends?) {'was' if count == 1 else 'were'} left out. {_BOTH}."
        )
        if concepts == len(names.names):
            verb = "was" if count == 1 else "were"
            raise file.error(message.replace(f"{verb} left out", "and no others"))
        file.tell(message)
    if children:
        file.tell(f"parents of {counted(children, 'concepts that are not below it')} were left out. {_BOTH}.")


def _successors(release: Release, options: ReadOptions) -> dict[str, list[str]]:
    """Concept → its surest successors."""
    successors: tuple[dict[str, list[str]], ...] = ({}, {})
    columns = ("active", "refsetId", "referencedComponentId", "targetComponentId")
    for _, _, (flag, refset, old, new) in release.rows("associations", columns, options):
        for associations, kinds in zip(successors, _SUCCESSORS, strict=True):
            if flag == "1" and refset in kinds:
                associations.setdefault(old, []).append(new)
    return {**successors[1], **successors[0]}
