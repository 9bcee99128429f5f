"""The Rich Release Format of UMLS and RxNorm: names, types, definitions, relations and retired ids.

Source: UMLS Reference Manual, chapter 3 (columns of each file); RxNorm Technical Documentation, section 12.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path

from linnet.advice import Step
from linnet.errors import DataError
from linnet.io.archive import is_archive, only_member
from linnet.listing import tally
from linnet.plural import counted
from linnet.terminology.readers.clean import clean
from linnet.terminology.readers.entry import Entry, names_of
from linnet.terminology.readers.folder import SourceFolder, is_folder, plain_name
from linnet.terminology.readers.options import ReadOptions, SourceFile
from linnet.terminology.readers.rows import plain_rows
from linnet.types import Concept
from linnet.words.curies import curie

__all__ = ["Atom", "Layout", "read_rrf"]

# Vocabularies whose codes are kept as xrefs → their prefix.
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
# Order of preference among definitions, then file order. Chosen for length and plainness.
_DEFINITIONS = ("MSH", "NCI", "HPO", "MONDO", "SNOMEDCT_US")

_COLUMNS = 19  # of the file of names: 18, and what follows the last bar
_TABLES = ("CONSO", "STY", "DEF", "REL", "CUI")


@dataclass(frozen=True, slots=True)
class Atom:
    """The columns that rank the names of a concept."""

    status: str
    string: str
    preferred: str
    vocabulary: str
    kind: str


@dataclass(frozen=True, slots=True)
class Layout:
    """Differences between UMLS and RxNorm.

    files    prefix of the file names ("MR")
    prefix   prefix of the ids ("UMLS")
    rank     rank of a name: the lowest is best, all are below 1000
    retired  of the file of retired ids: number of columns, positions of the old and the new id
    """

    files: str
    prefix: str
    rank: Callable[[Atom], int]
    retired: tuple[int, int, int]


@dataclass(slots=True)
class _Names:
    """Names with their ranks in file order. Millions are held at once, so equal tuples are shared."""

    ranks: list[int]
    names: list[str]
    vocabularies: tuple[str, ...] = ()
    xrefs: tuple[str, ...] = ()


def read_rrf(path: Path, layout: Layout, options: ReadOptions) -> Iterator[Concept]:
    """Concepts by first appearance in the names file, then retired ids.

    Names are sorted by language (English first), then rank. Parents come from PAR/CHD, then RB/RN; a row gives the
    relation of the second concept to the first ("CUI1 PAR CUI2": CUI2 is the parent of CUI1). A trade name's names are
    added to its generic, unless it is the trade name of several (a combination). Relations of concepts that were
    filtered out do not count, nor do suppressed rows, unless `suppressed`.

    A file with another name is read as the names file (filtered or renamed), together with the official files beside
    it, which are reported.
    Raises DataError if no row is in the languages; the message lists the existing ones.
    """
    folder, names_file = _located(path, layout, options)
    types = _types(folder, layout, options)
    keep = None
    if options.types:
        wanted = {type.casefold() for type in options.types}
        keep = {cui for cui, own in types.items() if any(type.casefold() in wanted for type in own)}
        if not keep:
            counts = Counter(type for own in types.values() for type in own)
            wanted_types = ", ".join(f"'{type}'" for type in sorted(options.types))
            raise DataError(
                f"no concept has the type {wanted_types}. Types: {tally(counts, 10)}.", path=folder.path
            )
    concepts, vocabularies = _names(names_file, layout, options, keep)
    definitions = _definitions(folder, layout, options, concepts, vocabularies)
    parents, trade = _relations(folder, layout, options, concepts)
    retired = _retired(folder, layout, options, concepts)
    brands = {brand: _ordered(concepts[brand]) for brands in trade.values() for brand in brands}
    for cui in list(concepts):
        concept = concepts.pop(cui)
        names = _ordered(concept)
        for brand in trade.get(cui, ()):
            names.extend(brands[brand])
        yield Entry(
            f"{layout.prefix}:{cui}",
            names=names,
            types=list(types.pop(cui, ())),
            definition=definitions.pop(cui, ""),
            parents=[f"{layout.prefix}:{id}" for id in parents.pop(cui, ())],
            xrefs=list(concept.xrefs),
            sources=list(concept.vocabularies),
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
        SourceFile(path, options).tell(f"read as names, together with {', '.join(beside)} beside it.")
    return folder, path


def _ordered(concept: _Names) -> list[str]:
    # Names of equal rank stay in file order.
    ranked = sorted(zip(concept.ranks, concept.names, strict=True), key=itemgetter(0))
    name, names = names_of([name for _, name in ranked])
    return [name, *names]


def _rows(
    folder: SourceFolder, file: str, columns: int, options: ReadOptions
) -> Iterator[tuple[int, list[str]]]:
    """Rows of a file that may be missing, as in subsets."""
    path = folder.file(file)
    if path is not None:
        yield from plain_rows(path, "|", columns, options)


def _types(folder: SourceFolder, layout: Layout, options: ReadOptions) -> dict[str, tuple[str, ...]]:
    """CUI → TUIs and names of its semantic types."""
    types: dict[str, tuple[str, ...]] = {}
    shared: dict[tuple[str, ...], tuple[str, ...]] = {}
    for _, row in _rows(folder, f"{layout.files}STY.RRF", 4, options):
        own = (*types.get(row[0], ()), row[1], row[3])
        types[row[0]] = shared.setdefault(own, own)
    if options.types and not types:
        raise DataError(
            f"has no {layout.files}STY.RRF, so the types are unknown. Leave out the filter.",
            path=folder.path,
        )
    return types


def _names(
    file: Path, layout: Layout, options: ReadOptions, keep: set[str] | None
) -> tuple[dict[str, _Names], set[str]]:
    """Names of the concepts kept, and the vocabularies in the languages."""
    languages = options.languages or {"ENG"}
    concepts: dict[str, _Names] = {}
    vocabularies: set[str] = set()
    shared: dict[tuple[str, ...], tuple[str, ...]] = {}
    others: Counter[str] = Counter()
    found: set[str] = set()
    unwanted: Counter[str] = Counter()
    suppressed = 0
    for _, row in plain_rows(file, "|", 17, options, most=_COLUMNS):
        cui, language, vocabulary, code = row[0], row[1], row[11], row[13]
        if language not in languages:
            others[language] += 1
            continue
        found.add(language)
        if keep is not None and cui not in keep:
            continue
        if options.vocabularies and vocabulary not in options.vocabularies:
            unwanted[vocabulary] += 1
            continue
        if row[16] not in ("N", "") and not options.suppressed:
            suppressed += 1
            continue
        concept = concepts.get(cui)
        if concept is None:
            concept = concepts[cui] = _Names([], [])
        rank = layout.rank(Atom(row[2], row[4], row[6], vocabulary, row[12]))
        concept.ranks.append(rank + (0 if language == "ENG" else 1000))
        concept.names.append(clean(row[14]))
        vocabularies.add(vocabulary)
        if vocabulary not in concept.vocabularies:
            own = (*concept.vocabularies, vocabulary)
            concept.vocabularies = shared.setdefault(own, own)
        if vocabulary in _CODES and code not in ("", "NOCODE"):
            xref = curie(code if ":" in code else f"{_CODES[vocabulary]}:{code}")
            if xref not in concept.xrefs and xref != f"{layout.prefix}:{cui}":
                concept.xrefs += (xref,)
    left_out = _LeftOut(languages, found, others, unwanted, suppressed)
    if not concepts:
        left_out.refuse(file, options)
    left_out.tell(SourceFile(file, options))
    return concepts, vocabularies


@dataclass(frozen=True, slots=True)
class _LeftOut:
    """Rows of names that were left out.

    languages   that were wanted
    found       the wanted languages that some row has
    others      number of rows in each other language
    unwanted    number of rows of each vocabulary that the filter excludes
    suppressed  number of suppressed rows
    """

    languages: Set[str]
    found: Set[str]
    others: Counter[str]
    unwanted: Counter[str]
    suppressed: int

    def refuse(self, file: Path, options: ReadOptions) -> None:
        """Raise DataError if the file has rows, but none that the filters keep."""
        if not self.found and self.others:
            raise DataError(
                f"no row in {', '.join(sorted(self.languages))} that the filters keep. Rows in other languages: "
                f"{tally(self.others, 10)}.",
                Step.READ_WITH(languages=[self.others.most_common(1)[0][0]]),
                path=file,
            )
        if self.unwanted or self.suppressed:
            of = (
                f" of the vocabularies {', '.join(sorted(options.vocabularies))}"
                if options.vocabularies
                else ""
            )
            most = [vocabulary for vocabulary, _ in self.unwanted.most_common(1)]
            raise DataError(
                f"no row{of} that the filters keep. Left out: {counted(self.suppressed, 'suppressed rows')}; "
                f"of other vocabularies: {tally(self.unwanted, 10) or 'none'}.",
                Step.READ_WITH(vocabularies=most) if most else Step.READ_WITH(suppressed=True),
                path=file,
            )

    def tell(self, file: SourceFile) -> None:
        """Report suppressed rows and languages."""
        if self.suppressed:
            file.tell(
                f"left out: {counted(self.suppressed, 'suppressed names')}.", Step.READ_THEM(suppressed=True)
            )
        file.tell_languages("names", self.others, self.languages)
        if file.options.languages and (absent := sorted(self.languages - self.found)):
            file.tell(f"no row is in the language {', '.join(absent)}.")


def _definitions(
    folder: SourceFolder,
    layout: Layout,
    options: ReadOptions,
    concepts: dict[str, _Names],
    vocabularies: set[str],
) -> dict[str, str]:
    best: dict[str, tuple[int, str]] = {}
    order = {vocabulary: position for position, vocabulary in enumerate(_DEFINITIONS)}
    for _, row in _rows(folder, f"{layout.files}DEF.RRF", 7, options):
        if row[0] in concepts and row[4] in vocabularies and (row[6] in ("N", "") or options.suppressed):
            position = order.get(row[4], len(order))
            if row[0] not in best or position < best[row[0]][0]:
                best[row[0]] = (position, clean(row[5]))
    return {cui: text for cui, (_, text) in best.items()}


def _relations(
    folder: SourceFolder, layout: Layout, options: ReadOptions, concepts: dict[str, _Names]
) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Parents of each concept, and trade names of each generic, among the concepts."""
    strict: dict[str, list[str]] = {}
    loose: dict[str, list[str]] = {}
    generics: dict[str, set[str]] = {}
    for _, row in _rows(folder, f"{layout.files}REL.RRF", 15, options):
        first, relation, second, label = row[0], row[3], row[4], row[7]
        if first == second or (row[14] not in ("N", "") and not options.suppressed):
            continue
        if label in ("tradename_of", "has_tradename"):
            brand, generic = (second, first) if label == "tradename_of" else (first, second)
            if brand in concepts:
                generics.setdefault(brand, set()).add(generic)
            continue
        if relation not in ("PAR", "CHD", "RB", "RN") or first not in concepts or second not in concepts:
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
        if len(targets) == 1 and targets <= concepts.keys():
            trade.setdefault(min(targets), []).append(brand)
    return strict, trade


def _retired(
    folder: SourceFolder, layout: Layout, options: ReadOptions, concepts: dict[str, _Names]
) -> dict[str, list[str]]:
    """Retired id → current ids: synonymous ones, else broader ones. Ids in use are ignored."""
    same: dict[str, list[str]] = {}
    broader: dict[str, list[str]] = {}
    columns, old_at, new_at = layout.retired
    for _, row in _rows(folder, f"{layout.files}CUI.RRF", columns, options):
        old, new = row[old_at], row[new_at]
        if old in concepts or new not in concepts:
            continue
        relation = row[2] if layout.files == "MR" else "SY"
        if relation in ("SY", "RB"):
            targets = (same if relation == "SY" else broader).setdefault(old, [])
            if new not in targets:
                targets.append(new)
    return {**broader, **same}
