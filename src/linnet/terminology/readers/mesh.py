"""MeSH XML as NLM publishes it: descriptors (`desc2024.xml`) and supplementary records (`supp2024.xml`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from linnet.errors import DataError, RequestError
from linnet.formats import formats
from linnet.io.xml import line_of, records, text_at, text_of
from linnet.terminology.readers.clean import clean
from linnet.terminology.readers.entry import names_of
from linnet.terminology.readers.folder import SourceFolder, is_folder
from linnet.terminology.readers.options import DEFAULTS, ReadOptions, SourceFile
from linnet.types import Concept

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["holds_descriptors", "read_mesh"]

# Top of the tree → type of its concepts. F03 (mental disorders) differs from the rest of F.
_TREES = {
    "A": "Anatomy",
    "B": "Organism",
    "C": "Disease",
    "D": "Chemical",
    "E": "Procedure",
    "F": "Psychology",
    "F03": "Disease",
    "G": "Process",
    "H": "Discipline",
    "I": "Social Science",
    "J": "Technology",
    "K": "Humanities",
    "L": "Information Science",
    "M": "Person",
    "N": "Health Care",
    "V": "Publication Type",
    "Z": "Location",
}
# Proteins of tree D, enzymes and their precursors included. Peptides and lipoproteins among them, which have another place in
# tree D, are chemicals too; cytokines and biological factors are not.
_PROTEINS = ("D12.776", "D08.811", "D08.622")
_NO_CHEMICALS = (*_PROTEINS, "D12.644.276", "D23")
_PROTEIN_NAME = re.compile(r"\bprotein, \w")  # of a supplementary record: "CASP8 protein, human"
# SCRClass of a supplementary record → the tree it belongs to (NLM, "MeSH Record Types"): 1 chemical, 2 chemotherapy
# protocol, 3 rare disease, 4 organism, 5 population group, 6 anatomy.
_CLASSES = {"1": "D", "2": "E", "3": "C", "4": "B", "5": "M", "6": "A"}
# NLM's file names, lower-cased and without compression: `desc2026.xml`, and `desc2026` of `desc2026.gz`.
_FORMAT = formats("terminology")["mesh"]
_FAMILY = re.compile(r"(desc|supp|qual|pa)\d{4}\b(?!\.dtd)|[cdq]\d{4}\.bin")
_REGISTRIES = [
    (re.compile(r"^(\d{2,7}-\d\d-\d)$"), "CAS"),
    (re.compile(r"^([A-Z0-9]{10})$"), "UNII"),
    (re.compile(r"^EC (\S+)$"), "EC"),
]


def read_mesh(path: Path, options: ReadOptions = DEFAULTS) -> Iterator[Concept]:
    """Concepts of one file, or of the descriptor files of a directory or zip archive, then of its supplementary files.

    Names: terms of the preferred concept first, permuted variants ("Abdomen, Acute") last. Parents of a descriptor
    come from its tree numbers; those of a supplementary record are the headings it is mapped to. Types name the
    tops of its trees ("Disease", "Chemical" …); proteins are "Protein", peptides and lipoproteins both. Xrefs are CAS, UNII and EC numbers.

    `trees` filters supplementary records by the trees of their headings if the descriptors are read too (a
    directory), else by their class, which matches only whole trees ("C", "D").
    Raises DataError for XML that is cut off, of another kind, or has a repeated id.
    """
    wanted = _trees(options.trees)
    trees: dict[str, tuple[str, ...]] = {}
    seen: dict[str, Path] = {}
    files = [path]
    if is_folder(path):
        folder = SourceFolder.of(path)
        files = folder.data_files(_FORMAT.owns, example="desc2026.xml")
        folder.name_unread(files, _FAMILY, options)
    for file in files:
        descriptors: list[tuple[Concept, tuple[str, ...]]] = []
        for record in records(file, ("DescriptorRecord", "SupplementalRecord")):
            if record.tag == "DescriptorRecord":
                concept, places = _descriptor(record, file)
                trees[concept.id] = places
                descriptors.append((concept, places))
            else:
                concept, category = _supplement(record, file)
                places = (category, *(place for id in concept.parents for place in trees.get(id, ())))
            if concept.id in seen:
                other = seen[concept.id]
                message = (
                    f"{concept.id} occurs twice. Remove one of the records."
                    if other == file
                    else f"{concept.id} is also in {other.name}. Give the files of one year."
                )
                raise DataError(message, path=file, line=line_of(record))
            seen[concept.id] = file
            if record.tag == "SupplementalRecord" and (wanted is None or _inside(places, wanted)):
                yield concept
        yield from _placed(descriptors, wanted)
    unmatched = sorted(
        tree for tree in wanted or () if not any(_inside(places, {tree}) for places in trees.values())
    )
    if trees and unmatched:
        SourceFile(path, options).tell(f"no descriptor is in the tree {', '.join(unmatched)}.")


def holds_descriptors(path: Path) -> bool:
    """Whether the first record of the file, or of the folder's first file, is a descriptor. True for standard input, which
    can be read only once."""
    if str(path) == "-":
        return True
    file = (
        SourceFolder.of(path).data_files(_FORMAT.owns, example="desc2026.xml")[0] if is_folder(path) else path
    )
    first = next(records(file, ("DescriptorRecord", "SupplementalRecord")), None)
    return first is not None and str(first.tag) == "DescriptorRecord"


def _descriptor(record: _Element, path: Path) -> tuple[Concept, tuple[str, ...]]:
    id = _required(record, "DescriptorUI", path)
    places = tuple(text_of(number) for number in record.iterfind("TreeNumberList/TreeNumber"))
    return _concept(record, id, _types(places), path), places


def _types(places: Sequence[str]) -> tuple[str, ...]:
    """The types of a descriptor with these tree numbers, in their order; "Protein" after "Chemical"."""
    types = dict.fromkeys(filter(None, (_TREES.get(place[:3]) or _TREES.get(place[:1]) for place in places)))
    if any(place.startswith(_PROTEINS) for place in places):
        if all(place.startswith(_NO_CHEMICALS) for place in places if place[:1] == "D"):
            del types["Chemical"]
        types["Protein"] = None
    return tuple(types)


def _supplement(record: _Element, path: Path) -> tuple[Concept, str]:
    id = _required(record, "SupplementalRecordUI", path)
    category = _CLASSES.get(record.get("SCRClass", ""), "")
    headings = record.iterfind("HeadingMappedToList/HeadingMappedTo/DescriptorReferredTo/DescriptorUI")
    parents = tuple(dict.fromkeys("MESH:" + text_of(h).lstrip("*") for h in headings))
    type = "Protocol" if category == "E" else _TREES.get(category, "")
    concept = _concept(record, id, (type,) if type else (), path, parents)
    if type == "Chemical" and _PROTEIN_NAME.search(concept.name):
        concept = replace(concept, types=("Protein",))
    return concept, category


def _concept(
    record: _Element, id: str, types: tuple[str, ...], path: Path, parents: tuple[str, ...] = ()
) -> Concept:
    first: list[str] = []
    names: list[str] = []
    permuted: list[str] = []
    registries: list[str] = []
    definition = ""
    for concept in record.iterfind("ConceptList/Concept"):
        preferred = concept.get("PreferredConceptYN") == "Y"
        for term in concept.iterfind("TermList/Term"):
            text = clean(text_at(term, "String"))
            if term.get("RecordPreferredTermYN") == "Y":
                first.append(text)
            elif term.get("IsPermutedTermYN") == "Y":
                permuted.append(text)
            elif preferred:
                first.append(text)
            else:
                names.append(text)
        if preferred:
            definition = clean(text_at(concept, "ScopeNote"))
            numbers = map(text_of, concept.iter("RegistryNumber"))
            registries = [number for number in numbers if number not in ("", "0")]
    header = text_at(record, "DescriptorName/String") or text_at(record, "SupplementalRecordName/String")
    name, others = names_of([clean(header), *first, *names, *permuted])
    if not name:
        raise DataError(f"{id} has no name.", path=path, line=line_of(record))
    return Concept(
        id=f"MESH:{id}",
        name=name,
        names=others,
        types=types,
        definition=definition or clean(text_at(record, "Note")),
        parents=parents,
        xrefs=tuple(dict.fromkeys(filter(None, map(_registry, registries)))),
        sources=("MESH",),
    )


def _required(record: _Element, tag: str, path: Path) -> str:
    text = text_at(record, tag).strip()
    if not text:
        raise DataError(f"<{record.tag}> without <{tag}>.", path=path, line=line_of(record))
    return text


def _registry(number: str) -> str:
    for pattern, prefix in _REGISTRIES:
        match = pattern.match(number.strip())
        if match:
            return f"{prefix}:{match.group(1)}"
    return ""


def _placed(descriptors: list[tuple[Concept, tuple[str, ...]]], wanted: Set[str] | None) -> Iterator[Concept]:
    """The descriptors in the `wanted` trees, with their parents, which may come later in the file."""
    at = {place: concept.id for concept, places in descriptors for place in places}
    for concept, places in descriptors:
        if wanted is None or _inside(places, wanted):
            above = (at.get(place.rpartition(".")[0], "") for place in places)
            yield replace(concept, parents=tuple(dict.fromkeys(filter(None, above))))


def _trees(trees: Set[str] | None) -> Set[str] | None:
    wrong = [tree for tree in trees or () if not re.fullmatch(r"[A-Z](\d\d(\.\d{3})*)?", tree)]
    if wrong:
        raise RequestError(f"'{wrong[0]}' is not a MeSH tree number. Expected e.g. C, F03 or C04.588.")
    return trees


def _inside(places: tuple[str, ...], wanted: Set[str]) -> bool:
    return any(
        place == tree or place.startswith(tree + ".") or (len(tree) == 1 and place.startswith(tree))
        for place in places
        for tree in wanted
    )
