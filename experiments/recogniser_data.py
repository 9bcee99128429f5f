"""Makes the partly annotated corpora and the lists of names that the recogniser learns from, beside NCBI, BC5CDR and NLM-Chem.

    python experiments/recogniser_data.py experiments/data       (LINNET_DATA says where the sources are)

It needs experiments/data/open (`experiments/open_terminologies.py`) and experiments/data/mesh, and writes

OUT/chemicals        MeSH's chemicals without proteins, and common and brand names of the FDA's UNII list
OUT/proteins         MeSH's proteins and enzymes, and protein-coding genes
OUT/phenotypes       HPO 2025
OUT/recogniser/medmentions.jsonl   abstracts of MedMentions, put together from its sentences: mentions outside of which there is no
                     disease, chemical or phenotype, and those whose type cross references give
OUT/recogniser/notes.jsonl         the HPO notes; names of phenotypes that are not annotated are Unknown, as only affirmed ones are
OUT/recogniser/abstracts.jsonl     abstracts without annotation, with the names that can only be a protein's
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from harness import DATA

from linnet import corpora
from linnet.corpora import Notes
from linnet.io.files import read_lines
from linnet.terminology import Terminology, write_terminology
from linnet.terminology.readers import ReadOptions, read
from linnet.types import Concept, Document, Mention
from linnet.words.text import LITTLE, key

TERMS = DATA / "terminologies"
SEED = 15
ABSTRACTS = {"medmentions": 300, "abstracts": 400}
LONGEST = 6  # words of a name that is looked up in an abstract
PROTEINS = ("D08", "D12.776")  # enzymes and proteins, in MeSH's trees
DISEASES = {"DOID", "MONDO", "ORPHA"}
PHENOTYPE, DISEASE, CHEMICAL = "Phenotype", "Disease", "Chemical"
PROTEIN, FINDING, UNKNOWN = "Protein", "Finding", "Unknown"  # a finding is a disease or a phenotype
_WORD = re.compile(r"\w+(?:[-']\w+)*")
_CODE = re.compile(r"(?=.*\d)(?=.*[A-Z])[A-Za-z]+-?\d+[A-Za-z]?")  # "BRCA1", "IL-6"
_PROTEIN_HEAD = re.compile(
    r"(?:protein|receptor|kinase|phosphatase|ligase|antigen|factor|globulin|\w+ase)s?$"
)


def main(out: Path) -> None:
    """Build what is not there."""
    mesh, joined = Terminology.open(out / "mesh"), Terminology.open(out / "open")
    proteins = set(_below(mesh, PROTEINS))
    chemical_names = _names(
        mesh, (row for row in range(len(mesh)) if row not in proteins and CHEMICAL in mesh.types(row))
    )
    genes = (row for row in range(len(joined)) if "protein-coding" in joined.types(row))
    protein_names = _names(mesh, proteins) + _names(joined, genes)
    taken = {key(name) for name in protein_names}
    drugs = [name for name in _drugs() if key(name) not in taken]
    _write(out / "chemicals", {CHEMICAL: chemical_names + drugs})
    _write(out / "proteins", {PROTEIN: protein_names})
    hpo = [
        c
        for c in read(TERMS / "hpo/hp-2025-01-16.obo.gz", options=ReadOptions(only_prefixes={"HP"}))
        if c.name
    ]
    phenotypes = [name for concept in hpo for name in (concept.name, *concept.names)]
    _write(out / "phenotypes", {PHENOTYPE: phenotypes})
    known = _Known(chemical_names, protein_names, phenotypes, _names(joined, _diseases(joined)))
    folder = out / "recogniser"
    folder.mkdir(exist_ok=True)
    save(folder / "medmentions.jsonl", _medmentions(joined, known))
    save(folder / "notes.jsonl", _notes(known))
    save(folder / "abstracts.jsonl", _abstracts(known))


class _Known:
    """Names by their key, of each type."""

    def __init__(
        self,
        chemicals: Iterable[str],
        proteins: Iterable[str],
        phenotypes: Iterable[str],
        diseases: Iterable[str],
    ) -> None:
        self.chemicals, self.proteins, self.phenotypes, self.diseases = (
            {form for name in names if (form := key(name))}
            for names in (chemicals, proteins, phenotypes, diseases)
        )

    def is_protein(self, text: str) -> bool:
        """Whether it is a symbol of a gene or a name that ends like a protein's, and no name of another type looks the same."""
        if not (_CODE.fullmatch(text) or _PROTEIN_HEAD.search(text)):
            return False
        form = key(text)
        others = (self.chemicals, self.phenotypes, self.diseases)
        return form in self.proteins and not any(form in names for names in others)


def _below(mesh: Terminology, trees: Sequence[str]) -> Iterator[int]:
    """Rows of descriptors in these trees, and of records mapped to them."""
    own = {
        c.id
        for c in read(TERMS / "mesh2024/desc2024.rebuilt.xml.gz", options=ReadOptions(trees=frozenset(trees)))
    }
    for row in range(len(mesh)):
        if mesh.ids[row] in own or any(mesh.ids[parent] in own for parent in mesh.parents(row)):
            yield row


def _diseases(joined: Terminology) -> Iterator[int]:
    for row in range(len(joined)):
        if DISEASE in joined.types(row) or joined.ids[row].split(":")[0] in DISEASES:
            yield row


def _names(terminology: Terminology, rows: Iterable[int]) -> list[str]:
    return [terminology.names[name] for row in rows for name in terminology.name_rows(row)]


def _drugs() -> Iterator[str]:
    """Official, brand, and plain common names of the UNII list."""
    for _, line in read_lines(TERMS / "other/unii_names.tsv.gz"):
        _, type, name, _ = line.rstrip("\n").split("\t")
        name = re.sub(r"\s*\[[^\]]*\]$", "", name)
        if type in ("of", "bn") or (type == "cn" and re.fullmatch(r"[A-Z][A-Z -]{5,24}", name)):
            yield name.lower()


def _write(place: Path, names: dict[str, list[str]]) -> None:
    if (place / "terminology.json").exists():
        return
    concepts = [
        Concept(f"X:{type}{number}", name, types=(type,))
        for type, listed in names.items()
        for number, name in enumerate(sorted(set(listed)))
    ]
    write_terminology(concepts, place)
    print(f"{place.name}: {len(concepts):,} names", file=sys.stderr)


def _medmentions(joined: Terminology, known: _Known) -> Iterator[Document]:
    """Abstracts with the most mentions of a known type, by their sentences."""
    documents: dict[str, list[dict[str, str]]] = defaultdict(list)
    texts: dict[str, list[str]] = defaultdict(list)
    for _, line in read_lines(DATA / "corpora/medmentions-st21pv/train.jsonl.gz"):
        row = json.loads(line)
        documents[row["document"]].append(row)
        texts[row["concept"]].append(row["text"])
    types = {cui: _type_of_cui(cui, names, joined, known) for cui, names in texts.items()}
    print("MedMentions, concepts by type:", Counter(types.values()), file=sys.stderr)
    wealth = {
        id: sum(types[row["concept"]] != UNKNOWN for row in rows) / len(rows)
        for id, rows in documents.items()
    }
    for id in sorted(wealth, key=lambda id: (-wealth[id], id))[: ABSTRACTS["medmentions"]]:
        yield together(f"MM-{id}", documents[id], types)


def _type_of_cui(cui: str, texts: Sequence[str], joined: Terminology, known: _Known) -> str:
    """By the sources of the concept that it is joined to; else by the names that its mentions have."""
    for id in joined.resolve(cui):
        row = joined.row(id)
        prefix = {source.upper() for source in joined.sources(row)}
        disease = DISEASE in joined.types(row) or bool(prefix & DISEASES)
        if disease or "HP" in prefix:
            return FINDING if "HP" in prefix else DISEASE
    return PROTEIN if any(map(known.is_protein, set(texts))) else UNKNOWN


def together(id: str, rows: Sequence[dict[str, str]], types: dict[str, str]) -> Document:
    """The sentences of its mentions, without the blanks that set signs apart."""
    sentences: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
    for row in rows:
        left, right = row.get("left", ""), row.get("right", "")
        parts = [part for part in (left, row["text"], right) if part]
        start = len(left) + 1 if left else 0
        sentences[" ".join(parts)].append((start, start + len(row["text"]), types[row["concept"]]))
    text, mentions = "", []
    for sentence, spans in sentences.items():
        shown, places = _detokenised(sentence)
        mentions += [(len(text) + places[a], len(text) + places[b - 1] + 1, type) for a, b, type in spans]
        text += shown + " "
    return document_of(id, text, mentions)


def _detokenised(sentence: str) -> tuple[str, list[int]]:
    """The sentence without some of its blanks, and the new place of each character."""
    shown: list[str] = []
    places: list[int] = []
    for at, character in enumerate(sentence):
        before, after = sentence[at - 1 : at], sentence[at + 1 : at + 2]
        if character == " " and (after in set(",.;:)]%-") or before in set("([-")) and after and before:
            places.append(max(0, len(shown) - 1))
            continue
        places.append(len(shown))
        shown.append(character)
    return "".join(shown), places


def _notes(known: _Known) -> Iterator[Document]:
    folder = DATA / "corpora/hpo-notes"
    for name in ("id-68.jsonl", "genereviews.jsonl"):
        for document in corpora.read(folder / name, note=Notes().add):
            mentions = [(m.start, m.end, PHENOTYPE) for m in document.mentions]
            for start, end in _runs(document.text):
                free = all(end <= a or b <= start for a, b, _ in mentions)
                if free and key(document.text[start:end]) in known.phenotypes:
                    mentions.append((start, end, UNKNOWN))
            yield document_of(f"{name}-{document.id}", document.text, mentions)


def _abstracts(known: _Known) -> Iterator[Document]:
    """Abstracts with names of proteins, drawn by seed."""
    every = list(corpora.read(DATA / "text/pubmedqa.jsonl.gz", note=Notes().add))
    for document in random.Random(SEED).sample(every, ABSTRACTS["abstracts"]):
        mentions: list[tuple[int, int, str]] = []
        for start, end in _runs(document.text):
            free = all(end <= a or b <= start for a, b, _ in mentions)
            if free and known.is_protein(document.text[start:end]):
                mentions.append((start, end, PROTEIN))
        if mentions:
            yield document_of(f"Q-{document.id}", document.text, mentions)


def _runs(text: str) -> Iterator[tuple[int, int]]:
    """Offsets of runs of words, longest first from each word."""
    words = [(match.start(), match.end()) for match in _WORD.finditer(text)]
    for first in range(len(words)):
        for last in range(min(first + LONGEST, len(words)) - 1, first - 1, -1):
            start, end = words[first][0], words[last][1]
            edges = {text[slice(*words[first])].casefold(), text[slice(*words[last])].casefold()}
            if not (edges & LITTLE or re.search(r"[.;:()\[\]\n]", text[start:end])):
                yield start, end


def document_of(id: str, text: str, mentions: Iterable[tuple[int, int, str]]) -> Document:
    bare = Document(id, text)
    return bare.with_mentions([Mention(bare, a, b, text[a:b], type) for a, b, type in sorted(set(mentions))])


def save(place: Path, documents: Iterable[Document]) -> None:
    documents = list(documents)
    with place.open("w", encoding="utf-8") as stream:
        for document in documents:
            mentions = [
                {"start": m.start, "end": m.end, "text": m.text, "type": m.type} for m in document.mentions
            ]
            stream.write(json.dumps({"id": document.id, "text": document.text, "mentions": mentions}) + "\n")
    counts = Counter(m.type for document in documents for m in document.mentions)
    print(f"{place.name}: {len(documents)} documents, {dict(counts)}", file=sys.stderr)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
