"""Makes the notes that the recogniser learns from: dictated ones, labelled as far as can be known, and texts rewritten as notes.

    python experiments/clinical_data.py experiments/data       (LINNET_DATA says where the sources are)

It needs what `recogniser_data.py` makes, and writes to OUT/recogniser

dictated.jsonl     notes of MTSamples. Those annotated keep their spans; elsewhere, names of terminologies are mentions as often as
                   the annotation of the same names says, short forms as often as their senses in discharge summaries, and else Unknown
rewritten-*.jsonl  abstracts of NCBI and BC5CDR train, and dictated notes, as notes are written: no articles, lines instead of sentences,
                   capitals or none, short forms, misspellings, other drugs
listed.jsonl       headings with lists of diseases, symptoms, drugs with doses, tests and values, put together at random

Notes that are scored once are in none of them (`dictated_notes.py`). Silence of the annotation is no negative: one
reviewer annotated about half of what is there.
"""

from __future__ import annotations

import csv
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from dictated_notes import ANNOTATED, beginning, learnable
from dictated_notes import TEXTS as TEXTS_OF_NOTES
from harness import DATA
from note_writing import NoteWriter, Piece, listed_note
from recogniser_data import CHEMICAL, DISEASE, TERMS, UNKNOWN, document_of, save

from linnet import corpora
from linnet.io.files import read_lines
from linnet.read.rules import rows
from linnet.recognise.gazetteer import Gazetteer, codes_of_windows
from linnet.recognise.windows import windows_of
from linnet.recognise.words import words_of
from linnet.terminology import Terminology, write_terminology
from linnet.terminology.qualifying_concepts import qualifying_concepts
from linnet.terminology.readers import ReadOptions, read
from linnet.types import Document, Mention

SEED = 41
TEXTS = 900  # notes without annotation
LONGEST = 3000  # characters of a piece of a note
REWRITTEN, LISTED = {"ncbi": 300, "bc5cdr": 500, "notes": 700}, 700
# A name is a mention, unless it is Unknown, if the annotation has at least this share of its occurrences, and none below the other. An
# annotated name has about half of them.
SURE, NEVER = 0.2, 0.04
PRIOR, OWN_PRIOR, WEIGHT = 0.12, 0.35, 2.0
LONG = 8  # letters of a word that is hardly ever anything but a name
USUAL = 4  # times that a short form of linnet's own list counts as seen
SENSE = 0.8  # share of a short form's senses from which it is of a kind, and of which it is of none
Span = tuple[int, int, str]


def main(out: Path) -> None:
    """Write the corpora."""
    rng = random.Random(SEED)
    known = Names.read(out)
    shorts = ShortForms.read(known)
    annotated, texts = _notes(ANNOTATED), _notes(TEXTS_OF_NOTES)
    seen = {beginning(document.text) for document in annotated}
    texts = [document for document in texts if beginning(document.text) not in seen]
    label = Labeller(known, shorts, annotated)
    notes = [part for d in annotated for part in _parts(d.id, d.text, label.spans(d))]
    notes += [part for d in rng.sample(texts, TEXTS) for part in _parts(d.id, d.text, label.spans(d))]
    folder = out / "recogniser"
    save(folder / "dictated.jsonl", notes)
    common = Counter((m.text.lower(), m.type) for d in notes for m in d.mentions if m.type != UNKNOWN)
    writer = NoteWriter(rng, shorts.of_long, known.drugs, known.disorders, (DISEASE, CHEMICAL))
    for name, place, kind in (
        ("ncbi", "ncbi-disease/NCBItrainset_corpus.txt", DISEASE),
        ("bc5cdr", "bc5cdr/CDR_TrainingSet.PubTator.txt", ""),
    ):
        documents = list(corpora.read(DATA / "corpora" / place))
        chosen = [_typed(d, kind) for d in rng.sample(documents, REWRITTEN[name])]
        save(folder / f"rewritten-{name}.jsonl", [_rewritten(d, writer) for d in chosen])
    save(
        folder / "rewritten-notes.jsonl",
        [_rewritten(d, writer) for d in rng.sample(notes, REWRITTEN["notes"])],
    )
    pools = {
        kind: (
            [text for text, own in common if own == kind],
            [n for (_, own), n in common.items() if own == kind],
        )
        for kind in (DISEASE, CHEMICAL)
    }
    headings = _headings()
    listed = [
        _joined(f"L-{n}", listed_note(rng, writer, headings, pools, shorts.of_kind, known.others))
        for n in range(LISTED)
    ]
    save(folder / "listed.jsonl", listed)


def _notes(file: str) -> list[Document]:
    """Those to learn from, each text once, without those in markup."""
    documents: dict[str, Document] = {}
    for row in learnable(file, data=DATA):
        text = row["text"]
        if "</" not in text and beginning(text) not in documents:
            bare = Document(row["id"], text)
            spans = [
                Mention(bare, m["start"], m["end"], m["text"], m["type"]) for m in row.get("mentions", ())
            ]
            documents[beginning(text)] = bare.with_mentions(spans)
    return list(documents.values())


@dataclass(frozen=True)
class Names:
    """Hashes of names of each kind, and names to put in place of others.

    own  names of MeSH, which hardly ever mean something else
    """

    diseases: Gazetteer
    chemicals: Gazetteer
    own: Gazetteer
    drugs: list[str]
    disorders: list[str]
    others: list[str]

    @classmethod
    def read(cls, out: Path) -> Names:
        own, disorders, others = list[str](), list[str](), list[str]()
        for concept in read(TERMS / "mesh2024/desc2024.rebuilt.xml.gz", options=ReadOptions()):
            names = [concept.name or "", *concept.names]
            if DISEASE in concept.types:
                own += [form for name in names for form in (name, _straight(name))]
            elif {"Anatomy", "Procedure"} & set(concept.types):
                others += [names[0]] if len(names[0]) < 25 and names[0].replace(" ", "").isalpha() else []
        diseases = list(own)
        for concept in read(TERMS / "doid/doid.obo.gz", options=ReadOptions(only_prefixes={"DOID"})):
            diseases += [concept.name or "", *concept.names]
        hpo = _phenotypes(out / "hpo")
        apart = qualifying_concepts(hpo)
        diseases += [
            hpo.names[name] for row in range(len(hpo)) if row not in apart for name in hpo.name_rows(row)
        ]
        disorders = [name for name in diseases if len(name) < 30 and re.fullmatch(r"[A-Za-z' -]{5,}", name)]
        chemicals = Terminology.open(out / "chemicals")
        drugs = []
        for _, line in read_lines(DATA / "terminologies/other/unii_names.tsv.gz"):
            _, type, name, _ = line.rstrip("\n").split("\t")
            name = re.sub(r"\s*\[[^\]]*\]$", "", name).lower()
            if type == "bn" or (type == "of" and name.endswith(_DRUG)):
                drugs += [name] if re.fullmatch(r"[a-z]{4,14}", name) else []
        every = chemicals.names.take(range(len(chemicals.names)))
        return cls(
            Gazetteer.of(diseases), Gazetteer.of(every), Gazetteer.of(own), sorted(set(drugs)), sorted(set(disorders)),
            sorted(set(others)),
        )  # fmt: skip

    def kind(self, text: str) -> str:
        """The kind of a name, "" for none and for names of both."""
        return next((kind for _, _, kind, _ in self.spans(text) if text), "") if text else ""

    def spans(self, text: str) -> Iterator[tuple[int, int, str, bool]]:
        """Names in a text, longest first from each word, without overlaps: offsets, kind ("" for both), whether MeSH has it."""
        words, windows = words_of(text), windows_of(text)
        codes = codes_of_windows(text, words, windows)
        is_disease, is_chemical = self.diseases.has(codes), self.chemicals.has(codes)
        is_own = self.own.has(codes)
        free = 0
        for n in range(len(codes)):
            first, last = windows.first[n], windows.last[n]
            if first < free or not codes[n] or not (is_disease[n] or is_chemical[n]):
                continue
            free = last
            kind = "" if is_disease[n] and is_chemical[n] else DISEASE if is_disease[n] else CHEMICAL
            yield words[first].start, words[last - 1].end, kind, bool(is_own[n])


def _straight(name: str) -> str:
    """ "Anemia, Sickle Cell" as it is said."""
    return " ".join(reversed(name.split(", "))) if name.count(", ") == 1 else name


def _phenotypes(place: Path) -> Terminology:
    if not (place / "terminology.json").exists():
        options = ReadOptions(only_prefixes={"HP"})
        write_terminology(read(TERMS / "hpo/hp-2025-01-16.obo.gz", options=options), place)
    return Terminology.open(place)


_DRUG = ("ine", "ol", "in", "ide", "ate", "ab", "ib", "am", "one", "il", "an", "ir", "cin", "pril", "um")


@dataclass(frozen=True)
class ShortForms:
    """Short forms as notes write them.

    kinds    form → its kind, "" for none of both
    of_long  long form in small letters → its forms, once for each time that they were seen
    of_kind  forms of each kind
    """

    kinds: dict[str, str]
    of_long: dict[str, list[str]]
    of_kind: dict[str, list[str]]

    @classmethod
    def read(cls, known: Names) -> ShortForms:
        shares: dict[str, Counter[str]] = defaultdict(Counter)
        of_long: dict[str, list[str]] = defaultdict(list)
        for place in sorted((DATA / "vocabulary/abbreviations").glob("vanderbilt_*.tsv")):
            with place.open(encoding="utf-8") as stream:
                for row in csv.DictReader(stream, delimiter="\t"):
                    sense = row["sense"].strip().lower()
                    whole = [
                        kind for start, end, kind, _ in known.spans(sense) if end - start > 0.7 * len(sense)
                    ]
                    kind = whole[0] if whole else "other"
                    for written in filter(None, (row["variation"] or "").split("|")):
                        form, _, count = written.rpartition("_")
                        if not count.isdigit() or sum(map(str.isalpha, form)) < 2:
                            continue
                        shares[form.strip(".")][kind] += int(count) * float(row["frequency"] or 0)
                        if kind in (DISEASE, CHEMICAL) and float(row["frequency"] or 0) > 0.5:
                            of_long[sense] += [form.strip(".")] * min(int(count), 20)
        for table in ("clinical_shorthand", "drug_names", "lay_names"):
            for row in rows(table):
                short, long = row["short"], row["long"].lower()
                whole = [kind for start, end, kind, _ in known.spans(long) if end - start > 0.7 * len(long)]
                if whole and whole[0] and sum(map(str.isalpha, short)) > 1:
                    of_long[long] += [short] * USUAL
                    if short not in shares and table == "clinical_shorthand" and len(short) < 8:
                        shares[short][whole[0]] += 1
        kinds = {}
        for form, counts in shares.items():
            total = sum(counts.values())
            for kind in (DISEASE, CHEMICAL, "other"):
                if total and counts[kind] / total >= SENSE:
                    kinds[form] = "" if kind == "other" else kind
        of_kind = {kind: [f for f, own in kinds.items() if own == kind] for kind in (DISEASE, CHEMICAL, "")}
        return cls(kinds, dict(of_long), of_kind)


class Labeller:
    """Labels notes, after the annotation of some of them."""

    def __init__(self, known: Names, shorts: ShortForms, annotated: Sequence[Document]) -> None:
        self._known, self._shorts = known, shorts
        seen: Counter[str] = Counter()
        marked: Counter[str] = Counter()
        self._kinds: dict[str, str] = {}
        for document in annotated:
            spans = [(m.start, m.end) for m in document.mentions]
            self._kinds |= {" ".join(m.text.casefold().split()): m.type for m in document.mentions}
            for start, end, _, _ in known.spans(document.text):
                name = " ".join(document.text[start:end].casefold().split())
                seen[name] += 1
                marked[name] += any(a < end and start < b for a, b in spans)
        self._seen, self._marked = seen, marked

    def spans(self, document: Document) -> list[Span]:
        """Mentions to learn, Unknown ones among them."""
        text = document.text
        names = list(self._known.spans(text))
        found: list[Span] = []
        for (
            m
        ) in document.mentions:  # as long as a name says; an annotated span without a name as it is, if short
            inside = [n for n in names if m.start <= n[0] and n[1] <= m.end and n[2] in (m.type, "")]
            longest = max(inside, key=lambda n: n[1] - n[0], default=None)
            if longest and (longest[1] - longest[0]) * 2 > m.end - m.start:
                found.append((longest[0], longest[1], m.type))
                found.append((m.start, m.end, UNKNOWN))
            else:
                start = m.start + len(m.text) - len(m.text.lstrip(" \n.,;:"))
                end = m.end - len(m.text) + len(m.text.rstrip(" \n.,;:"))
                found.append((start, end, m.type if len(m.text.split()) < 6 else UNKNOWN))
        for start, end, kind, own in names:
            if all(end <= a or b <= start for a, b, _ in found):
                label = self._label(text[start:end], kind, own)
                if label:
                    found.append((start, end, label))
        for match in re.finditer(r"(?<![\w/-])[A-Za-z][\w/&-]{0,7}(?![\w/-])", text):
            start, end = match.span()
            kind = self._shorts.kinds.get(match[0])
            if kind and all(end <= a or b <= start for a, b, _ in found):
                found.append((start, end, kind))
        return sorted({s for s in found if s[1] > s[0]})

    def _label(self, written: str, kind: str, own: bool) -> str:
        """A kind, Unknown, or "" for no mention."""
        if written in self._shorts.kinds:
            return self._shorts.kinds[written]
        name = " ".join(written.casefold().split())
        seen, marked = self._seen[name], self._marked[name]
        sure = own and (" " in name or len(name) >= LONG)
        sure |= kind == CHEMICAL and len(name) >= LONG
        share = (marked + WEIGHT * (OWN_PRIOR if sure else PRIOR)) / (seen + WEIGHT)
        if share < NEVER:
            return ""
        return (self._kinds.get(name) or kind or UNKNOWN) if share >= SURE else UNKNOWN


def _parts(id: str, text: str, spans: Sequence[Span]) -> Iterator[Document]:
    """A note in pieces of some length, cut between lines."""
    start = number = 0
    while start < len(text):
        end = (
            len(text) if len(text) - start <= LONGEST else text.rfind("\n", start + 200, start + LONGEST) + 1
        )
        end = end if end > start else min(len(text), start + LONGEST)
        own = [(a - start, b - start, t) for a, b, t in spans if start <= a and b <= end]
        if text[start:end].strip():
            yield document_of(f"{id}-{number}", text[start:end], own)
        start, number = end, number + 1


def _typed(document: Document, kind: str) -> Document:
    return document_of(
        document.id, document.text, [(m.start, m.end, kind or m.type or "") for m in document.mentions]
    )


def _rewritten(document: Document, writer: NoteWriter) -> Document:
    pieces: list[Piece] = []
    end = 0
    for m in sorted(document.mentions, key=lambda m: (m.start, -m.end)):
        if m.start < end:
            continue
        pieces += [(document.text[end : m.start], ""), (m.text, m.type)]
        end = m.end
    pieces.append((document.text[end:], ""))
    return _joined(f"R-{document.id}", writer.rewritten(pieces))


def _joined(id: str, pieces: Iterable[Piece]) -> Document:
    text, spans = "", []
    for piece, kind in pieces:
        if kind and piece.strip():
            spans.append((len(text), len(text) + len(piece), kind))
        text += piece
    return document_of(id, text, spans)


def _headings() -> list[str]:
    with (DATA / "vocabulary/sections/section-header-mapping.csv").open(
        encoding="utf-8", newline=""
    ) as stream:
        rows = list(csv.reader(stream))
    column = max(range(len(rows[0])), key=lambda i: len({row[i] for row in rows if len(row) > i}))
    return [row[column].strip(" :") for row in rows[1:] if len(row) > column and 1 < len(row[column]) < 30]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
