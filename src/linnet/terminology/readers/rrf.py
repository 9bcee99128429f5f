"""The rich release format that UMLS and RxNorm share: names, types, definitions, relations and retired ids.

Source: UMLS Reference Manual, chapter 3 (columns of each file); RxNorm Technical Documentation, section 12.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path

from linnet.archive import is_archive, only_member
from linnet.curies import curie
from linnet.errors import DataError
from linnet.terminology.readers.clean import clean
from linnet.terminology.readers.entry import Entry, names_of
from linnet.terminology.readers.folder import SourceFolder, is_folder, plain_name
from linnet.terminology.readers.options import ReadOptions
from linnet.terminology.readers.rows import plain_rows
from linnet.types import Concept

__all__ = ["Atom", "Layout", "read_rrf"]

# Vocabularies whose codes are kept as xrefs, and the prefix each gets.
_CODES = {
    "MSH": "MESH",
    "SNOMEDCT_US": "SNOMEDCT",
    "OMIM": "OMIM",
    "HPO": "HP",
    "NCI": "NCIT",
    "ICD10CM": "ICD10CM",
    "RXNORM": "RXNORM",
    "MDR": "MEDDRA",
    "MTHSPL": "UNII",
    "DRUGBANK": "DRUGBANK",
    "ATC": "ATC",
    "GO": "GO",
    "HGNC": "HGNC",
    "MONDO": "MONDO",
    "ORPHANET": "ORPHA",
}
# Whose definition is shown when several give one; the rest in order of the file. Chosen for the length and plainness.
_DEFINITIONS = ("MSH", "NCI", "HPO", "MONDO", "SNOMEDCT_US")

_TABLES = ("CONSO", "STY", "DEF", "REL", "CUI")


@dataclass(frozen=True, slots=True)
class Atom:
    """What tells which of a concept's names is best."""

    status: str
    string: str
    preferred: str
    vocabulary: str
    kind: str


@dataclass(frozen=True, slots=True)
class Layout:
    """Where UMLS and RxNorm differ.

    files    prefix of the file names ("MR")
    prefix   prefix of the ids ("UMLS")
    rank     which name is best, lowest first, below 1000
    retired  in the file of retired ids: number of columns, place of the old id, place of the new one
    """

    files: str
    prefix: str
    rank: Callable[[Atom], int]
    retired: tuple[int, int, int]


@dataclass(slots=True)
class _Gathered:
    """Names with their ranks, in the order of the file. Millions of these are held at once: tuples where most are alike."""

    ranks: list[int]
    names: list[str]
    vocabularies: tuple[str, ...] = ()
    xrefs: tuple[str, ...] = ()


def read_rrf(path: Path, layout: Layout, options: ReadOptions) -> Iterator[Concept]:
    """Concepts by first appearance in the names file, then retired ids.

    Names are ordered by language (English first), then rank. Parents come from PAR/CHD, then RB/RN; a row says what
    the second concept is to the first ("CUI1 PAR CUI2": CUI2 is the parent of CUI1). The names of a trade name are
    added to its generic, unless it is the trade name of several (a combination). Relations among concepts that were
    filtered out, and suppressed rows unless `suppressed`, do not count.

    A file of any other name is taken for the names file (a filtered one, or a renamed one); what lies beside it under
    the official names is read with it, and told.
    Raises DataError where no row is in the languages asked for, naming those there are.
    """
    folder, names_file = _located(path, layout, options)
    wanted = {type.casefold() for type in options.types or ()}
    types = _types(folder, layout, options)
    keep = (
        {cui for cui, found in types.items() if any(t.casefold() in wanted for t in found)}
        if wanted
        else None
    )
    gathered, spoken = _names(names_file, layout, options, keep)
    definitions = _definitions(folder, layout, options, gathered, spoken)
    parents, trade = _relations(folder, layout, options, gathered)
    retired = _retired(folder, layout, options, gathered)
    brands = {brand: _ordered(gathered[brand]) for brands in trade.values() for brand in brands}
    for cui in list(gathered):
        found = gathered.pop(cui)
        names = _ordered(found)
        for brand in trade.get(cui, ()):
            names.extend(brands[brand])
        yield Entry(
            f"{layout.prefix}:{cui}",
            names=names,
            types=list(types.pop(cui, ())),
            definition=definitions.pop(cui, ""),
            parents=[f"{layout.prefix}:{id}" for id in parents.pop(cui, ())],
            xrefs=list(found.xrefs),
            sources=list(found.vocabularies),
        ).concept()
    for old, new in retired.items():
        yield Entry(f"{layout.prefix}:{old}", replaced_by=[f"{layout.prefix}:{id}" for id in new]).concept()


def _located(path: Path, layout: Layout, options: ReadOptions) -> tuple[SourceFolder, Path]:
    """The folder of the release, and its file of names."""
    folder = SourceFolder.of(path)
    if is_archive(path) and len(folder.files) == 1:
        path = only_member(path)
    tables = {f"{layout.files}{table}.RRF" for table in _TABLES}
    if is_folder(path) or plain_name(path) in map(str.lower, tables):
        official = f"{layout.files}CONSO.RRF"
        folder = folder.at(official)
        family = re.compile(rf"{layout.files}({'|'.join(_TABLES)})", re.IGNORECASE)
        folder.name_unread(map(folder.file, tables), family, options)
        return folder, folder.file(official) or path
    beside = [table for table in sorted(tables) if "CONSO" not in table and folder.file(table) is not None]
    if beside:
        options.tell(f"read as names, together with {', '.join(beside)} beside it.", path=path)
    return folder, path


def _ordered(found: _Gathered) -> list[str]:
    # Names of equal rank stay in the order of the file.
    ranked = sorted(zip(found.ranks, found.names, strict=True), key=itemgetter(0))
    name, names = names_of([name for _, name in ranked])
    return [name, *names]


def _rows(
    folder: SourceFolder, file: str, columns: int, options: ReadOptions
) -> Iterator[tuple[int, list[str]]]:
    """Rows of a file that may be missing: subsets leave out what they do not need."""
    found = folder.file(file)
    if found is not None:
        yield from plain_rows(found, "|", columns, options)


def _types(folder: SourceFolder, layout: Layout, options: ReadOptions) -> dict[str, tuple[str, ...]]:
    """CUI → TUIs and names of its semantic types."""
    types: dict[str, tuple[str, ...]] = {}
    shared: dict[tuple[str, ...], tuple[str, ...]] = {}
    for _, row in _rows(folder, f"{layout.files}STY.RRF", 4, options):
        found = (*types.get(row[0], ()), row[1], row[3])
        types[row[0]] = shared.setdefault(found, found)
    if options.types and not types:
        raise DataError(
            f"no {layout.files}STY.RRF, so the types are not known. Leave out the filter.",
            path=folder.path,
        )
    return types


def _names(
    file: Path, layout: Layout, options: ReadOptions, keep: set[str] | None
) -> tuple[dict[str, _Gathered], set[str]]:
    """Names of the concepts kept, and the vocabularies that speak the languages asked for."""
    languages = options.languages or {"ENG"}
    gathered: dict[str, _Gathered] = {}
    spoken: set[str] = set()
    shared: dict[tuple[str, ...], tuple[str, ...]] = {}
    others: Counter[str] = Counter()
    for _, row in plain_rows(file, "|", 17, options):
        cui, language, vocabulary, code = row[0], row[1], row[11], row[13]
        if language not in languages:
            others[language] += 1
            continue
        if keep is not None and cui not in keep:
            continue
        if options.vocabularies and vocabulary not in options.vocabularies:
            continue
        if row[16] not in ("N", "") and not options.suppressed:
            continue
        found = gathered.get(cui)
        if found is None:
            found = gathered[cui] = _Gathered([], [])
        rank = layout.rank(Atom(row[2], row[4], row[6], vocabulary, row[12]))
        found.ranks.append(rank + (0 if language == "ENG" else 1000))
        found.names.append(clean(row[14]))
        spoken.add(vocabulary)
        if vocabulary not in found.vocabularies:
            more = (*found.vocabularies, vocabulary)
            found.vocabularies = shared.setdefault(more, more)
        if vocabulary in _CODES and code not in ("", "NOCODE"):
            xref = curie(code if ":" in code else f"{_CODES[vocabulary]}:{code}")
            if xref not in found.xrefs and xref != f"{layout.prefix}:{cui}":
                found.xrefs += (xref,)
    if not gathered and others and not spoken:
        listed = ", ".join(f"{language} ({count:,})" for language, count in others.most_common(10))
        raise DataError(
            f"no row in {', '.join(sorted(languages))} that the filters keep. Rows in other languages: {listed}. "
            f"Choose, e.g. --languages {others.most_common(1)[0][0]}",
            path=file,
        )
    return gathered, spoken


def _definitions(
    folder: SourceFolder,
    layout: Layout,
    options: ReadOptions,
    gathered: dict[str, _Gathered],
    spoken: set[str],
) -> dict[str, str]:
    best: dict[str, tuple[int, str]] = {}
    order = {vocabulary: place for place, vocabulary in enumerate(_DEFINITIONS)}
    for _, row in _rows(folder, f"{layout.files}DEF.RRF", 7, options):
        if row[0] in gathered and row[4] in spoken and (row[6] in ("N", "") or options.suppressed):
            place = order.get(row[4], len(order))
            if row[0] not in best or place < best[row[0]][0]:
                best[row[0]] = (place, clean(row[5]))
    return {cui: text for cui, (_, text) in best.items()}


def _relations(
    folder: SourceFolder, layout: Layout, options: ReadOptions, gathered: dict[str, _Gathered]
) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Parents of each concept, and trade names of each generic, that are among the concepts gathered."""
    strict: dict[str, list[str]] = {}
    loose: dict[str, list[str]] = {}
    generics: dict[str, set[str]] = {}
    for _, row in _rows(folder, f"{layout.files}REL.RRF", 15, options):
        first, relation, second, label = row[0], row[3], row[4], row[7]
        if first == second or (row[14] not in ("N", "") and not options.suppressed):
            continue
        if label in ("tradename_of", "has_tradename"):
            brand, generic = (second, first) if label == "tradename_of" else (first, second)
            if brand in gathered:
                generics.setdefault(brand, set()).add(generic)
            continue
        if relation not in ("PAR", "CHD", "RB", "RN") or first not in gathered or second not in gathered:
            continue
        if options.vocabularies and row[10] not in options.vocabularies:
            continue
        child, parent = (first, second) if relation in ("PAR", "RB") else (second, first)
        above = (strict if relation in ("PAR", "CHD") else loose).setdefault(child, [])
        if parent not in above:
            above.append(parent)
    for child, above in loose.items():
        known = strict.setdefault(child, [])
        known.extend(parent for parent in above if parent not in known)
    trade: dict[str, list[str]] = {}
    for brand, targets in generics.items():
        if len(targets) == 1 and targets <= gathered.keys():
            trade.setdefault(min(targets), []).append(brand)
    return strict, trade


def _retired(
    folder: SourceFolder, layout: Layout, options: ReadOptions, gathered: dict[str, _Gathered]
) -> dict[str, list[str]]:
    """Retired id → current ids: synonymous ones, else broader ones; ids that are in use are left alone."""
    same: dict[str, list[str]] = {}
    broader: dict[str, list[str]] = {}
    columns, old_at, new_at = layout.retired
    for _, row in _rows(folder, f"{layout.files}CUI.RRF", columns, options):
        old, new = row[old_at], row[new_at]
        if old in gathered or new not in gathered:
            continue
        relation = row[2] if layout.files == "MR" else "SY"
        if relation in ("SY", "RB"):
            targets = (same if relation == "SY" else broader).setdefault(old, [])
            if new not in targets:
                targets.append(new)
    return {**broader, **same}
