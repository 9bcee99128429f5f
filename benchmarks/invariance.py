"""The share of links that change under what must not change them: blanks, quotes, brackets, numbers, a full stop, invisible signs.

    LINNET_DATA=… python benchmarks/bench.py --build
    LINNET_DATA=… python benchmarks/invariance.py [--terminology bench-out/medic] [--count 1500]

Strings without context: distinct mentions of the training sets of NCBI and BC5CDR that are no exact name. No dev set is read. A link
has changed where its concepts differ. Exits with 1 where more than `MOST` of the links change under any one change.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path

from linnet import corpora
from linnet.link import Linker

ROOT = Path(__file__).parents[1]
CORPORA = ("corpora/ncbi-disease/NCBItrainset_corpus.txt", "corpora/bc5cdr/CDR_TrainingSet.PubTator.txt")
MOST = 0.001
CHANGES: dict[str, Callable[[str], str]] = {
    "blank before": lambda text: f" {text}",
    "blank behind": lambda text: f"{text} ",
    "line end behind": lambda text: f"{text}\n",
    "no-break spaces": lambda text: text.replace(" ", "\u00a0"),
    "double blanks": lambda text: text.replace(" ", "  "),
    "'quotes'": lambda text: f"'{text}'",
    '"quotes"': lambda text: f'"{text}"',
    "“quotes”": lambda text: f"“{text}”",
    "[brackets]": lambda text: f"[{text}]",
    "1. number": lambda text: f"1. {text}",
    "full stop": lambda text: f"{text}.",
    "sign without width": lambda text: f"{text[:2]}\u200b{text[2:]}",
    "byte order mark": lambda text: f"\ufeff{text}",
    "no-break hyphens": lambda text: text.replace("-", "\u2011"),
}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--terminology", type=Path, default=ROOT / "bench-out/medic", metavar="DIR")
    parser.add_argument("--count", type=int, default=1500, help="strings (default 1500)")
    options = parser.parse_args()
    data = Path(os.environ.get("LINNET_DATA", ""))
    if not (data / CORPORA[0]).is_file():
        sys.exit(f"{data / CORPORA[0]} is not there. Set LINNET_DATA to the folder with corpora/.")
    linker = Linker.open([options.terminology])
    documents = (document for name in CORPORA for document in corpora.read(data / name))
    mentions = list(dict.fromkeys(mention.text for document in documents for mention in document.mentions))
    best = zip(mentions, (link.candidates[:1] for link in linker.link(mentions, k=1)), strict=True)
    names = {text for text, first in best if first and first[0].name.casefold() == text.casefold()}
    texts = [text for text in mentions if text not in names][: options.count]
    concepts = [link.concepts for link in linker.link(texts, k=1)]
    print(f"| change | links changed, % of {len(texts):,} |\n|---|---:|")
    worst = 0.0
    for name, change in CHANGES.items():
        links = linker.link([change(text) for text in texts], k=1)
        share = sum(link.concepts != before for link, before in zip(links, concepts, strict=True)) / len(
            texts
        )
        worst = max(worst, share)
        print(f"| {name} | {100 * share:.2f} |")
    if worst > MOST:
        print(f"{100 * worst:.2f} % of the links change; expected at most {100 * MOST:g} %", file=sys.stderr)
    return int(worst > MOST)


if __name__ == "__main__":
    sys.exit(main())
