"""Whether a link stays the same where a text only looks different: blanks, quotes, brackets, a number, invisible characters.

    LINNET_DATA=… python benchmarks/invariance.py [--medic DIR] [--mesh DIR] [--count 2000]

Mentions of the training sets of NCBI and BC5CDR that are no exact names, each distinct text once: as strings without context, in
their documents, and recognised in these (the whole text is transformed). Counts the links whose concepts change, and those whose
probability changes by more than 0.0001. No dev set is read.

Exits with 1 where more than `MOST` of the links change under a transformation. Text decoded twice must give the same concepts too.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path

from linnet.link import Linker, Pipeline
from linnet.terminology import Terminology
from linnet.train.corpus import read_mentions
from linnet.types import Document, Link, Mention

MOST = 0.0
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


def main() -> int:
    """Print the tables; 1 where a limit is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--medic", type=Path, default=Path("bench-out/medic"), metavar="DIR")
    parser.add_argument("--mesh", type=Path, default=Path("bench-out/chemicals"), metavar="DIR")
    parser.add_argument("--count", type=int, default=2000, help="texts of each terminology")
    given = parser.parse_args()
    data = Path(os.environ["LINNET_DATA"])
    mentions, _ = read_mentions([data / "corpora" / file for file in _CORPORA])
    worst = 0.0
    for title, place, chemicals in (("MEDIC", given.medic, False), ("MeSH", given.mesh, True)):
        terminology = Terminology.open(place)
        linker = Linker.open([terminology], pipeline=Pipeline.from_manifest(terminology.pipeline))
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
    return int(worst > MOST)


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
