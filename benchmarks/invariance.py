"""Whether a link stays the same where a text only looks different: blanks, quotes, brackets, a number, invisible characters.

    LINNET_DATA=… python benchmarks/invariance.py [--medic DIR] [--mesh DIR] [--count 2000]

Mentions of the training sets of NCBI and BC5CDR that are no exact names, each distinct text once: as strings without context, in
their documents, and recognised in these (the whole text is transformed). Counts the links whose concepts change, and those whose
probability changes by more than 0.0001. No dev set is read.

Then names in a carrier ("X.", "Diagnosis: X", "Patients with X were included.") against the same names bare: distinct names of six sets,
exact or not, single names and strings that name several things (bare). Each one that changes is listed.

Then clinical notes (`benchmarks/clinical`, those to tune on) and abstracts with one more line: which are read as the other kind, and which
have other links.

Exits with 1 where more than `MOST` of the links change under a transformation, more than `MOST_CARRIED` in a carrier, or more than
`MOST_TURNED` documents are read as another kind with one more line. Text decoded twice must give the same concepts too.
"""

from __future__ import annotations

import json
import random
import sys
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path

from measuring import data_folder, parser_of, table

sys.path.append(str(Path(__file__).absolute().parents[1]))
from benchmarks.clinical.notes import load
from benchmarks.clinical.one_more_line import one_more_line, rows
from linnet.link import Linker, Pipeline
from linnet.terminology import Terminology
from linnet.train.corpus import read_mentions
from linnet.types import Document, Link, Mention

MOST = 0.0
MOST_TURNED = 0.05  # a sentence of an article is a fifth of a note of five lines
MOST_CARRIED = {"single names": 0.01, "several things": 0.03}  # pooled over the sets
_CORPORA = ("ncbi-disease/NCBItrainset_corpus.txt", "bc5cdr/CDR_TrainingSet.PubTator.txt")
_DOCUMENTS = 100
Transform = Callable[[str], str]

CHARACTERS: dict[str, Transform] = {
    "no-break space": lambda text: text.replace(" ", "\u00a0"),
    "thin space": lambda text: text.replace(" ", "\u2009"),
    "non-breaking hyphen": lambda text: text.replace("-", "\u2011"),
    "minus sign": lambda text: text.replace("-", "\u2212"),
    "curly apostrophe": lambda text: text.replace("'", "\u2019"),
    "zero-width space": lambda text: text.replace(" ", " \u200b"),
    "soft hyphen": lambda text: f"{text[:-3]}\u00ad{text[-3:]}" if text[-3:].isalpha() else text,
    "byte order mark": lambda text: f"\ufeff{text}",
    "accents apart": lambda text: unicodedata.normalize("NFD", text),
    "decoded twice": lambda text: text.replace("-", "\u2013").encode().decode("cp1252"),
}
AROUND: dict[str, Transform] = {
    "blank before": lambda text: f" {text}",
    "blank behind": lambda text: f"{text} ",
    "no-break space behind": lambda text: f"{text}\u00a0",
    "line end behind": lambda text: f"{text}\r\n",
    "stop behind": lambda text: f"{text}.",
    "double blank": lambda text: text.replace(" ", "  "),
    "straight quotes": lambda text: f'"{text}"',
    "single quotes": lambda text: f"'{text}'",
    "curly quotes": lambda text: f"“{text}”",
    "single curly quotes": lambda text: f"‘{text}’",
    "guillemets": lambda text: f"«{text}»",
    "brackets": lambda text: f"[{text}]",
    "parentheses": lambda text: f"({text})",
    "number": lambda text: f"1. {text}",
    "number in parentheses": lambda text: f"(2) {text}",
    "bullet": lambda text: f"• {text}",
}
CARRIERS = ("{}.", "Diagnosis: {}", "Patients with {} were included.")


def main() -> int:
    """Print the tables; 1 where a limit is missed."""
    parser = parser_of(__doc__)
    parser.add_argument("--medic", type=Path, default=Path("bench-out/medic"), metavar="DIR")
    parser.add_argument("--mesh", type=Path, default=Path("bench-out/chemicals"), metavar="DIR")
    parser.add_argument("--count", type=int, default=2000, help="texts of each terminology")
    parser.add_argument("--names", type=int, default=400, help="names of each set that are put in carriers")
    parser.add_argument("--carriers", action="store_true", help="only the carriers")
    parser.add_argument("--lines", action="store_true", help="only one more line")
    given = parser.parse_args()
    data = data_folder("corpora")
    mentions, _ = read_mentions([data / "corpora" / file for file in _CORPORA])
    worst = 0.0
    linkers = {place: opened(place) for place in (given.medic, given.mesh)}
    turned = with_one_more_line(linkers[given.medic], [mention.document.text for mention in mentions])
    if given.lines:
        return int(turned > MOST_TURNED)
    missed = carried(linkers[given.medic], linkers[given.mesh], data / "corpora", given.names)
    if given.carriers:
        return int(missed)
    for title, place, chemicals in (("MEDIC", given.medic, False), ("MeSH", given.mesh, True)):
        linker = linkers[place]
        chosen = inexact(linker, [m for m in mentions if (m.type == "Chemical") is chemicals], given.count)
        texts = [mention.text for mention in chosen]
        print(
            f"\n| {title}, changed, % | strings: concepts | probability | in context: concepts | probability |"
        )
        print("| --- | ---: | ---: | ---: | ---: |")
        alone, in_context = linker.link(texts), linker.link(chosen)
        for name, transform in (CHARACTERS | AROUND).items():
            cells = changed(alone, linker.link([transform(text) for text in texts]))
            if name in CHARACTERS:
                cells += changed(in_context, linker.link([everywhere(m, transform) for m in chosen]))
            print(f"| {name}, {len(texts):,} | {' | '.join(f'{100 * cell:.2f}' for cell in cells)} |")
            worst = max(worst, *cells)
        worst = max(worst, recognised(linker, list({id(m.document): m.document for m in chosen}.values())))
    return int(missed or worst > MOST or turned > MOST_TURNED)


def opened(place: Path) -> Linker:
    """The linker of a terminology with its own pipeline."""
    terminology = Terminology.open(place)
    return Linker.open([terminology], pipeline=Pipeline.from_manifest(terminology.pipeline))


def carried(diseases: Linker, chemicals: Linker, folder: Path, count: int) -> bool:
    """Print how many names of each set change in a carrier, and which; whether more do than may."""
    pooled: dict[tuple[str, str], list[bool]] = {}
    changes = []
    print("\n| in a carrier, changed, % | names | " + " | ".join(CARRIERS) + " |")
    print("| --- | ---: |" + " ---: |" * len(CARRIERS))
    for title, names in sets(folder).items():
        linker = chemicals if title in _CHEMICALS else diseases
        texts = random.Random(0).sample(sorted(names), min(count, len(names)))
        bare = linker.link(texts)
        by_carrier = {carrier: linker.link([inside(text, carrier) for text in texts]) for carrier in CARRIERS}
        for group in MOST_CARRIED:
            rows = [
                row
                for row, link in enumerate(bare)
                if (len(link.concepts) > 1) == (group == "several things")
            ]
            cells = []
            for carrier, links in by_carrier.items():
                differ = [set(links[row].concepts) != set(bare[row].concepts) for row in rows]
                pooled.setdefault((group, carrier), []).extend(differ)
                cells.append(f"{100 * sum(differ) / max(1, len(rows)):.2f}")
                changes += [
                    f"{title}, {group}: {carrier.format(texts[row])!r}: {said(bare[row])} → {said(links[row])}"
                    for row, other in zip(rows, differ, strict=True)
                    if other
                ]
            print(f"| {title}: {group} | {len(rows):,} | {' | '.join(cells)} |")
    missed = False
    for group, most in MOST_CARRIED.items():
        shares = [sum(pooled[group, carrier]) / len(pooled[group, carrier]) for carrier in CARRIERS]
        cells = [f"{100 * share:.2f}" for share in shares]
        print(
            f"| all: {group}, at most {100 * most:.0f} | {len(pooled[group, CARRIERS[0]]):,} | {' | '.join(cells)} |"
        )
        missed |= max(shares) > most
    print("\n" + "\n".join(changes))
    return missed


def with_one_more_line(linker: Linker, articles: Sequence[str]) -> float:
    """Print how many notes and articles are read as another kind, and have other links; the largest share of the former."""
    distinct = list(dict.fromkeys(articles))
    texts = {
        "notes": [note.text for note in load()],
        "articles": random.Random(0).sample(distinct, _DOCUMENTS),
    }
    worst = 0.0
    for kind, own in texts.items():
        changed = one_more_line(own, linker, notes=texts["notes"], articles=texts["articles"])
        head = [f"{kind} with one more line", "read as another kind", "with other links"]
        print("\n" + table(head, rows(changed)))
        worst = max(worst, *(kinds / documents for kinds, _, documents in changed.values()))
    return worst


def said(link: Link) -> str:
    """What a link says, in short."""
    return f"{'+'.join(link.concepts) or 'NIL'} ({link.name}) {link.probability or 0:.2f}"


_CHEMICALS = ("BC5CDR chemicals", "NLM-Chem", "trial interventions")


def sets(folder: Path) -> dict[str, set[str]]:
    """Distinct names of six sets: mentions of training sets, and strings of a trial registry."""
    mentions, _ = read_mentions([folder / file for file in _CORPORA[1:]])
    of_ncbi, _ = read_mentions([folder / _CORPORA[0]])
    of_nlm, _ = read_mentions([folder / "nlm-chem/half.PubTator"])
    trials = [json.loads(line) for line in (folder / "clinical-trials/trials.jsonl").open(encoding="utf-8")]
    return {
        "NCBI": {mention.text for mention in of_ncbi},
        "BC5CDR diseases": {mention.text for mention in mentions if mention.type != "Chemical"},
        "BC5CDR chemicals": {mention.text for mention in mentions if mention.type == "Chemical"},
        "NLM-Chem": {mention.text for mention in of_nlm},
        "trial conditions": {name.strip() for trial in trials for name in trial["conditions"]},
        "trial interventions": {one["name"].strip() for trial in trials for one in trial["interventions"]},
    }


def inside(text: str, carrier: str) -> Mention:
    """A mention of a text in a carrier."""
    start = carrier.index("{}")
    return Mention(Document("", carrier.format(text)), start, start + len(text), text)


def inexact(linker: Linker, mentions: Sequence[Mention], count: int) -> list[Mention]:
    """A mention of each distinct text that is no name of its terminology, shuffled."""
    distinct = {mention.text: mention for mention in mentions if mention.text == mention.text.strip()}
    links = linker.link(list(distinct))
    found = [
        mention
        for mention, link in zip(distinct.values(), links, strict=True)
        if not link.candidates or "exact" not in link.candidates[0].origin
    ]
    random.Random(0).shuffle(found)
    return found[:count]


def changed(before: Sequence[Link], after: Sequence[Link]) -> list[float]:
    """The share of links with other concepts, and with another probability."""
    pairs = list(zip(before, after, strict=True))
    concepts = sum(a.concepts != b.concepts for a, b in pairs)
    probability = sum(abs((a.probability or 0) - (b.probability or 0)) > 1e-4 for a, b in pairs)
    return [concepts / len(pairs), probability / len(pairs)]


def everywhere(mention: Mention, transform: Transform) -> Mention:
    """The mention in its document, all of which is transformed in three parts."""
    text = transform(mention.text)
    left, right = (transform(part) if part else "" for part in (mention.left, mention.right))
    document = Document(mention.document.id, left + text + right)
    return Mention(document, len(left), len(left) + len(text), text, mention.type)


def recognised(linker: Linker, documents: Sequence[Document]) -> float:
    """Print how many recognised mentions change; the largest share."""
    worst = 0.0
    print("\n| recognised, changed, % | mentions |\n| --- | ---: |")
    documents = [Document(d.id, d.text) for d in documents[:_DOCUMENTS]]

    def found(transform: Transform) -> list[list[tuple[str, ...]]]:
        texts = [Document(d.id, transform(d.text)) for d in documents]
        return [[m.concepts for m in document.mentions] for document in linker.annotate_many(texts)]

    before = found(str)
    for name, transform in CHARACTERS.items():
        pairs = list(zip(before, found(transform), strict=True))
        share = sum(a != b for a, b in pairs) / len(pairs)
        print(f"| {name}: documents of {len(documents)} with other links | {100 * share:.2f} |")
        worst = max(worst, share)
    return worst


if __name__ == "__main__":
    sys.exit(main())
